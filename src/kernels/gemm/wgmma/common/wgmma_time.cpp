#include <cuda_runtime.h>

#include "gemm/wgmma/wgmma_time.h"

#include <algorithm>
#include <cmath>

#include "gemm/common/gemm_demand.h"
#include "gemm/common/gemm_order.h"
#include "gemm/wgmma/figures.h"
#include "gemm/wgmma/wgmma_chain.h"
#include "gemm/wgmma/wgmma_work.h"

namespace gpuopt {

double wgmma_pack_us(const gpuopt_problem &problem, const WgmmaCut &cut, bool splits) {
  const GemmWgmmaFigures &f = gemm_wgmma_figures;
  const double gbs = (problem.device->memory_gbs > 0 ? problem.device->memory_gbs : 1000) * 1e3;
  double us = 0;
  wgmma_steps(problem, cut, [&](bool packs_a, bool packs_b, WgmmaSpan m, WgmmaSpan n, WgmmaSpan batch) {
    if (!packs_a && !packs_b) return;
    // Read and written once, of operands in parts that are turned read twice.
    const auto bytes = [&](int index, const WgmmaWay &way, int64_t extent) {
      const int64_t matrices = wgmma_broadcasts(problem, index) ? 1 : batch.count;
      return static_cast<double>(wgmma_packed_bytes(problem, index, way, extent) * matrices) *
             (splits && way.transposes ? 3 : 2);
    };
    const double moved = (packs_a ? bytes(GPUOPT_OPERAND_A, cut.a, m.count) : 0) +
                         (packs_b ? bytes(GPUOPT_OPERAND_B, cut.b, n.count) : 0);
    us += splits ? f.split_start_us + moved / (f.split_share * gbs) : f.pack_start_us + moved / (f.pack_share * gbs);
  });
  return us;
}

#define GPUOPT_WGMMA_SPEED_(tile)                                              \
  WgmmaSpeed wgmma_##tile##_speed() {                                          \
    const GemmWgmmaFigures &f = gemm_wgmma_figures;                            \
    return {&f.tile##_start_us, &f.tile##_end_clocks, &f.tile##_stage_clocks}; \
  }
GPUOPT_WGMMA_SPEED_(shared_128x256)
GPUOPT_WGMMA_SPEED_(shared_128x192)
GPUOPT_WGMMA_SPEED_(shared_128x64)
GPUOPT_WGMMA_SPEED_(pingpong_128x192)
GPUOPT_WGMMA_SPEED_(pingpong_128x128)
GPUOPT_WGMMA_SPEED_(promoting_128x128)
GPUOPT_WGMMA_SPEED_(split_128x128)
GPUOPT_WGMMA_SPEED_(split_128x192)
#undef GPUOPT_WGMMA_SPEED_

bool wgmma_chains(const gpuopt_problem &problem, const WgmmaFacts &facts, WgmmaChain *chain) {
  return facts.chains && !is_batch_invariant(problem) &&
         (problem.stage_count != 0 || (problem.features & GPUOPT_FEATURE_BETA) != 0) &&
         wgmma_chain_of(problem, chain) && (facts.matrices || chain->matrix_dtype == 0);
}

namespace {

bool wgmma_chains(const gpuopt_problem &problem, const WgmmaFacts &facts) {
  WgmmaChain chain;
  return wgmma_chains(problem, facts, &chain);
}

// Of a tile's chain, where the kernel applies it.
double wgmma_chain_clocks(const gpuopt_problem &problem, const WgmmaFacts &tile) {
  const GemmWgmmaFigures &f = gemm_wgmma_figures;
  WgmmaChain chain;
  if (!wgmma_chains(problem, tile, &chain)) return 0;
  return tile.m * tile.n *
         (f.chain_clocks + f.chain_function_clocks * gemm_functions(problem) +
          (chain.matrix_dtype != 0 ? f.chain_matrix_clocks : 0));
}

}  // namespace

bool wgmma_stores_directly(const gpuopt_problem &problem, const WgmmaFacts &facts) {
  const gpuopt_matrix &c = problem.operand[GPUOPT_OPERAND_C].m, &d = problem.operand[GPUOPT_OPERAND_D].m;
  const bool reads_c = (problem.features & GPUOPT_FEATURE_BETA) != 0;
  if ((problem.stage_count != 0 && !wgmma_chains(problem, facts)) || d.scale != nullptr) return false;
  if (facts.exact) return d.dtype == GPUOPT_I32 && !reads_c && problem.alpha_ptr == nullptr && problem.alpha == 1;
  if (d.dtype != GPUOPT_F32 && d.dtype != GPUOPT_F16 && d.dtype != GPUOPT_BF16) return false;
  return !reads_c || (c.dtype == d.dtype && c.layout == d.layout && c.scale == nullptr);
}
bool wgmma_goes_by_panels(const gpuopt_problem &problem, const WgmmaFacts &facts) {
  if (!wgmma_stores_directly(problem, facts)) return problem.n % 4 == 0;
  const gpuopt_operand &d = problem.operand[GPUOPT_OPERAND_D];
  const bool reads_c = (problem.features & GPUOPT_FEATURE_BETA) != 0;
  return (!reads_c || wgmma_chains(problem, facts)) && problem.n * gpuopt_dtype_size(d.m.dtype) % 16 == 0 &&
         std::min({d.align, d.ld_align, d.stride_align}) >= 16;
}

double wgmma_us(const gpuopt_problem &problem, const WgmmaFacts &tile, const WgmmaSpeed &speed, const WgmmaCut &cut) {
  const GemmWgmmaFigures &f = gemm_wgmma_figures;
  const gpuopt_device_facts &device = *problem.device;
  const double clock = device.clock_mhz > 0 ? device.clock_mhz : 1500, sms = std::max(device.sm_count, 1);
  const double tiles = static_cast<double>(ceil_div(problem.m, tile.m) * ceil_div(problem.n, tile.n) * problem.batch);
  const double stages = static_cast<double>(ceil_div(problem.k, tile.depth));
  // Tiles at the edges of which little exists come last, and take about half the time of others.
  const double wholes = static_cast<double>(wgmma_whole_units(problem.m, tile.m, tile.m / 2) *
                                            wgmma_whole_units(problem.n, tile.n, kWgmmaNarrow) * problem.batch);
  const double rounds = std::ceil(wholes / sms), room = 2 * (rounds * sms - wholes);
  const double waves = rounds + f.edge_share * std::ceil(std::max(tiles - wholes - room, 0.0) / sms);
  const GemmDemand x = gemm_demand(problem);
  const double gbs = (device.memory_gbs > 0 ? device.memory_gbs : 1000) * 1e3;
  const bool direct = wgmma_stores_directly(problem, tile), reads_c = direct && x.c_bytes > 0;
  // A tile of 32-bit results is twice as many panels as one of 16 bits.
  const double out = direct && gpuopt_dtype_size(problem.operand[GPUOPT_OPERAND_D].m.dtype) == 2 ? 1 : 2;
  const double main_clocks = stages * *speed.stage_clocks;
  // A chain on a tile's results hides behind the other warpgroup's products where those take as long.
  const double chain = wgmma_chain_clocks(problem, tile);
  const double shown = tile.ping_pong ? std::max((chain - main_clocks) / 2, chain / (waves + 1)) : chain;
  const double multiply_us = powered_us(waves * (main_clocks + out * *speed.end_clocks + shown) / clock);
  // What does not go by panels goes by lines. Two warpgroups share a tile, or have one each at a time.
  const double at_once = tile.ping_pong ? 2 : 1;
  const double turns = std::max(waves / at_once, 1.0), stored = x.elements / std::max(tiles, 1.0) * at_once / 2;
  const double c_clocks = reads_c ? f.c_byte_clocks * x.c_bytes / std::max(x.elements, 1.0) : 0;
  const double lines_us = wgmma_goes_by_panels(problem, tile)
                              ? 0
                              : turns * (f.lines_tile_clocks + stored * (f.lines_clocks + c_clocks)) / clock;
  const double memory_us = (x.a_bytes + x.b_bytes + (direct ? x.d_bytes + x.c_bytes + x.stage_bytes : 4 * x.elements)) /
                           (f.memory_share * gbs);
  return *speed.start_us + overlapped_us(multiply_us + lines_us, memory_us, 0, f.sharpness) +
         wgmma_pack_us(problem, cut, tile.splits) + (direct ? 0 : finish_gemm_us(problem, 1, 4));
}

}  // namespace gpuopt
