// Figures of the fp64 kernels. Shares of the multiply-add rate are of what an SM's units, tensor cores or CUDA cores, can
// do. On devices with two fp64 units an SM nobody measured.
#pragma once

#include "common/figures.h"

#define GPUOPT_GEMM_F64_FIGURES(X)                                                                             \
  X(memory_share, 0.8, "of memory_gbs, operands and D once, that plans assume", "planned", 0)                  \
  X(reached_share, 1, "of memory_gbs that is reached", "2026-11-28", 7.5)                                      \
  X(sharpness, 2.11, "overlapped_us()", "2026-11-28", 7.5)                                                     \
  X(store_clocks, 0.364, "an SM's, for an element of D or of a slice", "2026-11-28", 7.5)                      \
  X(single_clocks, 0.926, "more where D's elements leave one by one, not in pairs", "2026-11-28", 11.4)        \
  X(tile_clocks, 1098, "a tile's beginning and end, an SM's", "2026-11-28", 7.5)                               \
  X(c_clocks, 2.68, "more where C is read", "2026-11-28", 13.8)                                                \
  X(dmma_128x64_us, 6.5, "launch, first loads and last stores", "2026-11-28", 6.3)                             \
  X(dmma_128x64_factor, 1.01, "time of a product, of that by which its plan is made", "2026-11-28", 6.3)       \
  X(dmma_64x64_us, 6.04, "launch, first loads and last stores", "2026-11-28", 7.7)                             \
  X(dmma_64x64_factor, 1.02, "time of a product, of that by which its plan is made", "2026-11-28", 7.7)        \
  X(dmma_128x64_share, 0.82, "of the tensor cores' rate, an SM full of 128 x 64", "planned", 0)                \
  X(dmma_64x64_share, 0.74, "of the tensor cores' rate, an SM full of 64 x 64", "planned", 0)                  \
  X(dmma_alone_share, 0.6, "of the tensor cores' rate, one block on an SM", "planned", 0)                      \
  X(simt_us, 4.54, "launch, first loads and last stores", "2026-11-28", 8.6)                                   \
  X(simt_share, 0.62, "of the CUDA cores' rate, an SM full of blocks", "planned", 0)                           \
  X(simt_two_units_share, 0.9, "the same where an SM has two units: shared memory keeps up", "derived", 0)     \
  X(simt_alone_factor, 0.7, "clocks of a block that is alone, of its clocks on a full SM", "planned", 0)       \
  X(simt_factor, 1.04, "time of a product, of that by which its plan is made", "2026-11-28", 8.6)              \
  X(dmma_ws_us, 9.87, "launch, first loads and last stores, persistent blocks", "2026-11-28", 6.9)             \
  X(dmma_ws_factor, 0.996, "time of a product, of that by which its plan is made", "2026-11-28", 6.9)          \
  X(dmma_tma_us, 6.57, "launch, first loads and last stores, persistent blocks", "2026-11-28", 8.5)            \
  X(dmma_tma_factor, 0.995, "time of a product, of that by which its plan is made", "2026-11-28", 8.5)         \
  X(stream_tail_factor, 1.39, "time of the second kernel, of that by which plans are made", "2026-11-28", 6.6) \
  X(stream_tail_us, 3, "the second kernel, which adds pieces of tiles", "planned", 0)                          \
  X(dmma_ws_share, 0.92, "of the tensor cores' rate", "planned", 0)                                            \
  X(dmma_tma_share, 0.97, "of the tensor cores' rate", "planned", 0)

namespace gpuopt {
GPUOPT_FIGURES(GemmF64Figures, gemm_f64_figures, GPUOPT_GEMM_F64_FIGURES)
}  // namespace gpuopt
