// Figures of cuBLASLt's first choice, for the model in common/cublas_time.cpp, fitted to single calls on cold buffers. A
// class is a type of operands; of 16-bit operands and TF32 those whose rows do not all begin on 16 bytes are one of
// their own, for which cuBLASLt has no Hopper kernel.
#pragma once

#include "common/figures.h"

#define GPUOPT_CUBLAS_CLASS_FIGURES_(X, type, error, start, tflops, edge, wave, k, tbs, overlap, split, split_tbs,   \
                                     batch_k, u8, u4, u2, c_share, c_bytes, f32_c_bytes, f32_d, f16_sums)            \
  X(type##_start_us, start, "launch to finish of an empty call", "2026-11-24-h200", error)                           \
  X(type##_tflops, tflops, "of an endless tile", "2026-11-24-h200", error)                                           \
  X(type##_edge, edge, "tile bm x bn: 1 / (1 + edge * (1 / bm + 1 / bn)) of it", "2026-11-24-h200", error)           \
  X(type##_wave_us, wave, "fill and drain of a wave", "2026-11-24-h200", error)                                      \
  X(type##_k_us, k, "least time of a tile for 1024 of k", "2026-11-24-h200", error)                                  \
  X(type##_tbs, tbs, "memory", "2026-11-24-h200", error)                                                             \
  X(type##_sharpness, overlap, "overlapped_us()", "2026-11-24-h200", error)                                          \
  X(type##_split_us, split, "the second step of split-K", "2026-11-24-h200", error)                                  \
  X(type##_split_tbs, split_tbs, "at which its partial sums move", "2026-11-24-h200", error)                         \
  X(type##_batch_k_us, batch_k, "least time of a batch's tile for 1024 of k", "2026-11-24-h200", error)              \
  X(type##_rows_of_8_share, u8, "of the rate, rows of 8 bytes", "2026-11-24-h200", error)                            \
  X(type##_rows_of_4_share, u4, "of the rate, rows of 4 bytes", "2026-11-24-h200", error)                            \
  X(type##_rows_of_2_share, u2, "of the rate, rows of 2 bytes", "2026-11-24-h200", error)                            \
  X(type##_c_share, c_share, "of the rate, C read", "2026-11-24-h200", error)                                        \
  X(type##_c_bytes_factor, c_bytes, "time of C's bytes, of as many of others", "2026-11-24-h200", error)             \
  X(type##_f32_c_bytes_factor, f32_c_bytes, "the same, C of f32 beside narrower operands", "2026-11-24-h200", error) \
  X(type##_f32_d_factor, f32_d, "of the rate, D wider than operands", "2026-11-24-h200", error)                      \
  X(type##_f16_sums_factor, f16_sums, "of its time, sums of f16", "2026-11-24-h200", error)

#define GPUOPT_CUBLAS_VECTOR_FIGURES_(X, type, error, vector, vector_tbs, vector_k)        \
  X(type##_vector_us, vector, "matrix by vector: an empty call", "2026-11-22-h200", error) \
  X(type##_vector_tbs, vector_tbs, "matrix by vector: memory", "2026-11-22-h200", error)   \
  X(type##_vector_k_us, vector_k, "matrix by vector: for 1024 of k", "2026-11-22-h200", error)

#define GPUOPT_GEMM_LIBRARY_FIGURES(X)                                                                               \
  GPUOPT_CUBLAS_CLASS_FIGURES_(X, half, 9.1, 4.48, 1030, 11, 0.713, 1.17, 3.73, 1.91, 2.52, 90.7, 4.96, 1, 1, 1, 1,  \
                               1.27, 2.15, 0.993, 1.23)                                                              \
  GPUOPT_CUBLAS_CLASS_FIGURES_(X, half_unaligned, 15.6, 4.67, 580, 112, 0.794, 6.49, 4.07, 1.04, 3.65, 8.1, 6.49, 1, \
                               1, 0.574, 1, 2.02, 0.648, 1.04, 0.957)                                                \
  GPUOPT_CUBLAS_CLASS_FIGURES_(X, tf32, 10.3, 5.09, 703, 57.4, 1.29, 2.72, 4.58, 1.48, 3.21, 7.73, 9, 1, 1, 1, 1,    \
                               1.16, 1, 1, 1)                                                                        \
  GPUOPT_CUBLAS_CLASS_FIGURES_(X, tf32_unaligned, 13.7, 5.47, 263, 71, 1.4, 7.48, 2.79, 1.97, 4.38, 6.5, 9.13, 1.3,  \
                               0.95, 0.5, 0.911, 1.16, 1, 1, 1)                                                      \
  GPUOPT_CUBLAS_CLASS_FIGURES_(X, f32, 11.3, 6.85, 73, 33, 0.123, 3, 3.43, 1.66, 5.55, 5.71, 23.8, 1, 1, 1, 0.939,   \
                               1.2, 1, 1, 1)                                                                         \
  GPUOPT_CUBLAS_CLASS_FIGURES_(X, fp8, 7.9, 2.45, 1619, 7.26, 1.73, 3.41, 3.08, 1.74, 1.28, 11.6, 10, 1, 1, 1, 1,    \
                               1.01, 1, 0.707, 1)                                                                    \
  GPUOPT_CUBLAS_CLASS_FIGURES_(X, f64, 9.8, 4.63, 70.5, 7.29, 0.738, 6.86, 3.13, 2.06, 5.51, 75.8, 8.13, 0.764, 0.8, \
                               0.8, 1, 1.38, 1, 1, 1)                                                                \
  GPUOPT_CUBLAS_VECTOR_FIGURES_(X, half, 12.2, 7.87, 6.07, 0.293)                                                    \
  GPUOPT_CUBLAS_VECTOR_FIGURES_(X, half_unaligned, 14.7, 5.57, 2.56, 1)                                              \
  GPUOPT_CUBLAS_VECTOR_FIGURES_(X, f32, 13.6, 4.57, 4.3, 0.4)                                                        \
  GPUOPT_CUBLAS_VECTOR_FIGURES_(X, f32_unaligned, 13.6, 4.57, 3.5, 0.557)                                            \
  GPUOPT_CUBLAS_VECTOR_FIGURES_(X, fp8, 12, 4.5, 3.5, 0.5)                                                           \
  GPUOPT_CUBLAS_VECTOR_FIGURES_(X, f64, 10.5, 11, 5, 0.0425)                                                         \
  X(unaligned_d_clocks, 0.0498, "an SM's, more for an element of D whose rows do not lie on 16 bytes",               \
    "2026-11-24-h200", 14.7)                                                                                         \
  X(tf32_tn_share, 0.608, "of its rate, where neither operand lies along k", "2026-11-24-h200", 18.1)                \
  X(vector_again_share, 0.766, "of the time of bytes from memory, those that L2 holds", "2026-11-24-h200", 9.1)      \
  X(classic_factor, 1.01, "cuBLAS by its classic calls, of cuBLASLt's time", "2026-11-21-h200", 0)                   \
  X(classic_us, 0.2, "more for a classic call", "2026-11-22-h200", 14)

namespace gpuopt {
GPUOPT_FIGURES(GemmLibraryFigures, gemm_library_figures, GPUOPT_GEMM_LIBRARY_FIGURES)
}  // namespace gpuopt
