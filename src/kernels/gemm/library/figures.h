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
  GPUOPT_CUBLAS_CLASS_FIGURES_(X, half, 8.6, 3.81, 1073, 0.508, 0.124, 0.932, 4.23, 1.28, 2.42, 90.9, 1.58, 1, 1, 1,  \
                               1, 1.17, 1.88, 0.974, 1.16)                                                            \
  GPUOPT_CUBLAS_CLASS_FIGURES_(X, half_unaligned, 15.1, 2.13, 795, 160, 1.14, 9.11, 5.96, 0.953, 4.06, 8.95, 5.98, 1, \
                               0.993, 0.525, 0.973, 3.99, 2.32, 1.05, 0.894)                                          \
  GPUOPT_CUBLAS_CLASS_FIGURES_(X, tf32, 9.9, 4.44, 723, 57.4, 1.55, 1.22, 4.29, 1.55, 8.67, 7.54, 12.1, 1, 1, 1, 1,   \
                               3.75, 1, 1, 1)                                                                         \
  GPUOPT_CUBLAS_CLASS_FIGURES_(X, tf32_unaligned, 11.5, 4.15, 403, 152, 0.872, 9.81, 3.76, 1.56, 3.34, 6.61, 9.1, 1,  \
                               0.938, 0.5, 0.954, 1.81, 1, 1, 1)                                                      \
  GPUOPT_CUBLAS_CLASS_FIGURES_(X, f32, 12.1, 4.41, 77.2, 40.8, 0.14, 3, 2.19, 3.6, 4.23, 8.09, 34.8, 0.876, 1, 1, 1,  \
                               1.38, 1, 1, 1)                                                                         \
  GPUOPT_CUBLAS_CLASS_FIGURES_(X, fp8, 9.8, 2.57, 1632, 4.11, 0.538, 2.87, 2.59, 3.87, 1.83, 13.6, 6.8, 1, 1, 1,      \
                               0.934, 1.01, 1.04, 1.01, 1)                                                            \
  GPUOPT_CUBLAS_CLASS_FIGURES_(X, f64, 10.4, 3.62, 73.3, 2.11, 0.501, 3.9, 4.78, 0.885, 4.25, 73.4, 5.5, 0.704, 0.8,  \
                               0.8, 0.972, 1.26, 1, 1, 1)                                                             \
  GPUOPT_CUBLAS_VECTOR_FIGURES_(X, half, 8.6, 4.21, 4.49, 0.233)                                                      \
  GPUOPT_CUBLAS_VECTOR_FIGURES_(X, half_unaligned, 24.5, 3.67, 2.1, 0.611)                                            \
  GPUOPT_CUBLAS_VECTOR_FIGURES_(X, f32, 7.7, 3.49, 4.01, 0.277)                                                       \
  GPUOPT_CUBLAS_VECTOR_FIGURES_(X, f32_unaligned, 5.1, 3.36, 4.14, 0.458)                                             \
  GPUOPT_CUBLAS_VECTOR_FIGURES_(X, fp8, 0.0, 4.57, 4.35, 0.474)                                                       \
  GPUOPT_CUBLAS_VECTOR_FIGURES_(X, f64, 29.2, 6.03, 4.15, 0.0432)                                                     \
  X(unaligned_d_clocks, 0.107, "an SM's, more for an element of D whose rows do not lie on 16 bytes", "2026-11-28",   \
    13.1)                                                                                                             \
  X(tf32_tn_share, 0.638, "of its rate, where neither operand lies along k", "2026-11-28", 10.6)                      \
  X(few_lines_us, 0.568, "more of a call of up to 32 rows or columns of 16 bits", "2026-11-28", 5.1)                  \
  X(few_lines_share, 1.07, "and of memory's rate", "2026-11-28", 5.1)                                                 \
  X(vector_batch_share, 0.43, "matrix by vector: of memory's rate, a batch whose rows do not lie on 16 bytes",        \
    "2026-11-28", 29.0)                                                                                               \
  X(vector_again_share, 0.961, "of the time of bytes from memory, those that L2 holds", "2026-11-28", 80.4)           \
  X(classic_factor, 0.995, "cuBLAS by its classic calls, of cuBLASLt's time", "2026-11-28", 10.5)                     \
  X(classic_sums_factor, 0.974, "the same, sums for a pass of their own", "2026-11-28", 14.2)                         \
  X(classic_us, 0.068, "more for a classic call", "2026-11-28", 11.9)

namespace gpuopt {
GPUOPT_FIGURES(GemmLibraryFigures, gemm_library_figures, GPUOPT_GEMM_LIBRARY_FIGURES)
}  // namespace gpuopt
