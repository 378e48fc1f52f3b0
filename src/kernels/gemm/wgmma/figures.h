// Figures of the wgmma kernels. A stage is 128 bytes of k of both operands, whatever their type: 16 of it for each clock.
#pragma once

#include "common/figures.h"

// clang-format off
#define GPUOPT_GEMM_WGMMA_FIGURES(X)                                                                                  \
  X(shared_128x256_start_us, 8.1, "a call that multiplies nothing", "2026-11-27-h100", 10.9)  \
  X(shared_128x192_start_us, 7.52, "a call that multiplies nothing", "2026-11-27-h100", 10.3) \
  X(shared_128x64_start_us, 5.11, "a call that multiplies nothing", "2026-11-27-h100", 13.5) \
  X(pingpong_128x192_start_us, 6.98, "a call that multiplies nothing", "2026-11-27-h100", 9.1)  \
  X(pingpong_128x128_start_us, 6.76, "a call that multiplies nothing", "2026-11-27-h100", 11.6) \
  X(promoting_128x128_start_us, 6.55, "a call that multiplies nothing", "2026-11-27-h100", 8.6) \
  X(promoting_256x128_start_us, 7.1, "a call that multiplies nothing", "2026-11-27-h100", 11.6)  \
  X(promoting_192x128_start_us, 6.28, "a call that multiplies nothing", "2026-11-27-h100", 10.8) \
  X(split_128x128_start_us, 7.79, "operands in parts: a call that multiplies nothing", "2026-11-27-h100", 12.1) \
  X(split_128x192_start_us, 5.79, "operands in parts: a call that multiplies nothing", "2026-11-27-h100", 12.5) \
  X(exact_start_factor, 0.716, "of these, 8-bit integers", "2026-11-27-h100", 9.9) \
  X(fp8_start_factor, 1.12, "of these, fp8 whose sums stay where they are", "2026-11-27-h100", 11.1) \
  X(tf32_start_factor, 0.942, "of these, tf32", "2026-11-27-h100", 9.7)  \
  X(promoting_128x128_factor, 1.29, "sums to fp32: of the tensor cores' time at their rate", "2026-11-27-h100", 8.0) \
  X(promoting_128x128_scaled_factor, 1.74, "the same with scales of blocks", "2026-11-27-h100", 12.3) \
  X(promoting_256x128_factor, 1.22, "sums to fp32: of the tensor cores' time at their rate", "2026-11-27-h100", 11.4) \
  X(promoting_256x128_scaled_factor, 1.48, "the same with scales of blocks", "2026-11-27-h100", 12.8) \
  X(promoting_192x128_factor, 1.21, "sums to fp32: of the tensor cores' time at their rate", "2026-11-27-h100", 10.3) \
  X(promoting_192x128_scaled_factor, 1.5, "the same with scales of blocks", "2026-11-27-h100", 13.7)  \
  X(bytes_per_clock, 45.8, "from L2 to a multiprocessor, where all read", "2026-11-27-h100", 10.7) \
  X(alone_bytes_per_clock, 52.5, "the same at most, where others have nothing to do", "2026-11-27-h100", 10.8) \
  X(astride_factor, 1.29, "of an operand's bytes, where lines do not begin on 64", "2026-11-27-h100", 10.7) \
  X(end_clocks, 1641, "a tile's beginning and end", "2026-11-27-h100", 10.9) \
  X(panel_byte_clocks, 0.0263, "a warpgroup's, more for a byte that goes by panels", "2026-11-27-h100", 9.7)  \
  X(last_byte_clocks, 0.0152, "a multiprocessor's, more for a byte of the last tile of every multiprocessor", "2026-11-27-h100", 9.7)  \
  X(lines_clocks, 1081, "more for a tile that goes by lines", "2026-11-27-h100", 11.8) \
  X(line_clocks, 0.886, "and, a warpgroup's, for an element of 32 bits, or of 16 that C is added to", "2026-11-27-h100", 11.1) \
  X(short_line_clocks, 0.785, "the same, of other 16 bits", "2026-11-27-h100", 13.7) \
  X(c_byte_clocks, 1.48, "more for a byte of C", "2026-11-27-h100", 13.8) \
  X(memory_share, 0.848, "of memory_gbs that is reached", "2026-11-27-h100", 11.0) \
  X(write_factor, 1.04, "time of a byte that is written, of one that is read", "2026-11-27-h100", 10.9) \
  X(sharpness, 2.35, "overlapped_us()", "2026-11-27-h100", 10.9) \
  X(chain_clocks, 0.784, "a warpgroup's, for an element of a chain in registers", "2026-11-27-h100", 19.3) \
  X(chain_function_clocks, 0.258, "more for a function, against tanh and erf", "2026-11-27-h100", 20.1) \
  X(chain_matrix_clocks, 1.49, "more for an element of a matrix", "2026-11-27-h100", 32.7)  \
  X(fold_us, 3.52, "a call whose matrix comes by panels, more of what multiplies nothing", "2026-11-27-h100", 11.2) \
  X(lines_c_us, 3.88, "the same where C is read by lines", "2026-11-27-h100", 10.7) \
  X(fp8_lines_us, 3.2, "the same, fp8, where D goes by lines as it is", "2026-11-27-h100", 11.3) \
  X(fold_clocks, 0.212, "a warpgroup's, for an element of a matrix that comes by panels", "2026-11-27-h100", 11.2) \
  X(skinny_start_us, 4.86, "few rows or columns: a call that multiplies nothing", "2026-11-27-h100", 10.3) \
  X(skinny_code_clocks, 59.1, "few rows or columns: store of one of a thread's sums in one of its types, code that comes from memory", "2026-11-27-h100", 10.6) \
  X(skinny_line_clocks, 16.3, "a block's beginning and end, for a line of a stage", "2026-11-27-h100", 10.3) \
  X(skinny_word_clocks, 0.612, "an SM's, for an element of D of 32 bits", "2026-11-27-h100", 9.4)  \
  X(skinny_short_clocks, 1.02, "the same, of 16 bits", "2026-11-27-h100", 13.1)  \
  X(skinny_rows_share, 0.436, "of these, where the few are D's rows", "2026-11-27-h100", 10.0) \
  X(skinny_vector_clocks, 0.736, "the same, for eight of 16 bits at once", "2026-11-27-h100", 10.6) \
  X(skinny_c_clocks, 446, "more for each of a thread's elements that C is added to", "2026-11-27-h100", 14.3) \
  X(skinny_bytes_per_clock, 40, "from L2 to a multiprocessor, where all read", "2026-11-27-h100", 10.3)   \
  X(skinny_alone_bytes_per_clock, 54.2, "the same, one block on each", "2026-11-27-h100", 9.3)  \
  X(skinny_wide_alone_bytes_per_clock, 32.4, "the same, of 128 lines", "2026-11-27-h100", 11.0) \
  X(skinny_deep_bytes_per_clock, 39.7, "the same, of 64 lines and 64 or 128, with all of its shared memory", "2026-11-27-h100", 15.1) \
  X(skinny_last_factor, 0.971, "the last blocks of many rounds: of one's time, divided by the rounds", "2026-11-27-h100", 10.6) \
  X(skinny_sharpness, 2.49, "overlapped_us()", "2026-11-27-h100", 10.3) \
  X(skinny_pair_us, 1.11, "sums of a cluster of two", "2026-11-27-h100", 8.8)  \
  X(skinny_cluster_us, 0.87, "sums of a larger one", "2026-11-27-h100", 10.6)  \
  X(plan_memory_share, 0.919, "few rows or columns: of memory_gbs, that plans assume", "planned", 0) \
  X(plan_skinny_block_clocks, 1756, "a block's beginning and end, that plans assume", "planned", 0) \
  X(plan_skinny_bytes_per_clock, 36.9, "from L2 to a multiprocessor, where all read, that plans assume", "planned", 0) \
  X(plan_skinny_alone_bytes_per_clock, 31.8, "the same, one block on each", "planned", 0) \
  X(plan_skinny_wide_alone_bytes_per_clock, 20.2, "the same, of 128 lines", "planned", 0) \
  X(plan_skinny_deep_bytes_per_clock, 45, "the same, of 64 lines and 64 or 128, with all of its shared memory", "planned", 0) \
  X(plan_skinny_pair_us, 1.01, "sums of a cluster of two, that plans assume", "planned", 0) \
  X(plan_skinny_cluster_us, 1.24, "sums of a larger one, that plans assume", "planned", 0) \
  X(pack_start_us, 1.46, "a launch that packs little", "2026-11-27-h100", 10.1) \
  X(pack_share, 0.792, "of memory_gbs that packing reaches, counting what it reads and writes", "2026-11-27-h100", 10.0) \
  X(pack_block_clocks, 450, "a multiprocessor's, a block of packing of which little exists", "2026-11-27-h100", 15.9) \
  X(pack_turned_block_clocks, 1975, "the same, transposed", "2026-11-27-h100", 8.6)
// clang-format on

namespace gpuopt {

GPUOPT_FIGURES(GemmWgmmaFigures, gemm_wgmma_figures, GPUOPT_GEMM_WGMMA_FIGURES)

}  // namespace gpuopt
