// The chains that fused_act_linear understands, x, out and matrices absent: an activation between two linear steps,
//
//   x  ->  bounded(x * scale + shift)  ->  act  ->  bounded(x * scale + shift)
//
// where each part may be missing, and one of each step's scale and shift may be a vector along a row or along the rows.
#ifndef GPUOPT_KERNELS_FUSED_ACT_LINEAR_ACT_CUH
#define GPUOPT_KERNELS_FUSED_ACT_LINEAR_ACT_CUH

#include "fused_act/chain_steps.cuh"

namespace gpuopt {

struct LinearStep {
  int32_t op;  // kLinear ..., kEnd: missing
  bool bounded;
  float value, scale, shift, low, high;
  View operand;

  __device__ __forceinline__ bool per_col() const { return op == kAddPerCol || op == kMultiplyPerCol; }
  __device__ __forceinline__ bool per_row() const { return op == kAddPerRow || op == kMultiplyPerRow; }
};

struct LinearAct {
  View x, out;
  LinearStep before, after;
  int32_t act;  // GPUOPT_STAGE_* or kEnd
};

constexpr bool is_linear_act(int32_t op) {
  return op == GPUOPT_STAGE_GELU || op == GPUOPT_STAGE_GELU_TANH || op == GPUOPT_STAGE_SILU ||
         op == GPUOPT_STAGE_SIGMOID || op == GPUOPT_STAGE_TANH;
}

// False where the chain is not of this form.
inline bool match_linear_act(const gpuopt_problem &problem, LinearAct &chain) {
  const ChainSteps<float> steps = make_steps<float>(problem);
  const int32_t dtype = problem.operand[GPUOPT_OPERAND_X].m.dtype;
  chain = {};
  chain.x = steps.step[0].operand;
  chain.out = steps.step[steps.count - 2].operand;
  int32_t s = 1;
  const auto take_linear = [&](LinearStep &to) {
    const ChainSteps<float>::Step &from = steps.step[s];
    if (from.op < kLinear) return true;
    ++s;
    to = {from.op,
          from.low > -std::numeric_limits<float>::infinity() || from.high < std::numeric_limits<float>::infinity(),
          from.value,
          from.scale,
          from.shift,
          from.low,
          from.high,
          from.operand};
    return from.operand.dtype == 0 || from.operand.dtype == dtype || from.operand.dtype == GPUOPT_F32;
  };
  if (!take_linear(chain.before)) return false;
  if (is_linear_act(steps.step[s].op)) chain.act = steps.step[s++].op;
  return take_linear(chain.after) && s == steps.count - 2;
}

// v: the step's vector with its factor: that along the row, or of that along the rows an element for each K values.
template <int K, int V>
__device__ __forceinline__ void apply_step(const LinearStep &step, const float (&v)[K], float (&x)[V]) {
  static_assert(V / K <= K, "an element for each K values");
  if (step.op == kEnd) return;
  const float scale = step.scale, shift = step.shift, low = step.low, high = step.high;
  if (step.op == kAddPerCol) {
#pragma unroll
    for (int e = 0; e < V; ++e) x[e] = x[e] * scale + v[e % K];
  } else if (step.op == kMultiplyPerCol) {
#pragma unroll
    for (int e = 0; e < V; ++e) x[e] = x[e] * v[e % K] + shift;
  } else if (step.op == kAddPerRow) {
#pragma unroll
    for (int e = 0; e < V; ++e) x[e] = x[e] * scale + v[e / K];
  } else if (step.op == kMultiplyPerRow) {
#pragma unroll
    for (int e = 0; e < V; ++e) x[e] = x[e] * v[e / K] + shift;
  } else {
#pragma unroll
    for (int e = 0; e < V; ++e) x[e] = x[e] * scale + shift;
  }
  if (step.bounded) {
#pragma unroll
    for (int e = 0; e < V; ++e) x[e] = clamp_to(x[e], low, high);
  }
}

template <int32_t kAct, int K>
__device__ __forceinline__ void apply_activation(float (&x)[K]) {
  if constexpr (kAct != kEnd) {
#pragma unroll
    for (int e = 0; e < K; ++e) x[e] = function_of<kAct>(x[e]);
  }
}

}  // namespace gpuopt

#endif
