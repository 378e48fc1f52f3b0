// Figures of cuBLASLt's first choice, for the model in common/cublas_time.cpp, fitted to single calls on cold buffers. A
// class is a type of operands; of 16-bit operands and TF32 those whose rows do not all begin on 16 bytes are one of
// their own, for which cuBLASLt has no Hopper kernel.
#pragma once

#include "common/figures.h"

#define GPUOPT_CUBLAS_CLASS_FIGURES_(X, type, error, start, tflops, edge, wave, k, tbs, overlap, split, split_tbs,   \
                                     batch_k, u8, u4, u2, c_share, c_bytes, f32_c_bytes, f32_d, f16_sums, vector,    \
                                     vector_tbs, vector_k)                                                           \
  X(type##_start_us, start, "launch to finish of an empty call", "2026-11-22-h200", error)                           \
  X(type##_tflops, tflops, "of an endless tile", "2026-11-22-h200", error)                                           \
  X(type##_edge, edge, "tile bm x bn: 1 / (1 + edge * (1 / bm + 1 / bn)) of it", "2026-11-22-h200", error)           \
  X(type##_wave_us, wave, "fill and drain of a wave", "2026-11-22-h200", error)                                      \
  X(type##_k_us, k, "least time of a tile for 1024 of k", "2026-11-22-h200", error)                                  \
  X(type##_tbs, tbs, "memory", "2026-11-22-h200", error)                                                             \
  X(type##_sharpness, overlap, "overlapped_us()", "2026-11-22-h200", error)                                          \
  X(type##_split_us, split, "the second step of split-K", "2026-11-22-h200", error)                                  \
  X(type##_split_tbs, split_tbs, "at which its partial sums move", "2026-11-22-h200", error)                         \
  X(type##_batch_k_us, batch_k, "least time of a batch's tile for 1024 of k", "2026-11-22-h200", error)              \
  X(type##_rows_of_8_share, u8, "of the rate, rows of 8 bytes", "2026-11-22-h200", error)                            \
  X(type##_rows_of_4_share, u4, "of the rate, rows of 4 bytes", "2026-11-22-h200", error)                            \
  X(type##_rows_of_2_share, u2, "of the rate, rows of 2 bytes", "2026-11-22-h200", error)                            \
  X(type##_c_share, c_share, "of the rate, C read", "2026-11-22-h200", error)                                        \
  X(type##_c_bytes_factor, c_bytes, "time of C's bytes, of as many of others", "2026-11-22-h200", error)             \
  X(type##_f32_c_bytes_factor, f32_c_bytes, "the same, C of f32 beside narrower operands", "2026-11-22-h200", error) \
  X(type##_f32_d_factor, f32_d, "of the rate, D wider than operands", "2026-11-22-h200", error)                      \
  X(type##_f16_sums_factor, f16_sums, "of its time, sums of f16", "2026-11-22-h200", error)                          \
  X(type##_vector_us, vector, "matrix by vector: an empty call", "2026-11-22-h200", error)                           \
  X(type##_vector_tbs, vector_tbs, "matrix by vector: memory", "2026-11-22-h200", error)                             \
  X(type##_vector_k_us, vector_k, "matrix by vector: for 1024 of k", "2026-11-22-h200", error)

#define GPUOPT_GEMM_LIBRARY_FIGURES(X)                                                                                \
  GPUOPT_CUBLAS_CLASS_FIGURES_(X, half, 12.2, 4.71, 1020, 15.4, 0.96, 1.25, 3.59, 2.87, 3.08, 89.6, 5.28, 1, 1, 1, 1, \
                               1.22, 2, 0.982, 0.989, 7.87, 6.07, 0.293)                                              \
  GPUOPT_CUBLAS_CLASS_FIGURES_(X, half_unaligned, 14.7, 5.2, 512, 91.8, 0.706, 6.07, 3.2, 1, 3.55, 7.85, 8.56, 1, 1,  \
                               0.607, 0.934, 2.01, 0.62, 1.15, 0.89, 5.57, 2.56, 1)                                   \
  GPUOPT_CUBLAS_CLASS_FIGURES_(X, tf32, 22.5, 5.33, 723, 49.5, 1.32, 2.71, 3.93, 1.16, 3.18, 7.73, 9, 1, 1, 1, 1,     \
                               1.15, 1, 1, 1, 10.2, 5.53, 0.384)                                                      \
  GPUOPT_CUBLAS_CLASS_FIGURES_(X, tf32_unaligned, 6.5, 5.32, 269, 72.5, 1.41, 7.35, 2.68, 1.96, 4.77, 6.43, 9.69,     \
                               1.44, 0.864, 0.5, 0.9, 1.24, 1, 1, 1, 5.29, 2.33, 0.279)                               \
  GPUOPT_CUBLAS_CLASS_FIGURES_(X, f32, 13.6, 6.06, 73.5, 31.8, 0.123, 3, 3.05, 1.44, 5.02, 5.93, 22.4, 1, 1, 1, 1,    \
                               1.2, 1, 1, 1, 4.57, 3.5, 0.557)                                                        \
  GPUOPT_CUBLAS_CLASS_FIGURES_(X, fp8, 12, 2.14, 1770, 7.2, 1.68, 3.78, 3.42, 2.01, 1.26, 11.6, 10, 1, 1, 1, 1, 1.01, \
                               1, 0.707, 1, 4.5, 3.5, 0.5)                                                            \
  GPUOPT_CUBLAS_CLASS_FIGURES_(X, f64, 10.5, 4.77, 71.1, 8.33, 0.924, 8.18, 3.08, 2.64, 4.69, 75.8, 8.31, 0.72, 0.8,  \
                               0.8, 1, 1.38, 1, 1, 1, 11, 5, 0.0425)                                                  \
  X(tf32_tn_share, 0.67, "of its rate, where neither operand lies along k", "2026-11-22-h200", 3)                     \
  X(vector_again_share, 0.7, "of the time of bytes from memory, those that L2 holds", "2026-11-22-h200", 14)          \
  X(classic_factor, 1.01, "cuBLAS by its classic calls, of cuBLASLt's time", "2026-11-21-h200", 0)                    \
  X(classic_us, 0.2, "more for a classic call", "2026-11-22-h200", 14)

namespace gpuopt {
GPUOPT_FIGURES(GemmLibraryFigures, gemm_library_figures, GPUOPT_GEMM_LIBRARY_FIGURES)
}  // namespace gpuopt
