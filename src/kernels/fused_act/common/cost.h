// What a pass over a matrix costs, for predict_us: launch and the latency of its steps one after the other; then bytes,
// instructions and special functions, of which the slowest hides most of the others.
#pragma once

#include "common/dtypes.cuh"
#include "common/element.cuh"
#include "common/index.cuh"
#include "common/linear_steps.h"
#include "fused_act/common/figures.h"

namespace gpuopt {

// Special functions, which are read off fast_math.cuh, and instructions of one element.
inline void stage_cost(int32_t kind, double &special, double &instructions) {
  const FusedActCommonFigures &f = fused_act_common_figures;
  switch (kind) {
    case GPUOPT_STAGE_GELU:
      special += 1;
      instructions += f.gelu_instructions;
      break;
    case GPUOPT_STAGE_GELU_GRAD:
      special += 2;
      instructions += f.gelu_gradient_instructions;
      break;
    case GPUOPT_STAGE_GELU_TANH:
    case GPUOPT_STAGE_SILU:
    case GPUOPT_STAGE_SILU_GRAD:
    case GPUOPT_STAGE_SIGMOID:
      special += 2;
      instructions += f.sigmoid_instructions;
      break;
    case GPUOPT_STAGE_TANH:
      special += 2;
      instructions += f.tanh_instructions;
      break;
    case GPUOPT_STAGE_EXP:
    case GPUOPT_STAGE_LOG:
    case GPUOPT_STAGE_SQRT:
    case GPUOPT_STAGE_RECIPROCAL:
      special += 1;
      instructions += f.special_instructions;
      break;
    default:
      instructions += f.plain_instructions;
  }
}

inline bool is_aligned_to(const gpuopt_operand &o, int32_t bytes) {
  return o.align >= bytes && o.ld_align >= bytes && o.stride_align >= bytes;
}

// Whether every run of the matrix begins at the same place within an access as out's, as far as the facts tell.
inline bool lies_as(const gpuopt_operand &o, const gpuopt_operand &out, const gpuopt_problem &problem) {
  constexpr int kAccess = 16;
  if (is_aligned_to(o, kAccess) && is_aligned_to(out, kAccess)) return true;
  const int64_t bytes = dtype_bytes(o.m.dtype);
  const bool as_wide = bytes == dtype_bytes(out.m.dtype);
  const bool rows = problem.m == 1 || (o.m.ld - out.m.ld) * bytes % kAccess == 0;
  const bool batch = problem.batch == 1 || (o.m.batch_stride - out.m.batch_stride) * bytes % kAccess == 0;
  return as_wide && rows && batch && (o.align == out.align || (o.align >= kAccess && out.align >= kAccess));
}

// Bytes of a matrix that memory moves, in accesses of 64: lines that do not follow each other begin and end within.
inline double touched_bytes(const gpuopt_operand &o, const gpuopt_problem &problem) {
  constexpr double kAccess = 64;
  const bool row_major = o.m.layout == GPUOPT_ROW;
  const int64_t lines = row_major ? problem.m : problem.n, elements = row_major ? problem.n : problem.m;
  const int bytes = dtype_bytes(o.m.dtype);
  double line = static_cast<double>(elements) * bytes, step = static_cast<double>(o.m.ld) * bytes;
  if (o.m.ld != elements && lines > 1) {
    const double more = o.ld_align >= kAccess ? static_cast<double>(-elements * bytes & 63) : kAccess - o.ld_align;
    line = line + more < step ? line + more : step;
  }
  return line * static_cast<double>(lines) * static_cast<double>(problem.batch);
}

// Steps that a chain's stages come to (StepList, linear_steps.h): bounds go with what is before them, a sum with a factor.
inline int count_steps(const gpuopt_problem &problem) {
  enum { kClosed, kScaled, kScaledByVector, kShifted } state = kClosed;
  int steps = 0;
  for (int32_t s = 0; s < problem.stage_count; ++s) {
    const gpuopt_problem_stage &stage = problem.stage[s];
    const bool number = stage.form == GPUOPT_SCALAR && stage.a.m.dtype == 0;
    const bool vector = stage.form == GPUOPT_PER_COL || stage.form == GPUOPT_PER_ROW;
    const bool adds = stage.kind == GPUOPT_STAGE_ADD || stage.kind == GPUOPT_STAGE_SUB;
    if (stage.kind == GPUOPT_STAGE_RELU || stage.kind == GPUOPT_STAGE_CLAMP) {
      steps += state == kClosed;
      state = kClosed;
    } else if (adds && (number || vector)) {
      steps += !(state == kScaled || (state == kScaledByVector && number));
      state = kShifted;
    } else {
      const bool multiplies = stage.kind == GPUOPT_STAGE_MUL && (number || vector);
      ++steps;
      state = stage.kind == GPUOPT_STAGE_NEG || (multiplies && number) ? kScaled
              : multiplies                                             ? kScaledByVector
                                                                       : kClosed;
    }
  }
  return steps;
}

// What the elements of a problem cost, whatever holds them.
struct ElementCost {
  double read = 0, written = 0;          // bytes of all matrices
  double instructions = 0, special = 0;  // of an element
  double vector_instructions = 0;        // of an element of every vector that a thread reads
  int matrices = 0, transposed = 0, vectors = 0;
  int operands = 0;    // that stages read
  int steps = 0;       // that stages come to
  double shifted = 0;  // words of matrices that lie otherwise than out
  bool wide = false;
};
inline ElementCost element_cost(const gpuopt_problem &problem) {
  const FusedActCommonFigures &f = fused_act_common_figures;
  ElementCost cost;
  cost.instructions = f.element_instructions;
  cost.wide = problem.compute == GPUOPT_COMPUTE_F64;
  double converted = 0;
  const auto add_matrix = [&](const gpuopt_operand &o, bool written) {
    const int size = dtype_bytes(o.m.dtype);
    const bool is_integer = o.m.dtype == GPUOPT_I8 || o.m.dtype == GPUOPT_U8 || o.m.dtype == GPUOPT_I32;
    ++cost.matrices;
    cost.transposed += o.m.layout == GPUOPT_COL;
    cost.wide = cost.wide || size > 4;
    (written ? cost.written : cost.read) += touched_bytes(o, problem);
    cost.instructions += size < 2 ? f.byte_instructions : size < 4 ? f.narrow_instructions : f.access_instructions;
    if (size < 2 || is_integer) cost.instructions += f.convert_instructions;
    if (is_integer) converted += f.convert_special;
    if (!is_aligned_to(o, 16)) cost.instructions += f.unaligned_instructions;
    if (!lies_as(o, problem.operand[GPUOPT_OPERAND_OUT], problem)) cost.shifted += size / 4.0;
  };
  add_matrix(problem.operand[GPUOPT_OPERAND_X], false);
  add_matrix(problem.operand[GPUOPT_OPERAND_OUT], true);
  for (int32_t s = 0; s < problem.stage_count; ++s) {
    const gpuopt_problem_stage &stage = problem.stage[s];
    stage_cost(stage.kind, cost.special, cost.instructions);
    if (is_matrix(stage)) add_matrix(stage.a, stage.kind == GPUOPT_STAGE_STORE);
    if (is_matrix(stage) && stage.kind != GPUOPT_STAGE_STORE) ++cost.operands;
    if (stage.a.m.dtype == 0 || is_matrix(stage)) continue;
    cost.vectors += stage.kind == GPUOPT_STAGE_ADD_OUTER ? 2 : 1;
    cost.wide = cost.wide || dtype_bytes(stage.a.m.dtype) > 4 || dtype_bytes(stage.b.m.dtype) > 4;
  }
  cost.operands += cost.vectors;
  cost.steps = count_steps(problem);
  cost.instructions -= f.plain_instructions * (problem.stage_count - cost.steps);
  cost.vector_instructions = f.vector_instructions * cost.vectors;
  if (!cost.wide) cost.special += converted;
  if (cost.wide) {
    cost.vector_instructions *= f.wide_factor;
    cost.instructions = f.wide_factor * cost.instructions + f.wide_special_instructions * cost.special;
    cost.special = 0;
  }
  return cost;
}

// The memory's time; writing takes longer than reading.
inline double memory_us_of(const ElementCost &element, const gpuopt_device_facts &device, double share) {
  return (element.read + fused_act_common_figures.written_factor * element.written) / (share * device.memory_gbs * 1e3);
}
// What a pass takes less where x is sums that a product before it left in scratch (behind_product.cpp).
double behind_product_us(const gpuopt_problem &problem);

struct PassCost {
  double launch_us;
  double memory_share;                                                   // of the device's memory rate
  double thread_instructions, stage_instructions, operand_instructions;  // of each thread beside its elements'
  double elements_per_thread;
  double threads;  // that have any
  bool at_once;    // operands of stages are under way together with x
  // Elements that are read or written one by one: threads that do nothing else, accesses, and instructions of each.
  double edge_threads = 0, edge_accesses = 0, edge_instructions = 0;
  int rows = 1;                     // of a thread, which share what it reads of vectors
  double shifted_instructions = 0;  // of a word of a matrix that lies otherwise than out
  double idle_threads = 0;          // launched, of warps without elements
};

inline double slower_of(double a, double b) { return a > b ? a : b; }
inline double overlapped_us(double a, double b) {
  return a > b ? a + fused_act_common_figures.hidden_share * b : b + fused_act_common_figures.hidden_share * a;
}

inline double pass_us(const gpuopt_problem &problem, const ElementCost &element, const PassCost &cost) {
  const gpuopt_device_facts &device = *problem.device;
  if (device.sm_count <= 0 || device.clock_mhz <= 0 || device.memory_gbs <= 0) return 0;
  const FusedActCommonFigures &f = fused_act_common_figures;
  const double thread = cost.thread_instructions + cost.stage_instructions * element.steps +
                        cost.operand_instructions * element.operands +
                        cost.elements_per_thread * (element.instructions + element.vector_instructions / cost.rows +
                                                    cost.shifted_instructions * element.shifted);
  const double threads = cost.threads + cost.edge_threads;
  const double lanes = 128.0 * device.sm_count * f.issue_share;  // that issue at one time
  const double issue_us =
      (thread * (f.dependent_clocks + threads / lanes) +
       (cost.edge_accesses * cost.edge_instructions + cost.idle_threads * f.idle_instructions) / lanes) /
      device.clock_mhz;
  const double special_us = threads * cost.elements_per_thread * element.special /
                            (f.special_share * 16.0 * device.sm_count * device.clock_mhz);
  const double operand_us = cost.at_once ? f.operand_at_once_us : f.operand_us;
  return cost.launch_us - behind_product_us(problem) + f.stage_us * element.steps + operand_us * element.operands +
         overlapped_us(memory_us_of(element, device, cost.memory_share), slower_of(issue_us, special_us));
}

}  // namespace gpuopt
