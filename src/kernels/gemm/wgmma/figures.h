// Figures of the wgmma kernels. A stage is 128 bytes of k of both operands, whatever their type: 16 of it for each clock.
#pragma once

#include "common/figures.h"

// clang-format off
#define GPUOPT_GEMM_WGMMA_FIGURES(X)                                                                                  \
  X(shared_128x256_start_us, 4.12, "a call that multiplies nothing", "2026-11-28", 10.1) \
  X(shared_128x192_start_us, 4.22, "a call that multiplies nothing", "2026-11-28", 8.2) \
  X(shared_128x64_start_us, 2.99, "a call that multiplies nothing", "2026-11-28", 10.7) \
  X(pingpong_128x192_start_us, 4.05, "a call that multiplies nothing", "2026-11-28", 7.5) \
  X(pingpong_128x128_start_us, 3.78, "a call that multiplies nothing", "2026-11-28", 8.9)  \
  X(promoting_128x128_start_us, 3.7, "a call that multiplies nothing", "2026-11-28", 7.6)  \
  X(promoting_256x128_start_us, 4.11, "a call that multiplies nothing", "2026-11-28", 8.1) \
  X(promoting_192x128_start_us, 3.94, "a call that multiplies nothing", "2026-11-28", 8.8) \
  X(split_128x128_start_us, 5.87, "operands in parts: a call that multiplies nothing", "2026-11-28", 10.3) \
  X(split_128x192_start_us, 4.13, "operands in parts: a call that multiplies nothing", "2026-11-28", 11.1) \
  X(exact_start_factor, 0.822, "of these, 8-bit integers", "2026-11-28", 9.2) \
  X(fp8_start_factor, 0.93, "of these, fp8 whose sums stay where they are", "2026-11-28", 9.4)  \
  X(tf32_start_factor, 1.16, "of these, tf32", "2026-11-28", 10.5)  \
  X(promoting_128x128_factor, 1.21, "sums to fp32: of the tensor cores' time at their rate", "2026-11-28", 7.6)      \
  X(promoting_128x128_scaled_factor, 1.33, "the same with scales of blocks", "2026-11-28", 7.6)      \
  X(promoting_256x128_factor, 1.03, "sums to fp32: of the tensor cores' time at their rate", "2026-11-28", 8.1)     \
  X(promoting_256x128_scaled_factor, 1.03, "the same with scales of blocks", "2026-11-28", 8.2)       \
  X(promoting_192x128_factor, 1.16, "sums to fp32: of the tensor cores' time at their rate", "2026-11-28", 8.8) \
  X(promoting_192x128_scaled_factor, 1.11, "the same with scales of blocks", "2026-11-28", 8.9)  \
  X(bytes_per_clock, 58, "from L2 to a multiprocessor, where all read", "2026-11-28", 8.2)   \
  X(alone_bytes_per_clock, 62.9, "the same at most, where others have nothing to do", "2026-11-28", 8.7) \
  X(missing_line_clocks, 3.77, "of a stage where all copy, for a line that does not exist", "2026-11-28", 10.1)      \
  X(astride_factor, 1.28, "of an operand's bytes, where lines do not begin on 64", "2026-11-28", 11.2) \
  X(end_clocks, 1430, "a tile's beginning and end", "2026-11-28", 8.9) \
  X(panel_byte_clocks, 0.0487, "a warpgroup's, more for a byte that goes by panels", "2026-11-28", 7.8) \
  X(last_byte_clocks, 0.0515, "a multiprocessor's, more for a byte of the last tile of every multiprocessor", "2026-11-28", 7.8) \
  X(lines_clocks, 173, "more for a tile that goes by lines", "2026-11-28", 10.1)      \
  X(line_clocks, 0.789, "and, a warpgroup's, for an element of 32 bits, or of 16 that C is added to", "2026-11-28", 10.4)     \
  X(short_line_clocks, 0.307, "the same, of other 16 bits", "2026-11-28", 8.6)      \
  X(ragged_line_clocks, 0.773, "and, of these, in panels that are not whole", "2026-11-28", 9.3)     \
  X(lines_code_us, 0.0131, "a call whose tiles go by lines, for each of a thread's sums: code that comes from memory", "2026-11-28", 10.1)       \
  X(c_byte_clocks, 2.16, "more for a byte of C", "2026-11-28", 16.4)      \
  X(memory_share, 0.989, "of memory_gbs that is reached", "2026-11-28", 9.1) \
  X(write_factor, 1.29, "time of a byte that is written, of one that is read", "2026-11-28", 8.8) \
  X(astride_write_factor, 1.34, "of these, where lines of results do not begin on 64", "2026-11-28", 9.9) \
  X(sharpness, 1.87, "overlapped_us()", "2026-11-28", 8.9) \
  X(panel_sharpness, 4, "the same, of both and what memory moves, where results leave by panels", "planned", 0) \
  X(chain_clocks, 0.694, "a warpgroup's, for an element of a chain in registers", "2026-11-28", 13.8) \
  X(chain_function_clocks, 0.201, "more for a function, against tanh and erf", "2026-11-28", 14.8) \
  X(chain_matrix_clocks, 0.712, "more for an element of a matrix", "2026-11-28", 9.3)  \
  X(fold_us, 1.94, "a call whose matrix comes by panels, more of what multiplies nothing", "2026-11-28", 10.5) \
  X(fp8_lines_us, 2.06, "more of it in fp8, where D goes by lines as it is", "2026-11-28", 10.1)     \
  X(fold_clocks, 0.275, "a warpgroup's, for an element of a matrix that comes by panels", "2026-11-28", 10.5) \
  X(skinny_start_us, 1.69, "few rows or columns: a call that multiplies nothing", "2026-11-28", 10.5) \
  X(skinny_code_clocks, 54.3, "few rows or columns: store of one of a thread's sums in one of its types, code that comes from memory", "2026-11-28", 10.9) \
  X(skinny_line_clocks, 16.4, "a block's beginning and end, for a line of a stage", "2026-11-28", 10.5) \
  X(skinny_word_clocks, 0.69, "an SM's, for an element of D of 32 bits", "2026-11-28", 10.7)  \
  X(skinny_short_clocks, 0.84, "the same, of 16 bits", "2026-11-28", 10.7)  \
  X(skinny_rows_share, 0.559, "of these, where the few are D's rows", "2026-11-28", 11.4) \
  X(skinny_vector_clocks, 0.186, "the same, for eight of 16 bits at once", "2026-11-28", 9.5)  \
  X(skinny_c_clocks, 475, "more for each of a thread's elements that C is added to", "2026-11-28", 10.7) \
  X(skinny_bytes_per_clock, 46.4, "from L2 to a multiprocessor, where all read", "2026-11-28", 10.0) \
  X(skinny_alone_bytes_per_clock, 56.5, "the same, one block on each", "2026-11-28", 11.3) \
  X(skinny_wide_alone_bytes_per_clock, 50.8, "the same, of 128 lines", "2026-11-28", 10.1) \
  X(skinny_deep_bytes_per_clock, 49, "the same, of 64 lines and 64 or 128, with all of its shared memory", "2026-11-28", 10.9)   \
  X(skinny_last_factor, 1.61, "the last blocks of many rounds: of one's time, divided by the rounds", "2026-11-28", 9.8)  \
  X(skinny_sharpness, 1.52, "overlapped_us()", "2026-11-28", 10.5) \
  X(skinny_pair_us, 3.36, "sums of a cluster of two", "2026-11-28", 9.2) \
  X(skinny_cluster_us, 2.69, "sums of a larger one", "2026-11-28", 9.7)  \
  X(plan_memory_share, 0.919, "few rows or columns: of memory_gbs, that plans assume", "planned", 0) \
  X(plan_skinny_block_clocks, 1756, "a block's beginning and end, that plans assume", "planned", 0) \
  X(plan_skinny_bytes_per_clock, 36.9, "from L2 to a multiprocessor, where all read, that plans assume", "planned", 0) \
  X(plan_skinny_alone_bytes_per_clock, 31.8, "the same, one block on each", "planned", 0) \
  X(plan_skinny_wide_alone_bytes_per_clock, 20.2, "the same, of 128 lines", "planned", 0) \
  X(plan_skinny_deep_bytes_per_clock, 45, "the same, of 64 lines and 64 or 128, with all of its shared memory", "planned", 0) \
  X(plan_skinny_pair_us, 1.01, "sums of a cluster of two, that plans assume", "planned", 0) \
  X(plan_skinny_cluster_us, 1.24, "sums of a larger one, that plans assume", "planned", 0) \
  X(plan_skinny_sum_clocks, 0.1, "more for a sum of tiles of more than 8192, that plans assume", "planned", 0) \
  X(plan_cluster_share, 0.91, "of the multiprocessors that clusters of four and more find, that plans assume", "planned", 0) \
  X(pack_start_us, 1.95, "a launch that packs little", "2026-11-28", 9.5) \
  X(pack_share, 0.775, "of memory_gbs that packing reaches, counting what it reads and writes", "2026-11-28", 8.8) \
  X(pack_block_clocks, 1806, "a multiprocessor's, a block of packing of which little exists", "2026-11-28", 9.8)  \
  X(pack_turned_block_clocks, 2298, "the same, transposed", "2026-11-28", 9.2)
// clang-format on

namespace gpuopt {

GPUOPT_FIGURES(GemmWgmmaFigures, gemm_wgmma_figures, GPUOPT_GEMM_WGMMA_FIGURES)

}  // namespace gpuopt
