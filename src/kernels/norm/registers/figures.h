// What predictions of kernels that hold rows in registers go by, beside what all kernels on rows share. Times are a row's
// chain of latencies.
#pragma once

#include "common/figures.h"

#define GPUOPT_NORM_REGISTERS_FIGURES(X)                                                                              \
  /* name, value, what it is, fitted to, error in % */                                                                \
  X(warp_launch_us, 3.02, "launch, start and end of the call, norm_warp_row", "2026-11-27 H200", 9.5)                 \
  X(warp_start_us, 0.688, "of a row, beside what follows, norm_warp_row", "2026-11-27 H200", 9.5)                     \
  X(warp_weight_us, 0.125, "of a row and weight, norm_warp_row", "2026-11-27 H200", 9.2)                              \
  X(warp_residual_us, 0.886, "of a row with a residual, norm_warp_row", "2026-11-27 H200", 12.7)                      \
  X(warp_unaligned_us, 0.288, "of a row that begins anywhere, norm_warp_row", "2026-11-27 H200", 10.5)                \
  X(warp_join_instructions, 3.55, "of a warp and step of a join, norm_warp_row", "2026-11-27 H200", 9.4)              \
  X(warp_clocks, 19.6, "of an instruction, one after the other, norm_warp_row", "2026-11-27 H200", 9.5)               \
  X(block_launch_us, 3.76, "launch, start and end of the call, norm_block_row", "2026-11-27 H200", 11.4)              \
  X(block_start_us, 0.0532, "of a row, beside what follows, norm_block_row", "2026-11-27 H200", 8.6)                  \
  X(block_weight_us, 0.196, "of a row and weight, norm_block_row", "2026-11-27 H200", 9.5)                            \
  X(block_residual_us, 0.244, "of a row with a residual, norm_block_row", "2026-11-27 H200", 10.0)                    \
  X(block_unaligned_us, 0.026, "of a row that begins anywhere, norm_block_row", "2026-11-27 H200", 7.8)               \
  X(block_warps_us, 0.891, "of a block's 16 warps, norm_block_row", "2026-11-27 H200", 8.6)                           \
  X(block_place_us, 0.068, "for a block to come and go, norm_block_row", "2026-11-27 H200", 8.5)                      \
  X(block_clocks, 20.6, "of an instruction, one after the other, norm_block_row", "2026-11-27 H200", 8.7)             \
  X(stages_launch_us, 4.31, "launch, start and end of the call, stages of norm_block_row", "2026-11-27 H200", 11.4)   \
  X(stages_start_us, 0.513, "of a row, beside what follows, stages of norm_block_row", "2026-11-27 H200", 11.6)       \
  X(stages_weight_us, 0.281, "of a row and weight, stages of norm_block_row", "2026-11-27 H200", 11.6)                \
  X(stages_residual_us, 0.358, "of a row with a residual, stages of norm_block_row", "2026-11-27 H200", 14.2)         \
  X(stages_operand_us, 0.184, "of a row and operand of a stage, stages of norm_block_row", "2026-11-27 H200", 10.3)   \
  X(stages_unaligned_us, 0.0949, "of a row that begins anywhere, stages of norm_block_row", "2026-11-27 H200", 11.8)  \
  X(stages_warps_us, 1.36, "of a block's 16 warps, stages of norm_block_row", "2026-11-27 H200", 11.6)                \
  X(stages_place_us, 0.0805, "for a block to come and go, stages of norm_block_row", "2026-11-27 H200", 11.6)         \
  X(stages_clocks, 17.5, "of an instruction, one after the other, stages of norm_block_row", "2026-11-27 H200", 11.6) \
  X(alike_start_us, 0.316, "of a row, beside what follows, rows that begin alike", "2026-11-27 H200", 11.8)           \
  X(alike_weight_us, 0.09, "of a row and weight, rows that begin alike", "2026-11-27 H200", 12.9)                     \
  X(alike_row_us, 0.602, "of a row that follows another, rows that begin alike", "2026-11-27 H200", 11.7)             \
  X(alike_shift_instructions, 3.87, "of an element, beside others, rows that begin alike", "2026-11-27 H200", 11.7)   \
  X(alike_load_instructions, 19.2, "of an element of x that begins otherwise than out, rows that begin alike",        \
    "2026-11-27 H200", 22.0)                                                                                          \
  X(alike_clocks, 2.21, "of an instruction, one after the other, rows that begin alike", "2026-11-27 H200", 11.3)     \
  X(staying_share, 0.759, "of memory_gbs that reading and writing reach, norm_staying_rows", "2026-11-27 H200", 13.8) \
  X(staying_start_us, 1.41, "of a block and its weights, norm_staying_rows", "2026-11-27 H200", 13.9)                 \
  X(staying_row_us, 0.262, "of a row's way, norm_staying_rows", "2026-11-27 H200", 13.9)                              \
  X(staying_join_us, 0.214, "of a row of several warps, norm_staying_rows", "2026-11-27 H200", 12.0)                  \
  X(staying_meet_us, 1.76, "of a row of several blocks, norm_staying_rows", "2026-11-27 H200", 20.1)                  \
  X(staying_next_us, 1.81, "of such a row behind another, norm_staying_rows", "2026-11-27 H200", 19.1)                \
  X(staying_clocks, 1.32, "of an instruction, one after the other, norm_staying_rows", "2026-11-27 H200", 13.9)

namespace gpuopt {

GPUOPT_FIGURES(NormRegistersFigures, norm_registers_figures, GPUOPT_NORM_REGISTERS_FIGURES)

}  // namespace gpuopt
