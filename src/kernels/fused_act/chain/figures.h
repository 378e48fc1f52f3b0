// What predictions of interpreted chains were fitted to. Shares are of the device's memory rate.
#pragma once

#include "common/figures.h"

namespace gpuopt {

// clang-format off
#define GPUOPT_FUSED_ACT_CHAIN_FIGURES(X)                                                                              \
  /* name                            value  what it is                                    fitted to        error, % */ \
  X(aligned_launch_us,                 4.58, "launch and first loads, aligned",            "2026-11-22-h200", 5.1)     \
  X(aligned_share,                    0.985, "of the memory rate, aligned",                "2026-11-22-h200", 5.1)     \
  X(aligned_thread_instructions,       79.8, "of a thread, aligned",                       "2026-11-22-h200", 5.1)     \
  X(aligned_stage_instructions,        10.5, "of a thread and stage, aligned",             "2026-11-22-h200", 5.1)     \
  X(aligned_operand_instructions,      76.7, "of a thread and operand, aligned",           "2026-11-22-h200", 5.1)     \
  X(unaligned_launch_us,               5.59, "launch and first loads, unaligned",          "2026-11-22-h200", 6.6)     \
  X(unaligned_share,                  0.922, "of the memory rate, unaligned",              "2026-11-22-h200", 6.6)     \
  X(unaligned_thread_instructions,      160, "of a thread, unaligned",                     "2026-11-22-h200", 6.6)     \
  X(unaligned_stage_instructions,      15.8, "of a thread and stage, unaligned",           "2026-11-22-h200", 6.6)     \
  X(unaligned_operand_instructions,    90.8, "of a thread and operand, unaligned",         "2026-11-22-h200", 6.6)     \
  X(unaligned_shifted_instructions,     2.3, "of a word that is shifted, unaligned",       "2026-11-22-h200", 6.6)     \
  X(unaligned_edge_instructions,       35.9, "of an element moved by itself, unaligned",   "2026-11-22-h200", 6.6)     \
  X(runs_launch_us,                     5.4, "launch and first loads, runs",               "2026-11-22-h200", 9.7)     \
  X(runs_share,                       0.779, "of the memory rate, runs",                   "2026-11-22-h200", 9.7)     \
  X(runs_thread_instructions,           194, "of a thread, runs",                          "2026-11-22-h200", 9.7)     \
  X(runs_stage_instructions,           15.8, "of a thread and stage, runs",                "2026-11-22-h200", 9.7)     \
  X(runs_operand_instructions,          140, "of a thread and operand, runs",              "2026-11-22-h200", 9.7)     \
  X(runs_shifted_instructions,         6.23, "of a word that is shifted, runs",            "2026-11-22-h200", 9.7)     \
  X(runs_edge_instructions,             7.1, "of an element moved by itself, runs",        "2026-11-22-h200", 9.7)     \
  X(tiles_launch_us,                   6.51, "launch, tiles",                              "2026-11-22-h200", 9.5)     \
  X(tiles_tile_us,                     1.31, "latency of a tile, four rows a thread",      "2026-11-22-h200", 9.5)     \
  X(tiles_eight_tile_us,              0.646, "latency of a tile, eight rows a thread",     "2026-11-22-h200", 9.5)     \
  X(tiles_small_tile_us,             0.0919, "latency of a tile of 32 rows",               "2026-11-22-h200", 9.5)     \
  X(tiles_wide_tile_us,                3.77, "latency of a tile, fp64",                    "2026-11-22-h200", 9.5)     \
  X(tiles_stage_us,                  0.0963, "for each stage, of a tile's latency",        "2026-11-22-h200", 9.5)     \
  X(tiles_operand_us,                 0.803, "for each operand, of a tile's latency",      "2026-11-22-h200", 9.5)     \
  X(tiles_edge_us,                   0.0322, "for each matrix, of a cut tile's latency",   "2026-11-22-h200", 9.5)     \
  X(tiles_share,                      0.798, "of the memory rate, tiles",                  "2026-11-22-h200", 9.5)     \
  X(tiles_issue_share,                0.792, "of the issue rate, tiles",                   "2026-11-22-h200", 9.5)     \
  X(tiles_thread_instructions,          272, "of a thread, tiles",                         "2026-11-22-h200", 9.5)     \
  X(tiles_stage_instructions,          70.9, "of a thread and stage, tiles",               "2026-11-22-h200", 9.5)     \
  X(tiles_matrix_instructions,         3.35, "of an element and matrix, tiles",            "2026-11-22-h200", 9.5)     \
  X(tiles_transposed_instructions,    0.705, "more for a matrix that is transposed",       "2026-11-22-h200", 9.5)     \
  X(tiles_unaligned_instructions,      13.7, "more for a matrix that is not aligned",      "2026-11-22-h200", 9.5)     \
  X(tiles_edge_instructions,           8.97, "more of an element and matrix in cut tiles", "2026-11-22-h200", 9.5)     \
  X(tiles_edge_used_instructions,      14.7, "and more for each that exists there",        "2026-11-22-h200", 9.5)
// clang-format on
GPUOPT_FIGURES(FusedActChainFigures, fused_act_chain_figures, GPUOPT_FUSED_ACT_CHAIN_FIGURES)

}  // namespace gpuopt
