// Figures of the fp32 warp tiles.
//
// A tile's shares are what an SM full of its blocks reaches of the multiply-add peak, by the way in which A and B are
// copied: tn 16 and 16 bytes, nn 4 and 16, tt 16 and 4, nt 4 and 4; alone_share, what one block reaches of that.
#pragma once

#include "common/figures.h"

#define GPUOPT_WARPTILE_TILE_FIGURES_(X, tile, tn, nn, tt, nt, alone)                                   \
  X(tile_##tile##_tn_share, tn, "of the peak, SM full of " #tile ", A and B by 16 bytes", "planned", 0) \
  X(tile_##tile##_nn_share, nn, "of the peak, A by 4 and B by 16 bytes", "planned", 0)                  \
  X(tile_##tile##_tt_share, tt, "of the peak, A by 16 and B by 4 bytes", "planned", 0)                  \
  X(tile_##tile##_nt_share, nt, "of the peak, A and B by 4 bytes", "planned", 0)                        \
  X(tile_##tile##_alone_share, alone, "of that, one block on an SM", "planned", 0)

#define GPUOPT_WARPTILE_TIME_FIGURES_(X, kernel, error, start_us, factor)                     \
  X(kernel##_start_us, start_us, "launch to finish of an empty product", "2026-11-27", error) \
  X(kernel##_factor, factor, "time of its blocks, of that by which plans are made", "2026-11-27", error)

#define GPUOPT_GEMM_WARPTILE_FIGURES(X)                                                                            \
  GPUOPT_WARPTILE_TILE_FIGURES_(X, 128x256, 0.825, 0.774, 0.744, 0.743, 1)                                         \
  GPUOPT_WARPTILE_TILE_FIGURES_(X, 128x128, 0.824, 0.774, 0.782, 0.727, 0.9)                                       \
  GPUOPT_WARPTILE_TILE_FIGURES_(X, 64x128, 0.806, 0.78, 0.76, 0.731, 0.86)                                         \
  GPUOPT_WARPTILE_TILE_FIGURES_(X, 64x64, 0.745, 0.69, 0.68, 0.615, 0.81)                                          \
  GPUOPT_WARPTILE_TILE_FIGURES_(X, 16x128, 0.573, 0.539, 0.41, 0.391, 0.7)                                         \
  GPUOPT_WARPTILE_TILE_FIGURES_(X, 128x16, 0.56, 0.4, 0.52, 0.39, 0.7)                                             \
  GPUOPT_WARPTILE_TILE_FIGURES_(X, warp_ring, 0.798, 0.765, 0.757, 0.73, 0.81)                                     \
  X(start_us, 2.5, "launch to finish of an empty product, that plans assume", "planned", 0)                        \
  GPUOPT_WARPTILE_TIME_FIGURES_(X, tile_128x256, 6.6, 2.87, 0.994)                                                 \
  GPUOPT_WARPTILE_TIME_FIGURES_(X, tile_128x128, 5.9, 4.91, 0.976)                                                 \
  GPUOPT_WARPTILE_TIME_FIGURES_(X, tile_64x128, 5.4, 2.9, 0.992)                                                   \
  GPUOPT_WARPTILE_TIME_FIGURES_(X, tile_64x64, 6.0, 2.57, 0.913)                                                   \
  GPUOPT_WARPTILE_TIME_FIGURES_(X, skinny, 7.8, 1.2, 1.02)                                                         \
  GPUOPT_WARPTILE_TIME_FIGURES_(X, packed, 5.9, 4.62, 0.986)                                                       \
  GPUOPT_WARPTILE_TIME_FIGURES_(X, warp_ring, 5.4, 1.48, 0.974)                                                    \
  X(reached_share, 1, "of memory_gbs that is reached", "2026-11-27", 6.2)                                          \
  X(by_4_bytes_factor, 1.29, "more time for an operand that comes by 4 bytes", "2026-11-27", 6.2)                  \
  X(sharpness, 2.46, "overlapped_us()", "2026-11-27", 6.2)                                                         \
  X(pack_clocks, 0.39, "an SM's, for an element of D by 16 bytes", "2026-11-27", 6.4)                              \
  X(element_clocks, 1.23, "the same, one by one", "2026-11-27", 6.0)                                               \
  X(c_clocks, 1.11, "more where C is read", "2026-11-27", 8.5)                                                     \
  X(c_us, 3.38, "more for a call that reads C: code and latency", "2026-11-27", 8.5)                               \
  X(wave_factor, 1.46, "filling and emptying of waves, of that by which plans are made", "2026-11-27", 6.2)        \
  X(pack_factor, 0.891, "time of packing, of that by which panels are cut", "2026-11-27", 5.8)                     \
  X(join_factor, 0.647, "time of joining parts, of that by which plans are made", "2026-11-27", 6.0)               \
  X(stream_join_factor, 0.75, "the same of parts dealt out by stream-K", "2026-11-27", 2.8)                        \
  X(part_clocks, 533, "the last block of a tile: latency of a part that it adds", "2026-11-27", 5.2)               \
  X(part_bytes_per_clock, 105, "and what it reads of that", "2026-11-27", 5.2)                                     \
  X(stream_store_factor, 0.965, "time of storing D, of that of whole tiles", "2026-11-27", 2.8)                    \
  X(wave_us, 3, "first tiles in and last sums out, of each of two waves", "planned", 0)                            \
  X(memory_share, 0.59, "of memory_gbs, operands and D once", "planned", 0)                                        \
  X(by_4_factor, 1.45, "more time for an operand's bytes by 4", "planned", 0)                                      \
  X(ticket_us, 1.5, "meeting of the parts of a tile", "planned", 0)                                                \
  X(slot_bytes_per_us, 3e6, "partial sums through L2", "planned", 0)                                               \
  X(next_tile_us, 4, "stream-K: each further part of a block", "planned", 0)                                       \
  X(pack_us, 2, "launch of the packing", "planned", 0)                                                             \
  X(pack_share, 0.8, "of memory_gbs, packing", "planned", 0)                                                       \
  X(panel_words, 8e6, "launches and last wave of a panel, as words to pack", "planned", 0)                         \
  X(warp_ring_whole_us, 0.713, "filling of rings that warps do not share, whole tiles", "2026-11-27", 5.5)         \
  X(warp_ring_split_us, 0.264, "the same, tiles in parts that are joined at once", "2026-11-27", 5.4)              \
  X(warp_ring_ragged_us, 0.768, "tiles over an edge of the product", "2026-11-27", 5.8)                            \
  X(skinny_warp_ring_us, 5.02, "launch to finish of an empty product", "2026-11-27", 7.6)                          \
  X(skinny_warp_ring_join_us, 2.47, "meeting of the parts of a tile", "2026-11-27", 7.4)                           \
  X(skinny_warp_ring_part_us, 0.245, "the same for each part", "2026-11-27", 7.4)                                  \
  X(skinny_warp_ring_tile_clocks, 3064, "a tile after a block's first, its beginning and end", "2026-11-27", 10.3) \
  X(skinny_warp_ring_out_share, 1, "of memory_gbs, C and D", "2026-11-27", 21.1)                                   \
  X(skinny_warp_ring_alone_factor, 1.06, "of its share of memory, an SM while others idle", "2026-11-27", 7.6)     \
  X(skinny_warp_ring_by_4_bytes_per_clock, 8.68, "a multiprocessor's, by 4 bytes", "2026-11-27", 6.6)              \
  X(skinny_warp_ring_k_fma_share, 0.591, "of the multiply-add peak, large operand along k", "2026-11-27", 9.9)     \
  X(skinny_warp_ring_x_fma_share, 0.507, "of the multiply-add peak, large operand along x", "2026-11-27", 8.6)     \
  X(skinny_warp_ring_k_share, 0.843, "of memory_gbs, large operand along k", "2026-11-27", 9.0)                    \
  X(skinny_warp_ring_x_share, 0.941, "of memory_gbs, large operand along x", "2026-11-27", 7.6)                    \
  X(along_k_us, 0.104, "launch to finish of an empty product", "2026-11-27", 19.5)                                 \
  X(along_k_share, 1, "of memory_gbs", "2026-11-27", 19.3)                                                         \
  X(along_k_fma_share, 0.512, "of the multiply-add peak", "2026-11-27", 19.5)                                      \
  X(along_k_block_clocks, 8432, "a block's beginning and end", "2026-11-27", 19.5)                                 \
  X(along_k_pass_clocks, 4644, "sums of a pass over its lines", "2026-11-27", 19.5)                                \
  X(along_k_element_clocks, 0.711, "an element of lines along k that comes by itself", "2026-11-27", 22.0)         \
  X(along_k_strided_clocks, 0.955, "the same of lines across k", "2026-11-27", 19.3)                               \
  X(along_k_by_element_factor, 2.79, "more time of memory, element by element", "2026-11-27", 22.8)                \
  X(along_k_strided_factor, 4.64, "the same of lines across k", "2026-11-27", 17.7)                                \
  X(along_k_sharpness, 3.82, "overlapped_us()", "2026-11-27", 19.5)

namespace gpuopt {
GPUOPT_FIGURES(GemmWarptileFigures, gemm_warptile_figures, GPUOPT_GEMM_WARPTILE_FIGURES)
}  // namespace gpuopt
