// Figures of cuBLASLt's first choice, for the model in common/cublas_time.cpp, fitted to single calls on cold buffers. A
// class is a type of operands; of 16-bit operands and TF32 those whose rows do not all begin on 16 bytes are one of
// their own, for which cuBLASLt has no Hopper kernel.
#pragma once

#include "common/figures.h"

#define GPUOPT_CUBLAS_CLASS_FIGURES_(X, type, error, start, tflops, edge, wave, k, tbs, overlap, split, split_tbs,   \
                                     batch_k, u8, u4, u2, c_share, c_bytes, f32_c_bytes, f32_d, f16_sums)            \
  X(type##_start_us, start, "launch to finish of an empty call", "2026-11-27-h100", error)                           \
  X(type##_tflops, tflops, "of an endless tile", "2026-11-27-h100", error)                                           \
  X(type##_edge, edge, "tile bm x bn: 1 / (1 + edge * (1 / bm + 1 / bn)) of it", "2026-11-27-h100", error)           \
  X(type##_wave_us, wave, "fill and drain of a wave", "2026-11-27-h100", error)                                      \
  X(type##_k_us, k, "least time of a tile for 1024 of k", "2026-11-27-h100", error)                                  \
  X(type##_tbs, tbs, "memory", "2026-11-27-h100", error)                                                             \
  X(type##_sharpness, overlap, "overlapped_us()", "2026-11-27-h100", error)                                          \
  X(type##_split_us, split, "the second step of split-K", "2026-11-27-h100", error)                                  \
  X(type##_split_tbs, split_tbs, "at which its partial sums move", "2026-11-27-h100", error)                         \
  X(type##_batch_k_us, batch_k, "least time of a batch's tile for 1024 of k", "2026-11-27-h100", error)              \
  X(type##_rows_of_8_share, u8, "of the rate, rows of 8 bytes", "2026-11-27-h100", error)                            \
  X(type##_rows_of_4_share, u4, "of the rate, rows of 4 bytes", "2026-11-27-h100", error)                            \
  X(type##_rows_of_2_share, u2, "of the rate, rows of 2 bytes", "2026-11-27-h100", error)                            \
  X(type##_c_share, c_share, "of the rate, C read", "2026-11-27-h100", error)                                        \
  X(type##_c_bytes_factor, c_bytes, "time of C's bytes, of as many of others", "2026-11-27-h100", error)             \
  X(type##_f32_c_bytes_factor, f32_c_bytes, "the same, C of f32 beside narrower operands", "2026-11-27-h100", error) \
  X(type##_f32_d_factor, f32_d, "of the rate, D wider than operands", "2026-11-27-h100", error)                      \
  X(type##_f16_sums_factor, f16_sums, "of its time, sums of f16", "2026-11-27-h100", error)

#define GPUOPT_CUBLAS_VECTOR_FIGURES_(X, type, error, vector, vector_tbs, vector_k)        \
  X(type##_vector_us, vector, "matrix by vector: an empty call", "2026-11-27-h100", error) \
  X(type##_vector_tbs, vector_tbs, "matrix by vector: memory", "2026-11-27-h100", error)   \
  X(type##_vector_k_us, vector_k, "matrix by vector: for 1024 of k", "2026-11-27-h100", error)

#define GPUOPT_GEMM_LIBRARY_FIGURES(X)                                                                                 \
  GPUOPT_CUBLAS_CLASS_FIGURES_(X, half, 11.1, 4.98, 1084, 8.08, 0.419, 1.13, 3.98, 1.8, 3.3, 87.9, 4.38, 1, 1, 1, 1,   \
                               1.1, 2.15, 0.955, 1.32)                                                                 \
  GPUOPT_CUBLAS_CLASS_FIGURES_(X, half_unaligned, 13.4, 4.11, 671, 109, 1.31, 7.75, 5.87, 1.05, 4.14, 8.21, 6.4, 1, 1, \
                               0.518, 0.897, 2.56, 0.697, 1.11, 1.05)                                                  \
  GPUOPT_CUBLAS_CLASS_FIGURES_(X, tf32, 8.0, 5.51, 711, 56.2, 1.47, 3.11, 4.88, 1.43, 3.18, 8.29, 9, 1, 1, 1, 0.984,   \
                               1.17, 1, 1, 1)                                                                          \
  GPUOPT_CUBLAS_CLASS_FIGURES_(X, tf32_unaligned, 11.8, 5.73, 265, 71.6, 1.42, 7.54, 3.13, 1.92, 4.23, 6.6, 9.25,      \
                               1.21, 0.969, 0.5, 0.857, 1.11, 1, 1, 1)                                                 \
  GPUOPT_CUBLAS_CLASS_FIGURES_(X, f32, 12.1, 6.74, 73.8, 33.2, 0.123, 3, 3.4, 1.88, 5.44, 5.77, 26.1, 1, 1, 1, 0.963,  \
                               1.14, 1, 1, 1)                                                                          \
  GPUOPT_CUBLAS_CLASS_FIGURES_(X, fp8, 8.4, 2.53, 1671, 7.23, 1.71, 3.31, 3.63, 1.95, 1.31, 11.6, 10, 1, 1, 1, 1,      \
                               1.01, 1, 0.732, 1)                                                                      \
  GPUOPT_CUBLAS_CLASS_FIGURES_(X, f64, 11.0, 5.19, 69.9, 5.81, 0.633, 5.89, 3.81, 1.62, 5.3, 75.7, 7.79, 0.738, 0.8,   \
                               0.8, 1, 1.41, 1, 1, 1)                                                                  \
  GPUOPT_CUBLAS_VECTOR_FIGURES_(X, half, 10.1, 7.15, 5.22, 0.292)                                                      \
  GPUOPT_CUBLAS_VECTOR_FIGURES_(X, half_unaligned, 6.2, 5.13, 3.51, 0.766)                                             \
  GPUOPT_CUBLAS_VECTOR_FIGURES_(X, f32, 9.1, 4.64, 4.08, 0.39)                                                         \
  GPUOPT_CUBLAS_VECTOR_FIGURES_(X, f32_unaligned, 17.7, 4.96, 3.82, 0.537)                                             \
  GPUOPT_CUBLAS_VECTOR_FIGURES_(X, fp8, 1.9, 4.26, 3.58, 0.488)                                                        \
  GPUOPT_CUBLAS_VECTOR_FIGURES_(X, f64, 10.2, 9.09, 5.52, 0.0424)                                                      \
  X(unaligned_d_clocks, 0.0564, "an SM's, more for an element of D whose rows do not lie on 16 bytes",                 \
    "2026-11-27-h100", 13.8)                                                                                           \
  X(tf32_tn_share, 0.657, "of its rate, where neither operand lies along k", "2026-11-27-h100", 11.7)                  \
  X(vector_again_share, 0.82, "of the time of bytes from memory, those that L2 holds", "2026-11-27-h100", 7.1)         \
  X(classic_factor, 0.976, "cuBLAS by its classic calls, of cuBLASLt's time", "2026-11-27-h100", 13.7)                 \
  X(classic_us, 0.175, "more for a classic call", "2026-11-27-h100", 13.7)

namespace gpuopt {
GPUOPT_FIGURES(GemmLibraryFigures, gemm_library_figures, GPUOPT_GEMM_LIBRARY_FIGURES)
}  // namespace gpuopt
