// What the elements of a reduction cost besides the memory's time.
#pragma once

#include <cmath>

#include "common/dtypes.cuh"
#include "reduce/common/lines.h"
#include "reduce/common/ops.cuh"

namespace gpuopt {

// Of an element: factors of what one of a plain sum of floats costs, by op and by type, and what conversions of small
// types cost besides.
struct ElementCost {
  double sum, dot, product, extreme, arg;
  double f64, integer;             // factors: f64; i32 and i64
  double fp8, words, bytes, half;  // besides: 8-bit floats; 8-bit integers summed by words, or taken apart; 16-bit
};

// Which elements of a line are summed by words of four; down columns, not those of a DOT.
inline bool is_by_words(const gpuopt_problem &problem, int op) {
  const int32_t dtype = problem.operand[GPUOPT_OPERAND_X].m.dtype;
  return (dtype == GPUOPT_I8 || dtype == GPUOPT_U8) && (op == kSum || op == kDot);
}

inline double element_cost(const gpuopt_problem &problem, int op, bool by_words, const ElementCost &c) {
  const double of_op = op == kDot       ? c.dot
                       : op == kProduct ? c.product
                       : op == kExtreme ? c.extreme
                       : op == kArg     ? c.arg
                                        : c.sum;
  switch (problem.operand[GPUOPT_OPERAND_X].m.dtype) {
    case GPUOPT_F64:
      return of_op * c.f64;
    case GPUOPT_I32:
    case GPUOPT_I64:
      return of_op * c.integer;
    case GPUOPT_F16:
    case GPUOPT_BF16:
      return of_op + c.half;
    case GPUOPT_I8:
    case GPUOPT_U8:
      return of_op + (by_words ? c.words : c.bytes);
    case GPUOPT_F32:
      return of_op;
    default:
      return of_op + c.fp8;
  }
}

inline double elements_of(const gpuopt_problem &problem) {
  return static_cast<double>(problem.batch) * static_cast<double>(problem.m) * static_cast<double>(problem.n);
}

// Bytes of the 32-byte sectors that the operands lie in.
inline double touched_bytes(const gpuopt_problem &problem) {
  double bytes = 0;
  for (int o = 0; o < (problem.variant == GPUOPT_REDUCE_DOT ? 2 : 1); ++o) {
    const gpuopt_operand &x = problem.operand[o];
    const bool by_rows = x.m.layout == GPUOPT_ROW;
    const int64_t rows = by_rows ? problem.m : problem.n, cols = by_rows ? problem.n : problem.m;
    const double size = dtype_bytes(x.m.dtype), row = static_cast<double>(cols) * size,
                 ld = static_cast<double>(x.m.ld) * size;
    const int32_t of_rows = x.ld_align < x.stride_align ? x.ld_align : x.stride_align;
    const int32_t align = x.align < of_rows ? x.align : of_rows;
    const double sectors = align >= 32 ? std::ceil(row / 32) * 32 : row + 32 - align;
    bytes += static_cast<double>(problem.batch * rows) * (x.m.ld == cols ? row : sectors < ld ? sectors : ld);
  }
  return bytes;
}

// What goes on at once: the longest, and more where the others are nearly as long.
inline double overlapped_us(double memory, double issue, double lives) {
  return std::cbrt(memory * memory * memory + issue * issue * issue + lives * lives * lives);
}

// An instruction of each lane of every multiprocessor, so many times.
inline double issue_us(const gpuopt_problem &problem, double instructions) {
  return instructions / (problem.device->sm_count * 128.0 * problem.device->clock_mhz);
}
// The same of one of so many blocks, alone on its multiprocessor.
inline double alone_us(const gpuopt_problem &problem, double instructions, double blocks) {
  return blocks > 0 ? instructions / blocks / (128.0 * problem.device->clock_mhz) : 0;
}
inline double read_us(const gpuopt_problem &problem, double bytes, double share) {
  return bytes / (share * problem.device->memory_gbs * 1e3);
}

}  // namespace gpuopt
