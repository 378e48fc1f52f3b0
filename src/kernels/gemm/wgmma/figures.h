// Figures of the wgmma kernels. A stage is 128 bytes of k of both operands, whatever their type: 16 of it for each clock.
#pragma once

#include "common/figures.h"

// clang-format off
#define GPUOPT_GEMM_WGMMA_FIGURES(X)                                                                                  \
  X(shared_128x256_start_us, 7.22, "a call that multiplies nothing", "2026-11-23-h200", 12.4)                                 \
  X(shared_128x256_end_clocks, 1309, "a tile's beginning and end", "2026-11-23-h200", 12.4)                                  \
  X(shared_128x256_stage_clocks, 966, "a stage of k of a multiprocessor", "2026-11-23-h200", 12.4)                            \
  X(shared_128x192_start_us, 6.53, "a call that multiplies nothing", "2026-11-23-h200", 10.7)                                 \
  X(shared_128x192_end_clocks, 982, "a tile's beginning and end", "2026-11-23-h200", 10.7)                                   \
  X(shared_128x192_stage_clocks, 748, "a stage of k of a multiprocessor", "2026-11-23-h200", 10.7)                           \
  X(pingpong_128x128_start_us, 7.47, "a call that multiplies nothing", "2026-11-23-h200", 11.2)                               \
  X(pingpong_128x128_end_clocks, 666, "a tile's beginning and end that is not hidden", "2026-11-23-h200", 11.2)            \
  X(pingpong_128x128_stage_clocks, 575, "a stage of k of a multiprocessor", "2026-11-23-h200", 11.2)                          \
  X(shared_128x64_start_us, 6.13, "a call that multiplies nothing", "2026-11-23-h200", 12.1)                              \
  X(shared_128x64_end_clocks, 302, "a tile's beginning and end", "2026-11-23-h200", 12.1)                                \
  X(shared_128x64_stage_clocks, 472, "a stage of k of a multiprocessor", "2026-11-23-h200", 12.1)                        \
  X(pingpong_128x192_start_us, 11.3, "a call that multiplies nothing", "2026-11-23-h200", 13.4)                            \
  X(pingpong_128x192_end_clocks, 631, "a tile's beginning and end that is not hidden", "2026-11-23-h200", 13.4)            \
  X(pingpong_128x192_stage_clocks, 816, "a stage of k of a multiprocessor", "2026-11-23-h200", 13.4)                       \
  X(promoting_128x128_start_us, 5.88, "a call that multiplies nothing", "2026-11-23-h200", 7.4)                                \
  X(promoting_128x128_end_clocks, 1635, "a tile's beginning and end", "2026-11-23-h200", 7.4)                \
  X(promoting_128x128_stage_clocks, 706, "a stage of k of a multiprocessor", "2026-11-23-h200", 7.4)                           \
  X(promoting_128x128_scaled_clocks, 826, "the same with scales of blocks", "derived", 0) \
  X(promoting_256x128_start_us, 6, "a call that multiplies nothing", "derived", 0)                                           \
  X(promoting_256x128_end_clocks, 2600, "a tile's beginning and end", "derived", 0)                \
  X(promoting_256x128_stage_clocks, 1290, "a stage of k of a multiprocessor", "derived", 0)                           \
  X(promoting_256x128_scaled_clocks, 1574, "the same with scales of blocks", "derived", 0) \
  X(promoting_192x128_start_us, 6, "a call that multiplies nothing", "derived", 0)                                           \
  X(promoting_192x128_end_clocks, 2200, "a tile's beginning and end", "derived", 0)                \
  X(promoting_192x128_stage_clocks, 970, "a stage of k of a multiprocessor", "derived", 0)                           \
  X(promoting_192x128_scaled_clocks, 1096, "the same with scales of blocks", "derived", 0) \
  X(split_128x128_start_us, 7, "operands in parts: a call that multiplies nothing", "derived", 0)                            \
  X(split_128x128_end_clocks, 1000, "a tile's beginning and end", "derived", 0)                                              \
  X(split_128x128_stage_clocks, 1042, "a stage of k of a multiprocessor", "derived", 0)                                       \
  X(split_128x192_start_us, 7, "operands in parts: a call that multiplies nothing", "derived", 0)                            \
  X(split_128x192_end_clocks, 1500, "a tile's beginning and end", "derived", 0)                                              \
  X(split_128x192_stage_clocks, 1381, "a stage of k of a multiprocessor", "derived", 0)                                      \
  X(memory_share, 0.919, "of memory_gbs that is reached", "2026-11-23-h200", 12.2)                                       \
  X(sharpness, 1.09, "overlapped_us()", "2026-11-23-h200", 11.6)                                                           \
  X(lines_clocks, 0.633, "a warpgroup's, for an element of D that goes by lines", "2026-11-23-h200", 12.9)                     \
  X(lines_tile_clocks, 1557, "a tile's, of which all or little exists", "2026-11-23-h200", 12.9) \
  X(c_byte_clocks, 2.8, "more for a byte of C", "2026-11-23-h200", 19.0) \
  X(chain_clocks, 0.685, "a multiprocessor's, for an element of a chain in registers", "2026-11-23-h200", 18.1) \
  X(chain_function_clocks, 0.378, "more for a function, against tanh and erf", "2026-11-23-h200", 10.5) \
  X(chain_matrix_clocks, 0.798, "more for an element of a matrix", "2026-11-23-h200", 25.0) \
  X(fold_clocks, 0.03, "a multiprocessor's, for an element of a matrix that comes by panels", "derived", 0) \
  X(skinny_start_us, 4.63, "few rows or columns: a call that multiplies nothing", "2026-11-23-h200", 14.5) \
  X(skinny_block_clocks, 1756, "a block's beginning and end that its neighbour does not hide", "2026-11-23-h200", 14.5) \
  X(skinny_word_clocks, 0.657, "an SM's, for an element of D of 32 bits", "2026-11-23-h200", 12.3) \
  X(skinny_short_clocks, 0.91, "the same, of 16 bits", "2026-11-23-h200", 12.3) \
  X(skinny_vector_clocks, 2.91, "the same, for eight of 16 bits at once", "2026-11-23-h200", 14.2) \
  X(skinny_c_clocks, 3.06, "an SM's, more for an element of C", "2026-11-23-h200", 12.5) \
  X(skinny_bytes_per_clock, 36.9, "from L2 to a multiprocessor, where all read", "2026-11-23-h200", 15.4) \
  X(skinny_alone_bytes_per_clock, 31.8, "the same, one block on each", "2026-11-23-h200", 11.0) \
  X(skinny_wide_alone_bytes_per_clock, 20.2, "the same, of 128 lines", "2026-11-23-h200", 12.2) \
  X(skinny_deep_bytes_per_clock, 45, "the same, of 64 lines and 64 or 128, with all of its shared memory", "2026-11-23-h200", 15) \
  X(skinny_sharpness, 1.93, "overlapped_us()", "2026-11-23-h200", 14.5) \
  X(skinny_pair_us, 1.01, "sums of a cluster of two", "2026-11-23-h200", 11.9) \
  X(skinny_cluster_us, 1.24, "sums of a larger one", "2026-11-23-h200", 10.2) \
  X(pack_start_us, 2.71, "a launch that packs little", "2026-11-23-h200", 11.8) \
  X(pack_share, 0.74, "of memory_gbs that packing reaches, counting what it reads and writes", "2026-11-23-h200", 11.8)
// clang-format on

namespace gpuopt {

GPUOPT_FIGURES(GemmWgmmaFigures, gemm_wgmma_figures, GPUOPT_GEMM_WGMMA_FIGURES)

}  // namespace gpuopt
