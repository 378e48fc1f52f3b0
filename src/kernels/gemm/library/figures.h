// Figures of cuBLASLt's first choice, for the model in common/cublas_time.cpp, fitted to single calls on cold buffers. A
// class is a type of operands; of 16-bit operands and TF32 those whose rows do not all begin on 16 bytes are one of
// their own, for which cuBLASLt has no Hopper kernel.
#pragma once

#include "common/figures.h"

#define GPUOPT_CUBLAS_CLASS_FIGURES_(X, type, error, start, tflops, edge, wave, k, tbs, overlap, split, split_tbs,   \
                                     batch_k, u8, u4, u2, c_share, c_bytes, f32_c_bytes, f32_d, f16_sums, vector,    \
                                     vector_tbs, vector_k)                                                           \
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
  X(type##_f16_sums_factor, f16_sums, "of its time, sums of f16", "2026-11-24-h200", error)                          \
  X(type##_vector_us, vector, "matrix by vector: an empty call", "2026-11-24-h200", error)                           \
  X(type##_vector_tbs, vector_tbs, "matrix by vector: memory", "2026-11-24-h200", error)                             \
  X(type##_vector_k_us, vector_k, "matrix by vector: for 1024 of k", "2026-11-24-h200", error)

#define GPUOPT_GEMM_LIBRARY_FIGURES(X)                                                                                \
  GPUOPT_CUBLAS_CLASS_FIGURES_(X, half, 11.8, 3.96, 1362, 10.9, 1.9, 1.28, 4.52, 1.41, 2.39, 84.3, 4.61, 1, 1, 1, 1,  \
                               1.1, 3.41, 0.886, 1.37, 7.32, 7, 0.255)                                                \
  GPUOPT_CUBLAS_CLASS_FIGURES_(X, half_unaligned, 14.9, 4.19, 666, 135, 1.71, 9.42, 5.12, 1.06, 3.32, 10.4, 11.5, 1,  \
                               1, 0.556, 0.949, 2.55, 0.739, 1.01, 0.963, 5.42, 2.75, 0.545)                          \
  GPUOPT_CUBLAS_CLASS_FIGURES_(X, tf32, 9.9, 4.05, 725, 45, 1.74, 2.36, 5.63, 1.06, 3.5, 7.74, 9, 1, 1, 1, 1, 1.2, 1, \
                               1, 1, 10.2, 5.53, 0.384)                                                               \
  GPUOPT_CUBLAS_CLASS_FIGURES_(X, tf32_unaligned, 13.4, 5.83, 321, 123, 1.61, 9.48, 3.58, 1.7, 3.31, 8.87, 9.69, 1.3, \
                               0.912, 0.5, 1, 1.05, 1, 1, 1, 4.86, 3.62, 0.301)                                       \
  GPUOPT_CUBLAS_CLASS_FIGURES_(X, f32, 9.4, 6.88, 72.3, 27.5, 0.162, 3, 2.49, 2.74, 6.05, 9.77, 32.2, 1, 0.994, 1,    \
                               0.905, 0.964, 1, 1, 1, 4.53, 2.2, 0.553)                                               \
  GPUOPT_CUBLAS_CLASS_FIGURES_(X, fp8, 5.4, 3.27, 1669, 7.24, 2.18, 3.61, 3.45, 2.21, 1.36, 11.7, 10, 1, 1, 1, 0.948, \
                               1, 1.13, 0.67, 1, 4.47, 4.42, 0.5)                                                     \
  GPUOPT_CUBLAS_CLASS_FIGURES_(X, f64, 7.3, 5.14, 77.5, 7.42, 0.343, 5.39, 4.01, 1.23, 5.75, 77.3, 8.31, 0.739, 0.8,  \
                               0.8, 1, 1.28, 1, 1, 1, 9.27, 7.66, 0.0426)                                             \
  X(tf32_tn_share, 0.926, "of its rate, where neither operand lies along k", "2026-11-24-h200", 9.2)                  \
  X(vector_again_share, 0.824, "of the time of bytes from memory, those that L2 holds", "2026-11-24-h200", 3.0)       \
  X(classic_factor, 0.981, "cuBLAS by its classic calls, of cuBLASLt's time", "2026-11-24-h200", 14.9)                \
  X(classic_us, 0.164, "more for a classic call", "2026-11-24-h200", 14.9)

namespace gpuopt {
GPUOPT_FIGURES(GemmLibraryFigures, gemm_library_figures, GPUOPT_GEMM_LIBRARY_FIGURES)
}  // namespace gpuopt
