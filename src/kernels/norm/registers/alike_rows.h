// Rows that begin alike (unaligned_rows.cuh): which, and how many of them a block takes.
#pragma once

#include "norm/common/row_linear.h"
#include "norm/registers/alike_period.h"
#include "norm/registers/block_row.h"
#include "norm/registers/shared_loader.h"

namespace gpuopt {

struct AlikePlan {
  int64_t vectors;         // of a thread
  int64_t most_vectors;    // of a row that fits
  int64_t threads, bytes;  // of a block; of its weights
  int64_t at_once;         // blocks of an SM
  AlikeRows rows;
};

inline AlikePlan alike_plan(const gpuopt_problem &problem) {
  const int32_t elements = vector_elements(problem);
  const bool adds = has_residual(problem), layer = is_layer_norm(problem);
  const bool linear = !stands_alone(problem);
  AlikePlan plan = {};
  const bool weighted = layer || problem.variant == GPUOPT_NORM_RMSNORM;
  const int64_t vectors = problem.n / elements;
  const auto most_of = [&](int each) { return alike_threads(problem.variant, is_f32(problem), each, adds, linear); };
  const auto fits = [&](int each) { return vectors <= most_of(each) * each; };
  plan.vectors = adds                  ? kAlikeVectors
                 : fits(kFewVectors)   ? kFewVectors
                 : linear              ? kAlikeVectors
                 : fits(kAlikeVectors) ? kAlikeVectors
                                       : kManyAlikeVectors;
  plan.most_vectors = int64_t{adds || linear || !weighted ? most_of(kAlikeVectors) * kAlikeVectors
                                                          : most_of(kManyAlikeVectors) * kManyAlikeVectors};
  plan.threads = whole_warps(vectors, plan.vectors);
  if (plan.threads < kLeastAlikeThreads) plan.threads = kLeastAlikeThreads;
  const bool beta = layer || problem.extra[GPUOPT_OPERAND_BETA - 4].m.dtype != 0;
  const int parts = held_parts(problem.variant, is_f32(problem), static_cast<int>(plan.vectors), adds, linear);
  if (weighted) plan.bytes = plan.threads * 16 * (beta ? 2 : 1) * held_vectors(static_cast<int>(plan.vectors), parts);
  const int64_t sms = problem.device->sm_count > 0 ? problem.device->sm_count : 1;
  const int64_t registers = adds || plan.vectors > kAlikeVectors ? 128
                            : plan.vectors < kAlikeVectors       ? 64
                            : most_of(kAlikeVectors) < 384       ? 96
                                                                 : 80;
  const int64_t of_block = plan.bytes + kBesideWeights;
  plan.at_once = static_cast<int64_t>(blocks_of_sm(*problem.device, plan.threads, registers));
  if (plan.at_once > problem.device->smem_per_sm / of_block) plan.at_once = problem.device->smem_per_sm / of_block;
  if (plan.at_once < 1) plan.at_once = 1;

  AlikeRows &rows = plan.rows;
  for (int operand = 0; operand < 4; ++operand) {
    const gpuopt_operand &o = problem.operand[operand];
    if (o.m.dtype == 0) continue;
    const int32_t period = alike_period(o, elements);
    if (period > rows.classes) rows.classes = period;
  }
  const int64_t of_class = ceil_div(problem.m, rows.classes);
  const auto blocks_of = [&](int64_t each) {  // of a matrix
    const int64_t blocks = rows.classes * ceil_div(of_class, each);
    return blocks < problem.m ? blocks : problem.m;
  };
  // Every block has as many rows as the next, so the last wave is to be full, or nearly.
  const int64_t at_once = sms * plan.at_once, all = problem.m * problem.batch;
  const int64_t waves = ceil_div(all, at_once * kMostAlikeRows);
  int64_t each = ceil_div(all, at_once * waves);
  for (const int64_t most = each + 2; each < most && blocks_of(each) * problem.batch > at_once * waves;) ++each;
  rows.each = static_cast<int32_t>(each);
  rows.of_matrix = static_cast<int32_t>(blocks_of(each));
  return plan;
}

// Rows from 512 bytes on that begin anywhere and fit a block's registers: those of LAYERNORM and
// RMSNORM, alone, with a residual or before a linear chain; a softmax's alone and where a warp holds them, as there are no
// weights to keep.
inline bool takes_alike(const gpuopt_problem &problem) {
  RowLinear chain;
  const bool plain = stands_alone(problem);
  if (has_no_elements(problem) || all_aligned(problem) || row_vectors(problem) < kLeastAlikeRow) return false;
  const bool adds = has_residual(problem);
  const bool softmax = is_softmax(problem);
  const int32_t cc = problem.device->cc;
  if (cc < 90 || cc >= 120) return false;  // fewer registers a block, not measured
  // Of these a block's own rows are the faster: RMS norms of 32,768 x 2047 in fp32 and, with a residual, x 2879 in bf16 by a tenth.
  if ((adds || is_f32(problem)) && row_vectors(problem) >= 320 && row_vectors(problem) <= 1024) return false;
  if (softmax && (adds || !plain)) return false;
  if (!plain && !takes_linear(problem, chain)) return false;
  const AlikePlan plan = alike_plan(problem);
  if (softmax && plan.threads > 32) return false;
  return row_vectors(problem) <= plan.most_vectors &&
         plan.bytes + kBesideWeights <= problem.device->smem_per_block_optin;
}

// f(T's tag, the kernel, blocks, threads, the rows of each, the chain).
template <class F>
gpuopt_status with_alike_kernel(const gpuopt_problem &problem, F &&f) {
  const AlikePlan plan = alike_plan(problem);
  RowLinear chain = {};
  const bool linear = takes_linear(problem, chain);
  const int64_t blocks = plan.rows.of_matrix * problem.batch;
  return with_row_instance(problem, kRowAny, [&](auto tag, auto norm, auto) {
    using T = typename decltype(tag)::type;
    constexpr int kNorm = decltype(norm)::value;
    const auto with = [&](auto kernel, const auto &after) {
      return f(tag, kernel, blocks, plan.threads, plan.rows, after);
    };
    if constexpr (kNorm == GPUOPT_NORM_LAYERNORM || kNorm == GPUOPT_NORM_RMSNORM) {
      if (linear)
        return plan.vectors < kAlikeVectors
                   ? with(norm_alike_rows_kernel<T, kNorm, kFewVectors, false, RowLinear>, chain)
                   : with(norm_alike_rows_kernel<T, kNorm, kAlikeVectors, false, RowLinear>, chain);
      if (has_residual(problem)) return with(norm_alike_rows_kernel<T, kNorm, kAlikeVectors, true, NoChain>, NoChain{});
      if (plan.vectors > kAlikeVectors)
        return with(norm_alike_rows_kernel<T, kNorm, kManyAlikeVectors, false, NoChain>, NoChain{});
    }
    return plan.vectors < kAlikeVectors
               ? with(norm_alike_rows_kernel<T, kNorm, kFewVectors, false, NoChain>, NoChain{})
               : with(norm_alike_rows_kernel<T, kNorm, kAlikeVectors, false, NoChain>, NoChain{});
  });
}

}  // namespace gpuopt
