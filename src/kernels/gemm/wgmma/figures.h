// Figures of the wgmma kernels. A stage is 128 bytes of k of both operands, whatever their type: 16 of it for each clock.
#pragma once

#include "common/figures.h"

// clang-format off
#define GPUOPT_GEMM_WGMMA_FIGURES(X)                                                                                  \
  X(shared_128x256_start_us, 4.05, "a call that multiplies nothing", "2026-11-28", 10.3) \
  X(shared_128x192_start_us, 4.16, "a call that multiplies nothing", "2026-11-28", 8.6) \
  X(shared_128x64_start_us, 3.12, "a call that multiplies nothing", "2026-11-28", 11.7) \
  X(pingpong_128x192_start_us, 3.94, "a call that multiplies nothing", "2026-11-28", 8.1) \
  X(pingpong_128x128_start_us, 3.55, "a call that multiplies nothing", "2026-11-28", 10.0) \
  X(promoting_128x128_start_us, 3.61, "a call that multiplies nothing", "2026-11-28", 7.3) \
  X(promoting_256x128_start_us, 3.84, "a call that multiplies nothing", "2026-11-28", 7.7) \
  X(promoting_192x128_start_us, 3.82, "a call that multiplies nothing", "2026-11-28", 8.6) \
  X(split_128x128_start_us, 5.36, "operands in parts: a call that multiplies nothing", "2026-11-28", 11.4) \
  X(split_128x192_start_us, 4.01, "operands in parts: a call that multiplies nothing", "2026-11-28", 11.5) \
  X(exact_start_factor, 0.754, "of these, 8-bit integers", "2026-11-28", 9.1) \
  X(fp8_start_factor, 0.928, "of these, fp8 whose sums stay where they are", "2026-11-28", 8.7) \
  X(tf32_start_factor, 1.13, "of these, tf32", "2026-11-28", 9.4)   \
  X(promoting_128x128_factor, 1.22, "sums to fp32: of the tensor cores' time at their rate", "2026-11-28", 7.3)      \
  X(promoting_128x128_scaled_factor, 1.3, "the same with scales of blocks", "2026-11-28", 7.5)       \
  X(promoting_128x128_columns_factor, 2.25, "the same with a scale for each column of B", "2026-11-29", 6)       \
  X(promoting_256x128_factor, 1.06, "sums to fp32: of the tensor cores' time at their rate", "2026-11-28", 7.6)     \
  X(promoting_256x128_scaled_factor, 1.08, "the same with scales of blocks", "2026-11-28", 8.6)       \
  X(promoting_192x128_factor, 1.18, "sums to fp32: of the tensor cores' time at their rate", "2026-11-28", 8.5) \
  X(promoting_192x128_scaled_factor, 1.13, "the same with scales of blocks", "2026-11-28", 9.1)  \
  X(bytes_per_clock, 55.2, "from L2 to a multiprocessor, where all read", "2026-11-28", 8.9) \
  X(alone_bytes_per_clock, 61.3, "the same at most, where others have nothing to do", "2026-11-28", 9.2) \
  X(missing_line_clocks, 4.72, "of a stage where all copy, for a line that does not exist", "2026-11-28", 9.9)       \
  X(astride_factor, 1.32, "of an operand's bytes, where lines do not begin on 64", "2026-11-28", 11.0) \
  X(end_clocks, 1376, "a tile's beginning and end", "2026-11-28", 9.4) \
  X(panel_byte_clocks, 0.0607, "a warpgroup's, more for a byte that goes by panels", "2026-11-28", 8.8) \
  X(last_byte_clocks, 0.0513, "a multiprocessor's, more for a byte of the last tile of every multiprocessor", "2026-11-28", 8.8) \
  X(lines_clocks, 186, "more for a tile that goes by lines", "2026-11-28", 9.8)       \
  X(line_clocks, 0.802, "and, a warpgroup's, for an element of 32 bits, or of 16 that C is added to", "2026-11-28", 9.9)      \
  X(short_line_clocks, 0.363, "the same, of other 16 bits", "2026-11-28", 9.0)      \
  X(ragged_line_clocks, 0.756, "and, of these, in panels that are not whole", "2026-11-28", 9.4)     \
  X(lines_code_us, 0.0139, "a call whose tiles go by lines, for each of a thread's sums: code that comes from memory", "2026-11-28", 9.8)        \
  X(c_byte_clocks, 2.25, "more for a byte of C", "2026-11-28", 15.9)      \
  X(memory_share, 0.984, "of memory_gbs that is reached", "2026-11-28", 9.4) \
  X(write_factor, 1.33, "time of a byte that is written, of one that is read", "2026-11-28", 9.3) \
  X(astride_write_factor, 1.19, "of these, where lines of results do not begin on 64", "2026-11-28", 9.7) \
  X(sharpness, 1.84, "overlapped_us()", "2026-11-28", 9.4) \
  X(panel_sharpness, 4, "the same, of both and what memory moves, where results leave by panels", "planned", 0) \
  X(exact_clocks, 0.55, "a warpgroup's, for a sum of integers that becomes fp32 or 8 bits", "nine calls by hand", 10) \
  X(fp8_chain_share, 0.7, "of what chains take of 16 bits, of fp8", "ten calls by hand", 15) \
  X(chain_clocks, 0.608, "a warpgroup's, for an element of a chain in registers", "2026-11-28", 14.2) \
  X(chain_function_clocks, 0.528, "more for a function, against tanh and erf", "2026-11-28", 15.4) \
  X(chain_matrix_clocks, 0.771, "more for an element of a matrix", "2026-11-28", 9.2)  \
  X(fold_us, 1.75, "a call whose matrix comes by panels, more of what multiplies nothing", "2026-11-28", 10.6) \
  X(fp8_lines_us, 2.11, "more of it in fp8, where D goes by lines as it is", "2026-11-28", 9.4)      \
  X(fold_clocks, 0.358, "a warpgroup's, for an element of a matrix that comes by panels", "2026-11-28", 10.6) \
  X(skinny_start_us, 2.38, "few rows or columns: a call that multiplies nothing", "2026-11-28", 9.8)  \
  X(skinny_code_clocks, 68.3, "few rows or columns: store of one of a thread's sums in one of its types, code that comes from memory", "2026-11-28", 10.3) \
  X(skinny_line_clocks, 17.6, "a block's beginning and end, for a line of a stage", "2026-11-28", 9.8)  \
  X(skinny_word_clocks, 0.618, "an SM's, for an element of D of 32 bits", "2026-11-28", 9.9)  \
  X(skinny_short_clocks, 0.853, "the same, of 16 bits", "2026-11-28", 11.3) \
  X(skinny_rows_share, 0.551, "of these, where the few are D's rows", "2026-11-28", 10.6) \
  X(skinny_vector_clocks, 0.176, "the same, for eight of 16 bits at once", "2026-11-28", 7.7)  \
  X(skinny_c_clocks, 412, "more for each of a thread's elements that C is added to", "2026-11-28", 11.9) \
  X(skinny_bytes_per_clock, 46.3, "from L2 to a multiprocessor, where all read", "2026-11-28", 9.4)  \
  X(skinny_alone_bytes_per_clock, 57.2, "the same, one block on each", "2026-11-28", 8.8)  \
  X(skinny_wide_alone_bytes_per_clock, 50.8, "the same, of 128 lines", "2026-11-28", 9.1)  \
  X(skinny_deep_bytes_per_clock, 46.4, "the same, of 64 lines and 64 or 128, with all of its shared memory", "2026-11-28", 13.0) \
  X(skinny_last_factor, 0.499, "the last blocks of many rounds: of one's time, divided by the rounds", "2026-11-28", 9.0) \
  X(skinny_sharpness, 2.56, "overlapped_us()", "2026-11-28", 9.8)  \
  X(skinny_pair_us, 1.46, "sums of a cluster of two", "2026-11-28", 7.4) \
  X(skinny_cluster_us, 1.86, "sums of a larger one", "2026-11-28", 9.7)  \
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
  X(pack_start_us, 1.89, "a launch that packs little", "2026-11-28", 9.3) \
  X(pack_share, 0.745, "of memory_gbs that packing reaches, counting what it reads and writes", "2026-11-28", 8.6) \
  X(pack_block_clocks, 1200, "a multiprocessor's, a block of packing of which little exists", "five calls by hand", 4.9)  \
  X(pack_turned_block_clocks, 1200, "the same, transposed", "five calls by hand", 4.9)
// clang-format on

namespace gpuopt {

GPUOPT_FIGURES(GemmWgmmaFigures, gemm_wgmma_figures, GPUOPT_GEMM_WGMMA_FIGURES)

}  // namespace gpuopt
