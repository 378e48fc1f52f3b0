// A record as JSON, both ways.
//
// Schema gpuopt-bench-2 keeps a row short: "words" holds every text once, and rows stand in cases, one a line:
//   [suite, shape, type, detail, mode, cache, unit, best peer, problem, call, row, row ...]      texts as places in words
//   row: [contender, kernel, role, predicted us, median us, samples, p10, p90, calls, rate, against peer, ceiling, bound]
// zeros at a row's end left out; of one that was not timed, the reason as text in place of the median. Numbers have five
// digits. Schema gpuopt-bench-1, an object a row, is read too.
#include <cmath>
#include <cstdio>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "record_read.h"

namespace gpuopt_bench {
namespace {

using Json = nlohmann::json;
using Ordered = nlohmann::ordered_json;

constexpr char kSchema[] = "gpuopt-bench-2";
constexpr Role kRoles[] = {Role::automatic, Role::kernel, Role::peer, Role::ceiling, Role::reference};
constexpr Bound kBounds[] = {Bound::at_most, Bound::at_least, Bound::above};

// Five digits; whole numbers as such.
Ordered brief(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.5g", value);
  const double read = std::strtod(text, nullptr);
  if (read == std::floor(read) && std::abs(read) < 1e15) return static_cast<int64_t>(read);
  return read;
}

// ---- writing ---------------------------------------------------------------------------------------------------------

class Words {
 public:
  size_t operator()(const std::string &word) {
    const auto found = places_.emplace(word, all_.size());
    if (found.second) all_.push_back(word);
    return found.first->second;
  }
  const std::vector<std::string> &all() const { return all_; }

 private:
  std::map<std::string, size_t> places_;
  std::vector<std::string> all_;
};

Ordered case_of(const Row &r, Words *words) {
  Words &w = *words;
  return {w(r.suite),       w(r.shape), w(r.type),      w(r.detail),  w(word(r.mode)),
          w(word(r.cache)), w(r.unit),  w(r.best_peer), w(r.problem), w(r.call)};
}

Ordered row_json(const Row &r, Words *words) {
  Words &w = *words;
  Ordered row = {w(r.contender), w(r.kernel), w(word(r.role)), brief(r.predicted_us)};
  if (!r.timing.ok()) {
    row.push_back(r.timing.failure);
    return row;
  }
  const double numbers[] = {r.timing.median_us, 1.0 * r.timing.samples, r.timing.p10_us,
                            r.timing.p90_us,    1.0 * r.timing.calls,   r.rate,
                            r.against_peer,     r.against_ceiling,      r.against_bound};
  size_t count = std::size(numbers);
  while (count > 1 && numbers[count - 1] == 0) --count;
  for (size_t i = 0; i < count; ++i) row.push_back(brief(numbers[i]));
  return row;
}

Ordered check_json(const Check &c) {
  Ordered out = {{"name", c.name}};
  if (!std::isnan(c.value)) out["value"] = brief(c.value);
  out["limit"] = brief(c.limit);
  out["unit"] = c.unit;
  out["ok"] = c.ok;
  if (c.target) out["target"] = true, out["bound"] = word(c.bound);
  if (!c.note.empty()) out["note"] = c.note;
  return out;
}

Ordered clocks_json(const Clocks &c) {
  Ordered j = {{"sm_mhz", c.sm_mhz}, {"memory_mhz", c.memory_mhz}, {"celsius", c.celsius}, {"watts", c.watts}};
  if (c.held_back) j["held_back"] = c.held_back;
  return j;
}

Ordered gpu_json(const DeviceInfo &d) {
  return {{"name", d.name},
          {"cc", d.cc},
          {"sm_count", d.sm_count},
          {"l2_bytes", d.l2_bytes},
          {"memory_bytes", d.memory_bytes},
          {"driver", d.driver},
          {"driver_cuda", version_text(d.driver_version)},
          {"runtime", version_text(d.runtime_version)},
          {"max_sm_mhz", d.max_sm_mhz},
          {"max_memory_mhz", d.max_memory_mhz}};
}

// Fields of gpuopt_device_facts, as f(name, field); Facts is it or it const.
template <class Facts, class Function>
void each_fact(Facts &facts, Function f) {
  f("ordinal", facts.ordinal);
  f("cc", facts.cc);
  f("sm_count", facts.sm_count);
  f("max_threads_per_sm", facts.max_threads_per_sm);
  f("regs_per_sm", facts.regs_per_sm);
  f("cpu_threads", facts.cpu_threads);
  f("cpu_isa", facts.cpu_isa);
  f("cublaslt", facts.cublaslt);
  f("smem_per_sm", facts.smem_per_sm);
  f("smem_per_block", facts.smem_per_block);
  f("smem_per_block_optin", facts.smem_per_block_optin);
  f("l2_bytes", facts.l2_bytes);
  f("memory_bytes", facts.memory_bytes);
  f("clock_mhz", facts.clock_mhz);
  f("memory_gbs", facts.memory_gbs);
  f("driver_version", facts.driver_version);
  f("runtime_version", facts.runtime_version);
}

template <class Item>
std::string lines(const std::vector<Item> &items) {
  std::string text = "[";
  for (size_t i = 0; i < items.size(); ++i) text += (i ? ",\n" : "\n") + Ordered(items[i]).dump();
  return text + "\n]";
}

// ---- reading ---------------------------------------------------------------------------------------------------------

std::string text_of(const Json &object, const char *name) { return object.value(name, std::string()); }
double number_of(const Json &object, const char *name) { return object.value(name, 0.0); }

template <class Value, size_t N>
Value known(const Value (&values)[N], const std::string &text) {
  for (const Value value : values)
    if (text == word(value)) return value;
  throw std::runtime_error("'" + text + "' is no word of a record");
}
Mode mode_of(const std::string &text) { return text == word(Mode::graph) ? Mode::graph : Mode::single; }
Cache cache_of(const std::string &text) { return text == word(Cache::resident) ? Cache::resident : Cache::cold; }

// "13.0": 13000
int version_number(const std::string &text) {
  int major = 0, minor = 0;
  return std::sscanf(text.c_str(), "%d.%d", &major, &minor) == 2 ? 1000 * major + 10 * minor : 0;
}

Row first_schema_row(const Json &j) {
  Row r;
  r.suite = text_of(j, "suite");
  r.shape = text_of(j, "shape");
  r.type = text_of(j, "type");
  r.detail = text_of(j, "detail");
  r.contender = text_of(j, "contender");
  r.kernel = text_of(j, "kernel");
  r.role = known(kRoles, text_of(j, "role"));
  r.mode = mode_of(text_of(j, "mode"));
  r.cache = cache_of(text_of(j, "cache"));
  r.timing = {number_of(j, "median_us"), number_of(j, "p10_us"), number_of(j, "p90_us"),
              j.value("samples", 0),     j.value("calls", 0),    text_of(j, "failure")};
  r.rate = number_of(j, "rate");
  r.unit = text_of(j, "unit");
  r.best_peer = text_of(j, "best_peer");
  r.against_peer = number_of(j, "against_peer");
  r.against_ceiling = number_of(j, "against_ceiling");
  r.against_bound = number_of(j, "against_bound");
  r.problem = text_of(j, "problem");
  r.call = text_of(j, "call");
  r.predicted_us = number_of(j, "predicted_us");
  return r;
}

constexpr size_t kCaseFields = 10;
void add_case(const Json &j, const std::vector<std::string> &words, std::vector<Row> *rows) {
  const auto text = [&](const Json &array, size_t i) { return words.at(array.at(i).get<size_t>()); };
  Row r;
  r.suite = text(j, 0);
  r.shape = text(j, 1);
  r.type = text(j, 2);
  r.detail = text(j, 3);
  r.mode = mode_of(text(j, 4));
  r.cache = cache_of(text(j, 5));
  r.unit = text(j, 6);
  r.best_peer = text(j, 7);
  r.problem = text(j, 8);
  r.call = text(j, 9);
  for (size_t i = kCaseFields; i < j.size(); ++i) {
    const Json &row = j[i];
    const auto number = [&](size_t k) { return k < row.size() ? row[k].get<double>() : 0.0; };
    r.contender = text(row, 0);
    r.kernel = text(row, 1);
    r.role = known(kRoles, text(row, 2));
    r.predicted_us = number(3);
    r.timing = Timing();
    r.timing.calls = 0;
    r.rate = r.against_peer = r.against_ceiling = r.against_bound = 0;
    if (row.at(4).is_string()) {
      r.timing.failure = row[4].get<std::string>();
    } else {
      r.timing = {number(4), number(6), number(7), static_cast<int>(number(5)), static_cast<int>(number(8)), ""};
      r.rate = number(9);
      r.against_peer = number(10);
      r.against_ceiling = number(11);
      r.against_bound = number(12);
    }
    rows->push_back(r);
  }
}

Check check_of(const Json &j) {
  Check c;
  c.name = text_of(j, "name");
  c.value = j.contains("value") ? number_of(j, "value") : NAN;
  c.limit = number_of(j, "limit");
  c.unit = text_of(j, "unit");
  c.ok = j.value("ok", false);
  c.target = j.value("target", false);
  if (c.target) c.bound = known(kBounds, text_of(j, "bound"));
  c.note = text_of(j, "note");
  return c;
}

Clocks clocks_of(const Json &j) {
  return {j.value("sm_mhz", 0u), j.value("memory_mhz", 0u), j.value("celsius", 0u), j.value("watts", 0u),
          j.value("held_back", uint64_t{0})};
}

Record record_of(const Json &j) {
  Record record;
  record.commit = text_of(j, "commit");
  record.build = text_of(j, "build");
  record.arguments = text_of(j, "arguments");
  record.date = text_of(j, "date");
  const Json gpu = j.value("gpu", Json::object());
  DeviceInfo &d = record.device;
  d.name = text_of(gpu, "name");
  d.cc = gpu.value("cc", 0);
  d.sm_count = gpu.value("sm_count", 0);
  d.l2_bytes = gpu.value("l2_bytes", size_t{0});
  d.memory_bytes = gpu.value("memory_bytes", size_t{0});
  d.driver = text_of(gpu, "driver");
  d.driver_version = version_number(text_of(gpu, "driver_cuda"));
  d.runtime_version = version_number(text_of(gpu, "runtime"));
  d.max_sm_mhz = gpu.value("max_sm_mhz", 0);
  d.max_memory_mhz = gpu.value("max_memory_mhz", 0);
  if (j.contains("facts")) {
    const Json &facts = j["facts"];
    record.facts.struct_size = sizeof record.facts;
    std::snprintf(record.facts.name, sizeof record.facts.name, "%s", d.name.c_str());
    each_fact(record.facts, [&](const char *name, auto &field) { field = facts.at(name); });
  }
  record.before = clocks_of(j.value("clocks_before", Json::object()));
  record.after = clocks_of(j.value("clocks_after", Json::object()));
  for (const Json &check : j.value("checks", Json::array())) record.checks.push_back(check_of(check));
  const std::vector<std::string> words = j.value("words", std::vector<std::string>());
  for (const Json &one : j.value("cases", Json::array())) add_case(one, words, &record.rows);
  for (const Json &row : j.value("rows", Json::array())) record.rows.push_back(first_schema_row(row));
  return record;
}

}  // namespace

std::string Record::json() const {
  Words words;
  words("");
  std::vector<Ordered> cases;
  Ordered last;  // the fields of the case that rows are being added to
  for (const Row &r : rows) {
    Ordered fields = case_of(r, &words);
    if (cases.empty() || fields != last) {
      cases.push_back(fields);
      last = std::move(fields);
    }
    cases.back().push_back(row_json(r, &words));
  }
  std::vector<Ordered> check_list;
  for (const Check &c : checks) check_list.push_back(check_json(c));
  std::string out = "{\n";
  const auto put = [&](const char *name, const Ordered &value) {
    out += Ordered(name).dump() + ": " + value.dump() + ",\n";
  };
  put("schema", kSchema);
  put("commit", commit);
  put("build", build);
  put("arguments", arguments);
  put("date", date);
  put("gpu", gpu_json(device));
  if (facts.struct_size != 0) {
    Ordered told;
    each_fact(facts, [&](const char *name, const auto &field) { told[name] = field; });
    put("facts", told);
  }
  put("clocks_before", clocks_json(before));
  put("clocks_after", clocks_json(after));
  return out + "\"checks\": " + lines(check_list) + ",\n\"words\": " + lines(words.all()) +
         ",\n\"cases\": " + lines(cases) + "\n}\n";
}

Record read_record(const std::string &path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path);
  try {
    const Json json = Json::parse(file);
    if (text_of(json, "schema").rfind("gpuopt-bench-", 0) != 0) throw std::runtime_error("it is no record");
    return record_of(json);
  } catch (const std::exception &e) {
    throw std::runtime_error(path + ": " + e.what());
  }
}

}  // namespace gpuopt_bench
