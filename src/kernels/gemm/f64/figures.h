// Figures of the fp64 kernels. Shares of the multiply-add rate are of what an SM's units, tensor cores or CUDA cores, can
// do. On devices with two fp64 units an SM nobody measured.
#pragma once

#include "common/figures.h"

#define GPUOPT_GEMM_F64_FIGURES(X)                                                                                   \
  X(memory_share, 1, "of memory_gbs, operands and D once, that plans assume", "2026-11-24-h200", 9.2)                \
  X(reached_share, 1, "of memory_gbs that is reached", "2026-11-24-h200", 7.2)                                       \
  X(sharpness, 2.6, "overlapped_us()", "2026-11-24-h200", 7.2)                                                       \
  X(store_clocks, 0.316, "an SM's, for an element of D or of a slice", "2026-11-24-h200", 7.2)                       \
  X(tile_clocks, 2381, "a tile's beginning and end, an SM's", "2026-11-24-h200", 7.2)                                \
  X(c_clocks, 2.8, "more where C is read", "2026-11-24-h200", 14.6)                                                  \
  X(dmma_128x64_us, 8.9, "launch, first loads and last stores", "2026-11-24-h200", 4.7)                              \
  X(dmma_128x64_factor, 0.908, "time of a product, of that by which its plan is made", "2026-11-24-h200", 4.7)       \
  X(dmma_64x64_us, 5.58, "launch, first loads and last stores", "2026-11-24-h200", 5.1)                              \
  X(dmma_64x64_factor, 1.34, "time of a product, of that by which its plan is made", "2026-11-24-h200", 5.1)         \
  X(dmma_128x64_share, 0.761, "of the tensor cores' rate, an SM full of 128 x 64", "2026-11-24-h200", 4.7)           \
  X(dmma_64x64_share, 0.98, "of the tensor cores' rate, an SM full of 64 x 64", "2026-11-24-h200", 5.2)              \
  X(dmma_alone_share, 0.575, "of the tensor cores' rate, one block on an SM", "2026-11-24-h200", 4.9)                \
  X(simt_us, 5.05, "launch, first loads and last stores", "2026-11-24-h200", 6.7)                                    \
  X(simt_share, 0.618, "of the CUDA cores' rate, an SM full of blocks", "2026-11-24-h200", 6.7)                      \
  X(simt_two_units_share, 0.9, "the same where an SM has two units: shared memory keeps up", "derived", 0)           \
  X(simt_alone_factor, 0.7, "clocks of a block that is alone, of its clocks on a full SM", "2026-11-24-h200", 9.1)   \
  X(simt_factor, 1.01, "time of a product, of that by which its plan is made", "2026-11-24-h200", 6.7)               \
  X(dmma_ws_us, 13.5, "launch, first loads and last stores, persistent blocks", "2026-11-24-h200", 10.7)             \
  X(dmma_ws_factor, 0.985, "time of a product, of that by which its plan is made", "2026-11-24-h200", 10.7)          \
  X(dmma_tma_us, 7.11, "launch, first loads and last stores, persistent blocks", "2026-11-24-h200", 10.7)            \
  X(dmma_tma_factor, 0.977, "time of a product, of that by which its plan is made", "2026-11-24-h200", 10.7)         \
  X(stream_tail_factor, 1.59, "time of the second kernel, of that by which plans are made", "2026-11-24-h200", 10.9) \
  X(stream_tail_us, 4.94, "the second kernel, which adds pieces of tiles", "2026-11-24-h200", 10.3)                  \
  X(dmma_ws_share, 0.937, "of the tensor cores' rate", "2026-11-24-h200", 10.7)                                      \
  X(dmma_tma_share, 0.998, "of the tensor cores' rate", "2026-11-24-h200", 10.7)

namespace gpuopt {
GPUOPT_FIGURES(GemmF64Figures, gemm_f64_figures, GPUOPT_GEMM_F64_FIGURES)
}  // namespace gpuopt
