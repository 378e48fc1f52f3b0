// What a pass over runs costs, for predict_us: the slowest of bytes, instructions and special functions, and the
// launch.
#ifndef GPUOPT_KERNELS_FUSED_ACT_COST_H
#define GPUOPT_KERNELS_FUSED_ACT_COST_H

#include "common/element.cuh"
#include "common/index.cuh"

namespace gpuopt {

struct PassCost {
  double launch_us;
  double memory_share;             // of the device's memory rate
  double instructions_per_thread;  // beside those of its elements
  double instructions_per_stage;   // of each thread
  double elements_per_thread;
};

// Special functions and instructions of one element.
inline void stage_cost(int32_t kind, double &special, double &instructions) {
  switch (kind) {
    case GPUOPT_STAGE_GELU:
      special += 1;
      instructions += 11;
      break;
    case GPUOPT_STAGE_GELU_GRAD:
      special += 2;
      instructions += 17;
      break;
    case GPUOPT_STAGE_GELU_TANH:
    case GPUOPT_STAGE_SILU:
    case GPUOPT_STAGE_SILU_GRAD:
    case GPUOPT_STAGE_SIGMOID:
      special += 2;
      instructions += 8;
      break;
    case GPUOPT_STAGE_TANH:
      special += 2;
      instructions += 16;
      break;
    case GPUOPT_STAGE_EXP:
    case GPUOPT_STAGE_LOG:
    case GPUOPT_STAGE_SQRT:
    case GPUOPT_STAGE_RECIPROCAL:
      special += 1;
      instructions += 4;
      break;
    default:
      instructions += 2;
  }
}

inline bool is_aligned_to(const gpuopt_operand &o, int32_t bytes) {
  return o.align >= bytes && o.ld_align >= bytes && o.stride_align >= bytes;
}

inline double pass_us(const gpuopt_problem &problem, const PassCost &cost) {
  const gpuopt_device_facts &device = *problem.device;
  if (device.sm_count <= 0 || device.clock_mhz <= 0 || device.memory_gbs <= 0) return 0;
  const bool wide = problem.compute == GPUOPT_COMPUTE_F64;
  double bytes = 0, special = 0, instructions = 2;
  const auto add_matrix = [&](const gpuopt_operand &o) {
    const int size = dtype_bytes(o.m.dtype);
    bytes += size;
    instructions += size < 4 ? 1.5 : 0.5;
    if (size < 2 || o.m.dtype == GPUOPT_I32) instructions += 3;  // conversions of 8-bit types and integers
    if (!is_aligned_to(o, 16)) instructions += 1.5;
  };
  add_matrix(problem.operand[GPUOPT_OPERAND_X]);
  add_matrix(problem.operand[GPUOPT_OPERAND_OUT]);
  for (int32_t s = 0; s < problem.stage_count; ++s) {
    const gpuopt_problem_stage &stage = problem.stage[s];
    stage_cost(stage.kind, special, instructions);
    if (stage.a.m.dtype == 0) continue;
    const bool vector =
        stage.kind == GPUOPT_STAGE_ADD_OUTER || stage.form == GPUOPT_PER_ROW || stage.form == GPUOPT_PER_COL;
    if (vector)
      instructions += 1.5;
    else
      add_matrix(stage.a);
  }
  instructions +=
      (cost.instructions_per_thread + cost.instructions_per_stage * problem.stage_count) / cost.elements_per_thread;
  if (wide) instructions = 4 * instructions + 10 * special;
  const double count =
      static_cast<double>(problem.m) * static_cast<double>(problem.n) * static_cast<double>(problem.batch);
  const double memory_us = count * bytes / (cost.memory_share * device.memory_gbs * 1e3);
  const double issue_us = count * instructions / (0.85 * 128.0 * device.sm_count * device.clock_mhz);
  const double special_us = wide ? 0 : count * special / (0.85 * 16.0 * device.sm_count * device.clock_mhz);
  const double slower = issue_us > special_us ? issue_us : special_us;
  return cost.launch_us + (memory_us > slower ? memory_us : slower) + 0.1 * (memory_us < slower ? memory_us : slower);
}

}  // namespace gpuopt

#endif
