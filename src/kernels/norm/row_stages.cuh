// Stages after a norm that norm_stages_warp_row, norm_stages_row and norm_long_row take: activations, and ADD, SUB, MUL
// with a number, a vector along the row or a matrix of the row's type. What is left is norm_shared's. Interpreted once
// a vector, by branches that are the same for all threads.
#ifndef GPUOPT_KERNELS_NORM_ROW_STAGES_CUH
#define GPUOPT_KERNELS_NORM_ROW_STAGES_CUH

#include "common/chain.cuh"
#include "common/fast_math.cuh"

namespace gpuopt {

constexpr int kMostRowStages = 4;

struct RowStages {
  struct Stage {
    int32_t kind;
    float v0, v1;
    View operand;  // dtype 0: none
  };
  int32_t count;
  Stage stage[kMostRowStages];
};

constexpr uint64_t row_stage_bit(int32_t kind) { return uint64_t{1} << kind; }
constexpr uint64_t kRowStageKinds =
    row_stage_bit(GPUOPT_STAGE_RELU) | row_stage_bit(GPUOPT_STAGE_LEAKY_RELU) | row_stage_bit(GPUOPT_STAGE_GELU) |
    row_stage_bit(GPUOPT_STAGE_GELU_TANH) | row_stage_bit(GPUOPT_STAGE_SILU) | row_stage_bit(GPUOPT_STAGE_SIGMOID) |
    row_stage_bit(GPUOPT_STAGE_TANH) | row_stage_bit(GPUOPT_STAGE_CLAMP) | row_stage_bit(GPUOPT_STAGE_ADD) |
    row_stage_bit(GPUOPT_STAGE_SUB) | row_stage_bit(GPUOPT_STAGE_MUL);

inline RowStages make_row_stages(const gpuopt_problem &problem) {
  const Chain<float> chain = make_chain<float>(problem);
  RowStages stages = {};
  stages.count = chain.count < kMostRowStages ? chain.count : kMostRowStages;  // the descriptor refuses more
  for (int32_t s = 0; s < stages.count; ++s)
    stages.stage[s] = {chain.stage[s].kind, chain.stage[s].value[0], chain.stage[s].value[1], chain.stage[s].a};
  return stages;
}

// The first stage whose operand is neither a vector along the row nor a row-major matrix of this type; -1: none.
inline int32_t unfit_row_stage(const gpuopt_problem &problem, int32_t dtype) {
  for (int32_t s = 0; s < problem.stage_count; ++s) {
    const gpuopt_problem_stage &stage = problem.stage[s];
    if (stage.a.m.dtype == 0) continue;
    const bool vector = stage.form == GPUOPT_PER_COL && stage.a.m.ld == 1;
    const bool matrix = stage.form == GPUOPT_MATRIX && stage.a.m.layout == GPUOPT_ROW;
    if (stage.a.m.dtype != dtype || !(vector || matrix)) return s;
  }
  return -1;
}

// h[e] becomes the stages' value. load(view, to): the operand's elements that belong to the vector.
template <int K, class Load>
__device__ __forceinline__ void apply_row_stages(const RowStages &stages, float (&h)[K], Load &&load) {
#define GPUOPT_CASE_(name, value)                                 \
  case GPUOPT_STAGE_##name:                                       \
    _Pragma("unroll") for (int e = 0; e < K; ++e) h[e] = (value); \
    break;
#pragma unroll 1
  for (int32_t s = 0; s < stages.count; ++s) {
    const RowStages::Stage &stage = stages.stage[s];
    const float v0 = stage.kind == GPUOPT_STAGE_SUB ? -stage.v0 : stage.v0, v1 = stage.v1;
    if (stage.operand.dtype != 0) {
      float a[K];
      load(stage.operand, a);
#pragma unroll
      for (int e = 0; e < K; ++e) h[e] = stage.kind == GPUOPT_STAGE_MUL ? h[e] * (v0 * a[e]) : h[e] + v0 * a[e];
      continue;
    }
    switch (stage.kind) {
      // clang-format off
      GPUOPT_CASE_(RELU, stage::relu(h[e]))
      GPUOPT_CASE_(LEAKY_RELU, h[e] < 0.0f ? v0 * h[e] : h[e])
      GPUOPT_CASE_(GELU, fast::gelu(h[e]))
      GPUOPT_CASE_(GELU_TANH, fast::gelu_tanh(h[e]))
      GPUOPT_CASE_(SILU, fast::silu(h[e]))
      GPUOPT_CASE_(SIGMOID, fast::sigmoid(h[e]))
      GPUOPT_CASE_(TANH, fast::tanh(h[e]))
      GPUOPT_CASE_(CLAMP, stage::clamp(h[e], v0, v1))
      GPUOPT_CASE_(MUL, h[e] * v0)
      GPUOPT_CASE_(ADD, h[e] + v0)
      GPUOPT_CASE_(SUB, h[e] + v0)
      // clang-format on
      default:
        break;
    }
  }
#undef GPUOPT_CASE_
}

}  // namespace gpuopt

#endif
