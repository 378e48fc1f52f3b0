// What of a tile is brought and multiplied.
#pragma once

#include <cstdint>

namespace gpuopt {

// Columns: a tile with no more takes less time.
constexpr int kWgmmaNarrow = 32;
// Columns that a tile of up to tile_n may have, a launch's to choose, so that tiles fill the last round of blocks: fewer by some steps.
// Of a B along n panels of 64 columns come whole, so steps are larger; where sums are as many as registers hold (full), there are none.
struct WgmmaWidths {
  int most, least, step;
};
constexpr WgmmaWidths wgmma_widths(int tile_n, bool narrows, bool full, bool along_k) {
  const bool some = narrows && (along_k || !full);
  return {tile_n, some ? tile_n - 48 : tile_n, along_k ? 16 : 32};
}
// Lines of an operand along k that are asked for at once, of `extent` that are copied together: 64, so that those beyond a matrix
// are left out; of narrow tiles all, for a stage of theirs is over before more could be asked for.
constexpr int wgmma_box(int tile_n, int extent) { return tile_n <= 128 ? extent : 64; }
// The lines of boxes that have any that exists.
constexpr int32_t wgmma_boxed(int32_t existing, int32_t extent, int32_t box) {
  return existing <= 0 ? 0 : ((existing < extent ? existing : extent) + box - 1) / box * box;
}

}  // namespace gpuopt
