// Chains of stages and norms for the golden files.
#include "golden_problems.h"

namespace gpuopt_test {
namespace {

constexpr int32_t kAdd = GPUOPT_STAGE_ADD, kMul = GPUOPT_STAGE_MUL, kRelu = GPUOPT_STAGE_RELU,
                  kGelu = GPUOPT_STAGE_GELU, kSilu = GPUOPT_STAGE_SILU, kGeluTanh = GPUOPT_STAGE_GELU_TANH,
                  kClamp = GPUOPT_STAGE_CLAMP;

GoldenProblem &chain(GoldenProblems &all, int32_t in, int32_t out, int64_t rows, int64_t cols,
                     std::vector<gpuopt_stage> stages, int64_t batch = 1) {
  GoldenProblem &p = all.emplace_back();
  p.args.fused_act = GPUOPT_FUSED_ACT_ARGS_INIT;
  p.args.fused_act.x = golden_matrix(rows, cols, in);
  p.args.fused_act.out = golden_matrix(rows, cols, out);
  p.args.fused_act.batch = batch;
  p.stages = std::move(stages);
  return p;
}

// What models do between their products.
std::vector<std::vector<gpuopt_stage>> usual_chains(int32_t dtype, int64_t rows, int64_t cols) {
  const gpuopt_stage bias = per_col(kAdd, cols, dtype);
  return {{act(kRelu)},
          {bias, act(kGelu)},
          {bias, act(kGeluTanh)},
          {act(kRelu), bias, gpuopt_act(kMul, 1.25, 0)},
          {act(kSilu), with_matrix(kMul, rows, cols, dtype)},
          {bias, act(kGelu), with_matrix(kAdd, rows, cols, dtype)},
          {bias, act(kRelu), per_row(kMul, rows, dtype), gpuopt_act(kAdd, 0.5, 0), gpuopt_act(kClamp, -1, 1)}};
}

struct NormOf {
  int32_t kind;
  bool residual = false;  // added before, and the sum written
  int32_t stage = 0;
};
constexpr NormOf kLayer = {GPUOPT_NORM_LAYERNORM}, kRms = {GPUOPT_NORM_RMSNORM}, kSoftmax = {GPUOPT_NORM_SOFTMAX},
                 kLogSoftmax = {GPUOPT_NORM_LOG_SOFTMAX};

GoldenProblem &norm(GoldenProblems &all, const NormOf &what, int32_t dtype, int64_t rows, int64_t cols) {
  GoldenProblem &p = all.emplace_back();
  p.args.norm = GPUOPT_NORM_ARGS_INIT;
  gpuopt_norm_args &n = p.args.norm;
  n.norm = what.kind;
  n.x = golden_matrix(rows, cols, dtype);
  n.out = n.x;
  if (what.kind == GPUOPT_NORM_LAYERNORM || what.kind == GPUOPT_NORM_RMSNORM) n.gamma = golden_matrix(1, cols, dtype);
  if (what.kind == GPUOPT_NORM_LAYERNORM) n.beta = n.gamma;
  if (what.residual) n.residual = n.sum = n.x;
  if (what.stage != 0) p.stages = {act(what.stage)};
  return p;
}

}  // namespace

GoldenProblems golden_fused_acts() {
  GoldenProblems all;
  constexpr int64_t kExtents[][2] = {{1024, 1024}, {2048, 14336}, {4097, 4099}};
  for (const int32_t dtype : {kF32, kBf16})
    for (const auto &e : kExtents)
      for (auto &stages : usual_chains(dtype, e[0], e[1])) chain(all, dtype, dtype, e[0], e[1], std::move(stages));
  for (const int64_t n : {32, 64, 256, 8192}) chain(all, kF32, kF32, n, n, {per_col(kAdd, n, kF32), act(kRelu)});
  for (const int32_t dtype : {kF16, kF64, kI8, kE4m3}) {
    chain(all, dtype, dtype, 4096, 4096, {act(kRelu)});
    chain(all, dtype, dtype, 4096, 4096, {per_col(kAdd, 4096, dtype), act(kGelu)});
    chain(all, dtype, dtype, 4097, 4099, {per_col(kAdd, 4099, dtype), act(kRelu)});
  }
  // Conversions, quantisation and back.
  constexpr int32_t kPairs[][2] = {{kF32, kBf16}, {kBf16, kF32}, {kF32, kE4m3}, {kBf16, kE4m3}, {kU8, kF32}};
  for (const auto &pair : kPairs) chain(all, pair[0], pair[1], 4096, 4096, {});
  chain(all, kBf16, kE4m3, 4096, 4096, {gpuopt_act(kMul, 0.5, 0), gpuopt_act(kClamp, -448, 448)});
  chain(all, kI8, kBf16, 4096, 4096, {per_row(kMul, 4096, kF32)});
  chain(all, kI32, kBf16, 2048, 4096, {per_row(kMul, 2048, kF32), per_col(kMul, 4096, kF32)});
  // Gradients, and a chain that keeps what it was given.
  for (const int32_t kind : {GPUOPT_STAGE_RELU_GRAD, GPUOPT_STAGE_GELU_GRAD, GPUOPT_STAGE_SILU_GRAD})
    chain(all, kBf16, kBf16, 2048, 4096, {of_matrix(kind, 2048, 4096, kBf16)});
  chain(all, kBf16, kBf16, 2048, 4096,
        {per_col(kAdd, 4096, kBf16), of_matrix(GPUOPT_STAGE_STORE, 2048, 4096, kBf16), act(kGelu)});
  // x in columns, pieces of larger buffers, batches.
  for (const int32_t dtype : {kF32, kBf16, kI8}) {
    for (const int64_t n : {1024, 4096}) {
      chain(all, dtype, dtype, n, n, {per_col(kAdd, n, dtype), act(kRelu)}).args.fused_act.x.layout = GPUOPT_COL;
    }
    unaligned(chain(all, dtype, dtype, 4096, 4096, {per_col(kAdd, 4096, dtype), act(kRelu)}), dtype);
    chain(all, dtype, dtype, 512, 512, {per_col(kAdd, 512, dtype), act(kSilu)}, 96);
    GoldenProblem &part = chain(all, dtype, dtype, 4096, 1000, {act(kGelu)});
    part.args.fused_act.x.ld = part.args.fused_act.out.ld = 3001;
  }
  return all;
}

GoldenProblems golden_norms() {
  GoldenProblems all;
  // Tokens by width of the model; one row a head; many short rows.
  constexpr int64_t kExtents[][2] = {{32, 4096}, {4096, 768}, {8192, 4096}, {8192, 8192}, {4096, 16384}, {1048576, 64}};
  for (const NormOf &what : {kLayer, kRms, kSoftmax})
    for (const int32_t dtype : {kF32, kBf16})
      for (const auto &e : kExtents) norm(all, what, dtype, e[0], e[1]);
  for (const int32_t dtype : {kF32, kBf16}) {
    for (const NormOf &what : {kLayer, kRms, kSoftmax}) {
      norm(all, what, dtype, 4097, 4099);
      norm(all, what, dtype, 256, 262144);
    }
    for (const int64_t width : {50257, 128256}) {  // vocabularies
      norm(all, kSoftmax, dtype, 1, width);
      norm(all, kLogSoftmax, dtype, 2048, width);
    }
    norm(all, kSoftmax, dtype, 96 * 512, 512);  // attention scores
    norm(all, kLogSoftmax, dtype, 64, 10);      // digits
    norm(all, kLogSoftmax, dtype, 32768, 773);  // rows that begin alike
    for (const int32_t kind : {GPUOPT_NORM_LAYERNORM, GPUOPT_NORM_RMSNORM}) {
      for (const int64_t rows : {1, 32, 8192}) norm(all, {kind, true}, dtype, rows, 4096);
      norm(all, {kind, true}, dtype, 8192, 8192);
      norm(all, {kind, false, kind == GPUOPT_NORM_LAYERNORM ? kGelu : kSilu}, dtype, 8192, 1024);
      norm(all, {kind, false, kind == GPUOPT_NORM_LAYERNORM ? kGelu : kSilu}, dtype, 4097, 4099);
    }
    unaligned(norm(all, kLayer, dtype, 4096, 4096), dtype);
    GoldenProblem &training = norm(all, kLayer, dtype, 4096, 4096);
    training.args.norm.statistics = golden_matrix(4096, 2, kF32);
  }
  for (const int32_t dtype : {kF16, kF64, kE4m3})
    for (const NormOf &what : {kLayer, kSoftmax}) norm(all, what, dtype, 4096, 4096);
  norm(all, kRms, kBf16, 8192, 4096).args.norm.out.dtype = kE4m3;      // for an fp8 product
  norm(all, kSoftmax, kBf16, 4096, 32000).args.norm.out.dtype = kF32;  // probabilities that are summed up
  norm(all, kLayer, kF32, 8192, 4096).args.norm.out.dtype = kBf16;
  for (const int32_t dtype : {kF32, kF16})
    for (const int64_t width : {4, 15, 60}) norm(all, kRms, dtype, 1 << 20, width);  // many short rows
  norm(all, kLayer, kF32, 1000, 1000).args.norm.x.layout = GPUOPT_COL;
  norm(all, kLayer, kBf16, 512, 1024).args.norm.batch = 8;
  return all;
}

}  // namespace gpuopt_test
