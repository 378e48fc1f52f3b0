// The table of targets and its judging.
#include <doctest/doctest.h>

#include <fnmatch.h>

#include <cmath>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "rows.h"
#include "suites/problems.h"
#include "suites/targets.h"

using namespace gpuopt_bench;

namespace {

constexpr Role kAuto = Role::automatic, kKernel = Role::kernel, kPeer = Role::peer, kReference = Role::reference;

Target target(Measure measure, double limit) {
  Target t;
  t.problems = {"transpose 8x8"};
  t.measure = measure;
  t.limit = limit;
  return t;
}

Check one(const Target &t, const std::vector<Row> &rows) {
  const std::vector<Check> checks = judged({t}, rows);
  REQUIRE(checks.size() == 1);
  CHECK(checks[0].target);
  return checks[0];
}

std::string sample_name(const std::string &glob, const char *otherwise) {  // a name that the glob matches
  std::string name = glob.empty() ? otherwise : glob;
  if (name.back() == '*') name.back() = 'x';
  return name;
}

// Rows of every problem of a target that give exactly this value.
std::vector<Row> rows_worth(const Target &t, double value) {
  std::vector<Row> rows;
  for (const std::string &problem : t.problems) {
    const double other_us = 50;
    double us = 10;
    if (t.measure == Measure::ratio) us = other_us / value;
    if (t.measure == Measure::slowdown) us = other_us * value;
    if (t.measure == Measure::us) us = value;
    if (t.measure == Measure::us_over) us = other_us + value;
    if (t.measure == Measure::behind) us = other_us + value * 0.01 * other_us;
    Row ours = row(problem, t.ours.empty() ? kAuto : kKernel, sample_name(t.ours, "gpuopt"), us, t.mode);
    ours.rate = value;
    ours.against_ceiling = ours.against_bound = value / 100;
    ours.cache = t.cache;
    const bool kernel = t.other.rfind("gemm_", 0) == 0, reference = t.other == kEmptyKernel || t.other == kOneStage;
    Row other = row(problem,
                    kernel      ? kKernel
                    : reference ? kReference
                                : kPeer,
                    sample_name(t.other, "peer"), other_us, t.mode);
    other.cache = t.cache;
    rows.push_back(ours);
    rows.push_back(other);
  }
  return rows;
}

}  // namespace

TEST_CASE("targets: a ratio is the fastest peer's time over our automatic choice's") {
  const Target t = target(Measure::ratio, 1.10);
  const std::string p = t.problems[0];
  std::vector<Row> rows = {row(p, kAuto, "a", 10),  row(p, kPeer, "slow", 20),        row(p, kPeer, "fast", 11.5),
                           row(p, kKernel, "b", 1), row(p, Role::ceiling, "copy", 2), row(p, kReference, "r", 3)};
  Check c = one(t, rows);
  CHECK(c.value == doctest::Approx(1.15));
  CHECK(c.ok);
  CHECK(c.bound == Bound::at_least);
  CHECK(c.limit == 1.10);
  CHECK(c.note == "");
  rows[2].timing.median_us = 10.9;
  c = one(t, rows);
  CHECK(c.value == doctest::Approx(1.09));
  CHECK_FALSE(c.ok);
}

TEST_CASE("targets: only rows of the problem, mode and cache count") {
  Target t = target(Measure::us, 5);
  const std::string p = t.problems[0];
  Row resident = row(p, kAuto, "a", 1);
  resident.cache = Cache::resident;
  const std::vector<Row> rows = {row(p + "9", kAuto, "a", 1), row(p, kAuto, "a", 2, Mode::graph), resident};
  CHECK(judged({t}, rows).empty());
  t.mode = Mode::graph;
  CHECK(one(t, rows).value == 2);
  t.mode = Mode::single;
  t.cache = Cache::resident;
  CHECK(one(t, rows).value == 1);
}

TEST_CASE("targets: named kernels and partners") {
  Target t = target(Measure::ratio, 1);
  const std::string p = t.problems[0];
  t.ours = "gemm_new_*";
  t.other = "gemm_old";
  std::vector<Row> rows = {row(p, kAuto, "gemm_best", 1), row(p, kKernel, "gemm_new_1", 8),
                           row(p, kKernel, "gemm_new_2", 5), row(p, kKernel, "gemm_old", 6), row(p, kPeer, "peer", 2)};
  CHECK(one(t, rows).value == doctest::Approx(1.2));
  rows[0] = row(p, kAuto, "gemm_new_3", 4);  // the automatic choice is a kernel too
  CHECK(one(t, rows).value == doctest::Approx(1.5));
  rows = {row(p, kKernel, "gemm_new_1", 6), row(p, kKernel, "gemm_old", 6)};
  CHECK(one(t, rows).ok);
  t.strict = true;
  CHECK_FALSE(one(t, rows).ok);
  CHECK(one(t, rows).bound == Bound::above);
}

TEST_CASE("targets: times over another's, and behind it") {
  const std::string p = target(Measure::us, 0).problems[0];
  Target over = target(Measure::us_over, 0.45);
  over.other = "empty";
  CHECK(one(over, {row(p, kAuto, "a", 3.75), row(p, kReference, "empty", 3.31)}).ok);
  const Check more = one(over, {row(p, kAuto, "a", 3.78), row(p, kReference, "empty", 3.31)});
  CHECK_FALSE(more.ok);
  CHECK(more.value == doctest::Approx(0.47));
  const Target behind = target(Measure::behind, 1);
  // 64 ns where the peer takes less than 6.4 us, 1 % beyond
  CHECK(one(behind, {row(p, kAuto, "a", 4.06), row(p, kPeer, "peer", 4)}).ok);
  CHECK_FALSE(one(behind, {row(p, kAuto, "a", 4.07), row(p, kPeer, "peer", 4)}).ok);
  CHECK(one(behind, {row(p, kAuto, "a", 100.9), row(p, kPeer, "peer", 100)}).value == doctest::Approx(0.9));
  CHECK_FALSE(one(behind, {row(p, kAuto, "a", 101.1), row(p, kPeer, "peer", 100)}).ok);
  CHECK(one(behind, {row(p, kAuto, "a", 50), row(p, kPeer, "peer", 100)}).value < 0);
}

TEST_CASE("targets: shares and rates") {
  Row r = row("transpose 8x8", kAuto, "a", 10);
  r.rate = 4000;
  r.against_ceiling = 0.97;
  r.against_bound = 0.9;
  CHECK(one(target(Measure::rate, 4000), {r}).ok);
  CHECK_FALSE(one(target(Measure::rate, 4001), {r}).ok);
  CHECK(one(target(Measure::of_copy, 96.9), {r}).ok);
  CHECK_FALSE(one(target(Measure::of_read, 97.1), {r}).ok);
  CHECK(one(target(Measure::of_bound, 80), {r}).value == doctest::Approx(90));
  r.against_ceiling = 0;  // nobody measured a ceiling
  const Check none = one(target(Measure::of_copy, 90), {r});
  CHECK_FALSE(none.ok);
  CHECK(std::isnan(none.value));
  CHECK(none.note.find("% of copy") != std::string::npos);
}

TEST_CASE("targets: a geometric mean over a list, and the worst of it") {
  Target t = target(Measure::ratio, 2);
  t.problems = {"gemm 1x1x1", "gemm 2x2x2"};
  t.fold = Fold::geometric_mean;
  std::vector<Row> rows = {row(t.problems[0], kAuto, "a", 10), row(t.problems[0], kPeer, "p", 10),
                           row(t.problems[1], kAuto, "a", 10), row(t.problems[1], kPeer, "p", 40)};
  Check c = one(t, rows);
  CHECK(c.value == doctest::Approx(2));  // of 1 and 4; their plain mean is 2.5
  CHECK(c.note.find("least 1: 1x1x1") == 0);
  t.fold = Fold::worst;
  c = one(t, rows);
  CHECK(c.value == doctest::Approx(1));
  CHECK(c.note.find("1x1x1") == 0);
  t.measure = Measure::slowdown;
  c = one(t, rows);
  CHECK(c.value == doctest::Approx(1));
  CHECK(c.ok);
  rows[2].timing.median_us = 100;
  CHECK(one(t, rows).value == doctest::Approx(2.5));
  CHECK(one(t, rows).note.find("2x2x2") == 0);
}

TEST_CASE("targets: a problem of many cases, as a table of chains, is judged by each") {
  Target t = target(Measure::of_bound, 85);
  t.fold = Fold::worst;
  Row a = row(t.problems[0], kAuto, "a", 10), b = a;
  a.detail = "relu";
  a.against_bound = 0.99;
  b.detail = "gelu";
  b.against_bound = 0.80;
  CHECK(one(t, {a}).ok);
  const Check c = one(t, {a, b});
  CHECK_FALSE(c.ok);
  CHECK(c.value == doctest::Approx(80));
  CHECK(c.note.find("gelu") != std::string::npos);
  b.timing.failure = "no memory";
  const Check failed = one(t, {a, b});
  CHECK_FALSE(failed.ok);
  CHECK(failed.note.find("no memory") != std::string::npos);
}

TEST_CASE("targets: what is missing is named and makes a target short") {
  Target t = target(Measure::ratio, 1);
  t.problems = {"gemm 1x1x1", "gemm 2x2x2", "gemm 3x3x3"};
  t.fold = Fold::geometric_mean;
  std::vector<Row> rows = {row(t.problems[0], kAuto, "a", 1), row(t.problems[0], kPeer, "p", 9)};
  Check c = one(t, rows);
  CHECK_FALSE(c.ok);
  CHECK(c.note == "missing: gemm 2x2x2 S: no rows; gemm 3x3x3 S: no rows");
  rows.push_back(row(t.problems[1], kAuto, "a", 1));
  rows.push_back(row(t.problems[2], kPeer, "p", 9));
  rows.push_back(row(t.problems[2], kAuto, "a", 1));
  rows.back().timing.failure = "refused";
  c = one(t, rows);
  CHECK_FALSE(c.ok);
  CHECK(c.note == "missing: gemm 2x2x2 S: a peer; gemm 3x3x3 S: our automatic choice, refused");
  t.problems.resize(1);
  CHECK(one(t, rows).ok);
}

TEST_CASE("targets: every number of the table is met at its bound and short beyond it") {
  REQUIRE(targets().size() > 150);
  for (const Target &t : targets()) {
    CAPTURE(name_of(t));
    REQUIRE(!t.problems.empty());
    const double better = bound_of(t) == Bound::at_most ? 0.999 : 1.001;
    const Check met = one(t, rows_worth(t, t.limit * better)), missed = one(t, rows_worth(t, t.limit / better));
    CHECK(met.ok);
    CHECK(met.value == doctest::Approx(t.limit * better));
    CHECK_FALSE(missed.ok);
    std::vector<Row> less = rows_worth(t, t.limit * better);
    less.erase(less.begin());  // ours of the first problem
    const Check lacks = one(t, less);
    CHECK_FALSE(lacks.ok);
    CHECK(lacks.note.find("missing: " + t.problems[0]) == 0);
  }
}

TEST_CASE("targets: the table is sound") {
  std::set<std::string> names;
  std::map<std::string, int> of_suite;
  for (const Target &t : targets()) {
    CAPTURE(name_of(t));
    CHECK(names.insert(name_of(t)).second);
    CHECK(t.limit > 0);
    CHECK((t.fold == Fold::one) == (t.problems.size() == 1 && t.problems[0].rfind("fused_table ", 0) != 0));
    for (const std::string &problem : t.problems) {
      const std::string suite = problem.substr(0, problem.find(' ')), shape = problem.substr(problem.find(' ') + 1);
      ++of_suite[suite];
      if (suite == "fused_table") continue;
      if (suite == "gemm") CHECK_NOTHROW(read_gemm_shape(shape));
      if (suite == "transpose") CHECK_NOTHROW(read_transpose_shape(shape));
      if (suite == "reduce" || suite == "reduce_sizes") CHECK_NOTHROW(read_reduce_shape(shape));
      if (suite == "fused_act") CHECK_NOTHROW(read_fused_shape(shape));
      if (suite == "norm") CHECK_NOTHROW(read_norm_shape(shape));
      const bool copy = suite == "transpose" || suite == "norm" || suite == "fused_act";
      if (t.measure == Measure::of_copy) CHECK(copy);
      if (t.measure == Measure::of_read) CHECK(suite == "reduce");
      CHECK(!(t.measure == Measure::ratio && t.other.empty() && suite == "norm"));  // norms have no peer
    }
  }
  for (const char *suite : {"gemm", "transpose", "reduce", "reduce_sizes", "fused_act", "fused_table", "norm"})
    CHECK(of_suite[suite] > 0);
}

TEST_CASE("targets: named kernels exist") {
  std::ifstream file(GPUOPT_TEST_SOURCE_DIR "/goldens/resources_cuda13.0.txt");
  REQUIRE(file);
  std::set<std::string> kernels;  // second word of a line
  for (std::string line, arch, stem; std::getline(file, line);)
    if (std::istringstream(line) >> arch >> stem) kernels.insert(stem);
  REQUIRE(kernels.size() > 20);
  int named = 0;
  for (const Target &t : targets())
    for (const std::string &name : {t.ours, t.other})
      if (name.rfind("gemm_", 0) == 0) {
        ++named;
        bool found = false;
        for (const std::string &stem : kernels)
          found = found || name.rfind(stem, 0) == 0 || fnmatch(name.c_str(), stem.c_str(), 0) == 0;
        CAPTURE(name);
        CHECK(found);
      }
  CHECK(named > 20);
}
