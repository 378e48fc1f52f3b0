// Figures of the mma.sync kernels: how fast each tile goes, and what all predictions share (mma_plan.h).
#pragma once

#include "common/figures.h"

// A tile by the method that brings its operands, their type and its extents. What it is of clocks is of an SM's.
#define GPUOPT_MMA_TILE_FIGURES_(X, tile, error, start_us, factor, alone_factor, end, fill, alone, busy)            \
  X(tile##_start_us, start_us, "a call that multiplies nothing", "2026-11-27-h100", error)                          \
  X(tile##_factor, factor, "a product's clocks, of those below, by which plans are made", "2026-11-27-h100", error) \
  X(tile##_alone_factor, alone_factor, "more of it for stages of blocks that are alone", "2026-11-27-h100", error)  \
  X(tile##_end_clocks, end, "a tile's end that is not in its factor", "2026-11-27-h100", error)                     \
  X(tile##_fill_clocks, fill, "a block's beginning and end", "planned", 0)                                          \
  X(tile##_alone_clocks, alone, "a stage of k of a block alone on its multiprocessor", "planned", 0)                \
  X(tile##_busy_clocks, busy, "a multiprocessor's time for a stage of one block of many", "planned", 0)

// clang-format off
#define GPUOPT_GEMM_MMA_FIGURES(X)                                                                                            \
  /* error, start_us, factor, alone_factor, end, fill, alone, busy clocks */                                                                \
  GPUOPT_MMA_TILE_FIGURES_(X, async_16bit_32x32, 7.9, 4.35, 0.558, 1.5, 583, 500, 430, 320)                                        \
  GPUOPT_MMA_TILE_FIGURES_(X, async_16bit_64x64, 7.4, 4.27, 0.662, 1.74, 937, 2500, 600, 520)                                    \
  GPUOPT_MMA_TILE_FIGURES_(X, async_16bit_128x128, 6.5, 3.26, 0.85, 1.3, 1762, 6500, 1600, 1370)                                \
  GPUOPT_MMA_TILE_FIGURES_(X, async_tf32_64x64, 6.6, 4.71, 0.59, 1.5, 680, 3000, 1200, 900)                                      \
  GPUOPT_MMA_TILE_FIGURES_(X, async_i8_64x64, 8.2, 3.49, 1.02, 1.18, 579, 2600, 560, 420)                                         \
  GPUOPT_MMA_TILE_FIGURES_(X, async_i8_128x128, 7.3, 2.9, 1.17, 0.999, 78.8, 5000, 1450, 1450)                                    \
  GPUOPT_MMA_TILE_FIGURES_(X, async_fp8_128x64, 7.5, 0.527, 2.06, 0.791, 175, 5000, 1300, 1000)                                 \
  X(async_parts_64x64_start_us, 3.38, "operands in parts: a call that multiplies nothing", "2026-11-27-h100", 14.2)            \
  X(async_parts_64x64_factor, 0.944, "a product's clocks, of those below, by which plans are made", "2026-11-27-h100", 14.2)  \
  X(async_parts_64x64_alone_factor, 0.896, "more of it for stages of blocks that are alone", "2026-11-27-h100", 14.2)         \
  X(async_parts_64x64_end_clocks, 412, "a tile's end that is not in its factor", "2026-11-27-h100", 14.2)                     \
  X(async_parts_64x64_fill_clocks, 1500, "a block's beginning and end", "planned", 0)                                         \
  X(async_parts_64x64_alone_clocks, 1450, "a stage of k of a block alone on its multiprocessor", "planned", 0)                 \
  X(async_parts_64x64_busy_clocks, 490, "a multiprocessor's time for a stage of one block of many", "planned", 0)             \
  GPUOPT_MMA_TILE_FIGURES_(X, staged_16bit_64x64, 10.1, 5.46, 0.955, 2.45, 289, 2500, 800, 1150)                                   \
  GPUOPT_MMA_TILE_FIGURES_(X, staged_tf32_64x64, 7.5, 6.88, 0.984, 2.41, 23.8, 2500, 800, 1150)                                    \
  GPUOPT_MMA_TILE_FIGURES_(X, staged_i8_64x64, 9.6, 4.79, 1, 2.48, 100, 2500, 800, 1150)                                            \
  GPUOPT_MMA_TILE_FIGURES_(X, staged_fp8_64x64, 7.6, 4.93, 1.07, 2.27, 505, 2500, 800, 1150)                                       \
  X(cluster_clocks, 700, "a cluster's adding of parts", "planned", 0)                                                 \
  X(cluster_part_clocks, 300, "the same for each part", "planned", 0)                                                 \
  X(small_tile_bytes_per_clock, 75, "reading of small tiles that is not hidden, an SM's", "planned", 0)               \
  X(memory_share, 0.8, "of memory_gbs, that plans assume", "planned", 0)                                              \
  X(unhidden_share, 0.3, "of the shorter of memory's and the tensor cores' time, that plans assume", "planned", 0)    \
  X(reached_share, 1, "of memory_gbs that is reached", "2026-11-27-h100", 9.0)                                               \
  X(sharpness, 2.23, "overlapped_us()", "2026-11-27-h100", 9.0)                                                              \
  X(run_clocks, 0.00101, "an SM's, for an element of D in whole runs", "2026-11-27-h100", 8.2)                                \
  X(element_clocks, 0.679, "the same, one by one", "2026-11-27-h100", 9.9)                                                   \
  X(c_clocks, 1.02, "more where C is read", "2026-11-27-h100", 10.5)                                                         \
  X(staged_across_share, 0.0283, "more for an operand whose rows are not along k, through registers", "2026-11-27-h100", 9.5) \
  X(staged_bytes_share, 0.0161, "more for rows that begin on less than 4 bytes", "2026-11-27-h100", 9.7)                     \
  X(sm80_rate_share, 0.8, "products a clock of an SM of 8.0 against an H200's", "derived", 0)                                 \
  X(other_rate_share, 0.4, "the same of an SM before 8.0, of 8.6, 8.9 and 12.0", "derived", 0)                                \
  X(tma_16bit_128x256_start_us, 7.31, "a call that multiplies nothing", "2026-11-27-h100", 9.6)                                 \
  X(tma_16bit_128x256_fill_clocks, 3000, "a tile's beginning and end", "planned", 0)                                  \
  X(tma_16bit_128x256_stage_clocks, 2000, "a stage of k", "planned", 0)                                               \
  X(tma_pieces_us, 4, "the second launch, which adds pieces", "planned", 0)                                           \
  X(tma_pieces_gbs, 6000, "pieces written and added", "planned", 0)                                                   \
  X(tma_16bit_128x256_end_clocks, 75.5, "a tile's end that is not in its factor", "2026-11-27-h100", 9.6)                  \
  X(tma_16bit_128x256_factor, 1.01, "a product's clocks, of these, by which plans are made", "2026-11-27-h100", 9.6)
// clang-format on

namespace gpuopt {

GPUOPT_FIGURES(GemmMmaFigures, gemm_mma_figures, GPUOPT_GEMM_MMA_FIGURES)

}  // namespace gpuopt
