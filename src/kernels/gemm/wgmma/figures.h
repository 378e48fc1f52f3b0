// Figures of the wgmma kernels. A stage is 128 bytes of k of both operands, whatever their type: 16 of it for each clock.
#pragma once

#include "common/figures.h"

// clang-format off
#define GPUOPT_GEMM_WGMMA_FIGURES(X)                                                                                  \
  X(shared_128x256_start_us, 6.5, "a call that multiplies nothing", "2026-11-22-h200", 13.6)                                  \
  X(shared_128x256_end_clocks, 998, "a tile's beginning and end", "2026-11-22-h200", 13.6)                                   \
  X(shared_128x256_stage_clocks, 1150, "a stage of k of a multiprocessor", "2026-11-22-h200", 13.6)                           \
  X(shared_128x192_start_us, 6.0, "a call that multiplies nothing", "2026-11-22-h200", 13.6)                                  \
  X(shared_128x192_end_clocks, 750, "a tile's beginning and end", "2026-11-22-h200", 13.6)                                   \
  X(shared_128x192_stage_clocks, 890, "a stage of k of a multiprocessor", "2026-11-22-h200", 13.6)                           \
  X(pingpong_128x128_start_us, 7.0, "a call that multiplies nothing", "2026-11-22-h200", 13.6)                                \
  X(pingpong_128x128_end_clocks, 600, "a tile's beginning and end that is not hidden", "2026-11-23-h200", 6)               \
  X(pingpong_128x128_stage_clocks, 620, "a stage of k of a multiprocessor", "2026-11-22-h200", 13.6)                          \
  X(shared_128x64_start_us, 5.5, "a call that multiplies nothing", "2026-11-23-h200", 5)                                  \
  X(shared_128x64_end_clocks, 400, "a tile's beginning and end", "2026-11-23-h200", 5)                                   \
  X(shared_128x64_stage_clocks, 520, "a stage of k of a multiprocessor", "2026-11-23-h200", 5)                           \
  X(pingpong_128x192_start_us, 7.5, "a call that multiplies nothing", "2026-11-23-h200", 5)                                \
  X(pingpong_128x192_end_clocks, 600, "a tile's beginning and end that is not hidden", "2026-11-23-h200", 5)               \
  X(pingpong_128x192_stage_clocks, 872, "a stage of k of a multiprocessor", "2026-11-23-h200", 5)                          \
  X(promoting_128x128_start_us, 7.0, "a call that multiplies nothing", "2026-11-22-h200", 13.6)                                \
  X(promoting_128x128_end_clocks, 1200, "a tile's beginning and end", "2026-11-22-h200", 13.6)               \
  X(promoting_128x128_stage_clocks, 800, "a stage of k of a multiprocessor", "2026-11-22-h200", 13.6)                          \
  X(edge_share, 0.8, "of a tile's time, where little of it exists", "2026-11-22-h200", 13.6) \
  X(memory_share, 0.88, "of memory_gbs that is reached", "2026-11-22-h200", 13.6)                                        \
  X(sharpness, 1.2, "overlapped_us()", "2026-11-22-h200", 13.6)                                                            \
  X(lines_clocks, 0.6, "a warpgroup's, for an element of D that goes by lines", "2026-11-22-h200", 13.6)                       \
  X(lines_tile_clocks, 1200, "a tile's, of which all or little exists", "2026-11-22-h200", 13.6) \
  X(c_byte_clocks, 1.5, "more for a byte of C", "2026-11-22-h200", 13.6) \
  X(chain_clocks, 0.73, "a multiprocessor's, for an element of a chain in registers", "2026-11-23-h200", 5) \
  X(chain_function_clocks, 0.4, "more for a function, against tanh and erf", "2026-11-23-h200", 5) \
  X(chain_matrix_clocks, 0.8, "more for an element of a matrix", "2026-11-23-h200", 5) \
  X(skinny_start_us, 4, "few rows or columns: a call that multiplies nothing", "2026-11-22-h200", 14.2) \
  X(skinny_block_clocks, 1370, "a block's beginning and end that its neighbour does not hide", "2026-11-22-h200", 14.2) \
  X(skinny_word_clocks, 0.9, "an SM's, for an element of D of 32 bits; of 16, a fourth", "2026-11-22-h200", 13) \
  X(skinny_bytes_per_clock, 34, "from L2 to a multiprocessor, where all read", "2026-11-22-h200", 15.2) \
  X(skinny_alone_bytes_per_clock, 28, "the same, one block on each", "2026-11-22-h200", 11.6) \
  X(skinny_wide_alone_bytes_per_clock, 21, "the same, of 128 lines", "2026-11-23-h200", 10) \
  X(skinny_sharpness, 2.73, "overlapped_us()", "2026-11-22-h200", 14.2) \
  X(skinny_pair_us, 0.83, "sums of a cluster of two", "2026-11-22-h200", 11.3) \
  X(skinny_cluster_us, 4, "sums of a larger one", "2026-11-22-h200", 10.5) \
  X(pack_start_us, 2.3, "a launch that packs little", "2026-11-22-h200", 13.6) \
  X(pack_share, 0.85, "of memory_gbs that packing reaches, counting what it reads and writes", "2026-11-22-h200", 13.6)
// clang-format on

namespace gpuopt {

GPUOPT_FIGURES(GemmWgmmaFigures, gemm_wgmma_figures, GPUOPT_GEMM_WGMMA_FIGURES)

}  // namespace gpuopt
