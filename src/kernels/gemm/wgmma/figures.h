// Figures of the wgmma kernels. A stage is 128 bytes of k of both operands, whatever their type: 16 of it for each clock.
#pragma once

#include "common/figures.h"

// clang-format off
#define GPUOPT_GEMM_WGMMA_FIGURES(X)                                                                                  \
  X(shared_128x256_start_us, 8.99, "a call that multiplies nothing", "2026-11-24-h200", 10.6) \
  X(shared_128x192_start_us, 7.53, "a call that multiplies nothing", "2026-11-24-h200", 8.8) \
  X(shared_128x64_start_us, 5.3, "a call that multiplies nothing", "2026-11-24-h200", 13.5) \
  X(pingpong_128x192_start_us, 9.64, "a call that multiplies nothing", "2026-11-24-h200", 10.2) \
  X(pingpong_128x128_start_us, 7.65, "a call that multiplies nothing", "2026-11-24-h200", 11.3) \
  X(promoting_128x128_start_us, 7.51, "a call that multiplies nothing", "2026-11-24-h200", 8.4) \
  X(promoting_256x128_start_us, 10.1, "a call that multiplies nothing", "2026-11-24-h200", 10.9) \
  X(promoting_192x128_start_us, 6.96, "a call that multiplies nothing", "2026-11-24-h200", 9.8) \
  X(split_128x128_start_us, 8.49, "operands in parts: a call that multiplies nothing", "2026-11-24-h200", 10.9) \
  X(split_128x192_start_us, 7.17, "operands in parts: a call that multiplies nothing", "2026-11-24-h200", 13.8) \
  X(exact_start_factor, 0.545, "of these, 8-bit integers", "2026-11-24-h200", 9.4) \
  X(fp8_start_factor, 1.25, "of these, fp8 whose sums stay where they are", "2026-11-24-h200", 9.2) \
  X(tf32_start_factor, 0.686, "of these, tf32", "2026-11-24-h200", 11.6) \
  X(promoting_128x128_factor, 1.52, "sums to fp32: of the tensor cores' time at their rate", "2026-11-24-h200", 7.7) \
  X(promoting_128x128_scaled_factor, 1.84, "the same with scales of blocks", "2026-11-24-h200", 6.3) \
  X(promoting_256x128_factor, 1.32, "sums to fp32: of the tensor cores' time at their rate", "2026-11-24-h200", 9.5) \
  X(promoting_256x128_scaled_factor, 1.71, "the same with scales of blocks", "2026-11-24-h200", 11.1) \
  X(promoting_192x128_factor, 1.31, "sums to fp32: of the tensor cores' time at their rate", "2026-11-24-h200", 9.8) \
  X(promoting_192x128_scaled_factor, 1.52, "the same with scales of blocks", "2026-11-24-h200", 7.1) \
  X(bytes_per_clock, 45.6, "from L2 to a multiprocessor, where all read", "2026-11-24-h200", 10.5) \
  X(alone_bytes_per_clock, 49.1, "the same at most, where others have nothing to do", "2026-11-24-h200", 10.3) \
  X(end_clocks, 2396, "a tile's beginning and end", "2026-11-24-h200", 10.5) \
  X(panel_byte_clocks, 0.0364, "a warpgroup's, more for a byte that goes by panels", "2026-11-24-h200", 10.3) \
  X(last_byte_clocks, 0.0232, "a multiprocessor's, more for a byte of the last tile of every multiprocessor", "2026-11-24-h200", 10.3) \
  X(lines_clocks, 509, "more for a tile that goes by lines", "2026-11-24-h200", 10.6) \
  X(line_clocks, 0.754, "and, a warpgroup's, for an element of 32 bits, or of 16 that C is added to", "2026-11-24-h200", 10.4) \
  X(short_line_clocks, 0.475, "the same, of other 16 bits", "2026-11-24-h200", 11.3) \
  X(c_byte_clocks, 1.99, "more for a byte of C", "2026-11-24-h200", 15.5) \
  X(memory_share, 0.823, "of memory_gbs that is reached", "2026-11-24-h200", 10.6) \
  X(write_factor, 1.48, "time of a byte that is written, of one that is read", "2026-11-24-h200", 10.4) \
  X(sharpness, 2.2, "overlapped_us()", "2026-11-24-h200", 10.5)  \
  X(chain_clocks, 0.422, "a warpgroup's, for an element of a chain in registers", "2026-11-24-h200", 11.5) \
  X(chain_function_clocks, 0.347, "more for a function, against tanh and erf", "2026-11-24-h200", 9.0)  \
  X(chain_matrix_clocks, 0.812, "more for an element of a matrix", "2026-11-24-h200", 7.4)  \
  X(fold_clocks, 0.163, "a warpgroup's, for an element of a matrix that comes by panels", "2026-11-24-h200", 12.4) \
  X(skinny_start_us, 4.71, "few rows or columns: a call that multiplies nothing", "2026-11-24-h200", 11.4) \
  X(skinny_wide_us, 1.62, "more of that for 32 lines of the few and more", "2026-11-24-h200", 11.6) \
  X(skinny_line_clocks, 22, "a block's beginning and end, for a line of a stage", "2026-11-24-h200", 11.4)   \
  X(skinny_word_clocks, 0.805, "an SM's, for an element of D of 32 bits", "2026-11-24-h200", 10.9) \
  X(skinny_short_clocks, 0.62, "the same, of 16 bits", "2026-11-24-h200", 11.5) \
  X(skinny_rows_share, 0.492, "of these, where the few are D's rows", "2026-11-24-h200", 12.0) \
  X(skinny_vector_clocks, 1.52, "the same, for eight of 16 bits at once", "2026-11-24-h200", 17.3) \
  X(skinny_c_clocks, 2.16, "an SM's, more for an element of C", "2026-11-24-h200", 13.3) \
  X(skinny_bytes_per_clock, 44.9, "from L2 to a multiprocessor, where all read", "2026-11-24-h200", 11.3) \
  X(skinny_alone_bytes_per_clock, 45.1, "the same, one block on each", "2026-11-24-h200", 11.4) \
  X(skinny_wide_alone_bytes_per_clock, 25.3, "the same, of 128 lines", "2026-11-24-h200", 10.8) \
  X(skinny_deep_bytes_per_clock, 42.1, "the same, of 64 lines and 64 or 128, with all of its shared memory", "2026-11-24-h200", 14.0) \
  X(skinny_last_factor, 1.27, "the last blocks of many rounds: of one's time, divided by the rounds", "2026-11-24-h200", 11.0) \
  X(skinny_sharpness, 2.54, "overlapped_us()", "2026-11-24-h200", 11.4) \
  X(skinny_pair_us, 0.814, "sums of a cluster of two", "2026-11-24-h200", 8.7) \
  X(skinny_cluster_us, 0.693, "sums of a larger one", "2026-11-24-h200", 9.6) \
  X(plan_memory_share, 0.919, "few rows or columns: of memory_gbs, that plans assume", "planned", 0) \
  X(plan_skinny_block_clocks, 1756, "a block's beginning and end, that plans assume", "planned", 0) \
  X(plan_skinny_bytes_per_clock, 36.9, "from L2 to a multiprocessor, where all read, that plans assume", "planned", 0) \
  X(plan_skinny_alone_bytes_per_clock, 31.8, "the same, one block on each", "planned", 0) \
  X(plan_skinny_wide_alone_bytes_per_clock, 20.2, "the same, of 128 lines", "planned", 0) \
  X(plan_skinny_deep_bytes_per_clock, 45, "the same, of 64 lines and 64 or 128, with all of its shared memory", "planned", 0) \
  X(plan_skinny_pair_us, 1.01, "sums of a cluster of two, that plans assume", "planned", 0) \
  X(plan_skinny_cluster_us, 1.24, "sums of a larger one, that plans assume", "planned", 0) \
  X(pack_start_us, 2.71, "a launch that packs little", "2026-11-23-h200", 11.8) \
  X(pack_share, 0.74, "of memory_gbs that packing reaches, counting what it reads and writes", "2026-11-23-h200", 11.8)
// clang-format on

namespace gpuopt {

GPUOPT_FIGURES(GemmWgmmaFigures, gemm_wgmma_figures, GPUOPT_GEMM_WGMMA_FIGURES)

}  // namespace gpuopt
