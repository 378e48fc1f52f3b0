// What predictions of kernels that keep rows in shared memory go by, beside what all kernels on rows share. Times are a
// row's chain of latencies.
#pragma once

#include "common/figures.h"

#define GPUOPT_NORM_SHARED_FIGURES(X)                                                                                  \
  /* name, value, what it is, fitted to, error in % */                                                                 \
  X(shared_launch_us, 3.85, "launch, start and end of the call, norm_shared", "2026-11-27-h200", 8.6)                  \
  X(shared_start_us, 0.498, "of a row, beside what follows", "2026-11-27-h200", 8.6)                                   \
  X(shared_read_us, 0.0887, "of 256 elements of x or the residual", "2026-11-27-h200", 8.6)                            \
  X(shared_narrow_share, 1.39, "more of it where types are converted", "2026-11-27-h200", 8.1)                         \
  X(shared_again_share, 1.2, "of it for a later reading, past the first-level cache", "2026-11-27-h200", 8.1)          \
  X(shared_operand_us, 0.346, "of 256 elements of an operand", "2026-11-27-h200", 9.7)                                 \
  X(shared_clocks, 8.46, "of an instruction, one after the other", "2026-11-27-h200", 8.6)                             \
  X(shared_row_instructions, 1738, "of a block, beside its row's elements", "2026-11-27-h200", 8.6)                    \
  X(shared_read_instructions, 35.6, "of a warp and step: x or the residual", "2026-11-27-h200", 8.6)                   \
  X(shared_cached_instructions, 10.2, "a pass over shared memory", "2026-11-27-h200", 8.9)                             \
  X(shared_exp_instructions, 12.8, "an exponential", "2026-11-27-h200", 6.4)                                           \
  X(shared_write_instructions, 63.8, "the result", "2026-11-27-h200", 8.6)                                             \
  X(shared_operand_instructions, 7.32, "a weight, a stage's operand", "2026-11-27-h200", 9.7)                          \
  X(shared_stage_instructions, 32.7, "a stage", "2026-11-27-h200", 7.3)                                                \
  X(shared_activation_instructions, 20.9, "an activation, more", "2026-11-27-h200", 7.2)                               \
  X(shared_sum_instructions, 23, "the sum", "2026-11-27-h200", 8.9)                                                    \
  X(shared_f64_share, 0.0865, "more in fp64", "2026-11-27-h200", 8.9)                                                  \
  X(shared_f64_exp_instructions, 17.2, "an exponential in fp64, more", "2026-11-27-h200", 9.8)                         \
  X(shared_l1_bytes, 2.68e5, "rows that stay in the first-level cache", "2026-11-27-h200", 8.1)                        \
  X(shared_l2_share, 0.578, "of l2_bytes that rows stay in", "2026-11-27-h200", 8.3)                                   \
  X(shared_sectors_gbs, 3380, "at which sectors of columns come", "2026-11-27-h200", 9.0)                              \
  X(bulk_launch_us, 4.55, "launch, start and end of the call, norm_bulk_row", "2026-11-27-h200", 9.2)                  \
  X(bulk_turn_us, 0.58, "of a turn, beside what follows, norm_bulk_row", "2026-11-27-h200", 9.2)                       \
  X(bulk_weight_us, 0.0745, "of a row and weight, norm_bulk_row", "2026-11-27-h200", 9.0)                              \
  X(bulk_warps_us, 0.407, "of a block's 16 warps, norm_bulk_row", "2026-11-27-h200", 9.2)                              \
  X(bulk_mean_us, 1.73, "the same, more for the mean of a sum, norm_bulk_row", "2026-11-27-h200", 10.2)                \
  X(bulk_clocks, 11.7, "of an instruction, one after the other, norm_bulk_row", "2026-11-27-h200", 9.2)                \
  X(tile_launch_us, 2.08, "launch, start and end of the call, norm_cluster_row, bulk copies", "2026-11-27-h200", 11.5) \
  X(tile_start_us, 2.24, "of a row, beside what follows, norm_cluster_row, bulk copies", "2026-11-27-h200", 11.5)      \
  X(tile_weight_us, 0.116, "of a row and weight, norm_cluster_row, bulk copies", "2026-11-27-h200", 9.8)               \
  X(tile_cluster_us, 5.32, "of a join of 16 blocks, norm_cluster_row, bulk copies", "2026-11-27-h200", 11.5)           \
  X(tile_vector_us, 0.0956, "of a vector of a thread, norm_cluster_row, bulk copies", "2026-11-27-h200", 11.5)         \
  X(tile_weight_vector_us, 0.144, "more with a weight, norm_cluster_row, bulk copies", "2026-11-27-h200", 9.8)         \
  X(tile_place_us, 0.323, "an SM's block to come and go, norm_cluster_row, bulk copies", "2026-11-27-h200", 11.5)      \
  X(tile_clocks, 19, "of an instruction, one after the other, norm_cluster_row, bulk copies", "2026-11-27-h200", 11.5) \
  X(tile_single_instructions, 15.3, "an element of out that is written alone, norm_cluster_row, bulk copies",          \
    "2026-11-27-h200", 23.2)                                                                                           \
  X(persistent_launch_us, 4.57, "launch, start and end of the call, norm_persistent_row", "2026-11-27-h200", 6.8)      \
  X(persistent_turn_us, 2.58, "the chain of a turn", "2026-11-27-h200", 6.8)                                           \
  X(persistent_weight_us, 0.076, "of a turn and weight", "2026-11-27-h200", 5.4)                                       \
  X(persistent_lag_share, 0.114, "of a turn for each that the last rows wait", "2026-11-27-h200", 6.8)

namespace gpuopt {

GPUOPT_FIGURES(NormSharedFigures, norm_shared_figures, GPUOPT_NORM_SHARED_FIGURES)

}  // namespace gpuopt
