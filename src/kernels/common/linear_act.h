// Chains that are an activation between two linear steps, which most chains without a matrix come to.
#pragma once

#include "common/linear_steps.h"

namespace gpuopt {

// An activation between two linear steps, each with bounds,
//
//   x  ->  bounded(x * scale + shift)  ->  act  ->  bounded(x * scale + shift)
//
// where each part may be missing, and one of each step's scale and shift may be a vector along a row or along the rows.
struct LinearStep {
  int32_t op;  // kLinear ..., kEnd: missing
  bool bounded;
  float value, scale, shift, low, high;
  View operand;

  __host__ __device__ bool per_col() const { return op == kAddPerCol || op == kMultiplyPerCol; }
  __host__ __device__ bool per_row() const { return op == kAddPerRow || op == kMultiplyPerRow; }
};

struct LinearAct {
  View x, out;
  LinearStep before, after;
  int32_t act;  // GPUOPT_STAGE_* or kEnd
};

constexpr uint64_t kLinearActs =
    stage_bits(GPUOPT_STAGE_GELU, GPUOPT_STAGE_GELU_TANH, GPUOPT_STAGE_SILU, GPUOPT_STAGE_SIGMOID, GPUOPT_STAGE_TANH);
constexpr uint64_t kLinearActKinds = kLinearActs | stage_bits(GPUOPT_STAGE_RELU, GPUOPT_STAGE_CLAMP, GPUOPT_STAGE_NEG,
                                                              GPUOPT_STAGE_ADD, GPUOPT_STAGE_SUB, GPUOPT_STAGE_MUL);

// Fills the chain and returns -1, or returns a stage that is not of this form. Vectors are of x's type or f32.
inline int32_t match_linear_act(const gpuopt_problem &problem, LinearAct &chain) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  StepList<float> list = list_steps<float>(problem);
  const ChainSteps<float> &steps = list.finish(matrix_view(problem.operand[GPUOPT_OPERAND_OUT]));
  const int32_t dtype = problem.operand[GPUOPT_OPERAND_X].m.dtype, last = steps.count - 2;
  chain = {};
  chain.x = steps.step[0].operand;
  chain.out = steps.step[last].operand;
  int32_t s = 1;
  const auto take_linear = [&](LinearStep &to) {
    const ChainSteps<float>::Step &from = steps.step[s];
    if (from.op < kLinear) return true;
    if (from.operand.dtype != 0 && from.operand.dtype != dtype && from.operand.dtype != GPUOPT_F32) return false;
    to = {from.op,    from.low > -kInfinity || from.high < kInfinity,
          from.value, from.scale,
          from.shift, from.low,
          from.high,  from.operand};
    ++s;
    return true;
  };
  if (!take_linear(chain.before)) return list.first_stage(s);
  if (steps.step[s].op < kLinear && (kLinearActs >> steps.step[s].op & 1) != 0) chain.act = steps.step[s++].op;
  return take_linear(chain.after) && s == last ? -1 : list.first_stage(s);
}

}  // namespace gpuopt
