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
  X(kernel##_start_us, start_us, "launch to finish of an empty product", "2026-11-28", error) \
  X(kernel##_factor, factor, "time of its blocks, of that by which plans are made", "2026-11-28", error)

#define GPUOPT_GEMM_WARPTILE_FIGURES(X)                                                                           \
  GPUOPT_WARPTILE_TILE_FIGURES_(X, 128x256, 0.825, 0.774, 0.744, 0.743, 1)                                        \
  GPUOPT_WARPTILE_TILE_FIGURES_(X, 128x128, 0.824, 0.774, 0.782, 0.727, 0.9)                                      \
  GPUOPT_WARPTILE_TILE_FIGURES_(X, 64x128, 0.806, 0.78, 0.76, 0.731, 0.86)                                        \
  GPUOPT_WARPTILE_TILE_FIGURES_(X, 64x64, 0.745, 0.69, 0.68, 0.615, 0.81)                                         \
  GPUOPT_WARPTILE_TILE_FIGURES_(X, 16x128, 0.573, 0.539, 0.41, 0.391, 0.7)                                        \
  GPUOPT_WARPTILE_TILE_FIGURES_(X, 128x16, 0.56, 0.4, 0.52, 0.39, 0.7)                                            \
  GPUOPT_WARPTILE_TILE_FIGURES_(X, warp_ring, 0.798, 0.765, 0.757, 0.73, 0.81)                                    \
  X(start_us, 2.5, "launch to finish of an empty product, that plans assume", "planned", 0)                       \
  GPUOPT_WARPTILE_TIME_FIGURES_(X, tile_128x256, 7.4, 2.23, 0.997)                                                \
  GPUOPT_WARPTILE_TIME_FIGURES_(X, tile_128x128, 6.5, 3.46, 0.986)                                                \
  GPUOPT_WARPTILE_TIME_FIGURES_(X, tile_64x128, 5.8, 2.39, 0.997)                                                 \
  GPUOPT_WARPTILE_TIME_FIGURES_(X, tile_64x64, 5.9, 2.02, 0.922)                                                  \
  GPUOPT_WARPTILE_TIME_FIGURES_(X, skinny, 7.8, 0.894, 1.02)                                                      \
  GPUOPT_WARPTILE_TIME_FIGURES_(X, packed, 6.0, 3.49, 0.984)                                                      \
  GPUOPT_WARPTILE_TIME_FIGURES_(X, warp_ring, 7.0, 1.11, 0.988)                                                   \
  X(reached_share, 1, "of memory_gbs that is reached", "2026-11-28", 6.6)                                         \
  X(by_4_bytes_factor, 1.12, "more time for an operand that comes by 4 bytes", "2026-11-28", 6.5)                 \
  X(sharpness, 1.87, "overlapped_us()", "2026-11-28", 6.6)                                                        \
  X(pack_clocks, 0.3, "an SM's, for an element of D by 16 bytes", "2026-11-28", 6.0)                              \
  X(element_clocks, 1.14, "the same, one by one", "2026-11-28", 7.1)                                              \
  X(c_clocks, 1.43, "more where C is read", "2026-11-28", 12.8)                                                   \
  X(c_us, 2.48, "more for a call that reads C: code and latency", "2026-11-28", 12.8)                             \
  X(wave_factor, 1.1, "filling and emptying of waves, of that by which plans are made", "2026-11-28", 6.6)        \
  X(pack_factor, 0.975, "time of packing, of that by which panels are cut", "2026-11-28", 6.1)                    \
  X(join_factor, 0.587, "time of joining parts, of that by which plans are made", "2026-11-28", 5.9)              \
  X(stream_join_factor, 0.797, "the same of parts dealt out by stream-K", "2026-11-28", 3.0)                      \
  X(part_clocks, 449, "the last block of a tile: latency of a part that it adds", "2026-11-28", 5.3)              \
  X(part_bytes_per_clock, 91.6, "and what it reads of that", "2026-11-28", 5.3)                                   \
  X(stream_store_factor, 1.22, "time of storing D, of that of whole tiles", "2026-11-28", 3.0)                    \
  X(wave_us, 3, "first tiles in and last sums out, of each of two waves", "planned", 0)                           \
  X(memory_share, 0.59, "of memory_gbs, operands and D once", "planned", 0)                                       \
  X(by_4_factor, 1.45, "more time for an operand's bytes by 4", "planned", 0)                                     \
  X(ticket_us, 1.5, "meeting of the parts of a tile", "planned", 0)                                               \
  X(slot_bytes_per_us, 3e6, "partial sums through L2", "planned", 0)                                              \
  X(next_tile_us, 4, "stream-K: each further part of a block", "planned", 0)                                      \
  X(pack_us, 2, "launch of the packing", "planned", 0)                                                            \
  X(pack_share, 0.8, "of memory_gbs, packing", "planned", 0)                                                      \
  X(panel_words, 8e6, "launches and last wave of a panel, as words to pack", "planned", 0)                        \
  X(warp_ring_whole_us, 0.464, "filling of rings that warps do not share, whole tiles", "2026-11-28", 7.7)        \
  X(warp_ring_split_us, 0.309, "the same, tiles in parts that are joined at once", "2026-11-28", 6.7)             \
  X(warp_ring_ragged_us, 0.416, "tiles over an edge of the product", "2026-11-28", 7.5)                           \
  X(skinny_warp_ring_us, 4.31, "launch to finish of an empty product", "2026-11-28", 6.1)                         \
  X(skinny_warp_ring_join_us, 1.74, "meeting of the parts of a tile", "2026-11-28", 5.9)                          \
  X(skinny_warp_ring_part_us, 0.243, "the same for each part", "2026-11-28", 5.9)                                 \
  X(skinny_warp_ring_tile_clocks, 4137, "a tile after a block's first, its beginning and end", "2026-11-28", 7.8) \
  X(skinny_warp_ring_out_share, 1, "of memory_gbs, C and D", "2026-11-27", 21.1)                                  \
  X(skinny_warp_ring_alone_factor, 1, "of its share of memory, an SM while others idle", "2026-11-28", 6.1)       \
  X(skinny_warp_ring_by_4_bytes_per_clock, 9.28, "a multiprocessor's, by 4 bytes", "2026-11-28", 6.3)             \
  X(skinny_warp_ring_k_fma_share, 0.591, "of the multiply-add peak, large operand along k", "2026-11-28", 6.7)    \
  X(skinny_warp_ring_x_fma_share, 0.478, "of the multiply-add peak, large operand along x", "2026-11-28", 4.9)    \
  X(skinny_warp_ring_k_share, 0.748, "of memory_gbs, large operand along k", "2026-11-28", 6.5)                   \
  X(skinny_warp_ring_x_share, 0.941, "of memory_gbs, large operand along x", "2026-11-28", 4.9)                   \
  X(along_k_us, 0.107, "launch to finish of an empty product", "2026-11-28", 14.9)                                \
  X(along_k_share, 1, "of memory_gbs", "2026-11-28", 14.5)                                                        \
  X(along_k_fma_share, 0.444, "of the multiply-add peak", "2026-11-28", 14.9)                                     \
  X(along_k_block_clocks, 9020, "a block's beginning and end", "2026-11-28", 14.9)                                \
  X(along_k_pass_clocks, 2780, "sums of a pass over its lines", "2026-11-28", 14.9)                               \
  X(along_k_element_clocks, 0.657, "an element of lines along k that comes by itself", "2026-11-28", 18.9)        \
  X(along_k_strided_clocks, 0.795, "the same of lines across k", "2026-11-28", 14.2)                              \
  X(along_k_by_element_factor, 3.11, "more time of memory, element by element", "2026-11-28", 18.0)               \
  X(along_k_strided_factor, 7.22, "the same of lines across k", "2026-11-28", 14.7)                               \
  X(along_k_sharpness, 5.73, "overlapped_us()", "2026-11-28", 14.8)

namespace gpuopt {
GPUOPT_FIGURES(GemmWarptileFigures, gemm_warptile_figures, GPUOPT_GEMM_WARPTILE_FIGURES)
}  // namespace gpuopt
