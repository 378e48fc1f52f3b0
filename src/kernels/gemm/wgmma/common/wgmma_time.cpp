#include <cuda_runtime.h>

#include "gemm/wgmma/wgmma_time.h"

#include <algorithm>
#include <cmath>

#include "gemm/common/f32_split.h"
#include "gemm/common/gemm_demand.h"
#include "gemm/common/gemm_order.h"
#include "gemm/wgmma/figures.h"
#include "gemm/wgmma/wgmma_chain.h"
#include "gemm/wgmma/wgmma_work.h"

namespace gpuopt {

double wgmma_pack_us(const gpuopt_problem &problem, const PackedCut &cut) {
  return packed_us(problem, cut, gemm_wgmma_figures.pack_start_us, gemm_wgmma_figures.pack_share, 2);
}

#define GPUOPT_WGMMA_SPEED_(tile, scaled)                                              \
  WgmmaSpeed wgmma_##tile##_speed() {                                                  \
    const GemmWgmmaFigures &f = gemm_wgmma_figures;                                    \
    return {&f.tile##_start_us, &f.tile##_end_clocks, &f.tile##_stage_clocks, scaled}; \
  }
GPUOPT_WGMMA_SPEED_(shared_128x256, nullptr)
GPUOPT_WGMMA_SPEED_(shared_128x192, nullptr)
GPUOPT_WGMMA_SPEED_(shared_128x64, nullptr)
GPUOPT_WGMMA_SPEED_(pingpong_128x192, nullptr)
GPUOPT_WGMMA_SPEED_(pingpong_128x128, nullptr)
GPUOPT_WGMMA_SPEED_(split_128x128, nullptr)
GPUOPT_WGMMA_SPEED_(split_128x192, nullptr)
GPUOPT_WGMMA_SPEED_(promoting_128x128, &f.promoting_128x128_scaled_clocks)
GPUOPT_WGMMA_SPEED_(promoting_256x128, &f.promoting_256x128_scaled_clocks)
GPUOPT_WGMMA_SPEED_(promoting_192x128, &f.promoting_192x128_scaled_clocks)
#undef GPUOPT_WGMMA_SPEED_

namespace {

bool reads_c(const gpuopt_problem &problem) { return (problem.features & GPUOPT_FEATURE_BETA) != 0; }

// What the accelerator reads or writes by rows.
bool lies_on_16(const gpuopt_operand &x) {
  return x.m.layout == GPUOPT_ROW && std::min({x.align, x.ld_align, x.stride_align}) >= 16 &&
         std::max(x.m.ld, x.m.batch_stride) <= kWgmmaMostPitch / gpuopt_dtype_size(x.m.dtype);
}
bool is_stored_as(int32_t dtype) { return dtype == GPUOPT_F32 || dtype == GPUOPT_F16 || dtype == GPUOPT_BF16; }
bool d_by_panels(const gpuopt_problem &problem) {
  const gpuopt_operand &d = problem.operand[GPUOPT_OPERAND_D];
  return problem.n * gpuopt_dtype_size(d.m.dtype) % 16 == 0 && lies_on_16(d);
}
// What the store adds to sums itself.
bool is_like_d(const gpuopt_problem &problem, const gpuopt_matrix &x) {
  const gpuopt_matrix &d = problem.operand[GPUOPT_OPERAND_D].m;
  return is_stored_as(d.dtype) && d.scale == nullptr && x.dtype == d.dtype && x.layout == d.layout &&
         x.scale == nullptr;
}
bool is_sum(const gpuopt_problem_stage &stage) {
  return (stage.kind == GPUOPT_STAGE_ADD || stage.kind == GPUOPT_STAGE_SUB) && stage.form == GPUOPT_MATRIX &&
         stage.value[0] != 0;
}

}  // namespace

const gpuopt_operand *wgmma_folded(const gpuopt_problem &problem, const WgmmaFacts &facts) {
  if (!facts.folds || !d_by_panels(problem)) return nullptr;
  const gpuopt_operand *x = nullptr;
  if (problem.stage_count == 0 && reads_c(problem))
    x = &problem.operand[GPUOPT_OPERAND_C];
  else if (problem.stage_count == 1 && !reads_c(problem) && !is_batch_invariant(problem) && is_sum(problem.stage[0]))
    x = &problem.stage[0].a;
  return x != nullptr && is_like_d(problem, x->m) && lies_on_16(*x) ? x : nullptr;
}

// What comes by panels is no chain: without one the store is shorter.
bool wgmma_chains(const gpuopt_problem &problem, const WgmmaFacts &facts, WgmmaChain *chain) {
  return facts.chains && !is_batch_invariant(problem) && (problem.stage_count != 0 || reads_c(problem)) &&
         wgmma_folded(problem, facts) == nullptr && wgmma_chain_of(problem, chain) &&
         (facts.matrices || chain->matrix_dtype == 0);
}

namespace {

bool wgmma_chains(const gpuopt_problem &problem, const WgmmaFacts &facts) {
  WgmmaChain chain;
  return wgmma_chains(problem, facts, &chain);
}

}  // namespace

bool wgmma_stores_directly(const gpuopt_problem &problem, const WgmmaFacts &facts) {
  const gpuopt_matrix &d = problem.operand[GPUOPT_OPERAND_D].m;
  if (wgmma_folded(problem, facts) != nullptr) return true;
  if ((problem.stage_count != 0 && !wgmma_chains(problem, facts)) || d.scale != nullptr) return false;
  if (facts.exact)
    return d.dtype == GPUOPT_I32 && !reads_c(problem) && problem.alpha_ptr == nullptr && problem.alpha == 1;
  if (!is_stored_as(d.dtype)) return false;
  const bool adds_c = !facts.chains || facts.matrices;  // else sums leave no registers for it
  return !reads_c(problem) || (adds_c && is_like_d(problem, problem.operand[GPUOPT_OPERAND_C].m));
}
bool wgmma_goes_by_panels(const gpuopt_problem &problem, const WgmmaFacts &facts) {
  if (!wgmma_stores_directly(problem, facts)) return problem.n % 4 == 0;
  return d_by_panels(problem) &&
         (!reads_c(problem) || wgmma_chains(problem, facts) || wgmma_folded(problem, facts) != nullptr);
}

namespace {

// Of what a tile's sums meet: a chain, where the kernel applies it, or a matrix that comes by panels.
double wgmma_chain_clocks(const gpuopt_problem &problem, const WgmmaFacts &tile) {
  const GemmWgmmaFigures &f = gemm_wgmma_figures;
  if (wgmma_folded(problem, tile) != nullptr) return tile.m * tile.n * f.fold_clocks;
  WgmmaChain chain;
  if (!wgmma_chains(problem, tile, &chain)) return 0;
  return tile.m * tile.n *
         (f.chain_clocks + f.chain_function_clocks * gemm_functions(problem) +
          (chain.matrix_dtype != 0 ? f.chain_matrix_clocks : 0));
}

}  // namespace

double wgmma_us(const gpuopt_problem &problem, const WgmmaFacts &tile, const WgmmaSpeed &speed, const PackedCut &cut) {
  const GemmWgmmaFigures &f = gemm_wgmma_figures;
  const gpuopt_device_facts &device = *problem.device;
  const double clock = device.clock_mhz > 0 ? device.clock_mhz : 1500, sms = std::max(device.sm_count, 1);
  const int64_t tiles_m = ceil_div(problem.m, tile.m), tiles_n = ceil_div(problem.n, tile.n);
  const double tiles = static_cast<double>(tiles_m * tiles_n * problem.batch);
  const double stages = static_cast<double>(ceil_div(problem.k, tile.depth));
  const auto blocks = static_cast<int64_t>(sms);
  const int width = wgmma_width(tile.m, wgmma_widths(tile.n, tile.narrows, tile.full, cut.b.along_k), tile.edges,
                                problem.m, problem.n, problem.batch, blocks);
  const double waves = wgmma_rounds(tile.m, width, tile.edges, problem.m, problem.n, problem.batch, false, blocks).all;
  const double narrowed = static_cast<double>(width + kWgmmaOtherColumns) / (tile.n + kWgmmaOtherColumns);
  const GemmDemand x = gemm_demand(problem);
  const double gbs = (device.memory_gbs > 0 ? device.memory_gbs : 1000) * 1e3;
  const bool direct = wgmma_stores_directly(problem, tile), adds_c = direct && x.c_bytes > 0;
  // A tile of 32-bit results is twice as many panels as one of 16 bits.
  const double out = direct && gpuopt_dtype_size(problem.operand[GPUOPT_OPERAND_D].m.dtype) == 2 ? 1 : 2;
  const bool scaled = (problem.features & GPUOPT_FEATURE_BLOCK_SCALES) != 0 && speed.scaled_clocks != nullptr;
  const double main_clocks = stages * narrowed * (scaled ? *speed.scaled_clocks : *speed.stage_clocks);
  // A chain on a tile's results hides behind the other warpgroup's products where those take as long.
  const double chain = wgmma_chain_clocks(problem, tile);
  const double shown = tile.ping_pong ? std::max((chain - main_clocks) / 2, chain / (waves + 1)) : chain;
  const double multiply_us = powered_us(waves * (main_clocks + out * narrowed * *speed.end_clocks + shown) / clock);
  // What does not go by panels goes by lines. Two warpgroups share a tile, or have one each at a time.
  const double at_once = tile.ping_pong ? 2 : 1;
  const double turns = std::max(waves / at_once, 1.0), stored = x.elements / std::max(tiles, 1.0) * at_once / 2;
  const double c_clocks = adds_c ? f.c_byte_clocks * x.c_bytes / std::max(x.elements, 1.0) : 0;
  const double lines_us = wgmma_goes_by_panels(problem, tile)
                              ? 0
                              : turns * (f.lines_tile_clocks + stored * (f.lines_clocks + c_clocks)) / clock;
  const double memory_us = (x.a_bytes + x.b_bytes + (direct ? x.d_bytes + x.c_bytes + x.stage_bytes : 4 * x.elements)) /
                           (f.memory_share * gbs);
  return *speed.start_us + overlapped_us(multiply_us + lines_us, memory_us, 0, f.sharpness) +
         (tile.splits ? f32_split_us(problem, cut) : wgmma_pack_us(problem, cut)) +
         (direct ? 0 : finish_gemm_us(problem, 1, 4));
}

}  // namespace gpuopt
