// Gemm against cuBLASLt, called directly: its heuristic's first algorithm, and the best of its first 16, found by timing
// them. The two fastest of the 16 stay contenders, so that the best of each mode is among them.
#include <algorithm>
#include <cstdio>

#include "../core/error.h"
#include "gemm_case.h"

namespace gpuopt_bench {
namespace {

constexpr gpuopt_dtype kF32 = GPUOPT_F32, kF64 = GPUOPT_F64, kF16 = GPUOPT_F16, kBf16 = GPUOPT_BF16,
                       kE4m3 = GPUOPT_E4M3, kI8 = GPUOPT_I8;
constexpr int32_t kAsF32 = GPUOPT_COMPUTE_F32;
constexpr GemmShape kShapes[] = {
    // squares
    {128, 128, 128, kBf16, kBf16, kAsF32, "nn", false},
    {256, 256, 256, kBf16, kBf16, kAsF32, "nn", false},
    {512, 512, 512, kBf16, kBf16, kAsF32, "nn", true},
    {1024, 1024, 1024, kBf16, kBf16, kAsF32, "nn", true},
    {1024, 1024, 1024, kBf16, kBf16, kAsF32, "nt", false},
    {2048, 2048, 2048, kBf16, kBf16, kAsF32, "nn", false},
    {4096, 4096, 4096, kBf16, kBf16, kAsF32, "nn", true},
    {4096, 4096, 4096, kBf16, kBf16, kAsF32, "nt", false},
    {4096, 4096, 4096, kBf16, kBf16, kAsF32, "tn", false},
    {4096, 4096, 4096, kBf16, kBf16, kAsF32, "tt", false},
    {8192, 8192, 8192, kBf16, kBf16, kAsF32, "nn", false},
    {4096, 4096, 4096, kF16, kF16, kAsF32, "nn", false},
    {4096, 4096, 4096, kBf16, kF32, kAsF32, "nn", false},
    // few rows, as in decoding
    {1, 4096, 4096, kBf16, kBf16, kAsF32, "nt", false},
    {16, 4096, 4096, kBf16, kBf16, kAsF32, "nt", true},
    {64, 4096, 4096, kBf16, kBf16, kAsF32, "nt", false},
    {128, 8192, 28672, kBf16, kBf16, kAsF32, "nt", false},
    {2048, 4096, 14336, kBf16, kBf16, kAsF32, "nt", false},
    // small k, long k
    {4096, 4096, 64, kBf16, kBf16, kAsF32, "nn", false},
    {16384, 16384, 64, kBf16, kBf16, kAsF32, "nn", false},
    {256, 256, 16384, kBf16, kBf16, kAsF32, "nn", false},
    // what no 16-byte copy can read
    {1001, 1001, 1001, kBf16, kBf16, kAsF32, "nn", true},
    {2048, 2048, 2050, kBf16, kBf16, kAsF32, "nn", false},
    {4097, 4099, 4101, kBf16, kBf16, kAsF32, "nn", false},
    {9477, 1152, 588, kBf16, kBf16, kAsF32, "nn", false},
    // fp32, tf32, fp64
    {512, 512, 512, kF32, kF32, kAsF32, "nn", false},
    {1024, 1024, 1024, kF32, kF32, kAsF32, "nn", true},
    {4096, 4096, 4096, kF32, kF32, kAsF32, "nn", false},
    {4097, 4099, 4101, kF32, kF32, kAsF32, "nn", false},
    {1024, 1024, 1024, kF32, kF32, GPUOPT_COMPUTE_TF32, "nn", false},
    {4096, 4096, 4096, kF32, kF32, GPUOPT_COMPUTE_TF32, "nn", true},
    {4096, 4096, 4096, kF32, kF32, GPUOPT_COMPUTE_F32_TENSOR, "nn", false},
    {1024, 1024, 1024, kF64, kF64, GPUOPT_COMPUTE_F64, "nn", false},
    {4096, 4096, 4096, kF64, kF64, GPUOPT_COMPUTE_F64, "nn", false},
    // fp8 and int8
    {1024, 1024, 1024, kE4m3, kBf16, GPUOPT_COMPUTE_F8_FAST, "nt", false},
    {4096, 4096, 4096, kE4m3, kBf16, GPUOPT_COMPUTE_F8_FAST, "nt", true},
    {4096, 4096, 4096, kE4m3, kBf16, kAsF32, "nt", false},
    {8192, 8192, 8192, kE4m3, kBf16, GPUOPT_COMPUTE_F8_FAST, "nt", false},
    {4096, 4096, 4096, kI8, GPUOPT_I32, GPUOPT_COMPUTE_I32, "nt", false},
};

// The indices of the two fastest algorithms beside the first.
std::vector<size_t> fastest_two(Context &context, const Case &c, const std::shared_ptr<const CublasLt> &lt) {
  MeasureOptions o;
  o.sets = c.operands->sets();
  o.bytes_per_set = c.bytes_per_call;
  o.budget_ms = 3;
  o.least = 5;
  o.most = 9;
  std::vector<Contender> all;
  for (size_t i = 0; i < lt->algorithms(); ++i) all.push_back(cublaslt_contender("", lt, i, *c.operands));
  const std::vector<Timing> timings = context.session.measure(all, o);
  std::vector<size_t> order;
  for (size_t i = 1; i < timings.size(); ++i)
    if (timings[i].ok()) order.push_back(i);
  std::sort(order.begin(), order.end(),
            [&](size_t a, size_t b) { return timings[a].median_us < timings[b].median_us; });
  order.resize(std::min<size_t>(order.size(), 2));
  return order;
}

void add_cublaslt(Context &context, const GemmShape &s, Case *c) {
  GemmProblem p = problem_of(s);
  if (p.compute == GPUOPT_COMPUTE_F32_TENSOR) p.compute = GPUOPT_COMPUTE_F32;  // what cuBLASLt has for this accuracy
  std::shared_ptr<const CublasLt> lt;
  try {
    lt = std::make_shared<const CublasLt>(p, false);
  } catch (const Refused &refused) {
    std::printf("%-52s no cuBLASLt: %s\n", c->label().c_str(), refused.what());
    return;
  }
  c->add(Role::peer, cublaslt_contender("cublaslt_first", lt, 0, *c->operands));
  const char *const names[] = {"cublaslt_best_of_16", "cublaslt_second_of_16"};
  const std::vector<size_t> best = fastest_two(context, *c, lt);
  for (size_t i = 0; i < best.size(); ++i) c->add(Role::peer, cublaslt_contender(names[i], lt, best[i], *c->operands));
}

}  // namespace

void run_gemm(Context &context) {
  for (const GemmShape &s : kShapes) {
    Case c = gemm_case("gemm", s);
    if (left_out(context, c, s.quick)) continue;
    try {
      const LibraryCall call = gemm_operands(context, s, &c);
      c.add_library(context, call);
      add_cublaslt(context, s, &c);
      run_case(context, c);
    } catch (const Refused &refused) {
      report_left_out(c, refused.what());
    }
  }
}

}  // namespace gpuopt_bench
