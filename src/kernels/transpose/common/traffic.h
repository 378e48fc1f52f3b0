// What a transpose moves, as the memory sees it, and how two limits of its speed meet.
#pragma once

#include <cmath>

#include "transpose/common/words.cuh"

namespace gpuopt {

constexpr double kSectorBytes = 32, kLineBytes = 128;

struct Traffic {
  double read, written;  // bytes of the sectors that rows lie in
  double partial;        // bytes of those that rows with gaps between them fill in part: memory has to read them, too
};

namespace {

// The boundary that every row of the operand begins at.
inline int64_t row_alignment(const gpuopt_operand &o) {
  const int64_t of_rows = o.ld_align < o.stride_align ? o.ld_align : o.stride_align;
  return o.align < of_rows ? o.align : of_rows;
}

// Bytes of a sector before the operand's rows, at most.
inline double sector_misfit(const gpuopt_operand &o) {
  const double align = static_cast<double>(row_alignment(o));
  return align < kSectorBytes ? kSectorBytes - align : 0;
}

// Bytes of the sectors of the operand, and of those in part.
inline double touched_bytes(const gpuopt_problem &problem, int operand, double *partial) {
  const gpuopt_operand &o = problem.operand[operand];
  const bool as_source = operand == GPUOPT_OPERAND_SRC || (problem.features & GPUOPT_FEATURE_COPY) != 0;
  const int64_t cols = as_source ? problem.n : problem.m;
  const double rows = static_cast<double>(problem.batch) * static_cast<double>(as_source ? problem.m : problem.n);
  const double row = static_cast<double>(cols) * word_bytes(problem),
               ld = static_cast<double>(o.m.ld) * word_bytes(problem);
  *partial = 0;
  if (o.m.ld == cols) return rows * row;
  const int64_t align = row_alignment(o);
  const bool aligned = align >= static_cast<int64_t>(kSectorBytes);
  const double whole = std::ceil(row / kSectorBytes) * kSectorBytes;
  const double sectors = aligned ? whole : row + kSectorBytes - static_cast<double>(align);
  const double ends = aligned ? (whole > row ? 1 : 0) : row > kSectorBytes ? 2 : 1;
  *partial = rows * ends * kSectorBytes;
  return rows * (sectors < ld ? sectors : ld);
}

inline Traffic traffic_of(const gpuopt_problem &problem) {
  double of_source;
  Traffic t = {};
  t.read = touched_bytes(problem, GPUOPT_OPERAND_SRC, &of_source);
  t.written = touched_bytes(problem, GPUOPT_OPERAND_DST, &t.partial);
  return t;
}

inline double memory_us(const gpuopt_problem &problem, double bytes, double share) {
  return bytes / (share * problem.device->memory_gbs * 1e3);
}

// Two things that go on at once: the longer, and more where the shorter is nearly as long; the power says how little.
inline double overlapped_us(double a, double b, double power) {
  const double longer = a > b ? a : b, shorter = a > b ? b : a;
  return longer > 0 ? longer * std::pow(1 + std::pow(shorter / longer, power), 1 / power) : 0;
}

}  // namespace
}  // namespace gpuopt
