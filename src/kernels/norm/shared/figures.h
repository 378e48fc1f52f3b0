// What predictions of kernels that keep rows in shared memory go by, beside what all kernels on rows share. Times are a
// row's chain of latencies.
#pragma once

#include "common/figures.h"

#define GPUOPT_NORM_SHARED_FIGURES(X)                                                                                 \
  /* name, value, what it is, fitted to, error in % */                                                                \
  X(shared_launch_us, 4.35, "launch, start and end of the call, norm_shared", "2026-11-22-h200", 8.2)                 \
  X(shared_start_us, 0.203, "of a row, beside what follows", "2026-11-22-h200", 8.2)                                  \
  X(shared_read_us, 0.0925, "of 256 elements of x or the residual", "2026-11-22-h200", 8.2)                           \
  X(shared_narrow_share, 1.6, "more of it where types are converted", "2026-11-22-h200", 8.2)                         \
  X(shared_again_share, 1.2, "of it for a later reading, past the first-level cache", "2026-11-22-h200", 8.2)         \
  X(shared_operand_us, 0.348, "of 256 elements of an operand", "2026-11-22-h200", 8.2)                                \
  X(shared_clocks, 7.65, "of an instruction, one after the other", "2026-11-22-h200", 8.2)                            \
  X(shared_row_instructions, 1728, "of a block, beside its row's elements", "2026-11-22-h200", 8.2)                   \
  X(shared_read_instructions, 36.8, "of a warp and step: x or the residual", "2026-11-22-h200", 8.2)                  \
  X(shared_cached_instructions, 4.15, "a pass over shared memory", "2026-11-22-h200", 8.2)                            \
  X(shared_exp_instructions, 17.5, "an exponential", "2026-11-22-h200", 8.2)                                          \
  X(shared_write_instructions, 64.5, "the result", "2026-11-22-h200", 8.2)                                            \
  X(shared_operand_instructions, 6.32, "a weight, a stage's operand", "2026-11-22-h200", 8.2)                         \
  X(shared_stage_instructions, 36.7, "a stage", "2026-11-22-h200", 8.2)                                               \
  X(shared_activation_instructions, 21, "an activation, more", "2026-11-22-h200", 8.2)                                \
  X(shared_sum_instructions, 25.7, "the sum", "2026-11-22-h200", 8.2)                                                 \
  X(shared_f64_share, 0.137, "more in fp64", "2026-11-22-h200", 8.2)                                                  \
  X(shared_f64_exp_instructions, 25.1, "an exponential in fp64, more", "2026-11-22-h200", 8.2)                        \
  X(shared_l1_bytes, 3.39e+05, "rows that stay in the first-level cache", "2026-11-22-h200", 8.2)                     \
  X(shared_l2_share, 0.56, "of l2_bytes that rows stay in", "2026-11-22-h200", 8.2)                                   \
  X(shared_sectors_gbs, 3347, "at which sectors of columns come", "2026-11-22-h200", 8.2)                             \
  X(bulk_launch_us, 4.64, "launch, start and end of the call, norm_bulk_row", "2026-11-22-h200", 8.2)                 \
  X(bulk_turn_us, 0.493, "of a turn, beside what follows, norm_bulk_row", "2026-11-22-h200", 8.2)                     \
  X(bulk_weight_us, 0.117, "of a row and weight, norm_bulk_row", "2026-11-22-h200", 8.2)                              \
  X(bulk_warps_us, 0.445, "of a block's 16 warps, norm_bulk_row", "2026-11-22-h200", 8.2)                             \
  X(bulk_mean_us, 1.05, "the same, more for the mean of a sum, norm_bulk_row", "2026-11-22-h200", 8.2)                \
  X(bulk_clocks, 14.9, "of an instruction, one after the other, norm_bulk_row", "2026-11-22-h200", 8.2)               \
  X(tile_launch_us, 1.96, "launch, start and end of the call, norm_cluster_row, bulk copies", "2026-11-22-h200", 5.7) \
  X(tile_start_us, 2.07, "of a row, beside what follows, norm_cluster_row, bulk copies", "2026-11-22-h200", 5.7)      \
  X(tile_weight_us, 0.0839, "of a row and weight, norm_cluster_row, bulk copies", "2026-11-22-h200", 5.7)             \
  X(tile_cluster_us, 7.26, "of a join of 16 blocks, norm_cluster_row, bulk copies", "2026-11-22-h200", 5.7)           \
  X(tile_vector_us, 0.107, "of a vector of a thread, norm_cluster_row, bulk copies", "2026-11-22-h200", 5.7)          \
  X(tile_weight_vector_us, 0.066, "more with a weight, norm_cluster_row, bulk copies", "2026-11-22-h200", 5.7)        \
  X(tile_place_us, 0.289, "an SM's block to come and go, norm_cluster_row, bulk copies", "2026-11-22-h200", 5.7)      \
  X(tile_clocks, 15.8, "of an instruction, one after the other, norm_cluster_row, bulk copies", "2026-11-22-h200",    \
    5.7)                                                                                                              \
  X(persistent_launch_us, 4.49, "launch, start and end of the call, norm_persistent_row", "2026-11-22-h200", 8.1)     \
  X(persistent_turn_us, 2.56, "the chain of a turn", "2026-11-22-h200", 8.1)                                          \
  X(persistent_weight_us, 0.0868, "of a turn and weight", "2026-11-22-h200", 8.1)                                     \
  X(persistent_lag_share, 0.17, "of a turn for each that the last rows wait", "2026-11-22-h200", 8.1)

namespace gpuopt {

GPUOPT_FIGURES(NormSharedFigures, norm_shared_figures, GPUOPT_NORM_SHARED_FIGURES)

}  // namespace gpuopt
