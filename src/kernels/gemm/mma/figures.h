// Figures of the mma.sync kernels: how fast each tile goes, and what all predictions share (mma_plan.h).
#pragma once

#include "common/figures.h"

// A tile by the method that brings its operands, their type and its extents. What it is of clocks is of an SM's.
#define GPUOPT_MMA_TILE_FIGURES_(X, tile, error, start_us, factor, end, fill, alone, busy)                          \
  X(tile##_start_us, start_us, "a call that multiplies nothing", "2026-11-24-h200", error)                          \
  X(tile##_factor, factor, "a product's clocks, of those below, by which plans are made", "2026-11-24-h200", error) \
  X(tile##_end_clocks, end, "a tile's end that is not in its factor", "2026-11-24-h200", error)                     \
  X(tile##_fill_clocks, fill, "a block's beginning and end", "2026-11-24-h200", 8.7)                                \
  X(tile##_alone_clocks, alone, "a stage of k of a block alone on its multiprocessor", "2026-11-24-h200", 10.4)     \
  X(tile##_busy_clocks, busy, "a multiprocessor's time for a stage of one block of many", "2026-11-24-h200", 8.6)

// clang-format off
#define GPUOPT_GEMM_MMA_FIGURES(X)                                                                                            \
  /* error, start_us, factor, end, fill, alone, busy clocks */                                                                \
  GPUOPT_MMA_TILE_FIGURES_(X, async_16bit_32x32, 8.9, 4.86, 0.569, 607, 487, 549, 357)                                          \
  GPUOPT_MMA_TILE_FIGURES_(X, async_16bit_64x64, 7.6, 4.4, 0.692, 1176, 2631, 993, 576)                                       \
  GPUOPT_MMA_TILE_FIGURES_(X, async_16bit_128x128, 5.8, 3.65, 0.87, 1594, 7276, 2140, 1265)                                  \
  GPUOPT_MMA_TILE_FIGURES_(X, async_tf32_64x64, 5.4, 5.6, 0.612, 645, 3105, 1278, 981)                                        \
  GPUOPT_MMA_TILE_FIGURES_(X, async_i8_64x64, 7.7, 3.63, 1.12, 617, 3585, 635, 435)                                            \
  GPUOPT_MMA_TILE_FIGURES_(X, async_i8_128x128, 6.7, 2.63, 1.21, 78.2, 7040, 1425, 1425)                                       \
  GPUOPT_MMA_TILE_FIGURES_(X, async_fp8_128x64, 7.2, 0.54, 2.01, 169, 5274, 1105, 1009)                                      \
  X(async_parts_64x64_start_us, 4.06, "operands in parts: a call that multiplies nothing", "2026-11-24-h200", 14.0)            \
  X(async_parts_64x64_factor, 0.946, "a product's clocks, of those below, by which plans are made", "2026-11-24-h200", 14.0)  \
  X(async_parts_64x64_end_clocks, 557, "a tile's end that is not in its factor", "2026-11-24-h200", 14.0)                     \
  X(async_parts_64x64_fill_clocks, 5725, "a block's beginning and end", "2026-11-24-h200", 14.0)                              \
  X(async_parts_64x64_alone_clocks, 1351, "a stage of k of a block alone on its multiprocessor", "2026-11-24-h200", 14.0)      \
  X(async_parts_64x64_busy_clocks, 449, "a multiprocessor's time for a stage of one block of many", "2026-11-24-h200", 13.0)  \
  GPUOPT_MMA_TILE_FIGURES_(X, staged_16bit_64x64, 12.6, 6.85, 1.02, 292, 3204, 800, 1129)                                     \
  GPUOPT_MMA_TILE_FIGURES_(X, staged_tf32_64x64, 12.8, 7.45, 1.06, 23.7, 2156, 800, 1195)                                     \
  GPUOPT_MMA_TILE_FIGURES_(X, staged_i8_64x64, 11.2, 5.07, 1.08, 94.3, 4433, 800, 1101)                                        \
  GPUOPT_MMA_TILE_FIGURES_(X, staged_fp8_64x64, 9.6, 5.51, 1.18, 521, 2265, 800, 1120)                                        \
  X(cluster_clocks, 1686, "a cluster's adding of parts", "2026-11-24-h200", 14.6)                                             \
  X(cluster_part_clocks, 379, "the same for each part", "2026-11-24-h200", 14.6)                                              \
  X(small_tile_bytes_per_clock, 105, "reading of small tiles that is not hidden, an SM's", "2026-11-24-h200", 10.6)           \
  X(memory_share, 0.8, "of memory_gbs, that plans assume", "2026-11-24-h200", 1.2)                                            \
  X(unhidden_share, 0.3, "of the shorter of memory's and the tensor cores' time, that plans assume", "2026-11-21-h200", 0)    \
  X(reached_share, 1, "of memory_gbs that is reached", "2026-11-24-h200", 10.0)                                              \
  X(sharpness, 3.24, "overlapped_us()", "2026-11-24-h200", 10.2)                                                             \
  X(run_clocks, 0.00101, "an SM's, for an element of D in whole runs", "2026-11-24-h200", 9.4)                                \
  X(element_clocks, 0.556, "the same, one by one", "2026-11-24-h200", 11.1)                                                  \
  X(c_clocks, 0.975, "more where C is read", "2026-11-24-h200", 11.2)                                                        \
  X(staged_across_share, 0.0276, "more for an operand whose rows are not along k, through registers", "2026-11-24-h200", 11.8) \
  X(staged_bytes_share, 0.0239, "more for rows that begin on less than 4 bytes", "2026-11-24-h200", 11.3)                    \
  X(sm80_rate_share, 0.8, "products a clock of an SM of 8.0 against an H200's", "derived", 0)                                 \
  X(other_rate_share, 0.4, "the same of an SM before 8.0, of 8.6, 8.9 and 12.0", "derived", 0)                                \
  X(tma_16bit_128x256_start_us, 6.18, "a call that multiplies nothing", "2026-11-24-h200", 8.4)                                 \
  X(tma_16bit_128x256_fill_clocks, 6827, "a tile's beginning and end", "2026-11-24-h200", 8.4)                                \
  X(tma_16bit_128x256_stage_clocks, 1984, "a stage of k", "2026-11-24-h200", 8.4)                                             \
  X(tma_pieces_us, 4.28, "the second launch, which adds pieces", "2026-11-24-h200", 8.9)                                      \
  X(tma_pieces_gbs, 4641, "pieces written and added", "2026-11-24-h200", 8.8)                                                 \
  X(tma_16bit_128x256_end_clocks, 74.6, "a tile's end that is not in its factor", "2026-11-24-h200", 8.4)                  \
  X(tma_16bit_128x256_factor, 0.989, "a product's clocks, of these, by which plans are made", "2026-11-24-h200", 8.4)
// clang-format on

namespace gpuopt {

GPUOPT_FIGURES(GemmMmaFigures, gemm_mma_figures, GPUOPT_GEMM_MMA_FIGURES)

}  // namespace gpuopt
