// Figures of cuBLASLt's first choice, for the model in common/cublas_time.cpp, fitted to single calls on cold buffers. A
// class is a type of operands; of 16-bit operands and TF32 those whose rows do not all begin on 16 bytes are one of
// their own, for which cuBLASLt has no Hopper kernel.
#pragma once

#include "common/figures.h"

#define GPUOPT_CUBLAS_CLASS_FIGURES_(X, type, error, start, tflops, edge, wave, k, tbs, overlap, split, split_tbs, \
                                     batch_k, u8, u4, u2, c_share, c_bytes, f32_c_bytes, f32_d, f16_sums)          \
  X(type##_start_us, start, "launch to finish of an empty call", "2026-11-28", error)                              \
  X(type##_tflops, tflops, "of an endless tile", "2026-11-28", error)                                              \
  X(type##_edge, edge, "tile bm x bn: 1 / (1 + edge * (1 / bm + 1 / bn)) of it", "2026-11-28", error)              \
  X(type##_wave_us, wave, "fill and drain of a wave", "2026-11-28", error)                                         \
  X(type##_k_us, k, "least time of a tile for 1024 of k", "2026-11-28", error)                                     \
  X(type##_tbs, tbs, "memory", "2026-11-28", error)                                                                \
  X(type##_sharpness, overlap, "overlapped_us()", "2026-11-28", error)                                             \
  X(type##_split_us, split, "the second step of split-K", "2026-11-28", error)                                     \
  X(type##_split_tbs, split_tbs, "at which its partial sums move", "2026-11-28", error)                            \
  X(type##_batch_k_us, batch_k, "least time of a batch's tile for 1024 of k", "2026-11-28", error)                 \
  X(type##_rows_of_8_share, u8, "of the rate, rows of 8 bytes", "2026-11-28", error)                               \
  X(type##_rows_of_4_share, u4, "of the rate, rows of 4 bytes", "2026-11-28", error)                               \
  X(type##_rows_of_2_share, u2, "of the rate, rows of 2 bytes", "2026-11-28", error)                               \
  X(type##_c_share, c_share, "of the rate, C read", "2026-11-28", error)                                           \
  X(type##_c_bytes_factor, c_bytes, "time of C's bytes, of as many of others", "2026-11-28", error)                \
  X(type##_f32_c_bytes_factor, f32_c_bytes, "the same, C of f32 beside narrower operands", "2026-11-28", error)    \
  X(type##_f32_d_factor, f32_d, "of the rate, D wider than operands", "2026-11-28", error)                         \
  X(type##_f16_sums_factor, f16_sums, "of its time, sums of f16", "2026-11-28", error)

#define GPUOPT_CUBLAS_VECTOR_FIGURES_(X, type, error, vector, vector_tbs, vector_k)   \
  X(type##_vector_us, vector, "matrix by vector: an empty call", "2026-11-28", error) \
  X(type##_vector_tbs, vector_tbs, "matrix by vector: memory", "2026-11-28", error)   \
  X(type##_vector_k_us, vector_k, "matrix by vector: for 1024 of k", "2026-11-28", error)

#define GPUOPT_GEMM_LIBRARY_FIGURES(X)                                                                                \
  GPUOPT_CUBLAS_CLASS_FIGURES_(X, half, 9.7, 3.82, 1038, 0.575, 0.116, 1.45, 3.93, 1.4, 3.1, 90.8, 1.66, 1, 1, 1, 1,  \
                               1.14, 2.08, 1.06, 1.04)                                                                \
  GPUOPT_CUBLAS_CLASS_FIGURES_(X, half_unaligned, 14.8, 2.21, 811, 168, 1.13, 9.34, 6.08, 0.974, 4, 9.28, 5.98, 1,    \
                               0.988, 0.517, 0.993, 4.21, 2.44, 1.08, 0.899)                                          \
  GPUOPT_CUBLAS_CLASS_FIGURES_(X, tf32, 11.1, 4.78, 706, 61.1, 1.34, 1.31, 4.07, 2.07, 9.32, 10.1, 11.2, 1, 1, 1, 1,  \
                               2.55, 1, 1, 1)                                                                         \
  GPUOPT_CUBLAS_CLASS_FIGURES_(X, tf32_unaligned, 11.9, 4.11, 377, 144, 0.775, 11, 3.99, 1.44, 2.97, 6.83, 9.14, 1,   \
                               0.927, 0.5, 0.87, 1.6, 1, 1, 1)                                                        \
  GPUOPT_CUBLAS_CLASS_FIGURES_(X, f32, 11.5, 4.7, 77, 39.8, 0.135, 3, 2.23, 3.92, 4.14, 6.57, 30.6, 1, 1, 1, 1, 1.58, \
                               1, 1, 1)                                                                               \
  GPUOPT_CUBLAS_CLASS_FIGURES_(X, fp8, 9.5, 2.37, 1538, 5.03, 0.609, 3.31, 2.63, 4.21, 1.54, 14.7, 6.86, 1, 1, 1,     \
                               0.965, 1.01, 1.04, 1.04, 1)                                                            \
  GPUOPT_CUBLAS_CLASS_FIGURES_(X, f64, 10.1, 3.4, 70.3, 2.61, 0.6, 4.75, 4.04, 1.13, 4.39, 74.6, 6.14, 0.729, 0.8,    \
                               0.8, 0.919, 1.26, 1, 1, 1)                                                             \
  GPUOPT_CUBLAS_VECTOR_FIGURES_(X, half, 13.6, 4.31, 4.32, 0.267)                                                     \
  GPUOPT_CUBLAS_VECTOR_FIGURES_(X, half_unaligned, 24.6, 3.53, 1.75, 0.473)                                           \
  GPUOPT_CUBLAS_VECTOR_FIGURES_(X, f32, 9.2, 4.01, 4.05, 0.315)                                                       \
  GPUOPT_CUBLAS_VECTOR_FIGURES_(X, f32_unaligned, 14.0, 3.37, 3.82, 0.459)                                            \
  GPUOPT_CUBLAS_VECTOR_FIGURES_(X, fp8, 0.5, 4.57, 4.37, 0.474)                                                       \
  GPUOPT_CUBLAS_VECTOR_FIGURES_(X, f64, 13.1, 5.93, 4.24, 0.0428)                                                     \
  X(unaligned_d_clocks, 0.0979, "an SM's, more for an element of D whose rows do not lie on 16 bytes", "2026-11-28",  \
    13.2)                                                                                                             \
  X(tf32_tn_share, 0.625, "of its rate, where neither operand lies along k", "2026-11-28", 7.9)                       \
  X(few_lines_us, 0.754, "more of a call of up to 32 rows or columns of 16 bits", "2026-11-28", 11.9)                 \
  X(few_lines_share, 1.09, "and of memory's rate", "2026-11-28", 11.9)                                                \
  X(vector_batch_share, 0.396, "matrix by vector: of memory's rate, a batch whose rows do not lie on 16 bytes",       \
    "2026-11-28", 23.9)                                                                                               \
  X(vector_again_share, 0.99, "of the time of bytes from memory, those that L2 holds", "2026-11-27", 20.5)            \
  X(classic_factor, 0.997, "cuBLAS by its classic calls, of cuBLASLt's time", "2026-11-28", 9.6)                      \
  X(classic_sums_factor, 0.974, "the same, sums for a pass of their own", "2026-11-28", 15.3)                         \
  X(classic_us, 0.0793, "more for a classic call", "2026-11-28", 11.4)

namespace gpuopt {
GPUOPT_FIGURES(GemmLibraryFigures, gemm_library_figures, GPUOPT_GEMM_LIBRARY_FIGURES)
}  // namespace gpuopt
