// What predictions of kernels that hold rows in registers go by, beside what all kernels on rows share. Times are a row's
// chain of latencies.
#pragma once

#include "common/figures.h"

#define GPUOPT_NORM_REGISTERS_FIGURES(X)                                                                            \
  /* name, value, what it is, fitted to, error in % */                                                              \
  X(warp_launch_us, 1.13, "launch, start and end of the call, norm_warp_row", "2026-11-28", 11.5)                   \
  X(warp_chain_us, 1.73, "more with stages, wider weights or a narrower result, norm_warp_row", "2026-11-28", 15.4) \
  X(warp_start_us, 0.658, "of a row, beside what follows, norm_warp_row", "2026-11-28", 11.5)                       \
  X(warp_weight_us, 0.139, "of a row and weight, norm_warp_row", "2026-11-28", 11.5)                                \
  X(warp_residual_us, 0.757, "of a row with a residual, norm_warp_row", "2026-11-28", 15.2)                         \
  X(warp_unaligned_us, 0.195, "of a row that begins anywhere, norm_warp_row", "2026-11-28", 13.0)                   \
  X(warp_join_instructions, 8.93, "of a warp and step of a join, norm_warp_row", "2026-11-28", 11.2)                \
  X(warp_clocks, 16.7, "of an instruction, one after the other, norm_warp_row", "2026-11-28", 11.5)                 \
  X(block_launch_us, 2.14, "launch, start and end of the call, norm_block_row", "2026-11-28", 10.5)                 \
  X(block_start_us, 0.0413, "of a row, beside what follows, norm_block_row", "2026-11-28", 10.6)                    \
  X(block_weight_us, 0.156, "of a row and weight, norm_block_row", "2026-11-28", 10.1)                              \
  X(block_residual_us, 0.104, "of a row with a residual, norm_block_row", "2026-11-28", 9.9)                        \
  X(block_unaligned_us, 0.0241, "of a row that begins anywhere, norm_block_row", "2026-11-28", 11.4)                \
  X(block_warps_us, 0.532, "of a block's 16 warps, norm_block_row", "2026-11-28", 10.6)                             \
  X(block_place_us, 0.0679, "for a block to come and go, norm_block_row", "2026-11-28", 10.6)                       \
  X(block_clocks, 18.1, "of an instruction, one after the other, norm_block_row", "2026-11-28", 10.5)               \
  X(stages_launch_us, 2.19, "launch, start and end of the call, stages of norm_block_row", "2026-11-28", 11.5)      \
  X(stages_start_us, 0.604, "of a row, beside what follows, stages of norm_block_row", "2026-11-28", 11.6)          \
  X(stages_weight_us, 0.279, "of a row and weight, stages of norm_block_row", "2026-11-28", 11.7)                   \
  X(stages_residual_us, 0.597, "of a row with a residual, stages of norm_block_row", "2026-11-28", 12.6)            \
  X(stages_operand_us, 0.141, "of a row and operand of a stage, stages of norm_block_row", "2026-11-28", 10.5)      \
  X(stages_unaligned_us, 0.113, "of a row that begins anywhere, stages of norm_block_row", "2026-11-28", 11.2)      \
  X(stages_warps_us, 0.997, "of a block's 16 warps, stages of norm_block_row", "2026-11-28", 11.5)                  \
  X(stages_place_us, 0.055, "for a block to come and go, stages of norm_block_row", "2026-11-28", 11.6)             \
  X(stages_clocks, 20.1, "of an instruction, one after the other, stages of norm_block_row", "2026-11-28", 11.8)    \
  X(alike_start_us, 1.77, "of a row, beside what follows, rows that begin alike", "2026-11-28", 10.1)               \
  X(alike_weight_us, 0.148, "of a row and weight, rows that begin alike", "2026-11-28", 7.9)                        \
  X(alike_row_us, 0.261, "of a row that follows another, rows that begin alike", "2026-11-28", 9.9)                 \
  X(alike_shift_instructions, 3.31, "of an element, beside others, rows that begin alike", "2026-11-28", 10.1)      \
  X(alike_load_instructions, 18.4, "of an element of x that begins otherwise than out, rows that begin alike",      \
    "2026-11-28", 19.9)                                                                                             \
  X(alike_clocks, 4.13, "of an instruction, one after the other, rows that begin alike", "2026-11-28", 10.8)        \
  X(staying_share, 0.826, "of memory_gbs that reading and writing reach, norm_staying_rows", "2026-11-28", 10.5)    \
  X(staying_start_us, 1.12, "of a block and its weights, norm_staying_rows", "2026-11-28", 10.6)                    \
  X(staying_row_us, 0.15, "of a row's way, norm_staying_rows", "2026-11-28", 10.6)                                  \
  X(staying_join_us, 0.0743, "of a row of several warps, norm_staying_rows", "2026-11-28", 12.4)                    \
  X(staying_meet_us, 1.72, "of a row of several blocks, norm_staying_rows", "2026-11-28", 19.8)                     \
  X(staying_next_us, 2.2, "of such a row behind another, norm_staying_rows", "2026-11-28", 17.2)                    \
  X(staying_activation_instructions, 8.6, "an element's activation, norm_staying_rows", "2026-11-28", 15.7)         \
  X(staying_clocks, 0.908, "of an instruction, one after the other, norm_staying_rows", "2026-11-28", 10.6)

namespace gpuopt {

GPUOPT_FIGURES(NormRegistersFigures, norm_registers_figures, GPUOPT_NORM_REGISTERS_FIGURES)

}  // namespace gpuopt
