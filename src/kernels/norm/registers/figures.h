// What predictions of kernels that hold rows in registers go by, beside what all kernels on rows share. Times are a row's
// chain of latencies.
#pragma once

#include "common/figures.h"

#define GPUOPT_NORM_REGISTERS_FIGURES(X)                                                                              \
  /* name, value, what it is, fitted to, error in % */                                                                \
  X(warp_launch_us, 3.17, "launch, start and end of the call, norm_warp_row", "2026-11-24-h200", 10.0)                \
  X(warp_start_us, 0.907, "of a row, beside what follows, norm_warp_row", "2026-11-24-h200", 10.0)                    \
  X(warp_weight_us, 0.12, "of a row and weight, norm_warp_row", "2026-11-24-h200", 11.3)                              \
  X(warp_residual_us, 0.823, "of a row with a residual, norm_warp_row", "2026-11-24-h200", 12.3)                      \
  X(warp_unaligned_us, 0.311, "of a row that begins anywhere, norm_warp_row", "2026-11-24-h200", 11.0)                \
  X(warp_join_instructions, 3.74, "of a warp and step of a join, norm_warp_row", "2026-11-24-h200", 9.8)              \
  X(warp_clocks, 16.9, "of an instruction, one after the other, norm_warp_row", "2026-11-24-h200", 10.0)              \
  X(block_launch_us, 3.77, "launch, start and end of the call, norm_block_row", "2026-11-24-h200", 8.7)               \
  X(block_start_us, 0.0537, "of a row, beside what follows, norm_block_row", "2026-11-24-h200", 10.1)                 \
  X(block_weight_us, 0.195, "of a row and weight, norm_block_row", "2026-11-24-h200", 11.1)                           \
  X(block_residual_us, 0.249, "of a row with a residual, norm_block_row", "2026-11-24-h200", 15.1)                    \
  X(block_unaligned_us, 0.026, "of a row that begins anywhere, norm_block_row", "2026-11-24-h200", 9.0)               \
  X(block_warps_us, 1.05, "of a block's 16 warps, norm_block_row", "2026-11-24-h200", 10.0)                           \
  X(block_place_us, 0.0689, "for a block to come and go, norm_block_row", "2026-11-24-h200", 10.1)                    \
  X(block_clocks, 20.1, "of an instruction, one after the other, norm_block_row", "2026-11-24-h200", 9.8)             \
  X(stages_launch_us, 3.65, "launch, start and end of the call, stages of norm_block_row", "2026-11-24-h200", 11.8)   \
  X(stages_start_us, 0.521, "of a row, beside what follows, stages of norm_block_row", "2026-11-24-h200", 11.8)       \
  X(stages_weight_us, 0.302, "of a row and weight, stages of norm_block_row", "2026-11-24-h200", 15.0)                \
  X(stages_residual_us, 0.354, "of a row with a residual, stages of norm_block_row", "2026-11-24-h200", 10.5)         \
  X(stages_operand_us, 0.187, "of a row and operand of a stage, stages of norm_block_row", "2026-11-24-h200", 19.0)   \
  X(stages_unaligned_us, 0.0942, "of a row that begins anywhere, stages of norm_block_row", "2026-11-24-h200", 11.0)  \
  X(stages_warps_us, 1.4, "of a block's 16 warps, stages of norm_block_row", "2026-11-24-h200", 11.8)                 \
  X(stages_place_us, 0.112, "for a block to come and go, stages of norm_block_row", "2026-11-24-h200", 11.8)          \
  X(stages_clocks, 19.5, "of an instruction, one after the other, stages of norm_block_row", "2026-11-24-h200", 11.6) \
  X(alike_start_us, 0.31, "of a row, beside what follows, rows that begin alike", "2026-11-24-h200", 4.8)             \
  X(alike_weight_us, 0.0892, "of a row and weight, rows that begin alike", "2026-11-24-h200", 4.9)                    \
  X(alike_row_us, 0.68, "of a row that follows another, rows that begin alike", "2026-11-24-h200", 5.9)               \
  X(alike_shift_instructions, 4.42, "of an element, beside others, rows that begin alike", "2026-11-24-h200", 5.1)    \
  X(alike_load_instructions, 23.8, "of an element of x that begins otherwise than out, rows that begin alike",        \
    "2026-11-24-h200", 14.6)                                                                                          \
  X(alike_clocks, 2.49, "of an instruction, one after the other, rows that begin alike", "2026-11-24-h200", 4.9)      \
  X(staying_share, 0.811, "of memory_gbs that reading and writing reach, norm_staying_rows", "2026-11-27-h100", 10.2) \
  X(staying_start_us, 1.35, "of a block and its weights, norm_staying_rows", "2026-11-27-h100", 10.2)                 \
  X(staying_row_us, 0.218, "of a row's way, norm_staying_rows", "2026-11-27-h100", 10.2)                              \
  X(staying_join_us, 0.237, "of a row of several warps, norm_staying_rows", "2026-11-27-h100", 11.7)                  \
  X(staying_meet_us, 1.33, "of a row of several blocks, norm_staying_rows", "2026-11-27-h100", 18.1)                  \
  X(staying_next_us, 2.22, "of such a row behind another, norm_staying_rows", "2026-11-27-h100", 15.4)                \
  X(staying_clocks, 1.2, "of an instruction, one after the other, norm_staying_rows", "2026-11-27-h100", 10.2)

namespace gpuopt {

GPUOPT_FIGURES(NormRegistersFigures, norm_registers_figures, GPUOPT_NORM_REGISTERS_FIGURES)

}  // namespace gpuopt
