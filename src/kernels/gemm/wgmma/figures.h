// Figures of the wgmma kernels. A stage is 128 bytes of k of both operands, whatever their type: 16 of it for each clock.
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
  X(promoting_128x128_start_us, 5.08, "a call that multiplies nothing", "derived", 0)                                \
  X(promoting_128x128_end_clocks, 998, "a tile's beginning and end", "derived", 0)               \
  X(promoting_128x128_stage_clocks, 800, "a stage of k of a multiprocessor", "derived", 0)                          \
  X(memory_share, 0.838, "of memory_gbs that is reached", "2026-11-22-h200", 10.8)                                        \
  X(sharpness, 2.09, "overlapped_us()", "2026-11-22-h200", 10.8)                                                            \
  X(lines_clocks, 1.41, "a warpgroup's, for an element of D that goes by lines", "2026-11-22-h200", 10.8)                       \
  X(lines_tile_clocks, 8450, "a tile's, of which all or little exists", "2026-11-22-h200", 10.8) \
  X(c_byte_clocks, 0.636, "more for a byte of C", "2026-11-22-h200", 10.8) \
  X(pack_start_us, 2.5, "a launch that packs little", "derived", 0) \
  X(pack_share, 0.75, "of memory_gbs that packing reaches, counting what it reads and writes", "derived", 0)
// clang-format on

namespace gpuopt {

GPUOPT_FIGURES(GemmWgmmaFigures, gemm_wgmma_figures, GPUOPT_GEMM_WGMMA_FIGURES)

}  // namespace gpuopt
