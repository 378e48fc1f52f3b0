#include "gpuopt_log/lines.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>

namespace gpuopt_log {
namespace {

constexpr std::string_view kOurs = "gpuopt,v";
constexpr size_t kMostFields = 16;

struct Fields {
  std::string_view at[kMostFields];
  size_t count = 0;
};

// Of a line with more fields, the first ones.
Fields split(std::string_view text) {
  Fields f;
  for (size_t at = 0; at <= text.size() && f.count < kMostFields;) {
    const size_t end = std::min(text.find(',', at), text.size());
    f.at[f.count++] = text.substr(at, end - at);
    at = end + 1;
  }
  return f;
}

template <class Number>
bool reads(std::string_view text, Number *value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *value);
  return error == std::errc() && end == text.data() + text.size();
}

template <class Number>
bool reads_amount(std::string_view text, Number *value) {
  return reads(text, value) && *value >= 0 && std::isfinite(static_cast<double>(*value));
}

bool is_time(std::string_view text, double *value) { return reads(text, value) && *value >= 0 && *value < 1e15; }

// What the library's escapes stand for; what is none stays as it is.
std::string unescaped(std::string_view field) {
  std::string out;
  for (size_t i = 0; i < field.size(); ++i) {
    if (field[i] != '\\' || i + 1 == field.size()) {
      out += field[i];
      continue;
    }
    const char *const kinds = "\\nrt", *const meant = "\\\n\r\t";
    unsigned byte = 0;
    if (const char *known = std::strchr(kinds, field[i + 1])) {
      out += meant[known - kinds];
      i += 1;
    } else if (field[i + 1] == 'x' && i + 3 < field.size() &&
               std::from_chars(&field[i + 2], &field[i + 2] + 2, byte, 16).ptr == &field[i + 2] + 2) {
      out += static_cast<char>(byte);
      i += 3;
    } else {
      out += field[i];
    }
  }
  return out;
}

bool is_how(std::string_view text) {
  return text == "predicted" || text == "tuned" || text == "forced" || text == "cpu-fallback";
}

// "cpu", or "cuda0:sm_90", whose capability is put into *cc.
bool is_device(std::string_view text, int32_t *cc) {
  if (text == "cpu") return true;
  const size_t colon = text.find(":sm_");
  int32_t ordinal = 0;
  return text.substr(0, 4) == "cuda" && colon != std::string_view::npos && reads(text.substr(4, colon - 4), &ordinal) &&
         ordinal >= 0 && ordinal < 1024 && reads(text.substr(colon + 4), cc) && *cc >= 10 && *cc < 1000;
}

void read_exec(const Fields &f, Line *line) {
  const auto malformed = [&](const char *why) {
    line->kind = Kind::malformed;
    line->why = why;
  };
  if (f.count != 11) return malformed("an exec line has 11 fields");
  int64_t workspace = 0;
  Exec &e = line->exec;
  e.op = f.at[3];
  e.kernel = f.at[4];
  e.device = f.at[5];
  e.problem = f.at[6];
  e.how = f.at[7];
  if (e.kernel.empty() || e.problem.substr(0, e.problem.find(' ')) != e.op) return malformed("a field is cut short");
  if (int32_t cc = 0; !is_device(e.device, &cc)) return malformed("the device is neither cpu nor cudaN:sm_NN");
  if (!is_how(e.how)) return malformed("how it was chosen is not predicted, tuned, forced or cpu-fallback");
  if (!reads(f.at[8], &workspace)) return malformed("the workspace is no number");
  if (!f.at[9].empty() && !is_time(f.at[9], &e.predicted_us)) return malformed("the predicted time is no number");
  if (!f.at[10].empty() && !is_time(f.at[10], &e.ms)) return malformed("the time is no number");
  line->kind = Kind::exec;
}

void read_device(const Fields &f, Line *line) {
  line->kind = Kind::malformed;
  line->why = "a device line has 13 fields, numbers where they belong";
  gpuopt_device_facts &d = line->facts;
  if (f.count != 13 || !reads_amount(f.at[5], &d.sm_count) || !reads_amount(f.at[6], &d.clock_mhz) ||
      !reads_amount(f.at[7], &d.memory_gbs) || !reads_amount(f.at[8], &d.l2_bytes) ||
      !reads_amount(f.at[9], &d.memory_bytes) || !reads_amount(f.at[10], &d.cpu_threads) ||
      !reads_amount(f.at[11], &d.cpu_isa))
    return;
  if (!is_device(f.at[3], &d.cc)) return;
  std::string name = unescaped(f.at[4]);
  // It is shown on terminals, which take control characters for commands; a device's own name has none.
  for (char &c : name)
    if (const unsigned char byte = static_cast<unsigned char>(c); byte < 0x20 || byte == 0x7f) c = '?';
  std::memcpy(d.name, name.data(), std::min(name.size(), sizeof d.name - 1));
  line->kind = Kind::device;
  line->device = std::string(f.at[3]);
}

}  // namespace

bool may_be_ours(std::string_view text) {
  return text.substr(0, kOurs.size()) == kOurs.substr(0, std::min(text.size(), kOurs.size()));
}

Line read_line(std::string_view text) {
  Line line;
  line.facts = GPUOPT_DEVICE_FACTS_INIT;
  if (text.size() < kOurs.size() || !may_be_ours(text)) return line;
  const Fields f = split(text);
  if (f.at[1] != "v2") {
    int version = 0;
    if (f.count >= 3 && reads(f.at[1].substr(1), &version))
      line.kind = version == 1 ? Kind::version_1 : Kind::unknown_version;
    return line;
  }
  line.kind = Kind::other;
  const std::string_view kind = f.at[2];
  if (kind == "exec") {
    read_exec(f, &line);
  } else if (kind == "device") {
    read_device(f, &line);
  } else if (kind == "warn" && f.count == 6 && f.at[3] == "log" && f.at[4] == "lost") {
    if (reads(f.at[5].substr(0, f.at[5].find(' ')), &line.lost)) line.kind = Kind::lost;
  } else if (kind != "info" && kind != "warn" && kind != "dispatch" && kind != "profile" && kind != "command" &&
             kind != "plugin") {
    line.kind = Kind::malformed;
    line.why = "its kind is none of version 2";
  }
  return line;
}

}  // namespace gpuopt_log
