// What predictions of kernels that hold rows in registers go by, beside what all kernels on rows share. Times are a row's
// chain of latencies.
#pragma once

#include "common/figures.h"

#define GPUOPT_NORM_REGISTERS_FIGURES(X)                                                                              \
  /* name, value, what it is, fitted to, error in % */                                                                \
  X(warp_launch_us, 3.06, "launch, start and end of the call, norm_warp_row", "2026-11-27-h200", 10.7)                \
  X(warp_chain_us, 1.92, "more with stages, wider weights or a narrower result, norm_warp_row", "2026-11-27-h200",    \
    15.2)                                                                                                             \
  X(warp_start_us, 0.607, "of a row, beside what follows, norm_warp_row", "2026-11-27-h200", 10.7)                    \
  X(warp_weight_us, 0.112, "of a row and weight, norm_warp_row", "2026-11-27-h200", 11.8)                             \
  X(warp_residual_us, 0.953, "of a row with a residual, norm_warp_row", "2026-11-27-h200", 14.7)                      \
  X(warp_unaligned_us, 0.214, "of a row that begins anywhere, norm_warp_row", "2026-11-27-h200", 11.6)                \
  X(warp_join_instructions, 8.03, "of a warp and step of a join, norm_warp_row", "2026-11-27-h200", 10.5)             \
  X(warp_clocks, 16.8, "of an instruction, one after the other, norm_warp_row", "2026-11-27-h200", 10.7)              \
  X(block_launch_us, 3.84, "launch, start and end of the call, norm_block_row", "2026-11-27-h200", 9.0)               \
  X(block_start_us, 0.0422, "of a row, beside what follows, norm_block_row", "2026-11-27-h200", 8.1)                  \
  X(block_weight_us, 0.163, "of a row and weight, norm_block_row", "2026-11-27-h200", 7.7)                            \
  X(block_residual_us, 0.123, "of a row with a residual, norm_block_row", "2026-11-27-h200", 9.6)                     \
  X(block_unaligned_us, 0.0247, "of a row that begins anywhere, norm_block_row", "2026-11-27-h200", 8.7)              \
  X(block_warps_us, 0.515, "of a block's 16 warps, norm_block_row", "2026-11-27-h200", 8.1)                           \
  X(block_place_us, 0.0666, "for a block to come and go, norm_block_row", "2026-11-27-h200", 8.1)                     \
  X(block_clocks, 18.6, "of an instruction, one after the other, norm_block_row", "2026-11-27-h200", 8.1)             \
  X(stages_launch_us, 4.02, "launch, start and end of the call, stages of norm_block_row", "2026-11-27-h200", 11.9)   \
  X(stages_start_us, 0.688, "of a row, beside what follows, stages of norm_block_row", "2026-11-27-h200", 12.0)       \
  X(stages_weight_us, 0.441, "of a row and weight, stages of norm_block_row", "2026-11-27-h200", 13.0)                \
  X(stages_residual_us, 0.629, "of a row with a residual, stages of norm_block_row", "2026-11-27-h200", 10.7)         \
  X(stages_operand_us, 0.135, "of a row and operand of a stage, stages of norm_block_row", "2026-11-27-h200", 10.7)   \
  X(stages_unaligned_us, 0.109, "of a row that begins anywhere, stages of norm_block_row", "2026-11-27-h200", 11.4)   \
  X(stages_warps_us, 1, "of a block's 16 warps, stages of norm_block_row", "2026-11-27-h200", 11.9)                   \
  X(stages_place_us, 0.0637, "for a block to come and go, stages of norm_block_row", "2026-11-27-h200", 11.9)         \
  X(stages_clocks, 16.4, "of an instruction, one after the other, stages of norm_block_row", "2026-11-27-h200", 12.0) \
  X(alike_start_us, 1.25, "of a row, beside what follows, rows that begin alike", "2026-11-27-h200", 10.3)            \
  X(alike_weight_us, 0.142, "of a row and weight, rows that begin alike", "2026-11-27-h200", 9.4)                     \
  X(alike_row_us, 0.259, "of a row that follows another, rows that begin alike", "2026-11-27-h200", 10.7)             \
  X(alike_shift_instructions, 3.46, "of an element, beside others, rows that begin alike", "2026-11-27-h200", 10.8)   \
  X(alike_load_instructions, 15, "of an element of x that begins otherwise than out, rows that begin alike",          \
    "2026-11-27-h200", 19.8)                                                                                          \
  X(alike_clocks, 4.92, "of an instruction, one after the other, rows that begin alike", "2026-11-27-h200", 10.8)     \
  X(staying_share, 0.866, "of memory_gbs that reading and writing reach, norm_staying_rows", "2026-11-27-h200", 9.1)  \
  X(staying_start_us, 1.74, "of a block and its weights, norm_staying_rows", "2026-11-27-h200", 9.2)                  \
  X(staying_row_us, 0.146, "of a row's way, norm_staying_rows", "2026-11-27-h200", 9.2)                               \
  X(staying_join_us, 0.0938, "of a row of several warps, norm_staying_rows", "2026-11-27-h200", 11.1)                 \
  X(staying_meet_us, 1.85, "of a row of several blocks, norm_staying_rows", "2026-11-27-h200", 17.0)                  \
  X(staying_next_us, 2.11, "of such a row behind another, norm_staying_rows", "2026-11-27-h200", 13.4)                \
  X(staying_activation_instructions, 8.62, "an element's activation, norm_staying_rows", "2026-11-27-h200", 8.2)      \
  X(staying_clocks, 0.954, "of an instruction, one after the other, norm_staying_rows", "2026-11-27-h200", 9.2)

namespace gpuopt {

GPUOPT_FIGURES(NormRegistersFigures, norm_registers_figures, GPUOPT_NORM_REGISTERS_FIGURES)

}  // namespace gpuopt
