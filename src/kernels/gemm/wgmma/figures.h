// Figures of the wgmma kernels. A stage is 128 bytes of k of both operands, whatever their type: 16 of it for each clock.
#pragma once

#include "common/figures.h"

// clang-format off
#define GPUOPT_GEMM_WGMMA_FIGURES(X)                                                                                  \
  X(shared_128x256_start_us, 7.85, "a call that multiplies nothing", "2026-11-27", 10.1) \
  X(shared_128x192_start_us, 7.82, "a call that multiplies nothing", "2026-11-27", 8.4) \
  X(shared_128x64_start_us, 5.54, "a call that multiplies nothing", "2026-11-27", 11.3) \
  X(pingpong_128x192_start_us, 7.04, "a call that multiplies nothing", "2026-11-27", 8.9) \
  X(pingpong_128x128_start_us, 7.02, "a call that multiplies nothing", "2026-11-27", 10.3) \
  X(promoting_128x128_start_us, 6.56, "a call that multiplies nothing", "2026-11-27", 7.0) \
  X(promoting_256x128_start_us, 6.84, "a call that multiplies nothing", "2026-11-27", 7.9) \
  X(promoting_192x128_start_us, 6.6, "a call that multiplies nothing", "2026-11-27", 8.6)  \
  X(split_128x128_start_us, 6.56, "operands in parts: a call that multiplies nothing", "2026-11-27", 10.1) \
  X(split_128x192_start_us, 5.53, "operands in parts: a call that multiplies nothing", "2026-11-27", 11.3) \
  X(exact_start_factor, 0.731, "of these, 8-bit integers", "2026-11-27", 9.0) \
  X(fp8_start_factor, 0.924, "of these, fp8 whose sums stay where they are", "2026-11-27", 9.1) \
  X(tf32_start_factor, 0.9, "of these, tf32", "2026-11-27", 10.2)   \
  X(promoting_128x128_factor, 1.18, "sums to fp32: of the tensor cores' time at their rate", "2026-11-27-h200", 7.0) \
  X(promoting_128x128_scaled_factor, 1.37, "the same with scales of blocks", "2026-11-27-h200", 6.9) \
  X(promoting_256x128_factor, 1.1, "sums to fp32: of the tensor cores' time at their rate", "2026-11-27-h200", 7.8) \
  X(promoting_256x128_scaled_factor, 1.19, "the same with scales of blocks", "2026-11-27-h200", 8.1)  \
  X(promoting_192x128_factor, 1.12, "sums to fp32: of the tensor cores' time at their rate", "2026-11-27", 8.7) \
  X(promoting_192x128_scaled_factor, 1.23, "the same with scales of blocks", "2026-11-27", 8.0)  \
  X(bytes_per_clock, 50.9, "from L2 to a multiprocessor, where all read", "2026-11-27", 8.7) \
  X(alone_bytes_per_clock, 59.6, "the same at most, where others have nothing to do", "2026-11-27", 9.1) \
  X(missing_line_clocks, 3.69, "of a stage where all copy, for a line that does not exist", "2026-11-27-h200", 10.0) \
  X(astride_factor, 1.42, "of an operand's bytes, where lines do not begin on 64", "2026-11-27", 10.2) \
  X(end_clocks, 722, "a tile's beginning and end", "2026-11-27", 9.3)  \
  X(panel_byte_clocks, 0.0508, "a warpgroup's, more for a byte that goes by panels", "2026-11-27", 8.4) \
  X(last_byte_clocks, 0.0112, "a multiprocessor's, more for a byte of the last tile of every multiprocessor", "2026-11-27", 8.4) \
  X(lines_clocks, 141, "more for a tile that goes by lines", "2026-11-27-h200", 9.7)  \
  X(line_clocks, 1.04, "and, a warpgroup's, for an element of 32 bits, or of 16 that C is added to", "2026-11-27-h200", 10.1) \
  X(short_line_clocks, 0.555, "the same, of other 16 bits", "2026-11-27-h200", 9.1) \
  X(ragged_line_clocks, 1.44, "and, of these, in panels that are not whole", "2026-11-27-h200", 9.3) \
  X(lines_code_us, 0.0136, "a call whose tiles go by lines, for each of a thread's sums: code that comes from memory", "2026-11-27-h200", 9.7)   \
  X(c_byte_clocks, 2.16, "more for a byte of C", "2026-11-27-h200", 15.4) \
  X(memory_share, 0.916, "of memory_gbs that is reached", "2026-11-27", 9.5) \
  X(write_factor, 1.04, "time of a byte that is written, of one that is read", "2026-11-27", 9.3) \
  X(sharpness, 1.98, "overlapped_us()", "2026-11-27", 9.3) \
  X(chain_clocks, 0.964, "a warpgroup's, for an element of a chain in registers", "2026-11-27", 18.2) \
  X(chain_function_clocks, 0.148, "more for a function, against tanh and erf", "2026-11-27", 20.8) \
  X(chain_matrix_clocks, 1.07, "more for an element of a matrix", "2026-11-27", 14.2) \
  X(fold_us, 2.97, "a call whose matrix comes by panels, more of what multiplies nothing", "2026-11-27", 11.0) \
  X(fp8_lines_us, 2.65, "more of it in fp8, where D goes by lines as it is", "2026-11-27-h200", 9.5) \
  X(fold_clocks, 0.252, "a warpgroup's, for an element of a matrix that comes by panels", "2026-11-27", 11.0) \
  X(skinny_start_us, 3.9, "few rows or columns: a call that multiplies nothing", "2026-11-27", 10.1) \
  X(skinny_code_clocks, 67.1, "few rows or columns: store of one of a thread's sums in one of its types, code that comes from memory", "2026-11-27", 10.5) \
  X(skinny_line_clocks, 17.8, "a block's beginning and end, for a line of a stage", "2026-11-27", 10.1) \
  X(skinny_word_clocks, 0.583, "an SM's, for an element of D of 32 bits", "2026-11-27", 9.6) \
  X(skinny_short_clocks, 0.807, "the same, of 16 bits", "2026-11-27", 11.5) \
  X(skinny_rows_share, 0.349, "of these, where the few are D's rows", "2026-11-27", 10.5) \
  X(skinny_vector_clocks, 0.259, "the same, for eight of 16 bits at once", "2026-11-27", 10.1) \
  X(skinny_c_clocks, 471, "more for each of a thread's elements that C is added to", "2026-11-27", 12.8) \
  X(skinny_bytes_per_clock, 43.2, "from L2 to a multiprocessor, where all read", "2026-11-27", 10.2) \
  X(skinny_alone_bytes_per_clock, 52.6, "the same, one block on each", "2026-11-27", 8.8) \
  X(skinny_wide_alone_bytes_per_clock, 36.4, "the same, of 128 lines", "2026-11-27", 11.1) \
  X(skinny_deep_bytes_per_clock, 39.2, "the same, of 64 lines and 64 or 128, with all of its shared memory", "2026-11-27", 12.6) \
  X(skinny_last_factor, 1.3, "the last blocks of many rounds: of one's time, divided by the rounds", "2026-11-27", 10.6)  \
  X(skinny_sharpness, 1.94, "overlapped_us()", "2026-11-27", 10.1) \
  X(skinny_pair_us, 2.21, "sums of a cluster of two", "2026-11-27", 7.9) \
  X(skinny_cluster_us, 2.04, "sums of a larger one", "2026-11-27", 9.5) \
  X(plan_memory_share, 0.919, "few rows or columns: of memory_gbs, that plans assume", "planned", 0) \
  X(plan_skinny_block_clocks, 1756, "a block's beginning and end, that plans assume", "planned", 0) \
  X(plan_skinny_bytes_per_clock, 36.9, "from L2 to a multiprocessor, where all read, that plans assume", "planned", 0) \
  X(plan_skinny_alone_bytes_per_clock, 31.8, "the same, one block on each", "planned", 0) \
  X(plan_skinny_wide_alone_bytes_per_clock, 20.2, "the same, of 128 lines", "planned", 0) \
  X(plan_skinny_deep_bytes_per_clock, 45, "the same, of 64 lines and 64 or 128, with all of its shared memory", "planned", 0) \
  X(plan_skinny_pair_us, 1.01, "sums of a cluster of two, that plans assume", "planned", 0) \
  X(plan_skinny_cluster_us, 1.24, "sums of a larger one, that plans assume", "planned", 0) \
  X(pack_start_us, 1.34, "a launch that packs little", "2026-11-27", 9.4) \
  X(pack_share, 0.797, "of memory_gbs that packing reaches, counting what it reads and writes", "2026-11-27", 8.8) \
  X(pack_block_clocks, 1988, "a multiprocessor's, a block of packing of which little exists", "2026-11-27", 10.0) \
  X(pack_turned_block_clocks, 2464, "the same, transposed", "2026-11-27", 8.8)
// clang-format on

namespace gpuopt {

GPUOPT_FIGURES(GemmWgmmaFigures, gemm_wgmma_figures, GPUOPT_GEMM_WGMMA_FIGURES)

}  // namespace gpuopt
