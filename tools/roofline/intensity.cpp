#include "gpuopt_roofline/intensity.h"

namespace gpuopt_roofline {

double tiled_intensity(double rows, double cols) { return 2 * rows * cols / (4 * (rows + cols)); }

double rung_intensity(const std::string &kernel) {
  struct Rung {
    const char *name;
    double rows, cols;
  };
  static constexpr Rung kRungs[] = {{"gemm_uncoalesced", 1, 1},       {"gemm_naive", 1, 1},
                                    {"gemm_tiled_16", 16, 16},        {"gemm_tiled_32", 32, 32},
                                    {"gemm_tiled_64", 64, 64},        {"gemm_double_buffer_32", 32, 32},
                                    {"gemm_one_warp", 32, 32},        {"gemm_one_warp_double", 32, 32},
                                    {"gemm_regblock_8x4", 128, 64},   {"gemm_regblock_8x8", 128, 128},
                                    {"gemm_spilled_8x8", 128, 128},   {"gemm_vec4", 128, 128},
                                    {"gemm_async_stages_3", 128, 128}};
  for (const Rung &r : kRungs)
    if (kernel == r.name) return tiled_intensity(r.rows, r.cols);
  return 0;
}

}  // namespace gpuopt_roofline
