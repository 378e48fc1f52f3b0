// What a measured selection amounts to.
#include <doctest/doctest.h>

#include <cmath>

#include "core/compared.h"
#include "suites/selection_judge.h"

using namespace gpuopt_bench;

namespace {

Row candidate(const char *op, const char *call, const char *kernel, double us, double predicted, bool chosen = false) {
  Row r;
  r.suite = std::string("selection_") + op;
  r.call = call;
  r.kernel = kernel;
  r.role = chosen ? Role::automatic : Role::kernel;
  r.timing.median_us = us;
  r.predicted_us = predicted;
  return r;
}

}  // namespace

TEST_CASE("selection: the choice against the best, and predictions against times") {
  std::vector<Row> rows = {candidate("gemm", "1", "a", 10, 11, true), candidate("gemm", "1", "b", 8, 12),
                           candidate("gemm", "2", "b", 20, 20, true), candidate("gemm", "2", "a", 40, 30),
                           candidate("norm", "3", "n", 4, 4, true),   candidate("norm", "3", "m", 2, 5),
                           candidate("norm", "4", "m", 7, 7)};
  rows[3].timing.failure = "refused";
  const std::vector<MeasuredProblem> problems = measured_problems(rows);
  REQUIRE(problems.size() == 3);  // nobody measured the choice of the fourth
  CHECK(share_of_best(problems[0]) == doctest::Approx(0.8));
  CHECK(best_of(problems[0]).kernel == "b");
  const std::vector<SelectionSummary> all = summarise(problems);
  REQUIRE(all.size() == 3);
  CHECK(all[0].op == "gemm");
  CHECK(all[0].problems == 2);
  CHECK(all[0].rows == 3);
  CHECK(all[0].mean == doctest::Approx(std::sqrt(0.8)));
  CHECK(all[0].worst == doctest::Approx(0.8));
  CHECK(all[0].error == doctest::Approx((0.1 + 0.5 + 0) / 3));
  CHECK(all[0].chosen_error == doctest::Approx(0.05));
  CHECK(all[1].worst == 0);  // 4 us: too short for a worst case
  CHECK(all[1].mean == doctest::Approx(0.5));
  CHECK(all[2].op == "all");
  CHECK(all[2].problems == 3);
  const auto kernels = kernel_errors(problems);
  CHECK(kernels.at("b").rows == 2);
  CHECK(kernels.at("b").best == 2);
  CHECK(kernels.at("b").chosen == 1);
  CHECK(kernels.at("b").error == doctest::Approx(0.25));
  Record record;
  record.rows = rows;
  judge_selection(&record);
  judge_selection(&record);  // once, however often
  REQUIRE(record.checks.size() == 12);
  CHECK(record.checks[0].name == "selection_gemm, 2 problems, best / chosen, mean");
  CHECK_FALSE(record.checks[0].ok);
  CHECK(record.checks[2].ok);
  CHECK(record.checks_ok());  // short is a result
}

TEST_CASE("selection: short calls are compared by both modes, and what was not captured beside them is left out") {
  std::vector<Row> rows = {candidate("norm", "1", "a", 9, 6, true), candidate("norm", "1", "b", 8, 8),
                           candidate("norm", "1", "c", 40, 40),     candidate("norm", "2", "a", 200, 200, true),
                           candidate("norm", "2", "b", 160, 160),   candidate("norm", "1", "a", 4, 6, true),
                           candidate("norm", "1", "b", 8, 8),       candidate("norm", "2", "a", 100, 200, true),
                           candidate("norm", "2", "b", 150, 160)};
  for (size_t i = 5; i < rows.size(); ++i) rows[i].mode = Mode::graph;
  const std::vector<MeasuredProblem> problems = measured_problems(rows);
  REQUIRE(problems.size() == 2);
  REQUIRE(problems[0].candidates.size() == 2);  // c has no time in a graph
  CHECK(chosen_of(problems[0]).measured_us == doctest::Approx(6));
  CHECK(best_of(problems[0]).kernel == "a");
  CHECK(share_of_best(problems[0]) == 1);
  // Long calls are compared alone.
  REQUIRE(problems[1].candidates.size() == 2);
  CHECK(share_of_best(problems[1]) == doctest::Approx(0.8));
  // So are all where none was captured.
  const std::vector<double> alone = compared_us(std::vector<ModeTimes>{{9, 0}, {8, 0}});
  CHECK(alone == std::vector<double>{9, 8});
  const std::vector<double> both = compared_us(std::vector<ModeTimes>{{9, 4}, {8, 0}, {0, 0}});
  CHECK(both[0] == doctest::Approx(6));
  CHECK(both[1] == 0);
  CHECK(both[2] == 0);
}
