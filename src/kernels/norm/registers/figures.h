// What predictions of kernels that hold rows in registers go by, beside what all kernels on rows share. Times are a row's
// chain of latencies.
#pragma once

#include "common/figures.h"

#define GPUOPT_NORM_REGISTERS_FIGURES(X)                                                                              \
  /* name, value, what it is, fitted to, error in % */                                                                \
  X(warp_launch_us, 3.04, "launch, start and end of the call, norm_warp_row", "2026-11-27-h200", 10.2)                \
  X(warp_start_us, 0.662, "of a row, beside what follows, norm_warp_row", "2026-11-27-h200", 10.2)                    \
  X(warp_weight_us, 0.128, "of a row and weight, norm_warp_row", "2026-11-27-h200", 11.0)                             \
  X(warp_residual_us, 0.839, "of a row with a residual, norm_warp_row", "2026-11-27-h200", 13.4)                      \
  X(warp_unaligned_us, 0.277, "of a row that begins anywhere, norm_warp_row", "2026-11-27-h200", 11.4)                \
  X(warp_join_instructions, 3.57, "of a warp and step of a join, norm_warp_row", "2026-11-27-h200", 10.2)             \
  X(warp_clocks, 20.1, "of an instruction, one after the other, norm_warp_row", "2026-11-27-h200", 10.2)              \
  X(block_launch_us, 3.78, "launch, start and end of the call, norm_block_row", "2026-11-27-h200", 10.5)              \
  X(block_start_us, 0.0528, "of a row, beside what follows, norm_block_row", "2026-11-27-h200", 8.8)                  \
  X(block_weight_us, 0.183, "of a row and weight, norm_block_row", "2026-11-27-h200", 10.1)                           \
  X(block_residual_us, 0.226, "of a row with a residual, norm_block_row", "2026-11-27-h200", 10.3)                    \
  X(block_unaligned_us, 0.0259, "of a row that begins anywhere, norm_block_row", "2026-11-27-h200", 9.1)              \
  X(block_warps_us, 0.829, "of a block's 16 warps, norm_block_row", "2026-11-27-h200", 8.8)                           \
  X(block_place_us, 0.0665, "for a block to come and go, norm_block_row", "2026-11-27-h200", 8.7)                     \
  X(block_clocks, 20.4, "of an instruction, one after the other, norm_block_row", "2026-11-27-h200", 8.7)             \
  X(stages_launch_us, 4.1, "launch, start and end of the call, stages of norm_block_row", "2026-11-27-h200", 11.3)    \
  X(stages_start_us, 0.535, "of a row, beside what follows, stages of norm_block_row", "2026-11-27-h200", 11.3)       \
  X(stages_weight_us, 0.287, "of a row and weight, stages of norm_block_row", "2026-11-27-h200", 10.7)                \
  X(stages_residual_us, 0.358, "of a row with a residual, stages of norm_block_row", "2026-11-27-h200", 6.7)          \
  X(stages_operand_us, 0.179, "of a row and operand of a stage, stages of norm_block_row", "2026-11-27-h200", 11.7)   \
  X(stages_unaligned_us, 0.0968, "of a row that begins anywhere, stages of norm_block_row", "2026-11-27-h200", 11.7)  \
  X(stages_warps_us, 1.37, "of a block's 16 warps, stages of norm_block_row", "2026-11-27-h200", 11.3)                \
  X(stages_place_us, 0.0767, "for a block to come and go, stages of norm_block_row", "2026-11-27-h200", 11.3)         \
  X(stages_clocks, 16.9, "of an instruction, one after the other, stages of norm_block_row", "2026-11-27-h200", 11.3) \
  X(alike_start_us, 0.325, "of a row, beside what follows, rows that begin alike", "2026-11-27-h200", 9.9)            \
  X(alike_weight_us, 0.0912, "of a row and weight, rows that begin alike", "2026-11-27-h200", 10.3)                   \
  X(alike_row_us, 0.602, "of a row that follows another, rows that begin alike", "2026-11-27-h200", 9.9)              \
  X(alike_shift_instructions, 3.79, "of an element, beside others, rows that begin alike", "2026-11-27-h200", 9.6)    \
  X(alike_load_instructions, 23.9, "of an element of x that begins otherwise than out, rows that begin alike",        \
    "2026-11-27-h200", 23.5)                                                                                          \
  X(alike_clocks, 2.79, "of an instruction, one after the other, rows that begin alike", "2026-11-27-h200", 10.2)     \
  X(staying_share, 0.829, "of memory_gbs that reading and writing reach, norm_staying_rows", "2026-11-27-h200", 12.1) \
  X(staying_start_us, 1.51, "of a block and its weights, norm_staying_rows", "2026-11-27-h200", 12.2)                 \
  X(staying_row_us, 0.374, "of a row's way, norm_staying_rows", "2026-11-27-h200", 12.2)                              \
  X(staying_join_us, 0.194, "of a row of several warps, norm_staying_rows", "2026-11-27-h200", 10.8)                  \
  X(staying_meet_us, 2.03, "of a row of several blocks, norm_staying_rows", "2026-11-27-h200", 17.3)                  \
  X(staying_next_us, 1.58, "of such a row behind another, norm_staying_rows", "2026-11-27-h200", 15.9)                \
  X(staying_clocks, 1.65, "of an instruction, one after the other, norm_staying_rows", "2026-11-27-h200", 12.2)

namespace gpuopt {

GPUOPT_FIGURES(NormRegistersFigures, norm_registers_figures, GPUOPT_NORM_REGISTERS_FIGURES)

}  // namespace gpuopt
