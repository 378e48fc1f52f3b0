// Figures of the wgmma kernels. A stage is 128 bytes of k of both operands, whatever their type: 16 of it for each clock.
#pragma once

#include "common/figures.h"

// clang-format off
#define GPUOPT_GEMM_WGMMA_FIGURES(X)                                                                                  \
  X(shared_128x256_start_us, 5.8, "a call that multiplies nothing", "2026-11-24-h200", 12.1)                                  \
  X(shared_128x256_end_clocks, 3591, "a tile's beginning and end", "2026-11-24-h200", 12.1)                                  \
  X(shared_128x256_stage_clocks, 966, "a stage of k of a multiprocessor", "2026-11-24-h200", 12.1)                            \
  X(shared_128x192_start_us, 6.61, "a call that multiplies nothing", "2026-11-24-h200", 9.5)                                  \
  X(shared_128x192_end_clocks, 2446, "a tile's beginning and end", "2026-11-24-h200", 9.5)                                   \
  X(shared_128x192_stage_clocks, 767, "a stage of k of a multiprocessor", "2026-11-24-h200", 9.5)                            \
  X(pingpong_128x128_start_us, 8.27, "a call that multiplies nothing", "2026-11-24-h200", 12.2)                               \
  X(pingpong_128x128_end_clocks, 2054, "a tile's beginning and end that is not hidden", "2026-11-24-h200", 12.2)           \
  X(pingpong_128x128_stage_clocks, 576, "a stage of k of a multiprocessor", "2026-11-24-h200", 12.2)                          \
  X(shared_128x64_start_us, 6.12, "a call that multiplies nothing", "2026-11-24-h200", 10.5)                              \
  X(shared_128x64_end_clocks, 1073, "a tile's beginning and end", "2026-11-24-h200", 10.5)                               \
  X(shared_128x64_stage_clocks, 455, "a stage of k of a multiprocessor", "2026-11-24-h200", 10.5)                        \
  X(pingpong_128x192_start_us, 11, "a call that multiplies nothing", "2026-11-24-h200", 10.1)                              \
  X(pingpong_128x192_end_clocks, 788, "a tile's beginning and end that is not hidden", "2026-11-24-h200", 10.1)            \
  X(pingpong_128x192_stage_clocks, 781, "a stage of k of a multiprocessor", "2026-11-24-h200", 10.1)                       \
  X(promoting_128x128_start_us, 7.97, "a call that multiplies nothing", "2026-11-24-h200", 7.7)                                \
  X(promoting_128x128_end_clocks, 1578, "a tile's beginning and end", "2026-11-24-h200", 7.7)                \
  X(promoting_128x128_stage_clocks, 808, "a stage of k of a multiprocessor", "2026-11-24-h200", 7.8)                           \
  X(promoting_128x128_scaled_clocks, 819, "the same with scales of blocks", "2026-11-24-h200", 7.3) \
  X(promoting_256x128_start_us, 9.07, "a call that multiplies nothing", "2026-11-24-h200", 9.0)                              \
  X(promoting_256x128_end_clocks, 4080, "a tile's beginning and end", "2026-11-24-h200", 9.0)      \
  X(promoting_256x128_stage_clocks, 1354, "a stage of k of a multiprocessor", "2026-11-24-h200", 9.2)                 \
  X(promoting_256x128_scaled_clocks, 1451, "the same with scales of blocks", "2026-11-24-h200", 8.3) \
  X(promoting_192x128_start_us, 7.63, "a call that multiplies nothing", "2026-11-24-h200", 9.2)                              \
  X(promoting_192x128_end_clocks, 2032, "a tile's beginning and end", "2026-11-24-h200", 9.2)      \
  X(promoting_192x128_stage_clocks, 977, "a stage of k of a multiprocessor", "2026-11-24-h200", 9.5)                 \
  X(promoting_192x128_scaled_clocks, 1092, "the same with scales of blocks", "2026-11-24-h200", 8.0) \
  X(split_128x128_start_us, 9.12, "operands in parts: a call that multiplies nothing", "2026-11-24-h200", 12.7)              \
  X(split_128x128_end_clocks, 2887, "a tile's beginning and end", "2026-11-24-h200", 12.7)                                   \
  X(split_128x128_stage_clocks, 837, "a stage of k of a multiprocessor", "2026-11-24-h200", 12.7)                             \
  X(split_128x192_start_us, 5.69, "operands in parts: a call that multiplies nothing", "2026-11-24-h200", 14.4)              \
  X(split_128x192_end_clocks, 4820, "a tile's beginning and end", "2026-11-24-h200", 14.4)                                   \
  X(split_128x192_stage_clocks, 1130, "a stage of k of a multiprocessor", "2026-11-24-h200", 14.4)                           \
  X(edge_share, 0.715, "of a tile's time, where little of it exists", "2026-11-24-h200", 12.2) \
  X(memory_share, 0.924, "of memory_gbs that is reached", "2026-11-24-h200", 11.1)                                       \
  X(sharpness, 1.51, "overlapped_us()", "2026-11-24-h200", 10.7)                                                           \
  X(lines_clocks, 0.551, "a warpgroup's, for an element of D that goes by lines", "2026-11-24-h200", 10.5)                     \
  X(lines_tile_clocks, 389, "a tile's, of which all or little exists", "2026-11-24-h200", 10.5)  \
  X(c_byte_clocks, 2.53, "more for a byte of C", "2026-11-24-h200", 16.9) \
  X(chain_clocks, 0.979, "a multiprocessor's, for an element of a chain in registers", "2026-11-24-h200", 13.8) \
  X(chain_function_clocks, 0.355, "more for a function, against tanh and erf", "2026-11-24-h200", 13.0) \
  X(chain_matrix_clocks, 0.513, "more for an element of a matrix", "2026-11-24-h200", 21.4) \
  X(fold_clocks, 0.0688, "a multiprocessor's, for an element of a matrix that comes by panels", "2026-11-24-h200", 11.5) \
  X(skinny_start_us, 4.76, "few rows or columns: a call that multiplies nothing", "2026-11-24-h200", 13.3) \
  X(skinny_block_clocks, 1847, "a block's beginning and end that its neighbour does not hide", "2026-11-24-h200", 13.3) \
  X(skinny_word_clocks, 0.853, "an SM's, for an element of D of 32 bits", "2026-11-24-h200", 12.3) \
  X(skinny_short_clocks, 0.823, "the same, of 16 bits", "2026-11-24-h200", 14.5) \
  X(skinny_vector_clocks, 2.99, "the same, for eight of 16 bits at once", "2026-11-24-h200", 20.1) \
  X(skinny_c_clocks, 2.18, "an SM's, more for an element of C", "2026-11-24-h200", 14.7) \
  X(skinny_bytes_per_clock, 43.7, "from L2 to a multiprocessor, where all read", "2026-11-24-h200", 13.3) \
  X(skinny_alone_bytes_per_clock, 41.1, "the same, one block on each", "2026-11-24-h200", 12.5) \
  X(skinny_wide_alone_bytes_per_clock, 14.7, "the same, of 128 lines", "2026-11-24-h200", 29.2) \
  X(skinny_deep_bytes_per_clock, 24.4, "the same, of 64 lines and 64 or 128, with all of its shared memory", "2026-11-24-h200", 15.7) \
  X(skinny_sharpness, 1.66, "overlapped_us()", "2026-11-24-h200", 13.3) \
  X(skinny_pair_us, 0.795, "sums of a cluster of two", "2026-11-24-h200", 9.9) \
  X(skinny_cluster_us, 0.918, "sums of a larger one", "2026-11-24-h200", 11.6) \
  X(pack_start_us, 3.07, "a launch that packs little", "2026-11-24-h200", 10.7) \
  X(pack_share, 0.695, "of memory_gbs that packing reaches, counting what it reads and writes", "2026-11-24-h200", 10.7)
// clang-format on

namespace gpuopt {

GPUOPT_FIGURES(GemmWgmmaFigures, gemm_wgmma_figures, GPUOPT_GEMM_WGMMA_FIGURES)

}  // namespace gpuopt
