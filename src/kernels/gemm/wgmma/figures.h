// Figures of the wgmma kernels.
#pragma once

#include "common/figures.h"

// clang-format off
#define GPUOPT_GEMM_WGMMA_FIGURES(X)                                                                                  \
  X(shared_128x256_start_us, 5.08, "a call that multiplies nothing", "2026-11-22-h200", 10.8)                                  \
  X(shared_128x256_end_clocks, 998, "a tile's beginning and end", "2026-11-22-h200", 10.8)                                   \
  X(shared_128x256_stage_clocks, 1270, "a stage of k of a multiprocessor", "2026-11-22-h200", 10.8)                           \
  X(pingpong_128x128_start_us, 5.83, "a call that multiplies nothing", "2026-11-22-h200", 10.8)                                \
  X(pingpong_128x128_end_clocks, 165, "a tile's beginning and end that is not hidden", "2026-11-22-h200", 10.8)               \
  X(pingpong_128x128_stage_clocks, 649, "a stage of k of a multiprocessor", "2026-11-22-h200", 10.8)                          \
  X(memory_share, 0.838, "of memory_gbs that is reached", "2026-11-22-h200", 10.8)                                        \
  X(sharpness, 2.09, "overlapped_us()", "2026-11-22-h200", 10.8)                                                            \
  X(pairs_clocks, 1.41, "a warpgroup's, for an element of D that goes by pairs", "2026-11-22-h200", 10.8)                       \
  X(pairs_tile_clocks, 8450, "a tile's, of which all or little exists", "2026-11-22-h200", 10.8) \
  X(c_byte_clocks, 0.636, "more for a byte of C", "2026-11-22-h200", 10.8)
// clang-format on

namespace gpuopt {

GPUOPT_FIGURES(GemmWgmmaFigures, gemm_wgmma_figures, GPUOPT_GEMM_WGMMA_FIGURES)

}  // namespace gpuopt
