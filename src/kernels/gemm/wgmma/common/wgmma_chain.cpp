#include <cuda_runtime.h>

#include "gemm/wgmma/wgmma_chain.h"

#include <limits>

#include "common/linear_steps.h"
#include "gemm/common/gemm_demand.h"

namespace gpuopt {
namespace {

constexpr uint64_t kActs = stage_bits(GPUOPT_STAGE_GELU, GPUOPT_STAGE_GELU_TANH, GPUOPT_STAGE_SILU);
constexpr uint64_t kKinds = kActs | stage_bits(GPUOPT_STAGE_RELU, GPUOPT_STAGE_CLAMP, GPUOPT_STAGE_NEG,
                                               GPUOPT_STAGE_ADD, GPUOPT_STAGE_SUB, GPUOPT_STAGE_MUL);

// Of fp32 or A's type, beside fp8 of either type of 16 bits, by pairs. dtype: A's.
bool reads(const gpuopt_operand &x, int32_t dtype, bool vector) {
  const int64_t pair = 2 * gpuopt_dtype_size(x.m.dtype);
  const bool is_like_a =
      gpuopt_dtype_size(dtype) == 1 ? x.m.dtype == GPUOPT_F16 || x.m.dtype == GPUOPT_BF16 : x.m.dtype == dtype;
  if (!is_like_a && x.m.dtype != GPUOPT_F32) return false;
  if (vector) return x.m.ld == 1;
  return x.m.layout == GPUOPT_ROW && least_alignment(x) >= pair;
}

bool takes(const gpuopt_problem_stage &stage, int32_t dtype) {
  if ((kKinds >> stage.kind & 1) == 0) return false;
  if (stage.a.m.dtype == 0) return true;
  return (stage.form == GPUOPT_PER_COL || stage.form == GPUOPT_MATRIX) &&
         reads(stage.a, dtype, stage.form == GPUOPT_PER_COL);
}

void set_matrix(const View &view, bool first, WgmmaChain *chain) {
  chain->matrix = view.data;
  chain->matrix_dtype = view.dtype;
  chain->matrix_pitch = view.row_step;
  chain->matrix_batch = view.batch_step;
  chain->matrix_op = GPUOPT_STAGE_ADD;
  chain->matrix_first = first;
}

}  // namespace

bool wgmma_chain_of(const gpuopt_problem &problem, WgmmaChain *chain) {
  using Step = ChainSteps<float>::Step;
  const gpuopt_operand &c = problem.operand[GPUOPT_OPERAND_C];
  const int32_t dtype = problem.operand[GPUOPT_OPERAND_A].m.dtype;
  const bool reads_c = (problem.features & GPUOPT_FEATURE_BETA) != 0;
  if (problem.n % 2 != 0 || (reads_c && !reads(c, dtype, false))) return false;
  StepList<float> list{View{}};
  for (int32_t s = 0; s < problem.stage_count; ++s) {
    if (!takes(problem.stage[s], dtype)) return false;
    list.add(s, problem.stage[s]);
  }
  const ChainSteps<float> &steps = list.finish(View{});
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  *chain = {};
  chain->scale = 1;
  chain->shift = -0.0f;  // so that a zero keeps its sign
  int32_t s = 1;
  const auto is_matrix = [&] { return steps.step[s].op == GPUOPT_STAGE_ADD || steps.step[s].op == GPUOPT_STAGE_MUL; };
  const auto take_matrix = [&](bool first) {
    const Step &step = steps.step[s++];
    set_matrix(step.operand, first, chain);
    chain->matrix_op = step.op;
    chain->factor = step.value;
  };
  if (reads_c) {
    set_matrix(matrix_view(c), true, chain);
    chain->matrix_is_c = true;
  } else if (is_matrix() && steps.step[s].op == GPUOPT_STAGE_ADD) {
    take_matrix(true);
  }
  if (const Step &step = steps.step[s]; step.op == kLinear || step.op == kAddPerCol || step.op == kMultiplyPerCol) {
    chain->scale = step.scale;
    chain->shift = step.shift;
    chain->low = step.low;
    chain->high = step.high;
    chain->bounded = step.low > -kInfinity || step.high < kInfinity;
    chain->value = step.value;
    chain->scales = step.op == kMultiplyPerCol;
    if (step.op != kLinear) {
      chain->vector = step.operand.data;
      chain->vector_dtype = step.operand.dtype;
      chain->vector_batch = step.operand.batch_step;
    }
    ++s;
  }
  if (steps.step[s].op < kLinear && (kActs >> steps.step[s].op & 1) != 0) chain->act = steps.step[s++].op;
  if (chain->matrix_dtype == 0 && is_matrix()) take_matrix(false);
  return s == steps.count - 2;  // what writes comes next
}

}  // namespace gpuopt
