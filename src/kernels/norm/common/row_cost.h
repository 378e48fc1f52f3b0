// What predictions of all kernels of norms are made of: bytes that move, instructions that are issued, and a chain of
// latencies - a row's way through the chip, once a wave. Each hides the others in part.
#pragma once

#include <cmath>

#include "common/dtypes.cuh"
#include "common/element.cuh"
#include "common/index.cuh"
#include "common/stage_values.h"
#include "norm/common/figures.h"

namespace gpuopt {

// Facts of a problem, counts as what they are multiplied with.
struct RowFacts {
  double rows, columns, elements;             // elements: of 16 bytes
  double residual, sum, softmax, layernorm;   // 0 or 1
  double weights, weight_vectors;             // up to 2; of 16 bytes, where x has one
  double stages, activations, operands;       // operands: of stages
  double single_loads, single_stores;         // matrices whose rows begin otherwise than out's
  double read_bytes, written_bytes, x_bytes;  // x_bytes: with the residual's
};

// Bytes of a row as memory moves them, in sectors of 32 where the next row is apart.
inline double moved_row_bytes(const gpuopt_operand &o, int64_t n) {
  const int64_t bytes = n * dtype_bytes(o.m.dtype), line = o.m.ld * dtype_bytes(o.m.dtype);
  if (o.m.layout == GPUOPT_COL || line == bytes) return static_cast<double>(bytes);
  const bool whole = o.align >= 32 && line % 32 == 0;
  const int64_t sectors = ceil_div(bytes + (whole ? 0 : 16), 32) * 32;
  return static_cast<double>(sectors < line ? sectors : line);
}
// Whether rows of one begin at other distances from 16 bytes than those of the other.
inline bool begins_otherwise(const gpuopt_operand &o, const gpuopt_operand &out) {
  const auto offset = [](const gpuopt_operand &of) { return of.align < 16 ? of.align : 0; };
  return offset(o) != offset(out) || (o.m.ld * dtype_bytes(o.m.dtype) - out.m.ld * dtype_bytes(out.m.dtype)) % 16 != 0;
}

inline bool is_softmax(const gpuopt_problem &problem) {
  return problem.variant == GPUOPT_NORM_SOFTMAX || problem.variant == GPUOPT_NORM_LOG_SOFTMAX;
}
inline bool has_residual(const gpuopt_problem &problem) {
  return problem.operand[GPUOPT_OPERAND_RESIDUAL].m.dtype != 0;
}

inline RowFacts row_facts(const gpuopt_problem &problem) {
  constexpr uint64_t kActivations =
      stage_bits(GPUOPT_STAGE_GELU, GPUOPT_STAGE_GELU_TANH, GPUOPT_STAGE_SILU, GPUOPT_STAGE_SIGMOID, GPUOPT_STAGE_TANH);
  const gpuopt_operand *const o = problem.operand, &out = o[GPUOPT_OPERAND_OUT];
  RowFacts f = {};
  f.rows = static_cast<double>(problem.m) * static_cast<double>(problem.batch);
  f.columns = static_cast<double>(problem.n);
  f.elements = 16.0 / static_cast<double>(dtype_bytes(o[GPUOPT_OPERAND_X].m.dtype));
  const auto has = [](const gpuopt_operand &of) { return of.m.dtype != 0 ? 1.0 : 0.0; };
  const auto bytes_of = [&](const gpuopt_operand &of) {
    return of.m.dtype != 0 ? f.rows * moved_row_bytes(of, problem.n) : 0.0;
  };
  f.residual = has(o[GPUOPT_OPERAND_RESIDUAL]);
  f.sum = has(o[GPUOPT_OPERAND_SUM]);
  f.weights = has(problem.extra[GPUOPT_OPERAND_GAMMA - 4]) + has(problem.extra[GPUOPT_OPERAND_BETA - 4]);
  f.weight_vectors = f.weights * f.elements / 16.0 * dtype_bytes(problem.extra[GPUOPT_OPERAND_GAMMA - 4].m.dtype);
  f.softmax = is_softmax(problem) ? 1.0 : 0.0;
  f.layernorm = problem.variant == GPUOPT_NORM_LAYERNORM ? 1.0 : 0.0;
  f.stages = problem.stage_count;
  f.x_bytes = bytes_of(o[GPUOPT_OPERAND_X]) + bytes_of(o[GPUOPT_OPERAND_RESIDUAL]);
  f.read_bytes = f.x_bytes;
  f.written_bytes = bytes_of(out) + bytes_of(o[GPUOPT_OPERAND_SUM]) +
                    has(problem.extra[GPUOPT_OPERAND_STATISTICS - 4]) * 8.0 * f.rows;
  for (int32_t s = 0; s < problem.stage_count; ++s) {
    const gpuopt_problem_stage &stage = problem.stage[s];
    f.activations += (kActivations >> stage.kind & 1) != 0 ? 1.0 : 0.0;
    f.operands += has(stage.a);
    if (stage.form == GPUOPT_MATRIX) f.read_bytes += bytes_of(stage.a);
  }
  f.single_loads = begins_otherwise(o[GPUOPT_OPERAND_X], out) ? 1.0 : 0.0;
  if (f.residual > 0 && begins_otherwise(o[GPUOPT_OPERAND_RESIDUAL], out)) f.single_loads += 1.0;
  if (f.sum > 0 && begins_otherwise(o[GPUOPT_OPERAND_SUM], out)) f.single_stores = 1.0;
  return f;
}

// Instructions of a warp whose threads have so many vectors of so many rows each; unaligned ones and stages beside.
inline double plain_instructions(const RowFacts &f, double vectors) {
  const auto &figures = norm_common_figures;
  return vectors * f.elements *
         (figures.element_instructions + figures.residual_instructions * f.residual + figures.sum_instructions * f.sum +
          figures.softmax_instructions * f.softmax + figures.layernorm_instructions * f.layernorm +
          figures.weight_instructions * f.weights);
}
inline double unaligned_instructions(const RowFacts &f, double vectors) {
  const auto &figures = norm_common_figures;
  return figures.unaligned_instructions +
         vectors * f.elements *
             (figures.shift_instructions * f.weights + figures.single_load_instructions * f.single_loads +
              figures.single_store_instructions * f.single_stores);
}
inline double stage_instructions(const RowFacts &f, double vectors, bool linear) {
  const auto &figures = norm_common_figures;
  return vectors * f.elements *
         ((linear ? figures.linear_instructions : figures.stage_instructions * f.stages) +
          figures.activation_instructions * f.activations + figures.operand_instructions * f.operands);
}
inline double row_instructions(const RowFacts &f, double vectors, bool aligned, bool linear) {
  double instructions = plain_instructions(f, vectors);
  if (!aligned) instructions += unaligned_instructions(f, vectors);
  if (f.stages > 0) instructions += stage_instructions(f, vectors, linear);
  return instructions;
}

inline bool is_known(const gpuopt_device_facts &device) {
  return device.sm_count > 0 && device.memory_gbs > 0 && device.clock_mhz > 0;
}
inline bool has_no_elements(const gpuopt_problem &problem) {
  return problem.m == 0 || problem.n == 0 || problem.batch == 0;
}
// Elements of fp32 that go one by one, 16 bytes apart, share lines with fewer others than 16-bit ones.
inline double single_share(const gpuopt_problem &problem) {
  return problem.operand[GPUOPT_OPERAND_X].m.dtype == GPUOPT_F32 ? norm_common_figures.single_f32_share : 1.0;
}
inline double moving_us(const gpuopt_device_facts &device, double bytes) {
  return bytes / (norm_common_figures.memory_share * device.memory_gbs * 1e3);
}
// Of instructions that a multiprocessor has, one after the other, four warps at a time.
inline double issuing_us(const gpuopt_device_facts &device, double instructions) {
  return instructions / (4.0 * device.clock_mhz);
}
// `each`, so many of a multiprocessor, of which so many run at once: what the fullest has, in the last wave as well.
inline double fullest(double each, double at_once) { return each < at_once ? std::ceil(each) : each; }
inline double waves_of(double each, double at_once) { return each > at_once ? std::ceil(each / at_once) : 1.0; }
// Blocks of an SM by threads and registers.
inline double blocks_of_sm(const gpuopt_device_facts &device, int64_t threads, int64_t registers) {
  const int64_t most = device.max_threads_per_sm > 0 ? device.max_threads_per_sm / threads : 2048 / threads;
  const int64_t fit = (device.regs_per_sm > 0 ? device.regs_per_sm : 65536) / (registers * threads);
  const int64_t blocks = fit < most ? fit : most;
  return static_cast<double>(blocks < 1 ? 1 : blocks > 32 ? 32 : blocks);
}
// Of three that go on at the same time.
inline double together_us(double memory_us, double chain_us, double issue_us) {
  return std::sqrt(memory_us * memory_us + chain_us * chain_us + issue_us * issue_us);
}
// The first wave's rows are seen whole; those of later waves hide behind bytes and instructions.
inline double in_waves_us(double memory_us, double waves, double row_us, double issue_us) {
  return row_us + together_us(memory_us, (waves - 1) * row_us, issue_us);
}

}  // namespace gpuopt
