// Figures of the fp32 warp tiles.
//
// A tile's shares are what an SM full of its blocks reaches of the multiply-add peak, by the way in which A and B are
// copied: tn 16 and 16 bytes, nn 4 and 16, tt 16 and 4, nt 4 and 4; alone_share is how much of that an SM with one block
// reaches.
#pragma once

#include "common/figures.h"

#define GPUOPT_WARPTILE_TILE_FIGURES_(X, tile, tn, nn, tt, nt, alone)                                             \
  X(tile_##tile##_tn_share, tn, "of the peak, SM full of " #tile ", A and B by 16 bytes", "2026-11-24-h200", 7.5) \
  X(tile_##tile##_nn_share, nn, "of the peak, A by 4 and B by 16 bytes", "2026-11-24-h200", 8.4)                  \
  X(tile_##tile##_tt_share, tt, "of the peak, A by 16 and B by 4 bytes", "2026-11-24-h200", 6.7)                  \
  X(tile_##tile##_nt_share, nt, "of the peak, A and B by 4 bytes", "2026-11-24-h200", 6.7)                        \
  X(tile_##tile##_alone_share, alone, "of that, one block on an SM", "2026-11-24-h200", 7.8)

#define GPUOPT_WARPTILE_TIME_FIGURES_(X, kernel, error, start_us, factor)                          \
  X(kernel##_start_us, start_us, "launch to finish of an empty product", "2026-11-24-h200", error) \
  X(kernel##_factor, factor, "time of its blocks, of that by which plans are made", "2026-11-24-h200", error)

#define GPUOPT_GEMM_WARPTILE_FIGURES(X)                                                                                \
  GPUOPT_WARPTILE_TILE_FIGURES_(X, 128x256, 0.826, 0.8, 0.746, 0.739, 1)                                               \
  GPUOPT_WARPTILE_TILE_FIGURES_(X, 128x128, 0.83, 0.779, 0.774, 0.725, 0.843)                                          \
  GPUOPT_WARPTILE_TILE_FIGURES_(X, 64x128, 0.827, 0.78, 0.751, 0.752, 0.893)                                           \
  GPUOPT_WARPTILE_TILE_FIGURES_(X, 64x64, 0.821, 0.682, 0.701, 0.673, 0.905)                                           \
  GPUOPT_WARPTILE_TILE_FIGURES_(X, 16x128, 0.575, 0.564, 0.41, 0.406, 0.845)                                           \
  GPUOPT_WARPTILE_TILE_FIGURES_(X, 128x16, 0.553, 0.343, 0.532, 0.397, 0.737)                                          \
  GPUOPT_WARPTILE_TILE_FIGURES_(X, warp_ring, 0.859, 0.837, 0.77, 0.796, 0.901)                                        \
  X(start_us, 2.2, "launch to finish of an empty product, that plans assume", "2026-11-24-h200", 8.1)                  \
  GPUOPT_WARPTILE_TIME_FIGURES_(X, tile_128x256, 8.9, 4.79, 0.981)                                                     \
  GPUOPT_WARPTILE_TIME_FIGURES_(X, tile_128x128, 8.0, 4.81, 0.954)                                                     \
  GPUOPT_WARPTILE_TIME_FIGURES_(X, tile_64x128, 7.4, 3.99, 0.985)                                                      \
  GPUOPT_WARPTILE_TIME_FIGURES_(X, tile_64x64, 6.4, 3.19, 0.979)                                                       \
  GPUOPT_WARPTILE_TIME_FIGURES_(X, skinny, 7.0, 1.82, 1.03)                                                            \
  GPUOPT_WARPTILE_TIME_FIGURES_(X, packed, 8.1, 2.99, 0.998)                                                           \
  GPUOPT_WARPTILE_TIME_FIGURES_(X, warp_ring, 4.9, 0.459, 1.03)                                                        \
  X(reached_share, 1, "of memory_gbs that is reached", "2026-11-24-h200", 7.4)                                         \
  X(by_4_bytes_factor, 1.42, "more time for an operand that comes by 4 bytes", "2026-11-24-h200", 7.2)                 \
  X(sharpness, 2.38, "overlapped_us()", "2026-11-24-h200", 7.4)                                                        \
  X(pack_clocks, 0.642, "an SM's, for an element of D by 16 bytes", "2026-11-24-h200", 7.5)                            \
  X(element_clocks, 1.23, "the same, one by one", "2026-11-24-h200", 7.4)                                              \
  X(c_clocks, 0.843, "more where C is read", "2026-11-24-h200", 7.7)                                                   \
  X(join_factor, 1.29, "time of joining parts, of that by which plans are made", "2026-11-24-h200", 6.8)               \
  X(wave_us, 3.54, "first tiles in and last sums out, of each of two waves", "2026-11-24-h200", 7.3)                   \
  X(memory_share, 0.87, "of memory_gbs, operands and D once", "2026-11-24-h200", 6.9)                                  \
  X(by_4_factor, 2.15, "more time for an operand's bytes by 4", "2026-11-24-h200", 4.6)                                \
  X(ticket_us, 3.82, "meeting of the parts of a tile", "2026-11-24-h200", 6.9)                                         \
  X(slot_bytes_per_us, 3.94e6, "partial sums through L2", "2026-11-24-h200", 6.9)                                      \
  X(next_tile_us, 2, "stream-K: each further part of a block", "2026-11-24-h200", 4.9)                                 \
  X(pack_us, 2.06, "launch of the packing", "2026-11-24-h200", 7.6)                                                    \
  X(pack_share, 0.836, "of memory_gbs, packing", "2026-11-24-h200", 7.6)                                               \
  X(panel_words, 8e6, "launches and last wave of a panel, as words to pack", "2026-11-21-h200", 0)                     \
  X(warp_ring_whole_us, 1.31, "filling of rings that warps do not share, whole tiles", "2026-11-24-h200", 5.4)         \
  X(warp_ring_split_us, 0.17, "the same, tiles in parts that are joined at once", "2026-11-24-h200", 4.7)              \
  X(warp_ring_ragged_us, 1.42, "tiles over an edge of the product", "2026-11-24-h200", 4.9)                            \
  X(skinny_warp_ring_us, 5.04, "launch to finish of an empty product", "2026-11-24-h200", 6.2)                         \
  X(skinny_warp_ring_join_us, 2.36, "meeting of the parts of a tile", "2026-11-24-h200", 6.9)                          \
  X(skinny_warp_ring_part_us, 0.262, "the same for each part", "2026-11-24-h200", 6.9)                                 \
  X(skinny_warp_ring_tile_clocks, 3968, "a tile after a block's first, its beginning and end", "2026-11-24-h200", 4.9) \
  X(skinny_warp_ring_out_share, 1, "of memory_gbs, C and D", "2026-11-22-h200", 6.7)                                   \
  X(skinny_warp_ring_alone_factor, 1.04, "of its part of the bandwidth, an SM while others idle", "2026-11-24-h200",   \
    6.2)                                                                                                               \
  X(skinny_warp_ring_by_4_factor, 1.85, "more time by 4 bytes", "2026-11-24-h200", 4.4)                                \
  X(skinny_warp_ring_k_fma_share, 0.591, "of the multiply-add peak, large operand along k", "2026-11-24-h200", 9.9)    \
  X(skinny_warp_ring_x_fma_share, 0.514, "of the multiply-add peak, large operand along x", "2026-11-24-h200", 8.2)    \
  X(skinny_warp_ring_k_share, 0.874, "of memory_gbs, large operand along k", "2026-11-24-h200", 6.8)                   \
  X(skinny_warp_ring_x_share, 0.976, "of memory_gbs, large operand along x", "2026-11-24-h200", 5.2)                   \
  X(along_k_us, 0.0988, "launch to finish of an empty product", "2026-11-24-h200", 18.3)                               \
  X(along_k_share, 0.941, "of memory_gbs", "2026-11-24-h200", 18.4)                                                    \
  X(along_k_fma_share, 0.77, "of the multiply-add peak", "2026-11-24-h200", 18.3)                                      \
  X(along_k_block_clocks, 8219, "a block's beginning and end", "2026-11-24-h200", 18.3)                                \
  X(along_k_pass_clocks, 11298, "sums of a pass over its lines", "2026-11-24-h200", 18.3)                              \
  X(along_k_element_clocks, 0.549, "an element of lines along k that comes by itself", "2026-11-24-h200", 19.3)        \
  X(along_k_strided_clocks, 0.663, "the same of lines across k", "2026-11-24-h200", 17.2)                              \
  X(along_k_by_element_factor, 3.83, "more time of memory, element by element", "2026-11-24-h200", 20.3)               \
  X(along_k_strided_factor, 5.76, "the same of lines across k", "2026-11-24-h200", 17.2)                               \
  X(along_k_sharpness, 2.47, "overlapped_us()", "2026-11-24-h200", 18.3)

namespace gpuopt {
GPUOPT_FIGURES(GemmWarptileFigures, gemm_warptile_figures, GPUOPT_GEMM_WARPTILE_FIGURES)
}  // namespace gpuopt
