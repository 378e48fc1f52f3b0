// What predictions of kernels that hold rows in registers go by, beside what all kernels on rows share. Times are a row's
// chain of latencies.
#pragma once

#include "common/figures.h"

#define GPUOPT_NORM_REGISTERS_FIGURES(X)                                                                              \
  /* name, value, what it is, fitted to, error in % */                                                                \
  X(warp_launch_us, 0.885, "launch, start and end of the call, norm_warp_row", "2026-11-28", 11.5)                    \
  X(warp_chain_us, 1.15, "more with stages, wider weights or a narrower result, norm_warp_row", "2026-11-28", 14.9)   \
  X(warp_start_us, 0.908, "of a row, beside what follows, norm_warp_row", "2026-11-28", 11.5)                         \
  X(warp_weight_us, 0.152, "of a row and weight, norm_warp_row", "2026-11-28", 12.2)                                  \
  X(warp_residual_us, 0.855, "of a row with a residual, norm_warp_row", "2026-11-28", 13.0)                           \
  X(warp_unaligned_us, 0.1, "of a row that begins anywhere, norm_warp_row", "2026-11-28", 12.3)                       \
  X(warp_join_instructions, 10.8, "of a warp and step of a join, norm_warp_row", "2026-11-28", 11.2)                  \
  X(warp_clocks, 14, "of an instruction, one after the other, norm_warp_row", "2026-11-28", 11.5)                     \
  X(block_launch_us, 1.93, "launch, start and end of the call, norm_block_row", "2026-11-28", 8.9)                    \
  X(block_start_us, 0.0435, "of a row, beside what follows, norm_block_row", "2026-11-28", 10.2)                      \
  X(block_weight_us, 0.145, "of a row and weight, norm_block_row", "2026-11-28", 10.0)                                \
  X(block_residual_us, 0.0759, "of a row with a residual, norm_block_row", "2026-11-28", 10.2)                        \
  X(block_unaligned_us, 0.0224, "of a row that begins anywhere, norm_block_row", "2026-11-28", 11.0)                  \
  X(block_warps_us, 0.55, "of a block's 16 warps, norm_block_row", "2026-11-28", 10.2)                                \
  X(block_place_us, 0.069, "for a block to come and go, norm_block_row", "2026-11-28", 10.2)                          \
  X(block_clocks, 17, "of an instruction, one after the other, norm_block_row", "2026-11-28", 10.1)                   \
  X(block_single_clocks, 13.1,                                                                                        \
    "of a multiprocessor, a warp's elements of a sum that begins otherwise, norm_block_row", "2026-11-28", 15.1)      \
  X(elements_launch_us, 1.57, "launch, start and end of the call, rows by elements", "2026-11-29", 6.6)               \
  X(elements_join_us, 0.324, "of a sum over a block, rows by elements", "2026-11-29", 6.6)                            \
  X(elements_weight_us, 0.244, "of a row and weight or residual, rows by elements", "2026-11-29", 6.6)                \
  X(elements_place_us, 0.109, "of a block of a multiprocessor, rows by elements", "2026-11-29", 6.6)                  \
  X(elements_instructions, 217, "of a warp, rows by elements", "2026-11-29", 6.6)                                     \
  X(stages_launch_us, 1.81, "launch, start and end of the call, stages of norm_block_row", "2026-11-28", 11.2)        \
  X(stages_start_us, 1.22, "of a row, beside what follows, stages of norm_block_row", "2026-11-28", 11.2)             \
  X(stages_weight_us, 0.19, "of a row and weight, stages of norm_block_row", "2026-11-28", 10.8)                      \
  X(stages_residual_us, 1.08, "of a row with a residual, stages of norm_block_row", "2026-11-28", 13.1)               \
  X(stages_operand_us, 0.175, "of a row and operand of a stage, stages of norm_block_row", "2026-11-28", 12.1)        \
  X(stages_unaligned_us, 0.115, "of a row that begins anywhere, stages of norm_block_row", "2026-11-28", 11.2)        \
  X(stages_warps_us, 1.03, "of a block's 16 warps, stages of norm_block_row", "2026-11-28", 11.2)                     \
  X(stages_place_us, 0.0506, "for a block to come and go, stages of norm_block_row", "2026-11-28", 11.2)              \
  X(stages_clocks, 15.8, "of an instruction, one after the other, stages of norm_block_row", "2026-11-28", 11.2)      \
  X(alike_start_us, 3.23, "of a row, beside what follows, rows that begin alike", "2026-11-28", 9.8)                  \
  X(alike_weight_us, 0.183, "of a row and weight, rows that begin alike", "2026-11-28", 8.7)                          \
  X(alike_row_us, 0.316, "of a row that follows another, rows that begin alike", "2026-11-28", 9.5)                   \
  X(alike_shift_instructions, 3.06, "of an element, beside others, rows that begin alike", "2026-11-28", 9.4)         \
  X(alike_load_instructions, 18.7, "of an element of x that begins otherwise than out, rows that begin alike",        \
    "2026-11-28", 18.7)                                                                                               \
  X(alike_clocks, 3.04, "of an instruction, one after the other, rows that begin alike", "2026-11-28", 10.2)          \
  X(split_launch_us, 1.81, "launch, start and end of the call, norm_split_row", "2026-11-28", 7.3)                    \
  X(split_weight_us, 0.229, "of a row and weight, norm_split_row", "2026-11-28", 7.3)                                 \
  X(split_chain_us, 0.171, "of a row with stages, wide weights or narrow results, norm_split_row", "2026-11-28", 8.3) \
  X(split_unaligned_us, 0.157, "of a row that begins anywhere, norm_split_row", "2026-11-28", 7.1)                    \
  X(split_warps_us, 1.19, "of a block's 16 warps, norm_split_row", "2026-11-28", 7.3)                                 \
  X(split_join_us, 0.213, "of a row of several blocks, norm_split_row", "2026-11-28", 7.3)                            \
  X(split_block_us, 0.0114, "of each of them, norm_split_row", "2026-11-28", 7.4)                                     \
  X(split_many_us, 0.256, "of threads with several vectors, norm_split_row", "2026-11-28", 6.2)                       \
  X(split_vector_us, 0.0404, "of a vector behind another, norm_split_row", "2026-11-28", 6.2)                         \
  X(split_place_us, 0.247, "for a block to come and go, norm_split_row", "2026-11-28", 7.3)                           \
  X(split_clocks, 20.7, "of an instruction, one after the other, norm_split_row", "2026-11-28", 7.3)                  \
  X(staying_share, 0.856, "of memory_gbs that reading and writing reach, norm_staying_rows", "2026-11-28", 7.9)       \
  X(staying_start_us, 0.652, "of a block and its weights, norm_staying_rows", "2026-11-28", 8.0)                      \
  X(staying_fill_us, 0.394, "of 16 KB of a block's first rows and weights, norm_staying_rows", "2026-11-28", 8.0)     \
  X(staying_row_us, 0.206, "of a row's way, norm_staying_rows", "2026-11-28", 8.0)                                    \
  X(staying_join_us, 0.0384, "of a row of several warps, norm_staying_rows", "2026-11-28", 8.6)                       \
  X(staying_meet_us, 1.12, "of a row of several blocks, norm_staying_rows", "2026-11-28", 11.9)                       \
  X(staying_next_us, 0.386, "of such a row behind another, norm_staying_rows", "2026-11-28", 13.2)                    \
  X(staying_activation_instructions, 8.91, "an element's activation, norm_staying_rows", "2026-11-28", 9.8)           \
  X(staying_clocks, 1.03, "of an instruction, one after the other, norm_staying_rows", "2026-11-28", 8.0)

namespace gpuopt {

GPUOPT_FIGURES(NormRegistersFigures, norm_registers_figures, GPUOPT_NORM_REGISTERS_FIGURES)

}  // namespace gpuopt
