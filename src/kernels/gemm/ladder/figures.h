// Figures of the ladder: of each rung how many flops an SM with enough blocks does a clock, and how many clocks a block that
// is alone takes for a step of k (SimtGemmSpeed).
#pragma once

#include "common/figures.h"

#define GPUOPT_LADDER_RUNG_FIGURES_(X, rung, flops, clocks)                                    \
  X(rung##_flops_per_clock, flops, #rung ": an SM full of blocks, fp32", "2026-11-21-h200", 0) \
  X(rung##_clocks_per_k, clocks, #rung ": latency of a step of k, fp32", "2026-11-21-h200", 0)

// What types but fp32 take of its clocks: multiplying, and waiting.
#define GPUOPT_LADDER_TYPE_FIGURES_(X, rung, error, fp8, half, f64, i8, fp8_wait, half_wait, f64_wait, i8_wait) \
  X(rung##_fp8_factor, fp8, #rung ": of fp32's clocks, fp8", "2026-11-28", error)                               \
  X(rung##_16bit_factor, half, #rung ": the same, f16 and bf16", "2026-11-28", error)                           \
  X(rung##_f64_factor, f64, #rung ": the same, fp64", "2026-11-28", error)                                      \
  X(rung##_i8_factor, i8, #rung ": the same, int8", "2026-11-28", error)                                        \
  X(rung##_fp8_wait_factor, fp8_wait, #rung ": of fp32's latency, fp8", "2026-11-28", error)                    \
  X(rung##_16bit_wait_factor, half_wait, #rung ": the same, f16 and bf16", "2026-11-28", error)                 \
  X(rung##_f64_wait_factor, f64_wait, #rung ": the same, fp64", "2026-11-28", error)                            \
  X(rung##_i8_wait_factor, i8_wait, #rung ": the same, int8", "2026-11-28", error)

#define GPUOPT_GEMM_LADDER_FIGURES(X)                                                                 \
  X(naive_us, 1.55, "naive: launch to finish of an empty product", "2026-11-28", 17.9)                \
  X(naive_block_clocks, 5115, "naive: a wave's beginning and end", "2026-11-28", 17.9)                \
  X(naive_step_clocks, 13.8, "naive: an SM's, for a step of k of 8 warps", "2026-11-28", 17.9)        \
  X(naive_column_factor, 3.59, "naive: more of it, B column-major", "2026-11-28", 17.3)               \
  X(naive_column_4_bytes_factor, 3.46, "naive: more by each 4 bytes", "2026-11-28", 17.3)             \
  X(naive_column_bytes, 257, "naive: columns that are shorter share lines of L1", "2026-11-28", 16.3) \
  X(naive_conflict_factor, 2.4, "naive: more where columns share sets of L1", "2026-11-28", 39.6)     \
  X(naive_latency_clocks, 46.2, "naive: of a step of k", "2026-11-28", 17.9)                          \
  X(naive_a_miss_clocks, 92.5, "naive: more, by a sector of A", "2026-11-28", 17.9)                   \
  X(naive_b_miss_clocks, 157, "naive: more, by a sector of B", "2026-11-28", 17.9)                    \
  X(naive_column_clocks, 5.13, "naive: more, B column-major", "2026-11-28", 17.3)                     \
  X(naive_few_rows_factor, 0.25, "naive: more of it, a block of one row", "2026-11-28", 26.4)         \
  X(naive_memory_share, 0.407, "naive: of memory_gbs", "2026-11-28", 17.9)                            \
  X(naive_sharpness, 1.39, "naive: overlapped_us()", "2026-11-28", 17.9)                              \
  GPUOPT_LADDER_TYPE_FIGURES_(X, naive, 18.5, 1.39, 1.35, 0.867, 1.3, 1.62, 1.08, 1.7, 0.544)         \
  GPUOPT_LADDER_RUNG_FIGURES_(X, uncoalesced, 1.9, 60.0)                                              \
  GPUOPT_LADDER_RUNG_FIGURES_(X, corner_turn, 22.6, 40.0)                                             \
  X(tiled_16_flops_per_clock, 19.6, "tiled_16: an SM full of blocks, fp32", "2026-11-21-h200", 0)     \
  X(tiled_32_us, 3.16, "tiled_32: launch to finish of an empty product", "2026-11-28", 5.8)           \
  X(tiled_32_block_clocks, 2649, "tiled_32: a wave's beginning and end", "2026-11-28", 5.8)           \
  X(tiled_32_flops_per_clock, 47.3, "tiled_32: an SM full of blocks, fp32", "2026-11-28", 5.8)        \
  X(tiled_32_step_clocks, 2513, "tiled_32: latency of 32 of k, fp32", "2026-11-28", 5.8)              \
  X(tiled_32_memory_share, 0.5, "tiled_32: of memory_gbs", "2026-11-28", 5.8)                         \
  X(tiled_32_sharpness, 1.66, "tiled_32: overlapped_us()", "2026-11-28", 5.8)                         \
  GPUOPT_LADDER_TYPE_FIGURES_(X, tiled_32, 6.4, 0.892, 0.918, 1.43, 1.28, 1.52, 1.44, 0.834, 0.759)   \
  X(tiled_64_flops_per_clock, 49.0, "tiled_64: an SM full of blocks, fp32", "2026-11-21-h200", 0)     \
  X(tiled_clocks_per_k, 127.0, "tiled: latency of a step of k, fp32", "2026-11-21-h200", 0)           \
  GPUOPT_LADDER_RUNG_FIGURES_(X, unrolled, 62.0, 30.0)                                                \
  GPUOPT_LADDER_RUNG_FIGURES_(X, unrolled_1, 41.0, 30.0)                                              \
  GPUOPT_LADDER_RUNG_FIGURES_(X, double_buffer, 42.0, 25.0)                                           \
  GPUOPT_LADDER_RUNG_FIGURES_(X, coarsened_2, 68.0, 190.0)                                            \
  GPUOPT_LADDER_RUNG_FIGURES_(X, coarsened_4, 92.0, 190.0)                                            \
  GPUOPT_LADDER_RUNG_FIGURES_(X, regblock_8x4, 115.0, 206.0)                                          \
  GPUOPT_LADDER_RUNG_FIGURES_(X, regblock_8x8, 130.0, 320.0)                                          \
  GPUOPT_LADDER_RUNG_FIGURES_(X, vec4, 158.0, 263.0)                                                  \
  GPUOPT_LADDER_RUNG_FIGURES_(X, f16_acc32, 150.0, 290.0)                                             \
  GPUOPT_LADDER_RUNG_FIGURES_(X, async_stages, 164.0, 217.0)                                          \
  X(wmma_us, 5, "wmma: launch to finish of an empty product", "2026-11-21-h200", 0)                   \
  X(wmma_tile_steps, 64, "wmma: a tile's beginning and end, as steps of k", "2026-11-21-h200", 0)     \
  X(wmma_f16_fma_per_clock, 189, "wmma: multiply-adds of an SM, f16", "2026-11-21-h200", 0)           \
  X(wmma_bf16_fma_per_clock, 157, "wmma: multiply-adds of an SM, bf16", "2026-11-21-h200", 0)         \
  X(wmma_tf32_fma_per_clock, 117, "wmma: multiply-adds of an SM, tf32", "2026-11-21-h200", 0)

namespace gpuopt {
GPUOPT_FIGURES(GemmLadderFigures, gemm_ladder_figures, GPUOPT_GEMM_LADDER_FIGURES)
}  // namespace gpuopt

// A rung's SimtGemmSpeed, of so many blocks an SM.
#define GPUOPT_LADDER_SPEED(rung, blocks)                                       \
  SimtGemmSpeed {                                                               \
    kTileM, kTileN, blocks, gpuopt::gemm_ladder_figures.rung##_flops_per_clock, \
        gpuopt::gemm_ladder_figures.rung##_clocks_per_k                         \
  }
