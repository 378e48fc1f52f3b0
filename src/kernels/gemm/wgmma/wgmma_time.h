// How long a wgmma product takes, and what of a call its own store does.
#pragma once

#include <algorithm>

#include "gemm/common/gemm_finish.h"
#include "gemm/wgmma/figures.h"
#include "gemm/wgmma/wgmma_chain.h"
#include "gemm/wgmma/wgmma_cut.h"
#include "gemm/wgmma/wgmma_host.h"

namespace gpuopt {

// Whether the kernel applies C and stages to sums in registers; its own store then gives the whole result.
inline bool wgmma_chains(const gpuopt_problem &problem, const WgmmaFacts &facts, WgmmaChain *chain) {
  return facts.chains && (problem.stage_count != 0 || (problem.features & GPUOPT_FEATURE_BETA) != 0) &&
         wgmma_chain_of(problem, chain) && (facts.matrices || chain->matrix_dtype == 0);
}
inline bool wgmma_chains(const gpuopt_problem &problem, const WgmmaFacts &facts) {
  WgmmaChain chain;
  return wgmma_chains(problem, facts, &chain);
}
// Whether the kernel's own store gives the whole result.
inline bool wgmma_stores_directly(const gpuopt_problem &problem, const WgmmaFacts &facts) {
  const gpuopt_matrix &c = problem.operand[GPUOPT_OPERAND_C].m, &d = problem.operand[GPUOPT_OPERAND_D].m;
  const bool reads_c = (problem.features & GPUOPT_FEATURE_BETA) != 0;
  if ((problem.stage_count != 0 && !wgmma_chains(problem, facts)) || d.scale != nullptr) return false;
  if (facts.exact) return d.dtype == GPUOPT_I32 && !reads_c && problem.alpha_ptr == nullptr && problem.alpha == 1;
  if (d.dtype != GPUOPT_F32 && d.dtype != GPUOPT_F16 && d.dtype != GPUOPT_BF16) return false;
  return !reads_c || (c.dtype == d.dtype && c.layout == d.layout && c.scale == nullptr);
}
// Whether D goes by panels: no C but in a chain, rows on 16 bytes and whole ones of 16, since the accelerator writes no less.
inline bool wgmma_goes_by_panels(const gpuopt_problem &problem, const WgmmaFacts &facts) {
  if (!wgmma_stores_directly(problem, facts)) return problem.n % 4 == 0;
  const gpuopt_operand &d = problem.operand[GPUOPT_OPERAND_D];
  const bool reads_c = (problem.features & GPUOPT_FEATURE_BETA) != 0;
  return (!reads_c || wgmma_chains(problem, facts)) && problem.n * gpuopt_dtype_size(d.m.dtype) % 16 == 0 &&
         std::min({d.align, d.ld_align, d.stride_align}) >= 16;
}

// Whether blocks may go in pairs: where a tile's columns are whole panels of 64, and that takes no more rounds.
inline bool wgmma_pairs(const WgmmaFacts &tile, int64_t m, int64_t n, int64_t batch, int64_t sms) {
  const int64_t cols = ceil_div(n, tile.n) * batch, tiles = ceil_div(m, tile.m) * cols;
  return sms >= 2 && tile.n % 64 == 0 && m > tile.m &&
         ceil_div(ceil_div(m, 2 * tile.m) * cols, sms / 2) <= ceil_div(tiles, sms);
}

// Of the packing alone.
double wgmma_pack_us(const gpuopt_problem &problem, const WgmmaCut &cut);
double wgmma_us(const gpuopt_problem &problem, const WgmmaFacts &tile, const WgmmaSpeed &speed, const WgmmaCut &cut);

}  // namespace gpuopt
