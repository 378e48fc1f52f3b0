#include "record.h"

#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <ctime>
#include <stdexcept>

#include "cell_tables.h"
#include "ladder_table.h"
#include "target_table.h"
#include "whole_file.h"

namespace gpuopt_bench {
namespace {

std::string format(const char *pattern, ...) __attribute__((format(printf, 1, 2)));
std::string format(const char *pattern, ...) {
  char text[256];
  va_list values;
  va_start(values, pattern);
  std::vsnprintf(text, sizeof text, pattern, values);
  va_end(values);
  return text;
}

// The other mode's row of the same contender and problem, which a run puts close behind.
const Row *graph_row(const std::vector<Row> &rows, size_t single) {
  const Row &s = rows[single];
  for (size_t i = single + 1; i < rows.size() && rows[i].suite == s.suite && rows[i].shape == s.shape; ++i)
    if (rows[i].mode == Mode::graph && rows[i].type == s.type && rows[i].detail == s.detail &&
        rows[i].contender == s.contender && rows[i].cache == s.cache)
      return &rows[i];
  return nullptr;
}

std::string ratio(double value) { return value > 0 ? format("%.2f", value) : "-"; }
std::string percent(double value) { return value > 0 ? format("%.1f %%", 100 * value) : "-"; }

// Geometric mean and least of the ratios of our automatic choice in one suite and mode.
struct Ratios {
  int count = 0;
  double log_sum = 0, least = 0;
  std::string where;  // the least
  void take(double value, const Row &r) {
    if (value <= 0) return;
    ++count;
    log_sum += std::log(value);
    if (least == 0 || value < least) {
      least = value;
      where = r.shape + " " + r.type + " " + r.detail;
    }
  }
  std::string text() const {
    return count ? format("%.3f", std::exp(log_sum / count)) + " | " + format("%.3f", least) + " (" + where + ")"
                 : "- | -";
  }
};

std::string summary(const std::vector<Row> &rows) {
  std::string out =
      "\n## Summary\n\nOur automatic choice. Ratios are the other's time over ours: above 1 we are faster.\n\n"
      "| suite | mode | cases | x best peer, mean | least | x ceiling, mean | least "
      "|\n|---|---|---:|---:|---|---:|---|\n";
  std::vector<std::string> suites;
  for (const Row &r : rows)
    if (r.role == Role::automatic && (suites.empty() || suites.back() != r.suite)) suites.push_back(r.suite);
  for (const std::string &suite : suites)
    for (const Mode mode : {Mode::single, Mode::graph}) {
      Ratios peer, ceiling;
      int cases = 0;
      for (const Row &r : rows) {
        if (suite.rfind("selection_", 0) == 0) break;  // judged among the targets
        if (r.suite != suite || r.mode != mode || r.role != Role::automatic || !r.timing.ok()) continue;
        ++cases;
        peer.take(r.against_peer, r);
        ceiling.take(r.against_ceiling, r);
      }
      if (cases)
        out += "| " + suite + " | " + word(mode) + " | " + std::to_string(cases) + " | " + peer.text() + " | " +
               ceiling.text() + " |\n";
    }
  return suites.empty() ? "" : out;
}

}  // namespace

bool Record::checks_ok() const {
  for (const Check &c : checks)
    if (!c.ok && !c.target) return false;
  return true;
}

std::string Record::markdown() const {
  std::string out =
      "# " + device.name + ", " + date.substr(0, 10) + "\n\nCommit " + commit + ", " + build + ". Driver " +
      device.driver + ", CUDA runtime " + version_text(device.runtime_version) +
      format(". SM %u MHz and memory %u MHz at the start, %u and %u at the end.", before.sm_mhz, before.memory_mhz,
             after.sm_mhz, after.memory_mhz) +
      "\n\nS: single call behind a spin. G: per call in a graph. Cold cache unless stated. Times are medians in "
      "microseconds. \"x peer\": the best peer's time over ours, S and G. \"of ceiling\": copy or read of the "
      "same bytes, S and G; gemm: the arithmetic units' peak at the highest SM clock.\n";
  std::string lines;
  for (const Check &c : checks)
    if (!c.target)
      lines += "| " + c.name + " | " + format("%.3g %s | %.3g %s", c.value, c.unit.c_str(), c.limit, c.unit.c_str()) +
               " | " + (c.ok ? "ok" : "**FAIL**") + " |\n";
  if (!lines.empty()) out += "\n| check | value | limit | |\n|---|---:|---:|---|\n" + lines;
  out += target_table(checks) + summary(rows);
  std::string suite;
  for (size_t i = 0; i < rows.size(); ++i) {
    const Row &r = rows[i];
    const bool ours = r.role == Role::automatic || r.role == Role::kernel;
    if (r.mode != Mode::single || (!ours && r.suite != "copy") || r.suite == "ladder" || r.suite == "fused_table" ||
        r.suite.rfind("selection_", 0) == 0)
      continue;
    if (r.suite != suite) {
      suite = r.suite;
      out += "\n## " + suite +
             "\n\n| shape | type | detail | kernel | S us | G us | rate | best peer | x peer S | x peer G | of ceiling "
             "S | of "
             "ceiling G |\n|---|---|---|---|---:|---:|---:|---|---:|---:|---:|---:|\n";
    }
    const std::string detail = r.detail + (r.cache == Cache::resident ? " resident" : "");
    const std::string name = r.kernel.empty() ? r.contender : r.kernel + (r.role == Role::kernel ? " (forced)" : "");
    out += "| " + r.shape + " | " + r.type + " | " + detail + " | " + name + " | ";
    if (!r.timing.ok()) {
      out += r.timing.failure + " | | | | | | | |\n";
      continue;
    }
    const Row *g = graph_row(rows, i);
    const bool have_graph = g != nullptr && g->timing.ok();
    out += format("%.2f | ", r.timing.median_us) + (have_graph ? format("%.2f", g->timing.median_us) : "-") + " | " +
           format("%.4g %s", have_graph ? g->rate : r.rate, r.unit.c_str()) + " | " +
           (r.best_peer.empty() ? "-" : r.best_peer) + " | " + ratio(r.against_peer) + " | " +
           ratio(have_graph ? g->against_peer : 0) + " | " + percent(r.against_ceiling) + " | " +
           percent(have_graph ? g->against_ceiling : 0) + " |\n";
  }
  return out + cell_tables(rows) + ladder_tables(rows);
}

const char *word(Mode mode) { return mode == Mode::single ? "S" : "G"; }
const char *word(Cache cache) { return cache == Cache::cold ? "cold" : "resident"; }
const char *word(Role role) {
  switch (role) {
    case Role::automatic:
      return "auto";
    case Role::kernel:
      return "kernel";
    case Role::peer:
      return "peer";
    case Role::reference:
      return "reference";
    default:
      return "ceiling";
  }
}
const char *word(Bound bound) { return bound == Bound::at_most ? "<=" : bound == Bound::at_least ? ">=" : ">"; }

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm utc;
  gmtime_r(&now, &utc);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text;
}

std::string git_commit() {
  std::string commit;
  FILE *pipe = popen("git rev-parse --short=12 HEAD 2>/dev/null && git status --porcelain -uno 2>/dev/null", "r");
  if (pipe == nullptr) return "unknown";
  char text[256];
  bool changed = false;
  while (std::fgets(text, sizeof text, pipe) != nullptr) {
    if (commit.empty())
      commit = text;
    else
      changed = true;
  }
  pclose(pipe);
  while (!commit.empty() && commit.back() == '\n') commit.pop_back();
  return commit.empty() ? "unknown" : commit + (changed ? "+" : "");
}

void write_file(const std::string &path, const std::string &text) {
  const std::string fault = gpuopt_file::write_whole_file(path, text);
  if (!fault.empty()) throw std::runtime_error("'" + path + "': " + fault);
}

std::string output_fault(const std::string &option, const std::string &path) {
  const std::string fault = path.empty() ? "" : gpuopt_file::whole_file_fault(path);
  return fault.empty() ? "" : option + ": '" + path + "': " + fault;
}

std::string recorded_arguments(const std::vector<std::string> &words) {
  std::string text;
  for (size_t i = 0; i < words.size(); ++i) {
    const bool file =
        i > 0 && (words[i - 1] == "--json" || words[i - 1] == "--markdown" || words[i - 1] == "--against");
    text += (i > 0 ? " " : "") + (file ? words[i].substr(words[i].rfind('/') + 1) : words[i]);
  }
  return text;
}

}  // namespace gpuopt_bench
