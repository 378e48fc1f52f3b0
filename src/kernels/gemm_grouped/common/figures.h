// Figures of what kernels of grouped products share.
#pragma once

#include "common/figures.h"

// clang-format off
#define GPUOPT_GEMM_GROUPED_COMMON_FIGURES(X)                                             \
  X(offsets_us, 1.82, "a launch that brings offsets of the host", "2026-11-28", 27.1)
// clang-format on

namespace gpuopt {

GPUOPT_FIGURES(GemmGroupedCommonFigures, gemm_grouped_common_figures, GPUOPT_GEMM_GROUPED_COMMON_FIGURES)

}  // namespace gpuopt
