// A line: neighbouring elements in memory, such as a row, or a whole packed matrix; and what kernels on lines need.
#pragma once

#include "common/dtypes.cuh"
#include "common/element.cuh"
#include "common/index.cuh"
#include "reduce/common/descriptor.h"
#include "reduce/common/problem.h"

namespace gpuopt {

constexpr int64_t kSmallEnd = int64_t{1} << 31;
constexpr int64_t kMostUnitsOfLine = 8192;  // splits of a line: keeps the number of blocks below 2^31

struct LineFacts {
  int64_t results, rows, length, vectors;  // rows: lines of a result; more than one of a padded matrix
  int32_t bytes;                           // of an element
  double read_bytes;                       // of all operands
};

inline LineFacts line_facts(const gpuopt_problem &problem) {
  const bool all = problem.axis == GPUOPT_ALL, dot = problem.variant == GPUOPT_REDUCE_DOT;
  const bool packed = problem.m <= 1 || (problem.operand[GPUOPT_OPERAND_X].m.ld == problem.n &&
                                         (!dot || problem.operand[GPUOPT_OPERAND_Y].m.ld == problem.n));
  LineFacts f = {};
  f.results = problem.batch * (all ? 1 : problem.m);
  f.rows = all && !packed ? problem.m : 1;
  f.length = all && f.rows == 1 ? problem.m * problem.n : problem.n;
  f.bytes = dtype_bytes(problem.operand[GPUOPT_OPERAND_X].m.dtype);
  f.vectors = ceil_div(f.length * f.bytes, 16);
  f.read_bytes = static_cast<double>(f.results * f.rows) * static_cast<double>(f.length) * f.bytes * (dot ? 2 : 1);
  return f;
}

// The least power of two that is at least x, up to limit.
inline int32_t power_of_two(int64_t x, int32_t limit) {
  int32_t power = 1;
  while (power < x && power < limit) power *= 2;
  return power;
}

inline int can_run_lines(const gpuopt_problem *problem, gpuopt_reject *reject) {
  const LineFacts facts = line_facts(*problem);
  constexpr int64_t kMost = kSmallEnd / kMostUnitsOfLine;
  if (facts.results >= kMost)
    return refuse(reject, GPUOPT_REJECT_SIZE_LIMIT, GPUOPT_OPERAND_NONE, facts.results, kMost, "results");
  if (facts.rows > kMostUnitsOfLine)
    return refuse(reject, GPUOPT_REJECT_SIZE_LIMIT, GPUOPT_OPERAND_NONE, facts.rows, kMostUnitsOfLine,
                  "rows of a padded matrix");
  const int operands = problem->variant == GPUOPT_REDUCE_DOT ? 2 : 1;
  for (int o = 0; o < operands; ++o) {
    const gpuopt_operand &x = problem->operand[o];
    if (x.m.layout != GPUOPT_ROW && (problem->n > 1 || (problem->m > 1 && x.m.ld != 1)))
      return refuse(reject, GPUOPT_REJECT_LAYOUT, o, x.m.layout, GPUOPT_ROW, nullptr);
    if (operands == 1) break;
    const int least = x.align < x.stride_align ? x.align : x.stride_align;
    const bool one_line = facts.rows == 1 && (problem->axis == GPUOPT_ALL || problem->m == 1);
    const int of_rows = one_line || x.ld_align > least ? least : x.ld_align;
    if (of_rows < 16) return refuse(reject, GPUOPT_REJECT_ALIGN, o, of_rows, 16, "base, ld and batch stride of both");
  }
  return 1;
}

// What the descriptors of kernels on rows, columns and lines have in common.
constexpr gpuopt_kernel line_kernel_descriptor(const char *name, const char *summary, uint32_t axes) {
  gpuopt_kernel k = kernel_descriptor(GPUOPT_OP_REDUCE, name, summary, kViewFeatures | GPUOPT_FEATURE_VALUE_OUT);
  k.variants = kAllReductions;
  k.axes = axes;
  set_signatures(k, kReduceSignatures);
  k.can_run = can_run_lines;
  return k;
}

}  // namespace gpuopt
