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

#define GPUOPT_GEMM_LIBRARY_FIGURES(X)                                                                               \
  GPUOPT_CUBLAS_CLASS_FIGURES_(X, half, 9.2, 3.78, 1075, 0.476, 0.116, 0.941, 4.24, 1.26, 3.15, 90.4, 1.57, 1, 1, 1, \
                               1, 1.22, 1.83, 0.979, 1.15)                                                           \
  GPUOPT_CUBLAS_CLASS_FIGURES_(X, half_unaligned, 14.6, 2.29, 780, 159, 1.16, 9.03, 5.78, 0.97, 3.81, 8.5, 5.98,     \
                               0.958, 0.976, 0.538, 0.969, 3.79, 2.33, 1.04, 0.878)                                  \
  GPUOPT_CUBLAS_CLASS_FIGURES_(X, tf32, 10.0, 4.27, 720, 56.5, 1.73, 1.21, 4.36, 1.55, 8.19, 6.12, 13, 1, 1, 1, 1,   \
                               4.59, 1, 1, 1)                                                                        \
  GPUOPT_CUBLAS_CLASS_FIGURES_(X, tf32_unaligned, 10.7, 4.3, 401, 156, 0.964, 8.65, 3.82, 1.61, 3.5, 6.62, 9.31, 1,  \
                               0.949, 0.5, 0.964, 1.92, 1, 1, 1)                                                     \
  GPUOPT_CUBLAS_CLASS_FIGURES_(X, f32, 12.8, 4.71, 76, 38.3, 0.142, 3, 2.22, 3.21, 4.29, 8.59, 34.2, 0.935, 1, 1, 1, \
                               1.31, 1, 1, 1)                                                                        \
  GPUOPT_CUBLAS_CLASS_FIGURES_(X, fp8, 9.5, 2.6, 1639, 3.83, 0.517, 2.86, 2.61, 3.73, 1.86, 13.7, 6.77, 1, 1, 1, 1,  \
                               1.01, 1.04, 0.946, 1)                                                                 \
  GPUOPT_CUBLAS_CLASS_FIGURES_(X, f64, 11.1, 3.62, 73.3, 2.18, 0.46, 3.87, 4.94, 0.879, 4.03, 72.8, 5.5, 0.707, 0.8, \
                               0.8, 0.973, 1.3, 1, 1, 1)                                                             \
  GPUOPT_CUBLAS_VECTOR_FIGURES_(X, half, 8.2, 4.13, 4.48, 0.225)                                                     \
  GPUOPT_CUBLAS_VECTOR_FIGURES_(X, half_unaligned, 22.1, 3.67, 2.11, 0.723)                                          \
  GPUOPT_CUBLAS_VECTOR_FIGURES_(X, f32, 6.4, 3.59, 3.97, 0.266)                                                      \
  GPUOPT_CUBLAS_VECTOR_FIGURES_(X, f32_unaligned, 14.1, 3.38, 4.05, 0.458)                                           \
  GPUOPT_CUBLAS_VECTOR_FIGURES_(X, fp8, 9.7, 4.42, 4.36, 0.463)                                                      \
  GPUOPT_CUBLAS_VECTOR_FIGURES_(X, f64, 27.8, 5.36, 4.15, 0.0434)                                                    \
  X(unaligned_d_clocks, 0.109, "an SM's, more for an element of D whose rows do not lie on 16 bytes", "2026-11-28",  \
    12.9)                                                                                                            \
  X(tf32_tn_share, 0.651, "of its rate, where neither operand lies along k", "2026-11-28", 12.6)                     \
  X(few_lines_us, 0.416, "more of a call of up to 32 rows or columns of 16 bits", "2026-11-28", 6.1)                 \
  X(few_lines_share, 1.07, "and of memory's rate", "2026-11-28", 6.1)                                                \
  X(vector_batch_share, 0.387, "matrix by vector: of memory's rate, a batch whose rows do not lie on 16 bytes",      \
    "2026-11-28", 31.2)                                                                                              \
  X(vector_again_share, 0.947, "of the time of bytes from memory, those that L2 holds", "2026-11-28", 78.2)          \
  X(classic_factor, 0.996, "cuBLAS by its classic calls, of cuBLASLt's time", "2026-11-28", 10.7)                    \
  X(classic_sums_factor, 0.978, "the same, sums for a pass of their own", "2026-11-28", 14.1)                        \
  X(classic_us, 0.0638, "more for a classic call", "2026-11-28", 12.0)

namespace gpuopt {
GPUOPT_FIGURES(GemmLibraryFigures, gemm_library_figures, GPUOPT_GEMM_LIBRARY_FIGURES)
}  // namespace gpuopt
