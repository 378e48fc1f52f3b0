// Products as models have them: squares, and the linear layers of some models, forward and both gradients. What the suite gemm_layers
// measures, what the suite selection draws one in five of its products from, and whose choices a fit compares. No CUDA.
#pragma once
#include <string>
#include <vector>

#include "gpuopt_call/call.h"

namespace gpuopt_bench {

// y = x W^T: W is out x in, as frameworks keep it.
struct Layer {
  const char *model;
  int64_t in, out;
  bool quick = false;
};
const std::vector<Layer> &model_layers();

struct GemmExtents {
  int64_t m, n, k;
  const char *layout;
};
// Of a layer and so many tokens: y, dx = dy W and dW = dy^T x.
std::vector<GemmExtents> layer_passes(const Layer &layer, int64_t tokens);

struct ModelGemm {
  std::string name;  // "square", "GPT-2 qkv"
  gpuopt_call::Call call;
};
// All types and layouts; a third one off in every extent, a quarter with a vector added, and an activation; of about 3 ms at
// most. A function of seed and index.
ModelGemm random_model_gemm(uint64_t seed, uint64_t index);

// Aligned ones without an end, of the types that are used most: always the same.
std::vector<ModelGemm> usual_model_gemms();

}  // namespace gpuopt_bench
