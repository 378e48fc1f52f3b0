// Figures of the wgmma kernels. A stage is 128 bytes of k of both operands, whatever their type: 16 of it for each clock.
#pragma once

#include "common/figures.h"

// clang-format off
#define GPUOPT_GEMM_WGMMA_FIGURES(X)                                                                                  \
  X(shared_128x256_start_us, 7.72, "a call that multiplies nothing", "2026-11-27", 10.1) \
  X(shared_128x192_start_us, 7.64, "a call that multiplies nothing", "2026-11-27", 8.6) \
  X(shared_128x64_start_us, 5.31, "a call that multiplies nothing", "2026-11-27", 11.6) \
  X(pingpong_128x192_start_us, 6.91, "a call that multiplies nothing", "2026-11-27", 8.8) \
  X(pingpong_128x128_start_us, 6.77, "a call that multiplies nothing", "2026-11-27", 10.6) \
  X(promoting_128x128_start_us, 6.39, "a call that multiplies nothing", "2026-11-27", 7.4) \
  X(promoting_256x128_start_us, 6.47, "a call that multiplies nothing", "2026-11-27", 8.4) \
  X(promoting_192x128_start_us, 6.37, "a call that multiplies nothing", "2026-11-27", 9.3) \
  X(split_128x128_start_us, 7.01, "operands in parts: a call that multiplies nothing", "2026-11-27", 8.9) \
  X(split_128x192_start_us, 5.76, "operands in parts: a call that multiplies nothing", "2026-11-27", 10.1) \
  X(exact_start_factor, 0.704, "of these, 8-bit integers", "2026-11-27", 9.3) \
  X(fp8_start_factor, 0.907, "of these, fp8 whose sums stay where they are", "2026-11-27", 9.6) \
  X(tf32_start_factor, 0.855, "of these, tf32", "2026-11-27", 10.3) \
  X(promoting_128x128_factor, 1.2, "sums to fp32: of the tensor cores' time at their rate", "2026-11-27", 7.3)  \
  X(promoting_128x128_scaled_factor, 1.49, "the same with scales of blocks", "2026-11-27", 8.7) \
  X(promoting_256x128_factor, 1.15, "sums to fp32: of the tensor cores' time at their rate", "2026-11-27", 8.0) \
  X(promoting_256x128_scaled_factor, 1.24, "the same with scales of blocks", "2026-11-27", 10.7) \
  X(promoting_192x128_factor, 1.15, "sums to fp32: of the tensor cores' time at their rate", "2026-11-27", 9.1) \
  X(promoting_192x128_scaled_factor, 1.26, "the same with scales of blocks", "2026-11-27", 10.5) \
  X(bytes_per_clock, 49.1, "from L2 to a multiprocessor, where all read", "2026-11-27", 9.1) \
  X(alone_bytes_per_clock, 58.3, "the same at most, where others have nothing to do", "2026-11-27", 9.4) \
  X(astride_factor, 1.45, "of an operand's bytes, where lines do not begin on 64", "2026-11-27", 10.0) \
  X(end_clocks, 1061, "a tile's beginning and end", "2026-11-27", 9.5) \
  X(panel_byte_clocks, 0.052, "a warpgroup's, more for a byte that goes by panels", "2026-11-27", 8.5)  \
  X(last_byte_clocks, 0.0121, "a multiprocessor's, more for a byte of the last tile of every multiprocessor", "2026-11-27", 8.5) \
  X(lines_clocks, 1104, "more for a tile that goes by lines", "2026-11-27", 10.4) \
  X(line_clocks, 1.1, "and, a warpgroup's, for an element of 32 bits, or of 16 that C is added to", "2026-11-27", 10.0)  \
  X(short_line_clocks, 0.643, "the same, of other 16 bits", "2026-11-27", 11.9) \
  X(ragged_line_clocks, 1.78, "and, of these, in panels that are not whole", "2026-11-27", 11.4) \
  X(c_byte_clocks, 1.98, "more for a byte of C", "2026-11-27", 13.4) \
  X(memory_share, 0.879, "of memory_gbs that is reached", "2026-11-27", 9.6) \
  X(write_factor, 1.05, "time of a byte that is written, of one that is read", "2026-11-27", 9.5) \
  X(sharpness, 2.44, "overlapped_us()", "2026-11-27", 9.5) \
  X(chain_clocks, 1.13, "a warpgroup's, for an element of a chain in registers", "2026-11-27", 18.5) \
  X(chain_function_clocks, 0.174, "more for a function, against tanh and erf", "2026-11-27", 20.9) \
  X(chain_matrix_clocks, 1.2, "more for an element of a matrix", "2026-11-27", 17.6)  \
  X(fold_us, 4, "a call whose matrix comes by panels, more of what multiplies nothing", "2026-11-27", 11.3)    \
  X(lines_c_us, 1.65, "the same where C is read by lines", "2026-11-27", 13.4) \
  X(fp8_lines_us, 3.03, "the same, fp8, where D goes by lines as it is", "2026-11-27", 11.2) \
  X(fold_clocks, 0.255, "a warpgroup's, for an element of a matrix that comes by panels", "2026-11-27", 11.3) \
  X(skinny_start_us, 4.24, "few rows or columns: a call that multiplies nothing", "2026-11-27", 10.1) \
  X(skinny_code_clocks, 60.6, "few rows or columns: store of one of a thread's sums in one of its types, code that comes from memory", "2026-11-27", 10.5) \
  X(skinny_line_clocks, 18.1, "a block's beginning and end, for a line of a stage", "2026-11-27", 10.1) \
  X(skinny_word_clocks, 0.592, "an SM's, for an element of D of 32 bits", "2026-11-27", 9.7) \
  X(skinny_short_clocks, 0.87, "the same, of 16 bits", "2026-11-27", 11.2)  \
  X(skinny_rows_share, 0.383, "of these, where the few are D's rows", "2026-11-27", 10.4) \
  X(skinny_vector_clocks, 0.333, "the same, for eight of 16 bits at once", "2026-11-27", 10.3) \
  X(skinny_c_clocks, 457, "more for each of a thread's elements that C is added to", "2026-11-27", 12.7) \
  X(skinny_bytes_per_clock, 40.4, "from L2 to a multiprocessor, where all read", "2026-11-27", 10.2) \
  X(skinny_alone_bytes_per_clock, 50.9, "the same, one block on each", "2026-11-27", 9.3) \
  X(skinny_wide_alone_bytes_per_clock, 34, "the same, of 128 lines", "2026-11-27", 10.7)   \
  X(skinny_deep_bytes_per_clock, 39.3, "the same, of 64 lines and 64 or 128, with all of its shared memory", "2026-11-27", 11.8) \
  X(skinny_last_factor, 1.16, "the last blocks of many rounds: of one's time, divided by the rounds", "2026-11-27", 10.5) \
  X(skinny_sharpness, 2.31, "overlapped_us()", "2026-11-27", 10.1) \
  X(skinny_pair_us, 2.09, "sums of a cluster of two", "2026-11-27", 8.1) \
  X(skinny_cluster_us, 1.78, "sums of a larger one", "2026-11-27", 9.4) \
  X(plan_memory_share, 0.919, "few rows or columns: of memory_gbs, that plans assume", "planned", 0) \
  X(plan_skinny_block_clocks, 1756, "a block's beginning and end, that plans assume", "planned", 0) \
  X(plan_skinny_bytes_per_clock, 36.9, "from L2 to a multiprocessor, where all read, that plans assume", "planned", 0) \
  X(plan_skinny_alone_bytes_per_clock, 31.8, "the same, one block on each", "planned", 0) \
  X(plan_skinny_wide_alone_bytes_per_clock, 20.2, "the same, of 128 lines", "planned", 0) \
  X(plan_skinny_deep_bytes_per_clock, 45, "the same, of 64 lines and 64 or 128, with all of its shared memory", "planned", 0) \
  X(plan_skinny_pair_us, 1.01, "sums of a cluster of two, that plans assume", "planned", 0) \
  X(plan_skinny_cluster_us, 1.24, "sums of a larger one, that plans assume", "planned", 0) \
  X(pack_start_us, 1.4, "a launch that packs little", "2026-11-27", 9.7)  \
  X(pack_share, 0.79, "of memory_gbs that packing reaches, counting what it reads and writes", "2026-11-27", 9.6)  \
  X(pack_block_clocks, 497, "a multiprocessor's, a block of packing of which little exists", "2026-11-27", 13.9) \
  X(pack_turned_block_clocks, 2436, "the same, transposed", "2026-11-27", 8.7)
// clang-format on

namespace gpuopt {

GPUOPT_FIGURES(GemmWgmmaFigures, gemm_wgmma_figures, GPUOPT_GEMM_WGMMA_FIGURES)

}  // namespace gpuopt
