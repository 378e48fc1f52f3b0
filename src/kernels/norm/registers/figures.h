// What predictions of kernels that hold rows in registers go by, beside what all kernels on rows share. Times are a row's
// chain of latencies.
#pragma once

#include "common/figures.h"

#define GPUOPT_NORM_REGISTERS_FIGURES(X)                                                                              \
  /* name, value, what it is, fitted to, error in % */                                                                \
  X(warp_launch_us, 0.944, "launch, start and end of the call, norm_warp_row", "2026-11-28", 11.7)                    \
  X(warp_chain_us, 1.22, "more with stages, wider weights or a narrower result, norm_warp_row", "2026-11-28", 15.2)   \
  X(warp_start_us, 0.853, "of a row, beside what follows, norm_warp_row", "2026-11-28", 11.7)                         \
  X(warp_weight_us, 0.136, "of a row and weight, norm_warp_row", "2026-11-28", 12.3)                                  \
  X(warp_residual_us, 0.91, "of a row with a residual, norm_warp_row", "2026-11-28", 13.9)                            \
  X(warp_unaligned_us, 0.155, "of a row that begins anywhere, norm_warp_row", "2026-11-28", 12.6)                     \
  X(warp_join_instructions, 9.85, "of a warp and step of a join, norm_warp_row", "2026-11-28", 11.5)                  \
  X(warp_clocks, 14.4, "of an instruction, one after the other, norm_warp_row", "2026-11-28", 11.7)                   \
  X(block_launch_us, 1.89, "launch, start and end of the call, norm_block_row", "2026-11-28", 9.2)                    \
  X(block_start_us, 0.0423, "of a row, beside what follows, norm_block_row", "2026-11-28", 10.2)                      \
  X(block_weight_us, 0.144, "of a row and weight, norm_block_row", "2026-11-28", 9.7)                                 \
  X(block_residual_us, 0.0951, "of a row with a residual, norm_block_row", "2026-11-28", 9.7)                         \
  X(block_unaligned_us, 0.0237, "of a row that begins anywhere, norm_block_row", "2026-11-28", 10.9)                  \
  X(block_warps_us, 0.599, "of a block's 16 warps, norm_block_row", "2026-11-28", 10.1)                               \
  X(block_place_us, 0.0685, "for a block to come and go, norm_block_row", "2026-11-28", 10.2)                         \
  X(block_clocks, 17.2, "of an instruction, one after the other, norm_block_row", "2026-11-28", 10.0)                 \
  X(stages_launch_us, 2.06, "launch, start and end of the call, stages of norm_block_row", "2026-11-28", 11.4)        \
  X(stages_start_us, 0.818, "of a row, beside what follows, stages of norm_block_row", "2026-11-28", 11.4)            \
  X(stages_weight_us, 0.247, "of a row and weight, stages of norm_block_row", "2026-11-28", 11.4)                     \
  X(stages_residual_us, 0.745, "of a row with a residual, stages of norm_block_row", "2026-11-28", 13.7)              \
  X(stages_operand_us, 0.15, "of a row and operand of a stage, stages of norm_block_row", "2026-11-28", 11.8)         \
  X(stages_unaligned_us, 0.113, "of a row that begins anywhere, stages of norm_block_row", "2026-11-28", 11.2)        \
  X(stages_warps_us, 1.05, "of a block's 16 warps, stages of norm_block_row", "2026-11-28", 11.3)                     \
  X(stages_place_us, 0.0596, "for a block to come and go, stages of norm_block_row", "2026-11-28", 11.4)              \
  X(stages_clocks, 17, "of an instruction, one after the other, stages of norm_block_row", "2026-11-28", 11.4)        \
  X(alike_start_us, 2.9, "of a row, beside what follows, rows that begin alike", "2026-11-28", 9.7)                   \
  X(alike_weight_us, 0.157, "of a row and weight, rows that begin alike", "2026-11-28", 9.3)                          \
  X(alike_row_us, 0.277, "of a row that follows another, rows that begin alike", "2026-11-28", 9.7)                   \
  X(alike_shift_instructions, 3.28, "of an element, beside others, rows that begin alike", "2026-11-28", 9.8)         \
  X(alike_load_instructions, 16.7, "of an element of x that begins otherwise than out, rows that begin alike",        \
    "2026-11-28", 19.3)                                                                                               \
  X(alike_clocks, 3.77, "of an instruction, one after the other, rows that begin alike", "2026-11-28", 10.4)          \
  X(split_launch_us, 1.79, "launch, start and end of the call, norm_split_row", "2026-11-28", 7.3)                    \
  X(split_weight_us, 0.226, "of a row and weight, norm_split_row", "2026-11-28", 7.3)                                 \
  X(split_chain_us, 0.155, "of a row with stages, wide weights or narrow results, norm_split_row", "2026-11-28", 8.0) \
  X(split_unaligned_us, 0.178, "of a row that begins anywhere, norm_split_row", "2026-11-28", 7.5)                    \
  X(split_warps_us, 1.14, "of a block's 16 warps, norm_split_row", "2026-11-28", 7.3)                                 \
  X(split_join_us, 0.242, "of a row of several blocks, norm_split_row", "2026-11-28", 7.4)                            \
  X(split_block_us, 0.0137, "of each of them, norm_split_row", "2026-11-28", 7.5)                                     \
  X(split_many_us, 0.388, "of threads with several vectors, norm_split_row", "2026-11-28", 7.4)                       \
  X(split_vector_us, 0.0588, "of a vector behind another, norm_split_row", "2026-11-28", 7.3)                         \
  X(split_place_us, 0.292, "for a block to come and go, norm_split_row", "2026-11-28", 7.3)                           \
  X(split_clocks, 20.2, "of an instruction, one after the other, norm_split_row", "2026-11-28", 7.3)                  \
  X(places_cluster_share, 0.91, "of the multiprocessors that clusters of three to eight find, that plans assume",     \
    "planned", 0)                                                                                                     \
  X(places_wide_share, 0.85, "the same, of sixteen", "planned", 0)                                                    \
  X(staying_share, 0.853, "of memory_gbs that reading and writing reach, norm_staying_rows", "2026-11-28", 8.4)       \
  X(staying_start_us, 0.709, "of a block and its weights, norm_staying_rows", "2026-11-28", 8.5)                      \
  X(staying_fill_us, 0.367, "of 16 KB of a block's first rows and weights, norm_staying_rows", "2026-11-28", 8.5)     \
  X(staying_row_us, 0.183, "of a row's way, norm_staying_rows", "2026-11-28", 8.5)                                    \
  X(staying_join_us, 0.0541, "of a row of several warps, norm_staying_rows", "2026-11-28", 9.0)                       \
  X(staying_meet_us, 1.36, "of a row of several blocks, norm_staying_rows", "2026-11-28", 13.8)                       \
  X(staying_next_us, 0.697, "of such a row behind another, norm_staying_rows", "2026-11-28", 17.0)                    \
  X(staying_activation_instructions, 10, "an element's activation, norm_staying_rows", "2026-11-28", 9.7)             \
  X(staying_clocks, 0.908, "of an instruction, one after the other, norm_staying_rows", "2026-11-28", 8.5)

namespace gpuopt {

GPUOPT_FIGURES(NormRegistersFigures, norm_registers_figures, GPUOPT_NORM_REGISTERS_FIGURES)

}  // namespace gpuopt
