// Two builds in one program, and how they are compared.
#include <doctest/doctest.h>

#include <cmath>
#include <cstdio>
#include <fstream>

#include "core/other_build.h"
#include "suites/against_judge.h"

using namespace gpuopt_bench;

namespace {

// A case of a suite: our row, the other build's, a ceiling.
void add(std::vector<Row> *rows, const char *suite, const char *shape, double ours, double other) {
  Row r;
  r.suite = suite;
  r.shape = shape;
  r.type = "f32";
  r.role = Role::automatic;
  r.contender = "gpuopt";
  r.kernel = "new_kernel";
  r.timing.median_us = ours;
  rows->push_back(r);
  r.role = Role::peer;
  r.contender = kOtherBuild;
  r.kernel = "old_kernel";
  r.timing.median_us = other;
  rows->push_back(r);
  r.role = Role::ceiling;
  r.contender = "copy";
  rows->push_back(r);
}

Timing timing(double us) {
  Timing t;
  t.median_us = us;
  return t;
}

std::string error_of(const std::string &path) {
  try {
    OtherBuild other(path);
  } catch (const std::runtime_error &e) {
    return e.what();
  }
  return "";
}

}  // namespace

TEST_CASE("against: the other build's time over ours, by suite, and the rows that are slower") {
  Record record;
  add(&record.rows, "gemm", "1x1", 10, 10);
  add(&record.rows, "gemm", "2x2", 10, 9);
  add(&record.rows, "norm", "3x3", 10, 9.81);
  add(&record.rows, "norm", "4x4", 10, 12);
  add(&record.rows, "norm", "5x5", 10, 5);
  record.rows[record.rows.size() - 2].timing.failure = "refused";  // nothing to compare
  const std::vector<SuiteAgainst> all = summarise_against(record.rows);
  REQUIRE(all.size() == 2);
  CHECK(all[0].suite == "gemm");
  CHECK(all[0].rows == 2);
  CHECK(all[0].slower == 1);
  CHECK(all[0].mean == doctest::Approx(std::sqrt(0.9)));
  CHECK(all[0].least == doctest::Approx(0.9));
  CHECK(all[1].rows == 2);
  CHECK(all[1].slower == 0);  // 1.9 % are within the bound
  const std::string table = against_table(record.rows);
  CHECK(table.find("slower  gemm 2x2 f32  S") != std::string::npos);
  CHECK(table.find("10.00 us by new_kernel,       9.00 by old_kernel") != std::string::npos);
  CHECK(table.find("4x4") == std::string::npos);
  judge_against(&record);
  judge_against(&record);  // once, however often
  REQUIRE(record.checks.size() == 4);
  CHECK_FALSE(record.checks[0].ok);
  CHECK_FALSE(record.checks[1].ok);
  CHECK(record.checks[3].ok);
  CHECK(record.checks_ok());  // short is a result
  CHECK(against_table({}) == "");
}

TEST_CASE("against: of three more measurements the middle one counts") {
  const std::vector<std::vector<Timing>> three = {
      {timing(1), timing(10), timing(8)}, {timing(1), timing(10), timing(11)}, {timing(1), timing(10), timing(9.9)}};
  CHECK(middle_of_three(three, 1) == 2);
  CHECK(is_slower(timing(10), timing(9)));
  CHECK_FALSE(is_slower(timing(10), timing(9.9)));
  Timing refused = timing(1);
  refused.failure = "refused";
  CHECK_FALSE(is_slower(timing(10), refused));
}

TEST_CASE("against: another build is loaded beside this one, chooses and computes") {
  OtherBuild other(GPUOPT_TEST_OTHER_BUILD);
  CHECK(other.build() == gpuopt_build_info());  // the same sources
  gpuopt_options o = GPUOPT_OPTIONS_INIT;
  o.device = GPUOPT_DEVICE_CPU;
  other.create(o);
  float a[2 * 3] = {1, 2, 3, 4, 5, 6}, b[3 * 2] = {1, 0, 0, 1, 1, 1}, d[4] = {};
  gpuopt_gemm_args g = GPUOPT_GEMM_ARGS_INIT;
  g.a = gpuopt_mat(a, 2, 3, GPUOPT_F32);
  g.b = gpuopt_mat(b, 3, 2, GPUOPT_F32);
  g.d = gpuopt_mat(d, 2, 2, GPUOPT_F32);
  CHECK(other.chosen(&g).rfind("gemm_cpu_", 0) == 0);
  other.prepare(&g);
  other.run(&g);
  CHECK(d[3] == 11);
  g.a.ld = 1;
  std::string wrong;
  try {
    other.run(&g);
  } catch (const std::runtime_error &e) {
    wrong = e.what();
  }
  CHECK(wrong.find("INVALID_ARGUMENT: gpuopt_gemm: a.ld=1") != std::string::npos);
}

TEST_CASE("against: what is no build of gpuopt is refused by name") {
  CHECK(error_of("/nowhere/other.so").find("/nowhere/other.so") != std::string::npos);
  CHECK(error_of("libm.so.6").find("./libm.so.6") != std::string::npos);  // not looked for in the system's folders
  const std::string empty = "not_a_shared_object.so";
  std::ofstream(empty) << "text";
  CHECK(error_of(empty).find(empty) != std::string::npos);
  std::remove(empty.c_str());
}
