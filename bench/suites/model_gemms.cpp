#include "model_gemms.h"

#include <algorithm>
#include <iterator>
#include <random>

#include "gpuopt_call/place.h"
#include "gpuopt_call/work.h"

namespace gpuopt_bench {
namespace {

using gpuopt_call::Call;

constexpr int64_t kSquares[] = {256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096, 5120, 6144, 8192};
constexpr int64_t kTokens[] = {1, 4, 16, 32, 64, 128, 512, 2048, 8192};
constexpr const char *kLayouts[] = {"nn", "nt", "tn", "tt"};
constexpr double kMostUs = 3000;

struct Types {
  gpuopt_dtype in, out;
  int32_t compute;
  double tflops;  // about what an H200 reaches
};
constexpr Types kTypes[] = {
    {GPUOPT_BF16, GPUOPT_BF16, GPUOPT_COMPUTE_F32, 700},  {GPUOPT_F16, GPUOPT_F16, GPUOPT_COMPUTE_F32, 700},
    {GPUOPT_F16, GPUOPT_F32, GPUOPT_COMPUTE_F32, 700},    {GPUOPT_F32, GPUOPT_F32, GPUOPT_COMPUTE_F32, 50},
    {GPUOPT_F32, GPUOPT_F32, GPUOPT_COMPUTE_TF32, 350},   {GPUOPT_F32, GPUOPT_F32, GPUOPT_COMPUTE_F32_TENSOR, 180},
    {GPUOPT_F64, GPUOPT_F64, GPUOPT_COMPUTE_F64, 60},     {GPUOPT_E4M3, GPUOPT_BF16, GPUOPT_COMPUTE_F8_FAST, 1200},
    {GPUOPT_E4M3, GPUOPT_BF16, GPUOPT_COMPUTE_F32, 1100}, {GPUOPT_I8, GPUOPT_I32, GPUOPT_COMPUTE_I32, 1200}};

Call gemm_call(const Types &t, const GemmExtents &e) {
  Call c(GPUOPT_OP_GEMM);
  uintptr_t next = 0;
  const auto lies = [&](int64_t rows, int64_t cols, gpuopt_dtype type, bool transposed) {
    void *const data = gpuopt_call::nowhere(next++, 256);
    return transposed ? gpuopt_t(gpuopt_mat(data, cols, rows, type)) : gpuopt_mat(data, rows, cols, type);
  };
  c.gemm.compute = t.compute;
  c.gemm.a = lies(e.m, e.k, t.in, e.layout[0] == 't');
  c.gemm.b = lies(e.k, e.n, t.in, e.layout[1] == 't');
  c.gemm.d = lies(e.m, e.n, t.out, false);
  return c;
}

// The same in every library.
class Random {
 public:
  explicit Random(uint64_t seed) : random_(seed) {}
  uint64_t below(uint64_t count) { return random_() % count; }
  template <class T, size_t N>
  const T &of(const T (&values)[N]) {
    return values[below(N)];
  }

 private:
  std::mt19937_64 random_;
};

void add_end(Random *random, const Types &t, Call *call) {
  const int64_t n = call->gemm.d.cols;
  call->stages.push_back(
      gpuopt_act_with(GPUOPT_STAGE_ADD, GPUOPT_PER_COL, gpuopt_mat(gpuopt_call::nowhere(8, 256), 1, n, t.out)));
  constexpr int32_t kActs[] = {0, GPUOPT_STAGE_RELU, GPUOPT_STAGE_GELU_TANH, GPUOPT_STAGE_SILU};
  if (const int32_t act = random->of(kActs); act != 0) call->stages.push_back(gpuopt_act(act, 0, 0));
}

ModelGemm draw(Random *random) {
  const Types &t = random->of(kTypes);
  GemmExtents e = {};
  std::string name = "square";
  if (random->below(2) == 0) {
    const int64_t n = random->of(kSquares);
    e = {n, n, n, random->of(kLayouts)};
  } else {
    const Layer &layer = model_layers()[random->below(model_layers().size())];
    const int64_t tokens = random->of(kTokens);
    e = layer_passes(layer, tokens)[random->below(3)];
    name = layer.model;
  }
  if (random->below(3) == 0)
    for (int64_t *const extent : {&e.m, &e.n, &e.k})
      if (*extent > 1) *extent += random->below(2) == 0 ? 1 : -1;
  ModelGemm gemm = {name, gemm_call(t, e)};
  if (random->below(4) == 0 && t.compute != GPUOPT_COMPUTE_I32) add_end(random, t, &gemm.call);
  return gemm;
}

double least_us(const ModelGemm &gemm) {
  const gpuopt_gemm_args &g = gemm.call.gemm;
  const auto same = [&](const Types &t) { return t.in == g.a.dtype && t.out == g.d.dtype && t.compute == g.compute; };
  return gpuopt_call::flops_of(gemm.call) / std::find_if(std::begin(kTypes), std::end(kTypes), same)->tflops / 1e6;
}

}  // namespace

const std::vector<Layer> &model_layers() {
  static const std::vector<Layer> layers = {
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
  return layers;
}

std::vector<GemmExtents> layer_passes(const Layer &layer, int64_t tokens) {
  return {
      {tokens, layer.out, layer.in, "nt"}, {tokens, layer.in, layer.out, "nn"}, {layer.out, layer.in, tokens, "tn"}};
}

ModelGemm random_model_gemm(uint64_t seed, uint64_t index) {
  Random random(seed * 0x9E3779B97F4A7C15ull ^ index * 0xD1342543DE82EF95ull);
  for (;;) {
    ModelGemm gemm = draw(&random);
    if (least_us(gemm) <= kMostUs) return gemm;
  }
}

std::vector<ModelGemm> usual_model_gemms() {
  std::vector<ModelGemm> all;
  for (const Types &t : kTypes)
    for (const int64_t n : kSquares)
      for (const char *layout : {"nn", "nt", "tn"}) all.push_back({"square", gemm_call(t, {n, n, n, layout})});
  for (const Layer &layer : model_layers())
    for (const int64_t tokens : kTokens)
      for (const GemmExtents &pass : layer_passes(layer, tokens))
        all.push_back({layer.model, gemm_call(kTypes[0], pass)});
  return all;
}

}  // namespace gpuopt_bench
