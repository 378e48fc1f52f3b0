// Products as models have them, in three parts that are reported apart: squares, the linear layers of models, forward and
// both gradients, so that all layouts occur, and short sums.
#include "gemm_peers.h"
#include "model_gemms.h"
#include "plans.h"

namespace gpuopt_bench {
namespace {

constexpr gpuopt_dtype kF32 = GPUOPT_F32, kF16 = GPUOPT_F16, kBf16 = GPUOPT_BF16, kE4m3 = GPUOPT_E4M3, kI8 = GPUOPT_I8;
constexpr int32_t kAsF32 = GPUOPT_COMPUTE_F32;

constexpr int64_t kSquares[] = {256, 512, 1024, 1536, 2048, 3072, 4096, 5120, 6144, 8192, 12288, 16384};
struct Types {
  gpuopt_dtype in, out;
  int32_t compute;
  const char *layout;
};
constexpr Types kSquareTypes[] = {{kBf16, kBf16, kAsF32, "nn"},
                                  {kBf16, kBf16, kAsF32, "nt"},
                                  {kBf16, kBf16, kAsF32, "tn"},
                                  {kF16, kF16, kAsF32, "nn"},
                                  {kF32, kF32, GPUOPT_COMPUTE_TF32, "nn"},
                                  {kF32, kF32, GPUOPT_COMPUTE_TF32, "tn"},
                                  {kE4m3, kBf16, GPUOPT_COMPUTE_F8_FAST, "nt"},
                                  {kE4m3, kBf16, kAsF32, "nt"},
                                  {kI8, GPUOPT_I32, GPUOPT_COMPUTE_I32, "nt"}};

constexpr int64_t kTokens[] = {128, 512, 2048, 8192};

struct Extents {
  int64_t m, n;
};
constexpr Extents kShortSums[] = {{4096, 4096}, {8192, 8192}, {16384, 16384}, {8192, 1024}, {1024, 8192}};
constexpr int64_t kSums[] = {64, 128, 256, 512};

GemmShape bf16(int64_t m, int64_t n, int64_t k, const char *layout, bool quick) {
  return {m, n, k, kBf16, kBf16, kAsF32, layout, quick};
}

}  // namespace

void run_gemm_layers(Context &context) {
  for (const Types &t : kSquareTypes)
    for (const int64_t n : kSquares)
      run_plan(context, plan_gemm("gemm_layers_squares",
                                  {n, n, n, t.in, t.out, t.compute, t.layout, t.in == kBf16 && n <= 8192}));
  for (const Layer &layer : model_layers())
    for (const int64_t tokens : kTokens)
      for (const GemmExtents &pass : layer_passes(layer, tokens)) {
        Plan plan = plan_gemm("gemm_layers_models", bf16(pass.m, pass.n, pass.k, pass.layout, layer.quick));
        plan.names.detail += std::string(" ") + layer.model;
        run_plan(context, plan);
      }
  for (const Extents &e : kShortSums)
    for (const int64_t k : kSums)
      for (const char *layout : {"nn", "nt", "tn"})
        run_plan(context, plan_gemm("gemm_layers_short_sums", bf16(e.m, e.n, k, layout, layout[1] == 'n')));
}

}  // namespace gpuopt_bench
