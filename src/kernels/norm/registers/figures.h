// What predictions of kernels that hold rows in registers go by, beside what all kernels on rows share. Times are a row's
// chain of latencies.
#pragma once

#include "common/figures.h"

#define GPUOPT_NORM_REGISTERS_FIGURES(X)                                                                             \
  /* name, value, what it is, fitted to, error in % */                                                               \
  X(warp_launch_us, 3.08, "launch, start and end of the call, norm_warp_row", "2026-11-23-h200", 10.4)               \
  X(warp_start_us, 0.66, "of a row, beside what follows, norm_warp_row", "2026-11-23-h200", 10.4)                    \
  X(warp_weight_us, 0.137, "of a row and weight, norm_warp_row", "2026-11-23-h200", 7.6)                             \
  X(warp_residual_us, 0.414, "of a row with a residual, norm_warp_row", "2026-11-23-h200", 17.0)                     \
  X(warp_unaligned_us, 0.267, "of a row that begins anywhere, norm_warp_row", "2026-11-23-h200", 13.1)               \
  X(warp_join_instructions, 3.91, "of a warp and step of a join, norm_warp_row", "2026-11-23-h200", 9.8)             \
  X(warp_clocks, 20.4, "of an instruction, one after the other, norm_warp_row", "2026-11-23-h200", 10.4)             \
  X(block_launch_us, 3.75, "launch, start and end of the call, norm_block_row", "2026-11-23-h200", 8.8)              \
  X(block_start_us, 0.0545, "of a row, beside what follows, norm_block_row", "2026-11-23-h200", 8.9)                 \
  X(block_weight_us, 0.263, "of a row and weight, norm_block_row", "2026-11-23-h200", 11.2)                          \
  X(block_residual_us, 0.275, "of a row with a residual, norm_block_row", "2026-11-23-h200", 10.5)                   \
  X(block_unaligned_us, 0.027, "of a row that begins anywhere, norm_block_row", "2026-11-23-h200", 10.6)             \
  X(block_warps_us, 1.05, "of a block's 16 warps, norm_block_row", "2026-11-23-h200", 8.9)                           \
  X(block_place_us, 0.0649, "for a block to come and go, norm_block_row", "2026-11-23-h200", 8.9)                    \
  X(block_clocks, 22.3, "of an instruction, one after the other, norm_block_row", "2026-11-23-h200", 8.8)            \
  X(stages_launch_us, 5.26, "launch, start and end of the call, stages of norm_block_row", "2026-11-23-h200", 9.8)   \
  X(stages_start_us, 0.591, "of a row, beside what follows, stages of norm_block_row", "2026-11-23-h200", 9.8)       \
  X(stages_weight_us, 0.327, "of a row and weight, stages of norm_block_row", "2026-11-23-h200", 8.2)                \
  X(stages_residual_us, 0.335, "of a row with a residual, stages of norm_block_row", "2026-11-23-h200", 6.5)         \
  X(stages_operand_us, 0.188, "of a row and operand of a stage, stages of norm_block_row", "2026-11-23-h200", 10.4)  \
  X(stages_unaligned_us, 0.0969, "of a row that begins anywhere, stages of norm_block_row", "2026-11-23-h200", 9.5)  \
  X(stages_warps_us, 1.67, "of a block's 16 warps, stages of norm_block_row", "2026-11-23-h200", 9.8)                \
  X(stages_place_us, 0.0574, "for a block to come and go, stages of norm_block_row", "2026-11-23-h200", 9.8)         \
  X(stages_clocks, 26.6, "of an instruction, one after the other, stages of norm_block_row", "2026-11-23-h200", 9.8) \
  X(alike_start_us, 0.267, "of a row, beside what follows, rows that begin alike", "2026-11-23-h200", 0.1)           \
  X(alike_weight_us, 0.0861, "of a row and weight, rows that begin alike", "2026-11-23-h200", 0.1)                   \
  X(alike_row_us, 0.537, "of a row that follows another, rows that begin alike", "2026-11-23-h200", 0.1)             \
  X(alike_shift_instructions, 4.46, "of an element, beside others, rows that begin alike", "2026-11-23-h200", 0.1)   \
  X(alike_load_instructions, 32.2, "of an element of x that begins otherwise than out, rows that begin alike",       \
    "2026-11-23-h200", 0.1)                                                                                          \
  X(alike_clocks, 2.25, "of an instruction, one after the other, rows that begin alike", "2026-11-23-h200", 0.1)     \
  X(staying_start_us, 1.66, "of a block and its weights, norm_staying_rows", "2026-11-23-h200-model", 12.8)          \
  X(staying_row_us, 0.398, "of a row that follows another, norm_staying_rows", "2026-11-23-h200-model", 12.8)        \
  X(staying_row_instructions, 97, "of a row, beside its elements, norm_staying_rows", "2026-11-23-h200-model", 12.8) \
  X(staying_ends_instructions, 47.5, "of a row that begins anywhere, norm_staying_rows", "2026-11-23-h200-model",    \
    12.8)                                                                                                            \
  X(staying_clocks, 6.28, "of an instruction, one after the other, norm_staying_rows", "2026-11-23-h200-model", 12.8)

namespace gpuopt {

GPUOPT_FIGURES(NormRegistersFigures, norm_registers_figures, GPUOPT_NORM_REGISTERS_FIGURES)

}  // namespace gpuopt
