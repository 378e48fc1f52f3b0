// Figures of the wgmma kernels. A stage is 128 bytes of k of both operands, whatever their type: 16 of it for each clock.
#pragma once

#include "common/figures.h"

// clang-format off
#define GPUOPT_GEMM_WGMMA_FIGURES(X)                                                                                  \
  X(shared_128x256_start_us, 4.11, "a call that multiplies nothing", "2026-11-28", 10.4) \
  X(shared_128x192_start_us, 4.19, "a call that multiplies nothing", "2026-11-28", 8.5) \
  X(shared_128x64_start_us, 3.07, "a call that multiplies nothing", "2026-11-28", 11.9) \
  X(pingpong_128x192_start_us, 3.96, "a call that multiplies nothing", "2026-11-28", 8.1) \
  X(pingpong_128x128_start_us, 3.58, "a call that multiplies nothing", "2026-11-28", 10.1) \
  X(promoting_128x128_start_us, 3.56, "a call that multiplies nothing", "2026-11-28", 7.5) \
  X(promoting_256x128_start_us, 3.8, "a call that multiplies nothing", "2026-11-28", 7.9)  \
  X(promoting_192x128_start_us, 3.77, "a call that multiplies nothing", "2026-11-28", 8.7) \
  X(split_128x128_start_us, 5.34, "operands in parts: a call that multiplies nothing", "2026-11-28", 10.2) \
  X(split_128x192_start_us, 4.06, "operands in parts: a call that multiplies nothing", "2026-11-28", 10.4) \
  X(exact_start_factor, 0.751, "of these, 8-bit integers", "2026-11-28", 9.0) \
  X(fp8_start_factor, 0.908, "of these, fp8 whose sums stay where they are", "2026-11-28", 8.9) \
  X(tf32_start_factor, 1.13, "of these, tf32", "2026-11-28", 9.7)   \
  X(promoting_128x128_factor, 1.22, "sums to fp32: of the tensor cores' time at their rate", "2026-11-28", 7.5)      \
  X(promoting_128x128_scaled_factor, 1.31, "the same with scales of blocks", "2026-11-28", 7.8)      \
  X(promoting_256x128_factor, 1.06, "sums to fp32: of the tensor cores' time at their rate", "2026-11-28", 7.9)     \
  X(promoting_256x128_scaled_factor, 1.1, "the same with scales of blocks", "2026-11-28", 8.6)        \
  X(promoting_192x128_factor, 1.18, "sums to fp32: of the tensor cores' time at their rate", "2026-11-28", 8.6) \
  X(promoting_192x128_scaled_factor, 1.14, "the same with scales of blocks", "2026-11-28", 9.4)  \
  X(bytes_per_clock, 55, "from L2 to a multiprocessor, where all read", "2026-11-28", 8.9)   \
  X(alone_bytes_per_clock, 60.9, "the same at most, where others have nothing to do", "2026-11-28", 9.3) \
  X(missing_line_clocks, 4.48, "of a stage where all copy, for a line that does not exist", "2026-11-28", 10.1)      \
  X(astride_factor, 1.29, "of an operand's bytes, where lines do not begin on 64", "2026-11-28", 11.2) \
  X(end_clocks, 1406, "a tile's beginning and end", "2026-11-28", 9.4) \
  X(panel_byte_clocks, 0.0591, "a warpgroup's, more for a byte that goes by panels", "2026-11-28", 8.9) \
  X(last_byte_clocks, 0.051, "a multiprocessor's, more for a byte of the last tile of every multiprocessor", "2026-11-28", 8.9)  \
  X(lines_clocks, 183, "more for a tile that goes by lines", "2026-11-28", 9.9)       \
  X(line_clocks, 0.794, "and, a warpgroup's, for an element of 32 bits, or of 16 that C is added to", "2026-11-28", 10.0)     \
  X(short_line_clocks, 0.344, "the same, of other 16 bits", "2026-11-28", 9.1)      \
  X(ragged_line_clocks, 0.754, "and, of these, in panels that are not whole", "2026-11-28", 9.6)     \
  X(lines_code_us, 0.0144, "a call whose tiles go by lines, for each of a thread's sums: code that comes from memory", "2026-11-28", 9.9)        \
  X(c_byte_clocks, 2.22, "more for a byte of C", "2026-11-28", 15.4)      \
  X(memory_share, 1, "of memory_gbs that is reached", "2026-11-28", 9.4)     \
  X(write_factor, 1.37, "time of a byte that is written, of one that is read", "2026-11-28", 9.3) \
  X(astride_write_factor, 1.21, "of these, where lines of results do not begin on 64", "2026-11-28", 9.7) \
  X(sharpness, 1.79, "overlapped_us()", "2026-11-28", 9.4) \
  X(panel_sharpness, 4, "the same, of both and what memory moves, where results leave by panels", "planned", 0) \
  X(chain_clocks, 0.629, "a warpgroup's, for an element of a chain in registers", "2026-11-28", 14.7) \
  X(chain_function_clocks, 0.332, "more for a function, against tanh and erf", "2026-11-28", 16.2) \
  X(chain_matrix_clocks, 0.742, "more for an element of a matrix", "2026-11-28", 9.2)  \
  X(fold_us, 1.82, "a call whose matrix comes by panels, more of what multiplies nothing", "2026-11-28", 10.2) \
  X(fp8_lines_us, 2.12, "more of it in fp8, where D goes by lines as it is", "2026-11-28", 9.7)      \
  X(fold_clocks, 0.338, "a warpgroup's, for an element of a matrix that comes by panels", "2026-11-28", 10.2) \
  X(skinny_start_us, 2.23, "few rows or columns: a call that multiplies nothing", "2026-11-28", 9.3)  \
  X(skinny_code_clocks, 70, "few rows or columns: store of one of a thread's sums in one of its types, code that comes from memory", "2026-11-28", 10.1)   \
  X(skinny_line_clocks, 16.9, "a block's beginning and end, for a line of a stage", "2026-11-28", 9.3)  \
  X(skinny_word_clocks, 0.729, "an SM's, for an element of D of 32 bits", "2026-11-28", 9.9)  \
  X(skinny_short_clocks, 0.797, "the same, of 16 bits", "2026-11-28", 10.9) \
  X(skinny_rows_share, 0.686, "of these, where the few are D's rows", "2026-11-28", 10.4) \
  X(skinny_vector_clocks, 0.18, "the same, for eight of 16 bits at once", "2026-11-28", 7.1)   \
  X(skinny_c_clocks, 391, "more for each of a thread's elements that C is added to", "2026-11-28", 9.5)  \
  X(skinny_bytes_per_clock, 46.5, "from L2 to a multiprocessor, where all read", "2026-11-28", 9.0)  \
  X(skinny_alone_bytes_per_clock, 55.9, "the same, one block on each", "2026-11-28", 8.8)  \
  X(skinny_wide_alone_bytes_per_clock, 50.8, "the same, of 128 lines", "2026-11-28", 9.6)  \
  X(skinny_deep_bytes_per_clock, 44.1, "the same, of 64 lines and 64 or 128, with all of its shared memory", "2026-11-28", 12.4) \
  X(skinny_last_factor, 0.629, "the last blocks of many rounds: of one's time, divided by the rounds", "2026-11-28", 9.2) \
  X(skinny_sharpness, 2.44, "overlapped_us()", "2026-11-28", 9.3)  \
  X(skinny_pair_us, 1.73, "sums of a cluster of two", "2026-11-28", 6.9) \
  X(skinny_cluster_us, 1.89, "sums of a larger one", "2026-11-28", 8.4)  \
  X(plan_memory_share, 0.919, "few rows or columns: of memory_gbs, that plans assume", "planned", 0) \
  X(plan_skinny_block_clocks, 1756, "a block's beginning and end, that plans assume", "planned", 0) \
  X(plan_skinny_bytes_per_clock, 44, "from L2 to a multiprocessor, where all read, that plans assume", "planned", 0) \
  X(plan_skinny_stage_clocks, 330, "a stage of 64 lines, however few of them come, that plans assume", "planned", 0) \
  X(plan_skinny_idle_share, 0.42, "of memory's time, where that part of the places for blocks stays empty, that plans assume", "planned", 0) \
  X(plan_skinny_cluster_share, 0.02, "of memory's time, for each doubling of a cluster of two, that plans assume", "planned", 0) \
  X(plan_skinny_round_us, 0.7, "more for each round of blocks but the first, that plans assume", "planned", 0) \
  X(plan_skinny_alone_us, 0.7, "more where no block hides another's beginning and end, that plans assume", "planned", 0) \
  X(plan_skinny_line_share, 1.5, "of memory's time, divided by a tile's lines: boxes of few lines come slower, that plans assume", "planned", 0) \
  X(plan_skinny_alone_bytes_per_clock, 33, "the same, of up to 64 of the few, one block on each, that plans assume", "planned", 0) \
  X(plan_skinny_deep_bytes_per_clock, 45, "the same, of 128", "planned", 0) \
  X(plan_skinny_pair_us, 1.01, "sums of a cluster of two, that plans assume", "planned", 0) \
  X(plan_skinny_cluster_us, 1.24, "sums of a larger one, that plans assume", "planned", 0) \
  X(plan_skinny_sum_clocks, 0.1, "more for a sum of tiles of more than 8192, that plans assume", "planned", 0) \
  X(pack_start_us, 1.94, "a launch that packs little", "2026-11-28", 9.3) \
  X(pack_share, 0.767, "of memory_gbs that packing reaches, counting what it reads and writes", "2026-11-28", 8.6) \
  X(pack_block_clocks, 1831, "a multiprocessor's, a block of packing of which little exists", "2026-11-28", 9.6)  \
  X(pack_turned_block_clocks, 2349, "the same, transposed", "2026-11-28", 8.9)
// clang-format on

namespace gpuopt {

GPUOPT_FIGURES(GemmWgmmaFigures, gemm_wgmma_figures, GPUOPT_GEMM_WGMMA_FIGURES)

}  // namespace gpuopt
