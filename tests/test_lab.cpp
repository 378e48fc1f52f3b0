// The experiments as data, and what is said of a claim.
#include "support.h"

#include <algorithm>
#include <set>

#include "gpuopt_call/text.h"
#include "gpuopt_lab/experiment.h"
#include "gpuopt_lab/verdict.h"
#include "include_closure.h"

using namespace gpuopt_lab;
using namespace gpuopt_test;

namespace {

std::vector<std::string> parts(const std::string &text) {
  std::vector<std::string> all(1);
  for (const char c : text) {
    if (c == ';')
      all.emplace_back();
    else
      all.back() += c;
  }
  return all;
}

}  // namespace

TEST_CASE("lab: every experiment has an id of its own, words, and runs that it compares") {
  std::set<std::string> ids;
  for (const Experiment &e : experiments()) {
    CAPTURE(e.id);
    CHECK(ids.insert(e.id).second);
    CHECK(!e.technique.empty());
    CHECK(!e.claim.empty());
    CHECK(!e.why.empty());
    const bool compares = e.kind == Kind::calls || e.kind == Kind::transfer;
    CHECK(e.runs.empty() != compares);
    if (!compares) continue;
    CHECK(e.before < e.runs.size());
    CHECK(e.after < e.runs.size());
    CHECK(e.before != e.after);
  }
  CHECK(ids.size() >= 40);
}

TEST_CASE("lab: every problem is a call that the library takes, and a sequence has a kernel for each of its calls") {
  for (const Experiment *e : every_experiment())
    for (const Run &run : e->runs) {
      CAPTURE(run.problem);
      for (const std::string &problem : parts(run.problem)) CHECK_NOTHROW(gpuopt_call::read_call(problem));
      if (!run.kernel.empty()) CHECK(parts(run.kernel).size() == parts(run.problem).size());
    }
}

#if GPUOPT_TEST_HAVE_CUDA && GPUOPT_TEST_EVERY_CLASS
TEST_CASE("lab: every kernel that an experiment forces is there and takes its problem on Hopper") {
  const gpuopt_device_facts h200 = pretend("h200");
  gpuopt_explain_options options = GPUOPT_EXPLAIN_OPTIONS_INIT;
  options.pretend = &h200;
  const Handle handle = cpu_handle();
  // A tuned choice has the name of its algorithm behind the kernel's.
  REQUIRE(gpuopt_set_tune_cache(handle.get(), "none") == GPUOPT_OK);
  for (const Experiment &e : experiments())
    for (const Run &run : e.runs) {
      if (run.kernel.find_first_not_of(';') == std::string::npos || run.kernel.rfind("cpu:", 0) == 0) continue;
      CAPTURE(e.id);
      CAPTURE(run.kernel);
      gpuopt_call::Call call = gpuopt_call::read_call(run.problem);
      Candidates candidates;
      CHECK(gpuopt_explain(handle.get(), call.args(), &options, Candidates::add, &candidates) == GPUOPT_OK);
      const Candidate *const forced = candidates.find(run.kernel);
      REQUIRE(forced);
      CHECK_MESSAGE(forced->verdict != GPUOPT_VERDICT_REJECTED, forced->text);
    }
}
#endif

TEST_CASE("lab: an id finds one experiment, a section all of its letters and no other section") {
  CHECK(find_experiments("004.1a").size() == 1);
  CHECK(find_experiments("004.1").size() == 3);  // not 004.10a
  CHECK(find_experiments("004.10").size() == 3);
  CHECK(find_experiments("all").size() == experiments().size());
  CHECK(find_experiments("004").empty());
  CHECK(find_experiments("").empty());
  CHECK(find_experiments("005.1").empty());
  CHECK(find_experiments("triton").size() == twins().size());
  CHECK(find_experiments("triton.2").size() == 1);
}

// Of a function in Python, or of a .cu file and what it includes.
int code_lines(const std::string &source) {
  const size_t colon = source.find(':');
  int lines = 0;
  if (colon == std::string::npos) {
    for (const auto &file : include_closure(kProject / source)) lines += source_of(file).code_lines;
    return lines;
  }
  std::ifstream in(kProject / source.substr(0, colon));
  const std::string head = "def " + source.substr(colon + 1) + "(";
  bool inside = false;
  for (std::string line; std::getline(in, line);) {
    if (inside && !line.empty() && line[0] != ' ') break;
    inside = inside || line.rfind(head, 0) == 0;
    const size_t first = line.find_first_not_of(' ');
    lines += inside && first != std::string::npos && line[first] != '#';
  }
  return lines;
}

TEST_CASE("lab: the lines of code of the twins and of ours are those of their sources, within a tenth") {
  for (const Experiment &e : twins()) {
    CHECK(e.runs.size() >= 2);
    for (const Run &run : e.runs) {
      CAPTURE(run.source);
      if (run.source.empty()) continue;
      const int lines = code_lines(run.source);
      CHECK_MESSAGE(std::abs(lines - run.lines) * 10 <= lines,
                    run.label << " has " << lines << " lines of code, not " << run.lines);
    }
  }
}

TEST_CASE("lab: a verdict compares what was measured with what was claimed") {
  CHECK(judge(2, 2.2) == Verdict::confirmed);
  CHECK(judge(2, 1.7) == Verdict::confirmed);
  CHECK(judge(2, 4) == Verdict::more);
  CHECK(judge(10, 3.7) == Verdict::less);
  CHECK(judge(2, 1.01) == Verdict::no_difference);
  CHECK(judge(2, 0.8) == Verdict::opposite);
  CHECK(judge(1, 1.1) == Verdict::confirmed);
  CHECK(judge(0, 3) == Verdict::shown);
  CHECK(judge(2, 0) == Verdict::not_run);
  SUBCASE("a claimed loss is judged from its own side") {
    CHECK(judge(0.5, 0.5) == Verdict::confirmed);
    CHECK(judge(0.5, 0.2) == Verdict::more);
    CHECK(judge(0.5, 0.8) == Verdict::less);
    CHECK(judge(0.5, 0.99) == Verdict::no_difference);
    CHECK(judge(0.5, 1.3) == Verdict::opposite);
  }
  CHECK(disagrees(Verdict::less));
  CHECK(!disagrees(Verdict::confirmed));
  CHECK(!disagrees(Verdict::not_run));
}

TEST_CASE("lab: every metric has its name, and ncu is asked for all at once") {
  CHECK(std::string(name_of(Metric::none).ncu).empty());
  CHECK(std::string(name_of(Metric::load_sectors).id) == "load_sectors");
  CHECK(std::string(name_of(Metric::l2_bytes).id) == "l2_bytes");
  CHECK(std::string(name_of(Metric::occupancy).id) == "occupancy");
  CHECK(std::string(name_of(Metric::atomics).id) == "atomics");
  const std::string all = all_metrics();
  CHECK(std::count(all.begin(), all.end(), ',') + 1 == static_cast<int>(Metric::atomics));
}
