// Figures of the mma.sync kernels: how fast each tile goes, and what all predictions share (mma_plan.h).
#pragma once

#include "common/figures.h"

// A tile by the method that brings its operands, their type and its extents. What it is of clocks is of an SM's.
#define GPUOPT_MMA_TILE_FIGURES_(X, tile, error, start_us, factor, alone_factor, end, fill, alone, busy)       \
  X(tile##_start_us, start_us, "a call that multiplies nothing", "2026-11-28", error)                          \
  X(tile##_factor, factor, "a product's clocks, of those below, by which plans are made", "2026-11-28", error) \
  X(tile##_alone_factor, alone_factor, "more of it for stages of blocks that are alone", "2026-11-28", error)  \
  X(tile##_end_clocks, end, "a tile's end that is not in its factor", "2026-11-28", error)                     \
  X(tile##_fill_clocks, fill, "a block's beginning and end", "planned", 0)                                     \
  X(tile##_alone_clocks, alone, "a stage of k of a block alone on its multiprocessor", "planned", 0)           \
  X(tile##_busy_clocks, busy, "a multiprocessor's time for a stage of one block of many", "planned", 0)

// clang-format off
#define GPUOPT_GEMM_MMA_FIGURES(X)                                                                                            \
  /* error, start_us, factor, alone_factor, end, fill, alone, busy clocks */                                                                \
  GPUOPT_MMA_TILE_FIGURES_(X, async_16bit_32x32, 8.6, 2.21, 0.5, 2.65, 644, 500, 430, 320)                                         \
  GPUOPT_MMA_TILE_FIGURES_(X, async_16bit_64x64, 8.1, 2.36, 0.656, 1.82, 805, 2500, 600, 520)                                    \
  GPUOPT_MMA_TILE_FIGURES_(X, async_16bit_128x128, 6.5, 1.45, 0.853, 1.27, 2109, 6500, 1600, 1370)                              \
  GPUOPT_MMA_TILE_FIGURES_(X, async_tf32_64x64, 8.0, 2.16, 0.351, 2.81, 1561, 3000, 1200, 900)                                   \
  GPUOPT_MMA_TILE_FIGURES_(X, async_i8_64x64, 7.9, 1.49, 1.04, 1.01, 601, 2600, 560, 420)                                         \
  GPUOPT_MMA_TILE_FIGURES_(X, async_i8_128x128, 5.8, 1.18, 1.11, 1.07, 79.3, 5000, 1450, 1450)                                    \
  GPUOPT_MMA_TILE_FIGURES_(X, async_fp8_128x64, 7.8, 0.0831, 1.92, 0.752, 97.6, 5000, 1300, 1000)                               \
  X(async_parts_64x64_start_us, 1.82, "operands in parts: a call that multiplies nothing", "2026-11-28", 11.5)   \
  X(async_parts_64x64_factor, 0.979, "a product's clocks, of those below, by which plans are made", "2026-11-28", 11.5) \
  X(async_parts_64x64_alone_factor, 0.571, "more of it for stages of blocks that are alone", "2026-11-28", 12.6) \
  X(async_parts_64x64_end_clocks, 1169, "a tile's end that is not in its factor", "2026-11-28", 11.5)           \
  X(async_parts_64x64_fill_clocks, 1500, "a block's beginning and end", "planned", 0)                                         \
  X(async_parts_64x64_alone_clocks, 1450, "a stage of k of a block alone on its multiprocessor", "planned", 0)                 \
  X(async_parts_64x64_busy_clocks, 490, "a multiprocessor's time for a stage of one block of many", "planned", 0)             \
  GPUOPT_MMA_TILE_FIGURES_(X, staged_16bit_64x64, 10.7, 2.36, 0.972, 2.54, 747, 2500, 800, 1150)                                   \
  GPUOPT_MMA_TILE_FIGURES_(X, staged_tf32_64x64, 12.5, 2.89, 1.06, 2.19, 24.8, 2500, 800, 1150)                                    \
  GPUOPT_MMA_TILE_FIGURES_(X, staged_i8_64x64, 9.4, 2.8, 1.01, 2.44, 210, 2500, 800, 1150)                                          \
  GPUOPT_MMA_TILE_FIGURES_(X, staged_fp8_64x64, 9.1, 2.13, 1.06, 2.33, 1004, 2500, 800, 1150)                                      \
  X(cluster_clocks, 700, "a cluster's adding of parts", "planned", 0)                                                 \
  X(cluster_part_clocks, 300, "the same for each part", "planned", 0)                                                 \
  X(small_tile_bytes_per_clock, 75, "reading of small tiles that is not hidden, an SM's", "planned", 0)               \
  X(memory_share, 0.8, "of memory_gbs, that plans assume", "planned", 0)                                              \
  X(unhidden_share, 0.3, "of the shorter of memory's and the tensor cores' time, that plans assume", "planned", 0)    \
  X(reached_share, 1, "of memory_gbs that is reached", "2026-11-28", 9.0)                                      \
  X(sharpness, 2.61, "overlapped_us()", "2026-11-28", 9.0)                                                     \
  X(run_clocks, 0.000904, "an SM's, for an element of D in whole runs", "2026-11-28", 7.9)                      \
  X(element_clocks, 0.724, "the same, one by one", "2026-11-28", 10.8)                                         \
  X(c_clocks, 1.18, "more where C is read", "2026-11-28", 12.5)                                                \
  X(staged_across_share, 0.0162, "more for an operand whose rows are not along k, through registers", "2026-11-28", 10.2) \
  X(staged_bytes_share, 0.0181, "more for rows that begin on less than 4 bytes", "2026-11-28", 10.3)           \
  X(sm80_rate_share, 0.8, "products a clock of an SM of 8.0 against an H200's", "derived", 0)                                 \
  X(other_rate_share, 0.4, "the same of an SM before 8.0, of 8.6, 8.9 and 12.0", "derived", 0)                                \
  X(tma_16bit_128x256_start_us, 5.13, "a call that multiplies nothing", "2026-11-28", 9.2)                        \
  X(tma_16bit_128x256_fill_clocks, 3000, "a tile's beginning and end", "planned", 0)                                  \
  X(tma_16bit_128x256_stage_clocks, 2000, "a stage of k", "planned", 0)                                               \
  X(tma_pieces_us, 4, "the second launch, which adds pieces", "planned", 0)                                           \
  X(tma_pieces_gbs, 6000, "pieces written and added", "planned", 0)                                                   \
  X(tma_16bit_128x256_end_clocks, 69.3, "a tile's end that is not in its factor", "2026-11-28", 9.2)         \
  X(tma_16bit_128x256_factor, 1.04, "a product's clocks, of these, by which plans are made", "2026-11-28", 9.2)
// clang-format on

namespace gpuopt {

GPUOPT_FIGURES(GemmMmaFigures, gemm_mma_figures, GPUOPT_GEMM_MMA_FIGURES)

}  // namespace gpuopt
