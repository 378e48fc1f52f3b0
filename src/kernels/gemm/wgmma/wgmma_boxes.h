// What of a tile is brought and multiplied.
#pragma once

#include <cstdint>

namespace gpuopt {

// Columns: a tile with no more takes less time.
constexpr int kWgmmaNarrow = 32;
// Columns that a tile of up to tile_n may have, a launch's to choose, so that tiles fill the last round of blocks: fewer by some steps.
// Of a B along n, which comes by panels of 64 columns, half of the last of four saves half of its time, and of three little.
struct WgmmaWidths {
  int most, least, step, more;  // more: columns in whose time a narrower tile takes longer
};
constexpr WgmmaWidths wgmma_widths(int tile_n, bool narrows, bool along_k) {
  const int saved = !narrows ? 0 : along_k ? 48 : tile_n > 192 ? 32 : 0;
  return {tile_n, tile_n - saved, along_k ? 16 : 32, along_k ? 0 : 14};
}
// Lines of an operand along k that are asked for at once, of `extent` that are copied together: 64, so that those beyond a matrix
// are left out; of small tiles all, for a stage of theirs is over before more could be asked for.
constexpr int wgmma_box(int tile_n, int extent) { return tile_n <= 128 && extent <= 128 ? extent : 64; }
// The lines of boxes that have any that exists.
constexpr int32_t wgmma_boxed(int32_t existing, int32_t extent, int32_t box) {
  return existing <= 0 ? 0 : ((existing < extent ? existing : extent) + box - 1) / box * box;
}

}  // namespace gpuopt
