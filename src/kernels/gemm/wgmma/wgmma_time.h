// How long a wgmma product takes, and what of a call its own store does.
#pragma once

#include <algorithm>
#include <cmath>

#include "gemm/common/gemm_demand.h"
#include "gemm/common/gemm_finish.h"
#include "gemm/wgmma/figures.h"
#include "gemm/wgmma/wgmma_cut.h"

namespace gpuopt {

struct WgmmaTypes {
  int32_t a, b;
};
// Of a kernel's tile: extents, k of a stage; sums are exact integers; operands may lie along m or n.
struct WgmmaFacts {
  int m, n, depth;
  bool ping_pong, exact, any_layout;
};
struct WgmmaSpeed {
  const double *start_us, *end_clocks, *stage_clocks;
};

// Whether the kernel's own store gives the whole result.
inline bool wgmma_stores_directly(const gpuopt_problem &problem, const WgmmaFacts &facts) {
  const gpuopt_matrix &c = problem.operand[GPUOPT_OPERAND_C].m, &d = problem.operand[GPUOPT_OPERAND_D].m;
  const bool reads_c = (problem.features & GPUOPT_FEATURE_BETA) != 0;
  if (problem.stage_count != 0 || d.scale != nullptr) return false;
  if (facts.exact) return d.dtype == GPUOPT_I32 && !reads_c && problem.alpha_ptr == nullptr && problem.alpha == 1;
  if (d.dtype != GPUOPT_F32 && d.dtype != GPUOPT_F16 && d.dtype != GPUOPT_BF16) return false;
  return !reads_c || (c.dtype == d.dtype && c.layout == d.layout && c.scale == nullptr);
}
// Whether D goes by panels: no C, rows on 16 bytes and whole ones of 16, since the accelerator writes no less.
inline bool wgmma_goes_by_panels(const gpuopt_problem &problem, const WgmmaFacts &facts) {
  if (!wgmma_stores_directly(problem, facts)) return problem.n % 4 == 0;
  const gpuopt_operand &d = problem.operand[GPUOPT_OPERAND_D];
  return (problem.features & GPUOPT_FEATURE_BETA) == 0 && problem.n * gpuopt_dtype_size(d.m.dtype) % 16 == 0 &&
         std::min({d.align, d.ld_align, d.stride_align}) >= 16;
}

// Whether blocks may go in pairs: where half a tile's columns are whole panels of 64, and that takes no more rounds.
inline bool wgmma_pairs(const WgmmaFacts &tile, int64_t m, int64_t n, int64_t batch, int64_t sms) {
  const int64_t cols = ceil_div(n, tile.n) * batch, tiles = ceil_div(m, tile.m) * cols;
  return sms >= 2 && tile.n % 128 == 0 && m > tile.m &&
         ceil_div(ceil_div(m, 2 * tile.m) * cols, sms / 2) <= ceil_div(tiles, sms);
}

inline double wgmma_pack_us(const gpuopt_problem &problem, const WgmmaCut &cut, double gbs) {
  const GemmWgmmaFigures &f = gemm_wgmma_figures;
  double us = 0;
  wgmma_steps(problem, cut, [&](bool packs_a, bool packs_b, WgmmaSpan m, WgmmaSpan n, WgmmaSpan batch) {
    if (!packs_a && !packs_b) return;
    const auto bytes = [&](int index, const WgmmaWay &way, int64_t extent) {
      const int64_t matrices = wgmma_broadcasts(problem, index) ? 1 : batch.count;
      return static_cast<double>(wgmma_packed_bytes(problem, index, way, extent) * matrices);
    };
    us += f.pack_start_us + 2 *
                                ((packs_a ? bytes(GPUOPT_OPERAND_A, cut.a, m.count) : 0) +
                                 (packs_b ? bytes(GPUOPT_OPERAND_B, cut.b, n.count) : 0)) /
                                (f.pack_share * gbs);
  });
  return us;
}

inline double wgmma_us(const gpuopt_problem &problem, const WgmmaFacts &tile, const WgmmaSpeed &speed,
                       const WgmmaCut &cut) {
  const GemmWgmmaFigures &f = gemm_wgmma_figures;
  const gpuopt_device_facts &device = *problem.device;
  const double clock = device.clock_mhz > 0 ? device.clock_mhz : 1500, sms = std::max(device.sm_count, 1);
  const double tiles = static_cast<double>(ceil_div(problem.m, tile.m) * ceil_div(problem.n, tile.n) * problem.batch);
  const double stages = static_cast<double>(ceil_div(problem.k, tile.depth));
  // Tiles at the edges of which little exists come last and take half the time.
  const auto whole = [](int64_t extent, int64_t tile, int64_t little) {
    return ceil_div(extent, tile) - (extent % tile != 0 && extent % tile <= little ? 1 : 0);
  };
  const double wholes =
      static_cast<double>(whole(problem.m, tile.m, tile.m / 2) * whole(problem.n, tile.n, 32) * problem.batch);
  const double waves = std::max(std::ceil(wholes / sms), (wholes + 0.5 * (tiles - wholes)) / sms);
  const GemmDemand x = gemm_demand(problem);
  const double gbs = (device.memory_gbs > 0 ? device.memory_gbs : 1000) * 1e3;
  const bool direct = wgmma_stores_directly(problem, tile), reads_c = direct && x.c_bytes > 0;
  // A tile of 32-bit results is twice as many panels as one of 16 bits.
  const double out = direct && gpuopt_dtype_size(problem.operand[GPUOPT_OPERAND_D].m.dtype) == 2 ? 1 : 2;
  const double multiply_us = powered_us(waves * (stages * *speed.stage_clocks + out * *speed.end_clocks) / clock);
  // What does not go by panels goes by lines. Two warpgroups share a tile, or have one each at a time.
  const double at_once = tile.ping_pong ? 2 : 1;
  const double turns = std::max(waves / at_once, 1.0), stored = x.elements / std::max(tiles, 1.0) * at_once / 2;
  const double c_clocks = reads_c ? f.c_byte_clocks * x.c_bytes / std::max(x.elements, 1.0) : 0;
  const double lines_us = wgmma_goes_by_panels(problem, tile)
                              ? 0
                              : turns * (f.lines_tile_clocks + stored * (f.lines_clocks + c_clocks)) / clock;
  const double memory_us =
      (x.a_bytes + x.b_bytes + (direct ? x.d_bytes + x.c_bytes : 4 * x.elements)) / (f.memory_share * gbs);
  return *speed.start_us + overlapped_us(multiply_us + lines_us, memory_us, 0, f.sharpness) +
         wgmma_pack_us(problem, cut, gbs) + (direct ? 0 : finish_gemm_us(problem, 1, 4));
}

}  // namespace gpuopt
