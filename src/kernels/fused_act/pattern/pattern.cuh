// The chains that the specialised kernels of fused_act understand, all operands of one type:
//
//   x  ->  act(x + pre)  ->  + post  ->  * scale  ->  + or * matrix
//
// where each part may be missing, pre and post are vectors along a row (PER_COL), and act is one of five. The
// activation is chosen at compile time; what may be missing is asked once a run, by branches that are the same for all
// threads.
#pragma once

#include <cmath>

#include "common/bits.cuh"
#include "common/descriptor.h"
#include "common/fast_stages.cuh"
#include "common/launch.h"
#include "common/linear_steps.h"
#include "common/with_constant.h"
#include "fused_act/common/cost.h"

namespace gpuopt {

constexpr int32_t kNoAct = 0;
constexpr int kPatternStages = 3;  // of those parts; longer chains are fused_act_chain's

struct Pattern {
  View x, out, pre, post, matrix;  // dtype 0: missing
  float pre_factor, post_factor, scale, matrix_factor;
  int32_t act;      // GPUOPT_STAGE_* or kNoAct
  bool multiplies;  // the matrix
};

inline bool has_vectors(const Pattern &pattern) { return pattern.pre.dtype != 0 || pattern.post.dtype != 0; }

// Fills the pattern and returns -1, or returns a stage that does not fit.
inline int32_t match_pattern(const gpuopt_problem &problem, Pattern &pattern) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  StepList<float> list = list_steps<float>(problem);
  const ChainSteps<float> &steps = list.finish(matrix_view(problem.operand[GPUOPT_OPERAND_OUT]));
  const int32_t last = steps.count - 2;
  pattern = {};
  pattern.x = steps.step[0].operand;
  pattern.out = steps.step[last].operand;
  pattern.scale = 1;
  enum { kStart, kAfterPre, kAfterAct, kAfterPost, kAfterScale, kAfterMatrix } state = kStart;
  for (int32_t s = 1; s < last; ++s) {
    const ChainSteps<float>::Step &step = steps.step[s];
    const int32_t next = steps.step[s + 1].op;
    const bool bounded = step.low > -kInfinity || step.high < kInfinity;
    const bool is_relu = bounded && step.low == 0 && step.high == kInfinity;
    const bool shifts = step.shift != 0 || !std::signbit(step.shift);
    const bool one_type = step.operand.dtype == 0 || step.operand.dtype == pattern.x.dtype;
    if (step.op == kAddPerCol && one_type && step.operand.col_step == 1 && step.scale == 1) {
      const bool act_follows = next == GPUOPT_STAGE_GELU || next == GPUOPT_STAGE_GELU_TANH || next == GPUOPT_STAGE_SILU;
      if (state == kStart && (is_relu || (!bounded && act_follows))) {
        pattern.pre = step.operand;
        pattern.pre_factor = step.value;
        pattern.act = is_relu ? GPUOPT_STAGE_RELU : kNoAct;
        state = is_relu ? kAfterAct : kAfterPre;
      } else if (state <= kAfterAct && !bounded) {
        pattern.post = step.operand;
        pattern.post_factor = step.value;
        state = kAfterPost;
      } else {
        return list.first_stage(s);
      }
    } else if (step.op == kLinear && is_relu && step.scale == 1 && !shifts && state < kAfterAct) {
      pattern.act = GPUOPT_STAGE_RELU;
      state = kAfterAct;
    } else if (step.op == kLinear && !bounded && !shifts && state < kAfterScale) {
      pattern.scale = step.scale;
      state = kAfterScale;
    } else if ((step.op == GPUOPT_STAGE_ADD || step.op == GPUOPT_STAGE_MUL) && one_type && step.operand.col_step == 1 &&
               state < kAfterMatrix) {
      pattern.matrix = step.operand;
      pattern.matrix_factor = step.value;
      pattern.multiplies = step.op == GPUOPT_STAGE_MUL;
      state = kAfterMatrix;
    } else if (step.op < kLinear && step.operand.dtype == 0 && state < kAfterAct) {
      pattern.act = step.op;
      state = kAfterAct;
    } else {
      return list.first_stage(s);
    }
  }
  return -1;
}

constexpr uint64_t kPatternStageKinds =
    stage_bits(GPUOPT_STAGE_RELU, GPUOPT_STAGE_GELU, GPUOPT_STAGE_GELU_TANH, GPUOPT_STAGE_SILU, GPUOPT_STAGE_ADD,
               GPUOPT_STAGE_SUB, GPUOPT_STAGE_MUL);

inline int pattern_can_run(const gpuopt_problem *problem, gpuopt_reject *reject) {
  Pattern pattern;
  const int32_t stage = match_pattern(*problem, pattern);
  if (stage < 0) return 1;
  return refuse(reject, GPUOPT_REJECT_STAGE, GPUOPT_OPERAND_STAGE + stage, 0, 0,
                "not of the form act(x + vector) + vector, * scale, + or * matrix in one type");
}

enum : int32_t { kNoMatrix, kAddMatrix, kMultiplyMatrix };

template <int32_t kAct, int K>
__device__ __forceinline__ void apply_act(float (&x)[K]) {
  if constexpr (kAct != kNoAct) {
#pragma unroll
    for (int e = 0; e < K; ++e) x[e] = stage_value<kAct, FastMath>(x[e]);
  }
}
template <int32_t kMatrix, class T, int K>
__device__ __forceinline__ void apply_matrix(float factor, const Bits<T, K> &bits, float (&x)[K]) {
  float matrix[K];
  widen_bits(bits, matrix);
#pragma unroll
  for (int e = 0; e < K; ++e)
    x[e] = stage_value < kMatrix == kAddMatrix ? GPUOPT_STAGE_ADD : GPUOPT_STAGE_MUL,
    FastMath > (x[e], factor, factor, matrix[e]);
}

// f(T's tag, the activation, what is done with the matrix: as constants).
template <class F>
gpuopt_status with_pattern_act(const Pattern &pattern, F &&f) {
  return with_one_of<__half, __nv_bfloat16, float>(pattern.x.dtype, [&](auto tag) {
    return with_constant<GPUOPT_STAGE_RELU, GPUOPT_STAGE_GELU, GPUOPT_STAGE_GELU_TANH, GPUOPT_STAGE_SILU, kNoAct>(
        pattern.act, [&](auto act) { return f(tag, act); });
  });
}
template <class F>
gpuopt_status with_pattern_instance(const Pattern &pattern, F &&f) {
  const int matrix_use = pattern.matrix.dtype == 0 ? kNoMatrix : pattern.multiplies ? kMultiplyMatrix : kAddMatrix;
  return with_pattern_act(pattern, [&](auto tag, auto act) {
    return with_constant<kNoMatrix, kMultiplyMatrix, kAddMatrix>(matrix_use,
                                                                 [&](auto matrix) { return f(tag, act, matrix); });
  });
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
