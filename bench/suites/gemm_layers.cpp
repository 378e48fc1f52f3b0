// Products as models have them, in three parts that are reported apart: squares, the linear layers of models, forward and
// both gradients, so that all layouts occur, and short sums.
#include "gemm_peers.h"
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

// y = x W^T: W is out x in, as frameworks keep it.
struct Layer {
  const char *model;
  int64_t in, out;
  bool quick = false;
};
constexpr Layer kLayers[] = {
    {"Llama-3 8B qkv", 4096, 6144, true},
    {"Llama-3 8B o", 4096, 4096},
    {"Llama-3 8B gate, up", 4096, 28672},
    {"Llama-3 8B down", 14336, 4096, true},
    {"Llama-3 70B qkv", 8192, 10240},
    {"Llama-3 70B o", 8192, 8192},
    {"Llama-3 70B gate, up", 8192, 57344},
    {"Llama-3 70B down", 28672, 8192},
    {"Qwen-2.5 7B qkv", 3584, 4608, true},
    {"Qwen-2.5 7B o", 3584, 3584},
    {"Qwen-2.5 7B gate, up", 3584, 37888},
    {"Qwen-2.5 7B down", 18944, 3584},
    {"DeepSeek-V3 q down", 7168, 1536, true},
    {"DeepSeek-V3 q up", 1536, 24576},
    {"DeepSeek-V3 kv down", 7168, 576},
    {"DeepSeek-V3 kv up", 512, 32768},
    {"DeepSeek-V3 o", 16384, 7168},
    {"DeepSeek-V3 expert gate, up", 7168, 4096},
    {"DeepSeek-V3 expert down", 2048, 7168},
    {"GPT-2 qkv", 768, 2304, true},
    {"GPT-2 o", 768, 768},
    {"GPT-2 fc", 768, 3072},
    {"GPT-2 proj", 3072, 768},
    {"BERT-large qkv", 1024, 3072},
    {"BERT-large o", 1024, 1024, true},
    {"BERT-large fc", 1024, 4096},
    {"BERT-large proj", 4096, 1024},
};
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
  for (const Layer &layer : kLayers)
    for (const int64_t tokens : kTokens) {
      const GemmShape passes[] = {bf16(tokens, layer.out, layer.in, "nt", layer.quick),   // y = x W^T
                                  bf16(tokens, layer.in, layer.out, "nn", layer.quick),   // dx = dy W
                                  bf16(layer.out, layer.in, tokens, "tn", layer.quick)};  // dW = dy^T x
      for (const GemmShape &pass : passes) {
        Plan plan = plan_gemm("gemm_layers_models", pass);
        plan.names.detail += std::string(" ") + layer.model;
        run_plan(context, plan);
      }
    }
  for (const Extents &e : kShortSums)
    for (const int64_t k : kSums)
      for (const char *layout : {"nn", "nt", "tn"})
        run_plan(context, plan_gemm("gemm_layers_short_sums", bf16(e.m, e.n, k, layout, layout[1] == 'n')));
}

}  // namespace gpuopt_bench
