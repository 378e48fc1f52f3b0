// Figures of the mma.sync kernels: how fast each tile goes, and what all predictions share (mma_plan.h).
#pragma once

#include "common/figures.h"

// A tile by the method that brings its operands, their type and its extents. What it is of clocks is of an SM's.
#define GPUOPT_MMA_TILE_FIGURES_(X, tile, error, start_us, factor, end, fill, alone, busy)                          \
  X(tile##_start_us, start_us, "a call that multiplies nothing", "2026-11-22-h200", error)                          \
  X(tile##_factor, factor, "a product's clocks, of those below, by which plans are made", "2026-11-22-h200", error) \
  X(tile##_end_clocks, end, "a tile's end that is not in its factor", "2026-11-22-h200", error)                     \
  X(tile##_fill_clocks, fill, "a block's beginning and end", "2026-11-21-h200", 0)                                  \
  X(tile##_alone_clocks, alone, "a stage of k of a block alone on its multiprocessor", "2026-11-21-h200", 0)        \
  X(tile##_busy_clocks, busy, "a multiprocessor's time for a stage of one block of many", "2026-11-21-h200", 0)

// clang-format off
#define GPUOPT_GEMM_MMA_FIGURES(X)                                                                                            \
  /* error, start_us, factor, end, fill, alone, busy clocks */                                                                \
  GPUOPT_MMA_TILE_FIGURES_(X, async_16bit_32x32, 7.1, 4.75, 0.512, 533, 500, 430, 320)                                          \
  GPUOPT_MMA_TILE_FIGURES_(X, async_16bit_64x64, 10.8, 5.36, 0.659, 857, 2500, 600, 520)                                      \
  GPUOPT_MMA_TILE_FIGURES_(X, async_16bit_128x128, 9, 4.37, 0.817, 1150, 6500, 1600, 1370)                                   \
  GPUOPT_MMA_TILE_FIGURES_(X, async_tf32_64x64, 11.2, 4.42, 0.584, 619, 3000, 1200, 900)                                      \
  GPUOPT_MMA_TILE_FIGURES_(X, async_i8_64x64, 11.2, 3.56, 0.984, 613, 2600, 560, 420)                                          \
  GPUOPT_MMA_TILE_FIGURES_(X, async_i8_128x128, 8.4, 3.12, 1.07, 77.9, 5000, 1450, 1450)                                       \
  GPUOPT_MMA_TILE_FIGURES_(X, async_fp8_128x64, 5.6, 0.39, 1.96, 169, 5000, 1300, 1000)                                      \
  X(async_parts_64x64_start_us, 5, "operands in parts: a call that multiplies nothing", "derived", 0)                          \
  X(async_parts_64x64_factor, 1, "a product's clocks, of those below, by which plans are made", "derived", 0)                 \
  X(async_parts_64x64_end_clocks, 300, "a tile's end that is not in its factor", "derived", 0)                                \
  X(async_parts_64x64_fill_clocks, 1500, "a block's beginning and end", "derived", 0)                                         \
  X(async_parts_64x64_alone_clocks, 1450, "a stage of k of a block alone on its multiprocessor", "derived", 0)                 \
  X(async_parts_64x64_busy_clocks, 490, "a multiprocessor's time for a stage of one block of many", "derived", 0)             \
  GPUOPT_MMA_TILE_FIGURES_(X, staged_16bit_64x64, 10.8, 7.52, 0.995, 236, 2500, 800, 1150)                                    \
  GPUOPT_MMA_TILE_FIGURES_(X, staged_tf32_64x64, 11.2, 5.85, 1.06, 23.8, 2500, 800, 1150)                                     \
  GPUOPT_MMA_TILE_FIGURES_(X, staged_i8_64x64, 11.2, 8.75, 1.01, 90.4, 2500, 800, 1150)                                        \
  GPUOPT_MMA_TILE_FIGURES_(X, staged_fp8_64x64, 8.5, 7.34, 1.08, 429, 2500, 800, 1150)                                        \
  X(cluster_clocks, 700, "a cluster's adding of parts", "2026-11-21-h200", 0)                                                 \
  X(cluster_part_clocks, 300, "the same for each part", "2026-11-21-h200", 0)                                                 \
  X(small_tile_bytes_per_clock, 75, "reading of small tiles that is not hidden, an SM's", "2026-11-21-h200", 0)               \
  X(memory_share, 0.8, "of memory_gbs, that plans assume", "2026-11-21-h200", 0)                                              \
  X(unhidden_share, 0.3, "of the shorter of memory's and the tensor cores' time, that plans assume", "2026-11-21-h200", 0)    \
  X(reached_share, 1, "of memory_gbs that is reached", "2026-11-22-h200", 9.6)                                               \
  X(sharpness, 1.36, "overlapped_us()", "2026-11-22-h200", 9.6)                                                              \
  X(run_clocks, 0.000992, "an SM's, for an element of D in whole runs", "2026-11-22-h200", 9.6)                               \
  X(element_clocks, 0.592, "the same, one by one", "2026-11-22-h200", 9.6)                                                   \
  X(c_clocks, 1.21, "more where C is read", "2026-11-22-h200", 9.6)                                                          \
  X(staged_across_share, 0.0313, "more for an operand whose rows are not along k, through registers", "2026-11-22-h200", 9.6) \
  X(staged_bytes_share, 0.0164, "more for rows that begin on less than 4 bytes", "2026-11-22-h200", 9.6)                     \
  X(sm80_rate_share, 0.8, "products a clock of an SM of 8.0 against an H200's", "derived", 0)                                 \
  X(other_rate_share, 0.4, "the same of an SM before 8.0, of 8.6, 8.9 and 12.0", "derived", 0)                                \
  X(tma_16bit_128x256_start_us, 7.65, "a call that multiplies nothing", "2026-11-22-h200", 9.5)                                 \
  X(tma_16bit_128x256_fill_clocks, 3000, "a tile's beginning and end", "2026-11-21-h200", 0)                                  \
  X(tma_16bit_128x256_stage_clocks, 2000, "a stage of k", "2026-11-21-h200", 0)                                               \
  X(tma_pieces_us, 4, "the second launch, which adds pieces", "2026-11-21-h200", 0)                                           \
  X(tma_pieces_gbs, 6000, "pieces written and added", "2026-11-21-h200", 0)                                                   \
  X(tma_16bit_128x256_end_clocks, 74, "a tile's end that is not in its factor", "2026-11-22-h200", 9.5)                    \
  X(tma_16bit_128x256_factor, 0.936, "a product's clocks, of these, by which plans are made", "2026-11-22-h200", 9.5)
// clang-format on

namespace gpuopt {

GPUOPT_FIGURES(GemmMmaFigures, gemm_mma_figures, GPUOPT_GEMM_MMA_FIGURES)

}  // namespace gpuopt
