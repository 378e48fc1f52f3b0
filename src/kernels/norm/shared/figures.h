// What predictions of kernels that keep rows in shared memory go by, beside what all kernels on rows share. Times are a
// row's chain of latencies.
#pragma once

#include "common/figures.h"

#define GPUOPT_NORM_SHARED_FIGURES(X)                                                                                  \
  /* name, value, what it is, fitted to, error in % */                                                                 \
  X(shared_launch_us, 4, "launch, start and end of the call, norm_shared", "2026-11-27-h200", 9.3)                     \
  X(shared_start_us, 0.499, "of a row, beside what follows", "2026-11-27-h200", 9.3)                                   \
  X(shared_read_us, 0.0836, "of 256 elements of x or the residual", "2026-11-27-h200", 9.3)                            \
  X(shared_narrow_share, 1.39, "more of it where types are converted", "2026-11-27-h200", 8.8)                         \
  X(shared_again_share, 1.2, "of it for a later reading, past the first-level cache", "2026-11-27-h200", 8.4)          \
  X(shared_operand_us, 0.356, "of 256 elements of an operand", "2026-11-27-h200", 10.4)                                \
  X(shared_clocks, 8.15, "of an instruction, one after the other", "2026-11-27-h200", 9.3)                             \
  X(shared_row_instructions, 1753, "of a block, beside its row's elements", "2026-11-27-h200", 9.3)                    \
  X(shared_read_instructions, 42.9, "of a warp and step: x or the residual", "2026-11-27-h200", 9.3)                   \
  X(shared_cached_instructions, 10.4, "a pass over shared memory", "2026-11-27-h200", 10.0)                            \
  X(shared_exp_instructions, 10.5, "an exponential", "2026-11-27-h200", 6.6)                                           \
  X(shared_write_instructions, 57.5, "the result", "2026-11-27-h200", 9.3)                                             \
  X(shared_operand_instructions, 5.92, "a weight, a stage's operand", "2026-11-27-h200", 10.4)                         \
  X(shared_stage_instructions, 33.9, "a stage", "2026-11-27-h200", 9.0)                                                \
  X(shared_activation_instructions, 23.6, "an activation, more", "2026-11-27-h200", 9.5)                               \
  X(shared_sum_instructions, 23.8, "the sum", "2026-11-27-h200", 10.1)                                                 \
  X(shared_f64_share, 0.0618, "more in fp64", "2026-11-27-h200", 11.2)                                                 \
  X(shared_f64_exp_instructions, 21.4, "an exponential in fp64, more", "2026-11-27-h200", 10.1)                        \
  X(shared_l1_bytes, 3.03e5, "rows that stay in the first-level cache", "2026-11-27-h200", 8.4)                        \
  X(shared_l2_share, 0.657, "of l2_bytes that rows stay in", "2026-11-27-h200", 8.3)                                   \
  X(shared_sectors_gbs, 3287, "at which sectors of columns come", "2026-11-27-h200", 13.9)                             \
  X(bulk_launch_us, 4.67, "launch, start and end of the call, norm_bulk_row", "2026-11-27-h200", 6.9)                  \
  X(bulk_turn_us, 0.586, "of a turn, beside what follows, norm_bulk_row", "2026-11-27-h200", 6.9)                      \
  X(bulk_weight_us, 0.0556, "of a row and weight, norm_bulk_row", "2026-11-27-h200", 5.6)                              \
  X(bulk_warps_us, 0.281, "of a block's 16 warps, norm_bulk_row", "2026-11-27-h200", 6.9)                              \
  X(bulk_mean_us, 1.22, "the same, more for the mean of a sum, norm_bulk_row", "2026-11-27-h200", 6.2)                 \
  X(bulk_clocks, 16.1, "of an instruction, one after the other, norm_bulk_row", "2026-11-27-h200", 6.9)                \
  X(tile_launch_us, 2.41, "launch, start and end of the call, norm_cluster_row, bulk copies", "2026-11-27-h200", 10.4) \
  X(tile_start_us, 1.67, "of a row, beside what follows, norm_cluster_row, bulk copies", "2026-11-27-h200", 10.4)      \
  X(tile_weight_us, 0.266, "of a row and weight, norm_cluster_row, bulk copies", "2026-11-27-h200", 10.8)              \
  X(tile_cluster_us, 4.76, "of a join of 16 blocks, norm_cluster_row, bulk copies", "2026-11-27-h200", 10.4)           \
  X(tile_vector_us, 0.0497, "of a vector of a thread, norm_cluster_row, bulk copies", "2026-11-27-h200", 10.4)         \
  X(tile_weight_vector_us, 0.209, "more with a weight, norm_cluster_row, bulk copies", "2026-11-27-h200", 10.8)        \
  X(tile_place_us, 0.238, "an SM's block to come and go, norm_cluster_row, bulk copies", "2026-11-27-h200", 10.4)      \
  X(tile_clocks, 19.2, "of an instruction, one after the other, norm_cluster_row, bulk copies", "2026-11-27-h200",     \
    10.4)                                                                                                              \
  X(tile_single_instructions, 4.68, "an element of out that is written alone, norm_cluster_row, bulk copies",          \
    "2026-11-27-h200", 17.0)                                                                                           \
  X(tile_single_clocks, 13.7, "of a multiprocessor, a warp's such elements, norm_cluster_row, bulk copies",            \
    "2026-11-27-h200", 17.0)                                                                                           \
  X(persistent_launch_us, 6.34, "launch, start and end of the call, norm_persistent_row", "2026-11-27-h200", 6.1)      \
  X(persistent_rate_share, 0.887, "of the rate of a copy, norm_persistent_row", "2026-11-27-h200", 6.1)                \
  X(persistent_turn_us, 1.74, "the chain of a turn", "2026-11-27-h200", 6.1)                                           \
  X(persistent_weight_us, 0.0584, "of a turn and weight", "2026-11-27-h200", 8.7)                                      \
  X(persistent_lag_share, 0.0419, "of a turn for each that the last rows wait", "2026-11-27-h200", 6.1)

namespace gpuopt {

GPUOPT_FIGURES(NormSharedFigures, norm_shared_figures, GPUOPT_NORM_SHARED_FIGURES)

}  // namespace gpuopt
