// Figures of grouped wgmma kernels. The device goes by those of a tile's stages and end, too (list_work.h).
#pragma once

#include "common/figures.h"

// clang-format off
#define GPUOPT_GEMM_GROUPED_WGMMA_FIGURES(X)                                                             \
  X(list_maps_us, 2.0, "a list: a launch that makes tensor maps", "derived", 0)                              \
  X(start_us, 8.0, "a call that multiplies nothing", "derived", 0)                                       \
  X(wide_end_clocks, 1309.0, "256 columns: a tile's beginning and end", "derived", 0)                    \
  X(wide_stage_clocks, 966.0, "256 columns: a stage of k of a multiprocessor", "derived", 0)             \
  X(middle_end_clocks, 982.0, "192 columns: a tile's beginning and end", "derived", 0)                   \
  X(middle_stage_clocks, 748.0, "192 columns: a stage of k of a multiprocessor", "derived", 0)           \
  X(fp8_end_clocks, 1635.0, "fp8, sums to fp32: a tile's beginning and end", "derived", 0)               \
  X(fp8_stage_clocks, 706.0, "fp8: a stage of k of a multiprocessor", "derived", 0)                      \
  X(fp8_scaled_clocks, 826.0, "the same with scales of blocks", "derived", 0)                            \
  X(fp8_tall_end_clocks, 2600.0, "fp8, 256 rows: a tile's beginning and end", "derived", 0)              \
  X(fp8_tall_stage_clocks, 1230.0, "fp8, 256 rows: a stage of k of a multiprocessor", "derived", 0)      \
  X(fp8_tall_scaled_clocks, 1330.0, "the same with scales of blocks", "derived", 0)                      \
  X(fp8_half_share, 0.85, "of it, where a tile has half its rows", "derived", 0)                          \
  X(narrow_end_clocks, 800.0, "128 columns: a tile's beginning and end", "derived", 0)                   \
  X(narrow_stage_clocks, 600.0, "128 columns: a stage of k of a multiprocessor", "derived", 0)           \
  X(group_clocks, 30.0, "of each block, to find the tiles of a group", "derived", 0)                     \
  X(line_clocks, 1.0, "a multiprocessor's, for an element of D that does not go by panels", "derived", 0)  \
  X(epilogue_clocks, 17.0, "more where C or stages are applied to it", "2026-11-28", 23)                  \
  X(skinny_start_us, 6.0, "few rows a group: a call that multiplies nothing", "derived", 0)              \
  X(memory_share, 0.88, "of memory_gbs that is reached", "derived", 0)                                   \
  X(skinny_memory_share, 0.9, "the same", "derived", 0)                                                  \
  X(skinny_bytes_per_clock, 45.0, "from L2 to a multiprocessor", "derived", 0)                           \
  X(skinny_element_clocks, 2.0, "a multiprocessor's, for an element of D", "derived", 0)                 \
  X(skinny_epilogue_clocks, 0.47, "more where C or stages are applied, for each of a tile's rows", "2026-11-28", 23) \
  X(sharpness, 3.1, "overlapped_us()", "2026-11-28", 23)                                                     \
  X(skinny_sharpness, 4.0, "overlapped_us()", "derived", 0)
// clang-format on

namespace gpuopt {

GPUOPT_FIGURES(GemmGroupedWgmmaFigures, gemm_grouped_wgmma_figures, GPUOPT_GEMM_GROUPED_WGMMA_FIGURES)

}  // namespace gpuopt
