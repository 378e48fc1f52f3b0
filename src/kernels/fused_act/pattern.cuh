// The chains that the specialised kernels of fused_act understand, all operands of one type:
//
//   x  ->  act(x + pre)  ->  + post  ->  * scale  ->  + or * matrix
//
// where each part may be missing, pre and post are vectors along a row (PER_COL), and act is one of five. The
// activation is chosen at compile time; what may be missing is asked once a run, by branches that are the same for all
// threads.
#ifndef GPUOPT_KERNELS_FUSED_ACT_PATTERN_CUH
#define GPUOPT_KERNELS_FUSED_ACT_PATTERN_CUH

#include "common/descriptor.h"
#include "common/launch.h"
#include "fused_act/cost.h"
#include "fused_act/runs.cuh"
#include "fused_act/stages.cuh"

namespace gpuopt {

constexpr int32_t kNoAct = 0;
constexpr int kPatternStages = 3;  // of those parts; longer chains are fused_act_chain's

struct Pattern {
  View x, out, pre, post, matrix;  // dtype 0: missing
  float pre_factor, post_factor, scale, matrix_factor;
  int32_t act;      // GPUOPT_STAGE_* or kNoAct
  bool multiplies;  // the matrix
};

// Fills the pattern and returns -1, or returns the first stage that does not fit.
inline int32_t match_pattern(const gpuopt_problem &problem, Pattern &pattern) {
  const int32_t dtype = problem.operand[GPUOPT_OPERAND_X].m.dtype;
  pattern = {};
  pattern.x = matrix_view(problem.operand[GPUOPT_OPERAND_X]);
  pattern.out = matrix_view(problem.operand[GPUOPT_OPERAND_OUT]);
  pattern.scale = 1;
  enum { kStart, kAfterPre, kAfterAct, kAfterPost, kAfterScale, kEnd } state = kStart;
  for (int32_t s = 0; s < problem.stage_count; ++s) {
    const gpuopt_problem_stage &stage = problem.stage[s];
    const bool arithmetic =
        stage.kind == GPUOPT_STAGE_ADD || stage.kind == GPUOPT_STAGE_SUB || stage.kind == GPUOPT_STAGE_MUL;
    const auto factor = static_cast<float>(stage.kind == GPUOPT_STAGE_SUB ? -stage.value[0] : stage.value[0]);
    if (stage.a.m.dtype != 0 && stage.a.m.dtype != dtype) return s;
    if (arithmetic && stage.form == GPUOPT_PER_COL && stage.kind != GPUOPT_STAGE_MUL && stage.a.m.ld == 1) {
      // Before the activation if there is one to come.
      const bool act_follows =
          state == kStart && s + 1 < problem.stage_count &&
          (problem.stage[s + 1].kind == GPUOPT_STAGE_RELU || problem.stage[s + 1].kind == GPUOPT_STAGE_GELU ||
           problem.stage[s + 1].kind == GPUOPT_STAGE_GELU_TANH || problem.stage[s + 1].kind == GPUOPT_STAGE_SILU);
      if (act_follows) {
        pattern.pre = per_col_view(stage.a);
        pattern.pre_factor = factor;
        state = kAfterPre;
      } else if (state <= kAfterAct) {
        pattern.post = per_col_view(stage.a);
        pattern.post_factor = factor;
        state = kAfterPost;
      } else {
        return s;
      }
    } else if (stage.kind == GPUOPT_STAGE_MUL && stage.form == GPUOPT_SCALAR && state < kAfterScale) {
      pattern.scale = factor;
      state = kAfterScale;
    } else if (arithmetic && stage.form == GPUOPT_MATRIX && state < kEnd && stage.a.m.layout == GPUOPT_ROW) {
      pattern.matrix = matrix_view(stage.a);
      pattern.matrix_factor = factor;
      pattern.multiplies = stage.kind == GPUOPT_STAGE_MUL;
      state = kEnd;
    } else if (!arithmetic && stage.a.m.dtype == 0 && state < kAfterAct) {
      pattern.act = stage.kind;
      state = kAfterAct;
    } else {
      return s;
    }
  }
  return -1;
}

constexpr uint64_t stage_bit(int32_t kind) { return uint64_t{1} << kind; }
constexpr uint64_t kPatternStageKinds = stage_bit(GPUOPT_STAGE_RELU) | stage_bit(GPUOPT_STAGE_GELU) |
                                        stage_bit(GPUOPT_STAGE_GELU_TANH) | stage_bit(GPUOPT_STAGE_SILU) |
                                        stage_bit(GPUOPT_STAGE_ADD) | stage_bit(GPUOPT_STAGE_SUB) |
                                        stage_bit(GPUOPT_STAGE_MUL);

inline int pattern_can_run(const gpuopt_problem *problem, gpuopt_reject *reject) {
  Pattern pattern;
  const int32_t stage = match_pattern(*problem, pattern);
  if (stage < 0) return 1;
  *reject = {GPUOPT_REJECT_STAGE, GPUOPT_OPERAND_STAGE + stage, 0, 0,
             "not of the form act(x + vector) + vector, * scale, + or * matrix in one type"};
  return 0;
}

enum : int32_t { kNoMatrix, kAddMatrix, kMultiplyMatrix };

template <int32_t kAct, int K>
__device__ __forceinline__ void apply_act(float (&x)[K]) {
  if constexpr (kAct != kNoAct) {
#pragma unroll
    for (int e = 0; e < K; ++e) x[e] = function_of<kAct>(x[e]);
  }
}
template <int32_t kMatrix, class T, int K>
__device__ __forceinline__ void apply_matrix(float factor, const Bits<T, K> &bits, float (&x)[K]) {
  float matrix[K];
  widen_bits(bits, matrix);
#pragma unroll
  for (int e = 0; e < K; ++e) x[e] = kMatrix == kAddMatrix ? x[e] + factor * matrix[e] : x[e] * (factor * matrix[e]);
}

// f(T's tag, the activation, what is done with the matrix: as constants) of the instance for a pattern.
template <class F>
gpuopt_status with_pattern_instance(const Pattern &pattern, F &&f) {
  using cuda::std::integral_constant;
  const auto with_matrix = [&](auto tag, auto act) {
    if (pattern.matrix.dtype == 0) return f(tag, act, integral_constant<int32_t, kNoMatrix>{});
    if (pattern.multiplies) return f(tag, act, integral_constant<int32_t, kMultiplyMatrix>{});
    return f(tag, act, integral_constant<int32_t, kAddMatrix>{});
  };
  const auto with_act = [&](auto tag) {
    if (pattern.act == GPUOPT_STAGE_RELU) return with_matrix(tag, integral_constant<int32_t, GPUOPT_STAGE_RELU>{});
    if (pattern.act == GPUOPT_STAGE_GELU) return with_matrix(tag, integral_constant<int32_t, GPUOPT_STAGE_GELU>{});
    if (pattern.act == GPUOPT_STAGE_GELU_TANH)
      return with_matrix(tag, integral_constant<int32_t, GPUOPT_STAGE_GELU_TANH>{});
    if (pattern.act == GPUOPT_STAGE_SILU) return with_matrix(tag, integral_constant<int32_t, GPUOPT_STAGE_SILU>{});
    return with_matrix(tag, integral_constant<int32_t, kNoAct>{});
  };
  if (pattern.x.dtype == GPUOPT_F16) return with_act(Type<__half>{});
  if (pattern.x.dtype == GPUOPT_BF16) return with_act(Type<__nv_bfloat16>{});
  return with_act(Type<float>{});
}

// The instances' entries for the resources table: X(T, activation, matrix).
#define GPUOPT_PATTERN_ACTS_(X, T, matrix)                                                \
  X(T, kNoAct, matrix), X(T, GPUOPT_STAGE_RELU, matrix), X(T, GPUOPT_STAGE_GELU, matrix), \
      X(T, GPUOPT_STAGE_GELU_TANH, matrix), X(T, GPUOPT_STAGE_SILU, matrix)
#define GPUOPT_PATTERN_TYPE_(X, T)                                               \
  GPUOPT_PATTERN_ACTS_(X, T, kNoMatrix), GPUOPT_PATTERN_ACTS_(X, T, kAddMatrix), \
      GPUOPT_PATTERN_ACTS_(X, T, kMultiplyMatrix)
#define GPUOPT_PATTERN_INSTANCES(X) \
  GPUOPT_PATTERN_TYPE_(X, float), GPUOPT_PATTERN_TYPE_(X, __half), GPUOPT_PATTERN_TYPE_(X, __nv_bfloat16)

inline constexpr gpuopt_signature kPatternSignatures[] = {
    {{GPUOPT_F32, GPUOPT_ANY, GPUOPT_F32, GPUOPT_ANY}, GPUOPT_COMPUTE_F32},
    {{GPUOPT_F16, GPUOPT_ANY, GPUOPT_F16, GPUOPT_ANY}, GPUOPT_COMPUTE_F32},
    {{GPUOPT_BF16, GPUOPT_ANY, GPUOPT_BF16, GPUOPT_ANY}, GPUOPT_COMPUTE_F32},
};

// The descriptor but for its functions and resources.
constexpr gpuopt_kernel pattern_kernel(const char *name, const char *summary) {
  gpuopt_kernel k = kernel_descriptor(GPUOPT_OP_FUSED_ACT, name, summary, kViewFeatures);
  k.stage_kinds = kPatternStageKinds;
  k.max_stages = kPatternStages;
  k.layouts[GPUOPT_OPERAND_X] = GPUOPT_LAYOUT_ROW;
  set_signatures(k, kPatternSignatures);
  k.can_run = pattern_can_run;
  return k;
}

}  // namespace gpuopt

#endif
