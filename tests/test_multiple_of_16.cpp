// Extents that must be multiples of 16: who declares it rejects what is not, by the extent, its value and the rule.
#include "support.h"

#include <array>
#include <fstream>
#include <sstream>

#include "gpuopt_call/text.h"

using namespace gpuopt_test;

#if GPUOPT_TEST_HAVE_CUDA && GPUOPT_TEST_EVERY_CLASS
namespace {

// "m=96 n=100 k=64 DIM_MULTIPLE: ...", as explain has it of gemm_wmma_whole on an H200.
std::string line_of(int64_t m, int64_t n, int64_t k) {
  const auto extents = [](int64_t rows, int64_t cols) { return std::to_string(rows) + "x" + std::to_string(cols); };
  gpuopt_call::Call call = gpuopt_call::read_call("gemm a=" + extents(m, k) + ":f16 b=" + extents(k, n) +
                                                  ":f16:ld=128 d=" + extents(m, n) + ":f32:ld=128");
  const gpuopt_device_facts h200 = pretend("h200");
  gpuopt_explain_options options = GPUOPT_EXPLAIN_OPTIONS_INIT;
  options.pretend = &h200;
  for (int32_t &align : options.align) align = 256;
  Candidates candidates;
  const Handle handle = cpu_handle();
  REQUIRE_MESSAGE(gpuopt_explain(handle.get(), call.args(), &options, Candidates::add, &candidates) == GPUOPT_OK,
                  last_error());
  const Candidate *const whole = candidates.find("gemm_wmma_whole");
  REQUIRE(whole);
  std::ostringstream line;
  line << "m=" << m << " n=" << n << " k=" << k << ' '
       << (whole->verdict == GPUOPT_VERDICT_REJECTED ? whole->text : "can run");
  return line.str();
}

}  // namespace

TEST_CASE("multiples: gemm_wmma_whole takes multiples of 16 and rejects an n of 100 as the golden file says") {
  std::string found;
  for (const auto &e : std::vector<std::array<int64_t, 3>>{{96, 112, 64}, {96, 100, 64}, {100, 112, 64}, {96, 112, 40}})
    found += line_of(e[0], e[1], e[2]) + "\n";
  const std::string path = std::string(GPUOPT_TEST_SOURCE_DIR) + "/goldens/multiples_cuda.txt";
  if (std::getenv("GPUOPT_TEST_UPDATE_GOLDENS")) std::ofstream(path) << found;
  std::stringstream golden;
  golden << std::ifstream(path).rdbuf();
  CHECK(found == golden.str());
}
#endif
