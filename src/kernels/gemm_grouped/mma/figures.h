// Figures of the list kernels by mma.sync.
#pragma once

#include "common/figures.h"

// clang-format off
#define GPUOPT_GEMM_GROUPED_MMA_FIGURES(X)                                                       \
  X(start_us, 6.0, "a call that multiplies nothing", "derived", 0)                               \
  X(tile_clocks_16x64, 1500.0, "a tile's beginning and end", "derived", 0)                       \
  X(stage_clocks_16x64, 180.0, "a multiprocessor's, for a stage of 64 of k", "derived", 0)       \
  X(tile_clocks_64x64, 2500.0, "a tile's beginning and end", "derived", 0)                       \
  X(stage_clocks_64x64, 520.0, "a multiprocessor's, for a stage of 64 of k", "derived", 0)       \
  X(tile_clocks_128x128, 5000.0, "a tile's beginning and end", "derived", 0)                     \
  X(stage_clocks_128x128, 1370.0, "a multiprocessor's, for a stage of 64 of k", "derived", 0)    \
  X(product_clocks, 30.0, "of each block, to find the tiles of a product", "derived", 0)         \
  X(element_clocks, 0.15, "a multiprocessor's, for an element of D", "derived", 0)                \
  X(memory_share, 0.9, "of memory_gbs that is reached", "derived", 0)                            \
  X(sharpness, 4.0, "overlapped_us()", "derived", 0)
// clang-format on

namespace gpuopt {

GPUOPT_FIGURES(GemmGroupedMmaFigures, gemm_grouped_mma_figures, GPUOPT_GEMM_GROUPED_MMA_FIGURES)

}  // namespace gpuopt
