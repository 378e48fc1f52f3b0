// Figures of what gemm kernels share: the time model of those on CUDA cores (simt_gemm.cuh) and finish_gemm().
#pragma once

#include "common/figures.h"

#define GPUOPT_GEMM_COMMON_FIGURES(X)                                                                                 \
  X(simt_us, 3.0, "launch to finish of an empty product", "2026-11-21-h200", 0)                                       \
  X(simt_block_clocks, 1500, "a block's beginning and end", "2026-11-21-h200", 0)                                     \
  X(simt_memory_share, 0.8, "of memory_gbs, operands and D once", "2026-11-21-h200", 0)                               \
  X(simt_f64_clocks_factor, 1.8, "latency of a step of k in fp64, of that in fp32", "2026-11-21-h200", 0)             \
  X(simt_f64_flops_per_clock, 3.5, "of an SM with two fp64 units", "derived", 0)                                      \
  X(simt_fp8_factor, 0.7, "of the rate in fp32, operands converted by instruction", "2026-11-21-h200", 0)             \
  X(simt_fp8_bits_factor, 0.4, "of the rate in fp32, operands converted by bit operations", "derived", 0)             \
  X(simt_narrow_factor, 0.8, "of the rate in fp32, 16-bit and int8 operands", "2026-11-21-h200", 0)                   \
  X(element_clocks, 0.0133, "gemm_epilogue(): an SM's, for an element of D", "2026-11-28", 8.6)                       \
  X(element_c_clocks, 0.436, "more where it reads C", "2026-11-28", 9.5)                                              \
  X(element_stage_clocks, 0.145, "more for a stage", "2026-11-28", 8.4)                                               \
  X(element_operand_clocks, 0.202, "more for a stage's operand", "2026-11-28", 8.2)                                   \
  X(element_function_clocks, 0.41, "more for tanh or erf", "2026-11-28", 9.0)                                         \
  X(element_exp_share, 0.605, "of that, a stage of one exp", "2026-11-28", 9.0)                                       \
  X(element_f64_clocks, 0.765, "more in fp64", "2026-11-28", 8.9)                                                     \
  X(element_f64_function_factor, 3.86, "tanh or erf in fp64, of that in fp32", "2026-11-28", 10.0)                    \
  X(power_factor, 0.401, "16-bit tensor cores: more time of multiplying where it lasts", "2026-11-28", 9.3)           \
  X(power_us, 102, "how long that is: half of the factor", "2026-11-28", 9.3)                                         \
  X(finish_us, 3.68, "finish_gemm(): a second launch in the same stream", "2026-11-28", 8.4)                          \
  X(finish_clocks, 0.576, "finish_gemm(): an SM's, for an element", "2026-11-28", 7.7)                                \
  X(finish_ragged_clocks, 0.725, "the same, rows of no multiple of four", "2026-11-28", 9.0)                          \
  X(finish_sums_share, 1, "finish_gemm(): of memory_gbs, sums", "2026-11-28", 8.4)                                    \
  X(finish_share, 1, "finish_gemm(): of memory_gbs, what else it moves", "2026-11-28", 8.4)                           \
  X(finish_sharpness, 2.17, "finish_gemm(): overlapped_us()", "2026-11-28", 8.4)                                      \
  X(split_start_us, 12.9, "fp32 in parts: launches that split little, and the one not taken", "2026-11-28", 11.5)     \
  X(split_share, 0.594, "splitting: of memory_gbs, what it reads and writes", "2026-11-28", 10.5)                     \
  X(split_line_clocks, 3615, "splitting: of a line along k, or of a piece of it that a warp has", "2026-11-28", 16.8) \
  X(plan_finish_us, 1.5, "what plans that cut k take finish_gemm() for", "planned", 0)                                \
  X(plan_finish_share, 0.8, "the same, of memory_gbs", "planned", 0)

namespace gpuopt {
GPUOPT_FIGURES(GemmCommonFigures, gemm_common_figures, GPUOPT_GEMM_COMMON_FIGURES)
}  // namespace gpuopt
