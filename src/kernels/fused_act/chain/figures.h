// What predictions of interpreted chains were fitted to. Shares are of the device's memory rate.
#pragma once

#include "common/figures.h"

namespace gpuopt {

// clang-format off
#define GPUOPT_FUSED_ACT_CHAIN_FIGURES(X)                                                                              \
  /* name                            value  what it is                                    fitted to        error, % */ \
  X(aligned_launch_us,                 3.23, "launch and first loads, aligned",                 "2026-11-28", 6.8)     \
  X(aligned_share,                    0.939, "of the memory rate, aligned",                     "2026-11-28", 6.8)     \
  X(aligned_thread_instructions,       80.9, "of a thread, aligned",                            "2026-11-28", 6.9)     \
  X(aligned_stage_instructions,        10.8, "of a thread and stage, aligned",                  "2026-11-28", 6.9)     \
  X(aligned_operand_instructions,      76.6, "of a thread and operand, aligned",                "2026-11-28", 6.9)     \
  X(unaligned_launch_us,               3.26, "launch and first loads, unaligned",               "2026-11-28", 7.1)     \
  X(unaligned_share,                  0.897, "of the memory rate, unaligned",                   "2026-11-28", 7.2)     \
  X(unaligned_thread_instructions,      196, "of a thread, unaligned",                          "2026-11-28", 7.1)     \
  X(unaligned_stage_instructions,      14.8, "of a thread and stage, unaligned",                "2026-11-28", 7.1)     \
  X(unaligned_operand_instructions,    86.2, "of a thread and operand, unaligned",              "2026-11-28", 7.2)     \
  X(unaligned_shifted_instructions,    2.47, "of a word that is shifted, unaligned",            "2026-11-28", 7.5)     \
  X(unaligned_edge_instructions,       27.8, "of an element moved by itself, unaligned",        "2026-11-28", 7.0)     \
  X(runs_launch_us,                    3.41, "launch and first loads, runs",                    "2026-11-28", 9.0)     \
  X(runs_share,                           1, "of the memory rate, runs",                        "2026-11-28", 9.2)     \
  X(runs_thread_instructions,           222, "of a thread, runs",                               "2026-11-28", 9.1)     \
  X(runs_stage_instructions,           16.4, "of a thread and stage, runs",                     "2026-11-28", 9.1)     \
  X(runs_operand_instructions,          130, "of a thread and operand, runs",                   "2026-11-28", 9.6)     \
  X(runs_shifted_instructions,         7.76, "of a word that is shifted, runs",                 "2026-11-28", 11.0)    \
  X(runs_edge_instructions,            7.08, "of an element moved by itself, runs",             "2026-11-28", 10.0)    \
  X(tiles_launch_us,                   5.21, "launch, tiles",                                   "2026-11-28", 10.1)    \
  X(tiles_tile_us,                     1.35, "latency of a tile, four rows a thread",           "2026-11-28", 8.5)     \
  X(tiles_eight_tile_us,              0.635, "latency of a tile, eight rows a thread",          "2026-11-28", 10.0)    \
  X(tiles_small_tile_us,             0.0889, "latency of a tile of 32 rows",                    "2026-11-28", 16.8)    \
  X(tiles_wide_tile_us,                2.62, "latency of a tile, fp64",                         "2026-11-28", 10.0)    \
  X(tiles_stage_us,                  0.0888, "for each stage, of a tile's latency",             "2026-11-28", 10.1)    \
  X(tiles_operand_us,                 0.881, "for each operand, of a tile's latency",           "2026-11-28", 10.0)    \
  X(tiles_edge_us,                   0.0317, "for each matrix, of a cut tile's latency",        "2026-11-28", 9.9)     \
  X(tiles_share,                      0.624, "of the memory rate, tiles",                       "2026-11-28", 9.6)     \
  X(tiles_issue_share,                0.751, "of the issue rate, tiles",                        "2026-11-28", 10.1)    \
  X(tiles_thread_instructions,          255, "of a thread, tiles",                              "2026-11-28", 10.2)    \
  X(tiles_stage_instructions,          61.3, "of a thread and stage, tiles",                    "2026-11-28", 10.2)    \
  X(tiles_matrix_instructions,         3.14, "of an element and matrix, tiles",                 "2026-11-28", 10.1)    \
  X(tiles_transposed_instructions,    0.694, "more for a matrix that is transposed",            "2026-11-28", 10.1)    \
  X(tiles_unaligned_instructions,      12.1, "more for a matrix that is not aligned",           "2026-11-28", 8.7)     \
  X(tiles_edge_instructions,           9.93, "more of an element and matrix in cut tiles", "2026-11-28", 10.0)         \
  X(tiles_edge_used_instructions,      11.1, "and more for each that exists there",             "2026-11-28", 10.0)
// clang-format on
GPUOPT_FIGURES(FusedActChainFigures, fused_act_chain_figures, GPUOPT_FUSED_ACT_CHAIN_FIGURES)

}  // namespace gpuopt
