// What predictions of kernels that keep rows in shared memory go by, beside what all kernels on rows share. Times are a
// row's chain of latencies.
#pragma once

#include "common/figures.h"

#define GPUOPT_NORM_SHARED_FIGURES(X)                                                                              \
  /* name, value, what it is, fitted to, error in % */                                                             \
  X(shared_launch_us, 2.48, "launch, start and end of the call, norm_shared", "2026-11-28", 9.3)                   \
  X(shared_start_us, 0.573, "of a row, beside what follows", "2026-11-28", 9.3)                                    \
  X(shared_read_us, 0.094, "of 256 elements of x or the residual", "2026-11-28", 9.3)                              \
  X(shared_narrow_share, 1.39, "more of it where types are converted", "2026-11-28", 8.9)                          \
  X(shared_again_share, 1.1, "of it for a later reading, past the first-level cache", "2026-11-28", 8.8)           \
  X(shared_operand_us, 0.384, "of 256 elements of an operand", "2026-11-28", 10.1)                                 \
  X(shared_clocks, 8.31, "of an instruction, one after the other", "2026-11-28", 9.3)                              \
  X(shared_row_instructions, 1691, "of a block, beside its row's elements", "2026-11-28", 9.3)                     \
  X(shared_read_instructions, 42.1, "of a warp and step: x or the residual", "2026-11-28", 9.3)                    \
  X(shared_cached_instructions, 11.3, "a pass over shared memory", "2026-11-28", 9.6)                              \
  X(shared_exp_instructions, 11.8, "an exponential", "2026-11-28", 6.9)                                            \
  X(shared_write_instructions, 54.2, "the result", "2026-11-28", 9.3)                                              \
  X(shared_operand_instructions, 5.22, "a weight, a stage's operand", "2026-11-28", 10.1)                          \
  X(shared_stage_instructions, 31.2, "a stage", "2026-11-28", 9.1)                                                 \
  X(shared_activation_instructions, 28.4, "an activation, more", "2026-11-28", 8.4)                                \
  X(shared_sum_instructions, 17.4, "the sum", "2026-11-28", 10.3)                                                  \
  X(shared_f64_share, 0.0519, "more in fp64", "2026-11-28", 11.4)                                                  \
  X(shared_f64_exp_instructions, 26.3, "an exponential in fp64, more", "2026-11-28", 10.3)                         \
  X(shared_l1_bytes, 3.11e5, "rows that stay in the first-level cache", "2026-11-28", 8.8)                         \
  X(shared_l2_share, 0.753, "of l2_bytes that rows stay in", "2026-11-28", 8.8)                                    \
  X(shared_sectors_gbs, 3229, "at which sectors of columns come", "2026-11-28", 12.6)                              \
  X(flat_launch_us, 2.4, "launch, start and end of the call, rows by vectors", "23 norms by hand", 10)             \
  X(flat_share, 0.85, "of the rate of a copy that they reach", "23 norms by hand", 10)                             \
  X(flat_start_us, 3, "of a block of them, beside what follows", "23 norms by hand", 10)                           \
  X(flat_step_us, 0.05, "of a warp's step of 32 elements", "23 norms by hand", 10)                                 \
  X(flat_instructions, 40, "of a warp and step", "23 norms by hand", 10)                                           \
  X(flat_exp_instructions, 8, "an exponential", "23 norms by hand", 10)                                            \
  X(flat_operand_instructions, 25, "a weight, a stage's operand", "23 norms by hand", 10)                          \
  X(flat_turn_instructions, 150, "of a warp and its rows, beside their elements", "23 norms by hand", 10)          \
  X(flat_shuffle_instructions, 15, "of a reduction, for each halving", "23 norms by hand", 10)                     \
  X(flat_long_factor, 1.45, "of the time, rows that are read again", "23 norms by hand", 5)                        \
  X(bulk_launch_us, 3.31, "launch, start and end of the call, norm_bulk_row", "2026-11-28", 6.9)                   \
  X(bulk_turn_us, 0.488, "of a turn, beside what follows, norm_bulk_row", "2026-11-28", 6.9)                       \
  X(bulk_weight_us, 0.125, "of a row and weight, norm_bulk_row", "2026-11-28", 6.3)                                \
  X(bulk_warps_us, 0.29, "of a block's 16 warps, norm_bulk_row", "2026-11-28", 6.9)                                \
  X(bulk_mean_us, 0.755, "the same, more for the mean of a sum, norm_bulk_row", "2026-11-28", 7.0)                 \
  X(bulk_clocks, 16.6, "of an instruction, one after the other, norm_bulk_row", "2026-11-28", 6.9)                 \
  X(tile_launch_us, 0.579, "launch, start and end of the call, norm_cluster_row, bulk copies", "2026-11-28", 9.7)  \
  X(tile_start_us, 2.33, "of a row, beside what follows, norm_cluster_row, bulk copies", "2026-11-28", 9.7)        \
  X(tile_weight_us, 0.251, "of a row and weight, norm_cluster_row, bulk copies", "2026-11-28", 10.3)               \
  X(tile_cluster_us, 4, "of a join of 16 blocks, norm_cluster_row, bulk copies", "2026-11-28", 9.7)                \
  X(tile_vector_us, 0.0598, "of a vector of a thread, norm_cluster_row, bulk copies", "2026-11-28", 9.7)           \
  X(tile_weight_vector_us, 0.19, "more with a weight, norm_cluster_row, bulk copies", "2026-11-28", 10.3)          \
  X(tile_place_us, 0.235, "an SM's block to come and go, norm_cluster_row, bulk copies", "2026-11-28", 9.7)        \
  X(tile_clocks, 16.7, "of an instruction, one after the other, norm_cluster_row, bulk copies", "2026-11-28", 9.7) \
  X(tile_single_instructions, 5.05, "an element of out that is written alone, norm_cluster_row, bulk copies",      \
    "2026-11-28", 19.6)                                                                                            \
  X(tile_single_clocks, 14.9, "of a multiprocessor, a warp's such elements, norm_cluster_row, bulk copies",        \
    "2026-11-28", 19.6)                                                                                            \
  X(persistent_launch_us, 5.02, "launch, start and end of the call, norm_persistent_row", "2026-11-28", 5.0)       \
  X(persistent_rate_share, 0.908, "of the rate of a copy, norm_persistent_row", "2026-11-28", 5.0)                 \
  X(persistent_turn_us, 1.88, "the chain of a turn", "2026-11-28", 5.0)                                            \
  X(persistent_weight_us, 0.0416, "of a turn and weight", "2026-11-28", 7.0)                                       \
  X(persistent_lag_share, 0.0275, "of a turn for each that the last rows wait", "2026-11-28", 5.0)

namespace gpuopt {

GPUOPT_FIGURES(NormSharedFigures, norm_shared_figures, GPUOPT_NORM_SHARED_FIGURES)

}  // namespace gpuopt
