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

#define GPUOPT_GEMM_LIBRARY_FIGURES(X)                                                                                 \
  GPUOPT_CUBLAS_CLASS_FIGURES_(X, half, 8.9, 5.28, 1044, 2.38, 0.172, 0.898, 3.92, 1.86, 3.19, 90.3, 2.47, 1, 1, 1, 1, \
                               0.985, 2.52, 0.984, 1.25)                                                               \
  GPUOPT_CUBLAS_CLASS_FIGURES_(X, half_unaligned, 14.4, 3.9, 797, 167, 1.12, 9, 5.78, 1.04, 4.31, 9.36, 5.98, 0.991,   \
                               1, 0.558, 0.967, 3.26, 2.79, 1, 0.94)                                                   \
  GPUOPT_CUBLAS_CLASS_FIGURES_(X, tf32, 7.1, 5.19, 844, 81.1, 1.82, 2.91, 5.04, 1.49, 5.01, 11.1, 9, 1, 1, 1, 0.848,   \
                               1.54, 1, 1, 1)                                                                          \
  GPUOPT_CUBLAS_CLASS_FIGURES_(X, tf32_unaligned, 10.4, 5.93, 350, 142, 1.06, 10.8, 4.48, 1.4, 3.09, 8.37, 9.41, 1, 1, \
                               0.5, 0.948, 1.46, 1, 1, 1)                                                              \
  GPUOPT_CUBLAS_CLASS_FIGURES_(X, f32, 12.1, 6.74, 73.8, 33.2, 0.123, 3, 3.4, 1.88, 5.44, 5.77, 26.1, 1, 1, 1, 0.963,  \
                               1.14, 1, 1, 1)                                                                          \
  GPUOPT_CUBLAS_CLASS_FIGURES_(X, fp8, 13.1, 2.67, 1766, 6.83, 1.67, 3.83, 3.85, 2.39, 1.28, 15.9, 6.93, 1, 1, 1,      \
                               0.965, 1.01, 1.04, 1.38, 1)                                                             \
  GPUOPT_CUBLAS_CLASS_FIGURES_(X, f64, 11.0, 5.19, 69.9, 5.81, 0.633, 5.89, 3.81, 1.62, 5.3, 75.7, 7.79, 0.738, 0.8,   \
                               0.8, 1, 1.41, 1, 1, 1)                                                                  \
  GPUOPT_CUBLAS_VECTOR_FIGURES_(X, half, 7.4, 5.13, 4.29, 0.369)                                                       \
  GPUOPT_CUBLAS_VECTOR_FIGURES_(X, half_unaligned, 14.3, 5.43, 2.77, 0.478)                                            \
  GPUOPT_CUBLAS_VECTOR_FIGURES_(X, f32, 5.8, 5.68, 4.27, 0.373)                                                        \
  GPUOPT_CUBLAS_VECTOR_FIGURES_(X, f32_unaligned, 14.1, 5.64, 4.2, 0.475)                                              \
  GPUOPT_CUBLAS_VECTOR_FIGURES_(X, fp8, 2.4, 4.55, 4.68, 0.471)                                                        \
  GPUOPT_CUBLAS_VECTOR_FIGURES_(X, f64, 13.0, 8.34, 4.88, 0.0424)                                                      \
  X(unaligned_d_clocks, 0.105, "an SM's, more for an element of D whose rows do not lie on 16 bytes", "2026-11-27",    \
    13.0)                                                                                                              \
  X(tf32_tn_share, 0.64, "of its rate, where neither operand lies along k", "2026-11-27", 6.7)                         \
  X(few_lines_us, 1.2, "more of a call of up to 32 rows or columns of 16 bits", "2026-11-27", 12.9)                    \
  X(few_lines_share, 1.15, "and of memory's rate", "2026-11-27", 12.9)                                                 \
  X(vector_batch_share, 0.783, "matrix by vector: of memory's rate, a batch whose rows do not lie on 16 bytes",        \
    "2026-11-27", 21.1)                                                                                                \
  X(vector_again_share, 0.99, "of the time of bytes from memory, those that L2 holds", "2026-11-27", 20.5)             \
  X(classic_factor, 1.01, "cuBLAS by its classic calls, of cuBLASLt's time", "2026-11-27", 12.4)                       \
  X(classic_sums_factor, 0.98, "the same, sums for a pass of their own", "2026-11-27", 12.4)                           \
  X(classic_us, 0.109, "more for a classic call", "2026-11-27", 12.4)

namespace gpuopt {
GPUOPT_FIGURES(GemmLibraryFigures, gemm_library_figures, GPUOPT_GEMM_LIBRARY_FIGURES)
}  // namespace gpuopt
