// How the host lays out what a launch of a wgmma kernel does.
#pragma once

#include "common/index.cuh"
#include "gemm/wgmma/wgmma_host.h"
#include "gemm/wgmma/wgmma_work.h"

namespace gpuopt {

constexpr int kWgmmaOtherColumns = 16;  // in whose time a stage does what does not depend on them
// Units of an extent, but for the last one where no more than `little` of it exists: those at the edges come last.
inline int64_t wgmma_whole_units(int64_t extent, int64_t unit, int64_t little) {
  return ceil_div(extent, unit) - (extent % unit != 0 && extent % unit <= little ? 1 : 0);
}

// Units at the edges, in the time of whole ones: what they read counts, beside whole ones that leave L2 no room, and narrow ones
// take as long as if they had 128 columns.
struct WgmmaEdges {
  double lower, right;
};
constexpr WgmmaEdges wgmma_edge_shares(int tile_m, int tile_n) {
  const double all = tile_m + tile_n, right = (tile_m + 128) / all;
  return {(tile_m / 2 + tile_n) / all, right < 1 ? right : 1};
}
// How blocks (or pairs) share the units out, in rounds: what `edges_first` is to be, and when the last one ends, in whole units.
struct WgmmaRounds {
  int64_t whole, rest, edges_first;
  double all;
};
WgmmaRounds wgmma_rounds(int64_t whole, int64_t lower, int64_t right, int64_t blocks, WgmmaEdges shares);
// The same of a product by `blocks`, single or in pairs; little: tiles that take less time.
WgmmaRounds wgmma_rounds(int tile_m, int tile_n, WgmmaLittle little, int64_t m, int64_t n, int64_t batch, bool paired,
                         int64_t blocks);

// A tile's columns, and those in whose time it takes longer than they say.
constexpr int wgmma_timed_columns(const WgmmaWidths &widths, int width) {
  return width + (width < widths.most ? widths.more : 0);
}
// The width with which single blocks end first.
int wgmma_width(int tile_m, WgmmaWidths widths, WgmmaLittle little, int64_t m, int64_t n, int64_t batch,
                int64_t blocks);
// What a launch of `blocks` at the most does.
WgmmaGemm wgmma_work(int tile_m, int tile_n, WgmmaLittle little, int64_t m, int64_t n, int64_t stages, int64_t batch,
                     bool paired, int64_t blocks);

}  // namespace gpuopt
