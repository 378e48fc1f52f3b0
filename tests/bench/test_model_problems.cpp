// The problems of the suite model_rows, and what its rows amount to.
#include <doctest/doctest.h>

#include <map>

#include "gpuopt_call/text.h"
#include "gpuopt_call/work.h"
#include "suites/model_problems.h"

using namespace gpuopt_bench;

TEST_CASE("model_rows: every cell is drawn, the library takes each call, and a seed is a list") {
  const std::vector<ModelProblem> problems = model_problems(kModelSeed, kModelCount);
  REQUIRE(problems.size() == kModelCount);
  std::map<std::string, int> cells;
  for (const ModelProblem &p : problems) {
    gpuopt_call::Call call = p.call;
    const int64_t bytes = gpuopt_call::touched_bytes(&call);
    CHECK(bytes <= kMostModelBytes);
    CHECK(p.cols % 2 == (p.odd ? 1 : 0));
    CHECK_NOTHROW(gpuopt_call::text_of(p.call));
    ++cells[p.kind + gpuopt_dtype_name(p.type) + (p.odd ? "odd" : "") + word(size_class(static_cast<double>(bytes)))];
  }
  CHECK(cells.size() == 19 * 3 * 2 * 3);
  for (const auto &cell : cells) CHECK(cell.second <= 2);
  const auto text = [](const std::vector<ModelProblem> &of) {
    std::string all;
    for (const ModelProblem &p : of) all += gpuopt_call::text_of(p.call) + "\n";
    return all;
  };
  CHECK(text(problems) == text(model_problems(kModelSeed, kModelCount)));
  CHECK(text(problems) != text(model_problems(kModelSeed + 1, kModelCount)));
  CHECK(text(model_problems(kModelSeed, 40)) == text({problems.begin(), problems.begin() + 40}));
}

TEST_CASE("model_rows: large problems count in single calls, small ones in graphs") {
  const auto row = [](Mode mode, double mb, double us, double share) {
    Row r;
    r.suite = "model_rows";
    r.shape = "1x1";
    r.detail = "#7 softmax";
    r.kernel = "k";
    r.role = Role::automatic;
    r.mode = mode;
    r.timing.median_us = us;
    r.rate = mb * (1 << 20) / us * 1e-3;
    r.against_ceiling = share;
    return r;
  };
  const std::string text = model_table({row(Mode::single, 100, 50, 0.8), row(Mode::single, 200, 100, 0.2),
                                        row(Mode::graph, 100, 50, 0.1), row(Mode::graph, 10, 5, 0.5)});
  CHECK(text.find("above 64 MB, softmax                               2  0.400") != std::string::npos);
  CHECK(text.find("0.200    45.00") != std::string::npos);  // 10 and 80 us beyond the ceiling
  CHECK(text.find("to 64 MB, all                                      1  0.500  0.500  0.500     2.50") !=
        std::string::npos);
}
