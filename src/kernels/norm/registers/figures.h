// What predictions of kernels that hold rows in registers go by, beside what all kernels on rows share. Times are a row's
// chain of latencies.
#pragma once

#include "common/figures.h"

#define GPUOPT_NORM_REGISTERS_FIGURES(X)                                                                             \
  /* name, value, what it is, fitted to, error in % */                                                               \
  X(warp_launch_us, 3.35, "launch, start and end of the call, norm_warp_row", "2026-11-22-h200", 6.7)                \
  X(warp_start_us, 0.535, "of a row, beside what follows, norm_warp_row", "2026-11-22-h200", 6.7)                    \
  X(warp_weight_us, 0.198, "of a row and weight, norm_warp_row", "2026-11-22-h200", 6.7)                             \
  X(warp_residual_us, 0.426, "of a row with a residual, norm_warp_row", "2026-11-22-h200", 6.7)                      \
  X(warp_unaligned_us, 0.266, "of a row that begins anywhere, norm_warp_row", "2026-11-22-h200", 6.7)                \
  X(warp_join_instructions, 3.9, "of a warp and step of a join, norm_warp_row", "2026-11-22-h200", 6.7)              \
  X(warp_clocks, 21.7, "of an instruction, one after the other, norm_warp_row", "2026-11-22-h200", 6.7)              \
  X(block_launch_us, 3.87, "launch, start and end of the call, norm_block_row", "2026-11-22-h200", 7.8)              \
  X(block_start_us, 0.061, "of a row, beside what follows, norm_block_row", "2026-11-22-h200", 7.8)                  \
  X(block_weight_us, 0.346, "of a row and weight, norm_block_row", "2026-11-22-h200", 7.8)                           \
  X(block_residual_us, 0.529, "of a row with a residual, norm_block_row", "2026-11-22-h200", 7.8)                    \
  X(block_unaligned_us, 0.028, "of a row that begins anywhere, norm_block_row", "2026-11-22-h200", 7.8)              \
  X(block_warps_us, 1.64, "of a block's 16 warps, norm_block_row", "2026-11-22-h200", 7.8)                           \
  X(block_place_us, 0.0621, "for a block to come and go, norm_block_row", "2026-11-22-h200", 7.8)                    \
  X(block_clocks, 20.7, "of an instruction, one after the other, norm_block_row", "2026-11-22-h200", 7.8)            \
  X(stages_launch_us, 3.29, "launch, start and end of the call, stages of norm_block_row", "2026-11-22-h200", 7.7)   \
  X(stages_start_us, 0.541, "of a row, beside what follows, stages of norm_block_row", "2026-11-22-h200", 7.7)       \
  X(stages_weight_us, 0.404, "of a row and weight, stages of norm_block_row", "2026-11-22-h200", 7.7)                \
  X(stages_residual_us, 0.37, "of a row with a residual, stages of norm_block_row", "2026-11-22-h200", 7.7)          \
  X(stages_operand_us, 0.151, "of a row and operand of a stage, stages of norm_block_row", "2026-11-22-h200", 7.7)   \
  X(stages_unaligned_us, 0.0869, "of a row that begins anywhere, stages of norm_block_row", "2026-11-22-h200", 7.7)  \
  X(stages_warps_us, 1.71, "of a block's 16 warps, stages of norm_block_row", "2026-11-22-h200", 7.7)                \
  X(stages_place_us, 0.0556, "for a block to come and go, stages of norm_block_row", "2026-11-22-h200", 7.7)         \
  X(stages_clocks, 23.8, "of an instruction, one after the other, stages of norm_block_row", "2026-11-22-h200", 7.7) \
  X(alike_start_us, 0.267, "of a row, beside what follows, rows that begin alike", "2026-11-22-h200", 1.3)           \
  X(alike_weight_us, 0.0861, "of a row and weight, rows that begin alike", "2026-11-22-h200", 1.3)                   \
  X(alike_row_us, 0.541, "of a row that follows another, rows that begin alike", "2026-11-22-h200", 1.3)             \
  X(alike_shift_instructions, 4.49, "of an element, beside others, rows that begin alike", "2026-11-22-h200", 1.3)   \
  X(alike_load_instructions, 33.9, "of an element of x that begins otherwise than out, rows that begin alike",       \
    "2026-11-22-h200", 1.3)                                                                                          \
  X(alike_clocks, 2.3, "of an instruction, one after the other, rows that begin alike", "2026-11-22-h200", 1.3)

namespace gpuopt {

GPUOPT_FIGURES(NormRegistersFigures, norm_registers_figures, GPUOPT_NORM_REGISTERS_FIGURES)

}  // namespace gpuopt
