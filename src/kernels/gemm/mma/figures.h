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
  GPUOPT_MMA_TILE_FIGURES_(X, async_16bit_32x32, 7.8, 2.17, 0.502, 2.56, 665, 500, 430, 320)                                       \
  GPUOPT_MMA_TILE_FIGURES_(X, async_16bit_64x64, 8.2, 2.27, 0.658, 1.81, 801, 2500, 600, 520)                                    \
  GPUOPT_MMA_TILE_FIGURES_(X, async_16bit_128x128, 6.5, 1.58, 0.855, 1.26, 2053, 6500, 1600, 1370)                              \
  GPUOPT_MMA_TILE_FIGURES_(X, async_tf32_64x64, 8.0, 2.02, 0.354, 2.79, 1681, 3000, 1200, 900)                                   \
  GPUOPT_MMA_TILE_FIGURES_(X, async_i8_64x64, 7.7, 1.41, 1.04, 1.05, 570, 2600, 560, 420)                                         \
  GPUOPT_MMA_TILE_FIGURES_(X, async_i8_128x128, 5.7, 1.17, 1.11, 1.07, 79.1, 5000, 1450, 1450)                                    \
  GPUOPT_MMA_TILE_FIGURES_(X, async_fp8_128x64, 8.0, 0.0998, 1.93, 0.764, 106, 5000, 1300, 1000)                                \
  X(async_parts_64x64_start_us, 1.92, "operands in parts: a call that multiplies nothing", "2026-11-28", 10.9)   \
  X(async_parts_64x64_factor, 0.984, "a product's clocks, of those below, by which plans are made", "2026-11-28", 10.9) \
  X(async_parts_64x64_alone_factor, 0.531, "more of it for stages of blocks that are alone", "2026-11-28", 11.7) \
  X(async_parts_64x64_end_clocks, 1174, "a tile's end that is not in its factor", "2026-11-28", 10.9)           \
  X(async_parts_64x64_fill_clocks, 1500, "a block's beginning and end", "planned", 0)                                         \
  X(async_parts_64x64_alone_clocks, 1450, "a stage of k of a block alone on its multiprocessor", "planned", 0)                 \
  X(async_parts_64x64_busy_clocks, 490, "a multiprocessor's time for a stage of one block of many", "planned", 0)             \
  GPUOPT_MMA_TILE_FIGURES_(X, staged_16bit_64x64, 10.9, 2.35, 0.983, 2.48, 732, 2500, 800, 1150)                                   \
  GPUOPT_MMA_TILE_FIGURES_(X, staged_tf32_64x64, 12.6, 3.24, 1.08, 2.16, 24.6, 2500, 800, 1150)                                    \
  GPUOPT_MMA_TILE_FIGURES_(X, staged_i8_64x64, 9.6, 2.95, 1.01, 2.41, 177, 2500, 800, 1150)                                         \
  GPUOPT_MMA_TILE_FIGURES_(X, staged_fp8_64x64, 9.4, 2.15, 1.06, 2.25, 1054, 2500, 800, 1150)                                      \
  X(cluster_clocks, 700, "a cluster's adding of parts", "planned", 0)                                                 \
  X(cluster_part_clocks, 300, "the same for each part", "planned", 0)                                                 \
  X(small_tile_bytes_per_clock, 75, "reading of small tiles that is not hidden, an SM's", "planned", 0)               \
  X(memory_share, 0.8, "of memory_gbs, that plans assume", "planned", 0)                                              \
  X(unhidden_share, 0.3, "of the shorter of memory's and the tensor cores' time, that plans assume", "planned", 0)    \
  X(reached_share, 1, "of memory_gbs that is reached", "2026-11-28", 9.1)                                      \
  X(sharpness, 2.77, "overlapped_us()", "2026-11-28", 9.1)                                                     \
  X(run_clocks, 0.000913, "an SM's, for an element of D in whole runs", "2026-11-28", 7.9)                      \
  X(element_clocks, 0.696, "the same, one by one", "2026-11-28", 11.0)                                         \
  X(c_clocks, 1.2, "more where C is read", "2026-11-28", 12.5)                                                 \
  X(staged_across_share, 0.0171, "more for an operand whose rows are not along k, through registers", "2026-11-28", 10.5) \
  X(staged_bytes_share, 0.0184, "more for rows that begin on less than 4 bytes", "2026-11-28", 10.5)           \
  X(sm80_rate_share, 0.8, "products a clock of an SM of 8.0 against an H200's", "derived", 0)                                 \
  X(other_rate_share, 0.4, "the same of an SM before 8.0, of 8.6, 8.9 and 12.0", "derived", 0)                                \
  X(tma_16bit_128x256_start_us, 5.27, "a call that multiplies nothing", "2026-11-28", 9.6)                        \
  X(tma_16bit_128x256_fill_clocks, 3000, "a tile's beginning and end", "planned", 0)                                  \
  X(tma_16bit_128x256_stage_clocks, 2000, "a stage of k", "planned", 0)                                               \
  X(tma_pieces_us, 4, "the second launch, which adds pieces", "planned", 0)                                           \
  X(tma_pieces_gbs, 6000, "pieces written and added", "planned", 0)                                                   \
  X(tma_16bit_128x256_end_clocks, 68.8, "a tile's end that is not in its factor", "2026-11-28", 9.6)         \
  X(tma_16bit_128x256_factor, 1.04, "a product's clocks, of these, by which plans are made", "2026-11-28", 9.6)
// clang-format on

namespace gpuopt {

GPUOPT_FIGURES(GemmMmaFigures, gemm_mma_figures, GPUOPT_GEMM_MMA_FIGURES)

}  // namespace gpuopt
