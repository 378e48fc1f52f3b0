// Squares and layers of models: what the suite selection draws some of its products from.
#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <string>

#include "gpuopt_call/text.h"
#include "gpuopt_call/work.h"
#include "suites/model_gemms.h"

using namespace gpuopt_bench;

TEST_CASE("model_gemms: a function of seed and index, of every type and layout, aligned and one off") {
  constexpr int kCount = 400;
  std::set<std::string> types, layouts, texts, names;
  int odd = 0, ends = 0, squares = 0;
  for (uint64_t i = 0; i < kCount; ++i) {
    ModelGemm gemm = random_model_gemm(7, i);
    const gpuopt_gemm_args &g = gemm.call.gemm;
    const std::string text = gpuopt_call::text_of(gemm.call);
    CAPTURE(text);
    CHECK(text == gpuopt_call::text_of(random_model_gemm(7, i).call));
    CHECK(gpuopt_call::text_of(gpuopt_call::read_call(text)) == text);
    CHECK(g.a.cols == g.b.rows);
    CHECK(g.a.rows == g.d.rows);
    CHECK(g.b.cols == g.d.cols);
    CHECK(gpuopt_call::flops_of(gemm.call) < 4e12);
    texts.insert(text);
    names.insert(gemm.name);
    types.insert(text.substr(text.find("compute="), 12) + std::to_string(g.a.dtype) + "," + std::to_string(g.d.dtype));
    layouts.insert(std::to_string(g.a.layout) + std::to_string(g.b.layout));
    odd += (g.a.rows | g.a.cols | g.b.cols) % 2 != 0 ? 1 : 0;
    ends += gemm.call.stages.empty() ? 0 : 1;
    squares += gemm.name == "square" ? 1 : 0;
  }
  CHECK(texts.size() > kCount * 3 / 4);
  CHECK(names.size() > 20);
  CHECK(types.size() == 10);
  CHECK(layouts.size() == 4);
  CHECK(odd > kCount / 5);
  CHECK(odd < kCount / 2);
  CHECK(ends > kCount / 8);
  CHECK(squares > kCount / 3);
  CHECK(gpuopt_call::text_of(random_model_gemm(8, 0).call) != gpuopt_call::text_of(random_model_gemm(7, 0).call));
}

TEST_CASE("model_gemms: the usual ones are aligned, and none is there twice") {
  std::set<std::string> texts;
  for (ModelGemm &gemm : usual_model_gemms()) {
    texts.insert(gpuopt_call::text_of(gemm.call));
    CHECK(gemm.call.gemm.d.cols % 64 == 0);
    CHECK(gemm.call.stages.empty());
  }
  CHECK(texts.size() > 600);
}
