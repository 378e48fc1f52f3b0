// Figures of cuBLASLt's first choice, for the model in common/cublas_time.cpp, fitted to single calls on cold buffers. A
// class is a type of operands; of 16-bit operands and TF32 those whose rows do not all begin on 16 bytes are one of
// their own, for which cuBLASLt has no Hopper kernel.
#pragma once

#include "common/figures.h"

#define GPUOPT_CUBLAS_CLASS_FIGURES_(X, type, error, start, tflops, edge, wave, k, tbs, overlap, split, split_tbs, \
                                     batch_k, u8, u4, u2, c_share, c_bytes, f32_c_bytes, f32_d, f16_sums)          \
  X(type##_start_us, start, "launch to finish of an empty call", "2026-11-27", error)                              \
  X(type##_tflops, tflops, "of an endless tile", "2026-11-27", error)                                              \
  X(type##_edge, edge, "tile bm x bn: 1 / (1 + edge * (1 / bm + 1 / bn)) of it", "2026-11-27", error)              \
  X(type##_wave_us, wave, "fill and drain of a wave", "2026-11-27", error)                                         \
  X(type##_k_us, k, "least time of a tile for 1024 of k", "2026-11-27", error)                                     \
  X(type##_tbs, tbs, "memory", "2026-11-27", error)                                                                \
  X(type##_sharpness, overlap, "overlapped_us()", "2026-11-27", error)                                             \
  X(type##_split_us, split, "the second step of split-K", "2026-11-27", error)                                     \
  X(type##_split_tbs, split_tbs, "at which its partial sums move", "2026-11-27", error)                            \
  X(type##_batch_k_us, batch_k, "least time of a batch's tile for 1024 of k", "2026-11-27", error)                 \
  X(type##_rows_of_8_share, u8, "of the rate, rows of 8 bytes", "2026-11-27", error)                               \
  X(type##_rows_of_4_share, u4, "of the rate, rows of 4 bytes", "2026-11-27", error)                               \
  X(type##_rows_of_2_share, u2, "of the rate, rows of 2 bytes", "2026-11-27", error)                               \
  X(type##_c_share, c_share, "of the rate, C read", "2026-11-27", error)                                           \
  X(type##_c_bytes_factor, c_bytes, "time of C's bytes, of as many of others", "2026-11-27", error)                \
  X(type##_f32_c_bytes_factor, f32_c_bytes, "the same, C of f32 beside narrower operands", "2026-11-27", error)    \
  X(type##_f32_d_factor, f32_d, "of the rate, D wider than operands", "2026-11-27", error)                         \
  X(type##_f16_sums_factor, f16_sums, "of its time, sums of f16", "2026-11-27", error)

#define GPUOPT_CUBLAS_VECTOR_FIGURES_(X, type, error, vector, vector_tbs, vector_k)   \
  X(type##_vector_us, vector, "matrix by vector: an empty call", "2026-11-27", error) \
  X(type##_vector_tbs, vector_tbs, "matrix by vector: memory", "2026-11-27", error)   \
  X(type##_vector_k_us, vector_k, "matrix by vector: for 1024 of k", "2026-11-27", error)

#define GPUOPT_GEMM_LIBRARY_FIGURES(X)                                                                                \
  GPUOPT_CUBLAS_CLASS_FIGURES_(X, half, 9.2, 5.03, 1141, 4.4, 0.233, 0.939, 4.19, 1.59, 2.85, 90.5, 2.77, 1, 1, 1,    \
                               0.988, 1.07, 2.57, 0.974, 1.25)                                                        \
  GPUOPT_CUBLAS_CLASS_FIGURES_(X, half_unaligned, 15.0, 3.94, 595, 76.7, 1.19, 9.68, 5.37, 1.03, 3.87, 8.24, 5.98,    \
                               0.919, 0.865, 0.478, 0.92, 2.74, 1.2, 1.03, 0.969)                                     \
  GPUOPT_CUBLAS_CLASS_FIGURES_(X, tf32, 7.4, 4.63, 766, 61.4, 2, 3.74, 4.95, 1.58, 3.33, 9.63, 9, 1, 1, 1, 0.866,     \
                               1.33, 1, 1, 1)                                                                         \
  GPUOPT_CUBLAS_CLASS_FIGURES_(X, tf32_unaligned, 11.5, 5.56, 246, 67.9, 1.26, 8.84, 3.26, 1.72, 3.52, 6.82, 9.09,    \
                               0.954, 0.971, 0.5, 1, 1.19, 1, 1, 1)                                                   \
  GPUOPT_CUBLAS_CLASS_FIGURES_(X, f32, 12.1, 6.74, 73.8, 33.2, 0.123, 3, 3.4, 1.88, 5.44, 5.77, 26.1, 1, 1, 1, 0.963, \
                               1.14, 1, 1, 1)                                                                         \
  GPUOPT_CUBLAS_CLASS_FIGURES_(X, fp8, 15.0, 2.79, 1765, 7.08, 1.63, 3.87, 3.91, 2.53, 1.31, 14.1, 8.28, 1, 1, 1,     \
                               0.926, 1.01, 1.04, 1.4, 1)                                                             \
  GPUOPT_CUBLAS_CLASS_FIGURES_(X, f64, 11.0, 5.19, 69.9, 5.81, 0.633, 5.89, 3.81, 1.62, 5.3, 75.7, 7.79, 0.738, 0.8,  \
                               0.8, 1, 1.41, 1, 1, 1)                                                                 \
  GPUOPT_CUBLAS_VECTOR_FIGURES_(X, half, 8.3, 5.67, 4.44, 0.318)                                                      \
  GPUOPT_CUBLAS_VECTOR_FIGURES_(X, half_unaligned, 10.9, 5.23, 2.89, 0.584)                                           \
  GPUOPT_CUBLAS_VECTOR_FIGURES_(X, f32, 5.8, 5.68, 4.27, 0.373)                                                       \
  GPUOPT_CUBLAS_VECTOR_FIGURES_(X, f32_unaligned, 14.1, 5.64, 4.2, 0.475)                                             \
  GPUOPT_CUBLAS_VECTOR_FIGURES_(X, fp8, 3.0, 4.3, 4.36, 0.47)                                                         \
  GPUOPT_CUBLAS_VECTOR_FIGURES_(X, f64, 13.0, 8.34, 4.88, 0.0424)                                                     \
  X(unaligned_d_clocks, 0.0771, "an SM's, more for an element of D whose rows do not lie on 16 bytes", "2026-11-27",  \
    12.6)                                                                                                             \
  X(tf32_tn_share, 0.623, "of its rate, where neither operand lies along k", "2026-11-27", 6.1)                       \
  X(vector_again_share, 1, "of the time of bytes from memory, those that L2 holds", "2026-11-27", 18.9)               \
  X(classic_factor, 0.992, "cuBLAS by its classic calls, of cuBLASLt's time", "2026-11-27", 12.8)                     \
  X(classic_us, 0.127, "more for a classic call", "2026-11-27", 12.8)

namespace gpuopt {
GPUOPT_FIGURES(GemmLibraryFigures, gemm_library_figures, GPUOPT_GEMM_LIBRARY_FIGURES)
}  // namespace gpuopt
