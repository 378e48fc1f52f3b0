// Which rows begin alike (unaligned_rows.cuh), and how many of them a block takes.
#pragma once

#include "norm/common/row_launch.h"
#include "norm/registers/block_row.h"

namespace gpuopt {

// How many rows lie between one and the next that begins alike, a power of two.
inline int32_t alike_period(const gpuopt_operand &operand) {
  int32_t period = kAlikeElements;
  while (period > 1 && operand.m.ld * (period / 2) % kAlikeElements == 0) period /= 2;
  return period;
}

inline int64_t alike_threads(const gpuopt_problem &problem) {
  const int64_t threads = whole_warps(problem.n / kAlikeElements, kAlikeVectors);
  return threads < kLeastAlikeThreads ? kLeastAlikeThreads : threads;
}

inline AlikeRows alike_rows_of(const gpuopt_problem &problem) {
  const int32_t of_out = alike_period(problem.operand[GPUOPT_OPERAND_OUT]);
  const int32_t of_x = alike_period(problem.operand[GPUOPT_OPERAND_X]);
  AlikeRows rows = {};
  rows.classes = of_out > of_x ? of_out : of_x;
  const int64_t of_class = ceil_div(problem.m, rows.classes);
  const auto blocks_of = [&](int64_t each) {  // of a matrix
    const int64_t blocks = rows.classes * ceil_div(of_class, each);
    return blocks < problem.m ? blocks : problem.m;
  };
  // Every block has as many rows as the next, so the last wave is to be full, or nearly.
  const int64_t sms = problem.device->sm_count > 0 ? problem.device->sm_count : 1;
  const int64_t at_once = sms * (kAlikeThreads * kAlikeBlocks / alike_threads(problem));
  const int64_t all = problem.m * problem.batch;
  const int64_t waves = ceil_div(all, at_once * kMostAlikeRows);
  int64_t each = ceil_div(all, at_once * waves);
  for (const int64_t most = each + 2; each < most && blocks_of(each) * problem.batch > at_once * waves;) ++each;
  rows.each = static_cast<int32_t>(each);
  rows.of_matrix = static_cast<int32_t>(blocks_of(each));
  return rows;
}

// LAYERNORM and RMSNORM of 16-bit rows of 2 to 16 KB without residual and stages, with rows to share a gamma among; a
// layer norm's two weights cost so much otherwise that even a row by itself is worth it.
inline bool takes_alike(const gpuopt_problem &problem) {
  const bool layer = problem.variant == GPUOPT_NORM_LAYERNORM;
  return !is_f32(problem) && (layer || problem.variant == GPUOPT_NORM_RMSNORM) &&
         problem.operand[GPUOPT_OPERAND_RESIDUAL].m.dtype == 0 &&
         problem.extra[GPUOPT_OPERAND_GAMMA - 4].m.dtype != 0 && !all_aligned(problem) && row_vectors(problem) >= 128 &&
         alike_threads(problem) <= kAlikeThreads && row_vectors(problem) <= kAlikeThreads * kAlikeVectors + 2 &&
         (layer || alike_rows_of(problem).each >= 2);
}

// f(T's tag, the kernel, blocks, threads, the rows of each).
template <class F>
gpuopt_status with_alike_kernel(const gpuopt_problem &problem, F &&f) {
  const AlikeRows rows = alike_rows_of(problem);
  return with_one_of<__half, __nv_bfloat16>(problem.operand[GPUOPT_OPERAND_X].m.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    return with_constant<GPUOPT_NORM_LAYERNORM, GPUOPT_NORM_RMSNORM>(problem.variant, [&](auto norm) {
      return f(tag, norm_alike_rows_kernel<T, decltype(norm)::value, kAlikeVectors>, rows.of_matrix * problem.batch,
               alike_threads(problem), rows);
    });
  });
}

}  // namespace gpuopt
