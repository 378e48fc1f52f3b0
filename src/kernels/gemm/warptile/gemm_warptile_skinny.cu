// gemm_warptile_skinny: D of few rows or few columns, bound by reading B (or A) once.
//
// Idea and data movement: a block holds all of 16 rows and 128 columns of D (or of 16 columns and 128 rows), 16 x 4 sums
// a thread; its four warps take turns at the steps of k, and k is split over blocks until two fill every SM. The large
// operand streams through a ring of four stages, 48 KB of it in flight an SM for each block; the small one comes from
// L2. Which orientation it is, is the plan's.
// Needs: as gemm_warptile_128x256.
// Prediction: the large operand's bytes once at a share of the bandwidth, or the multiply-adds at about half of the
// peak: 16 rows are 4 of them a byte.
#include "gemm/warptile/warptile_launch.cuh"

namespace gpuopt {
namespace {

constexpr WarptileRung kSkinny = {"gemm_warptile_skinny",
                                  {&warptile_16x128, &warptile_128x16},
                                  &gemm_warptile_figures.skinny_start_us,
                                  &gemm_warptile_figures.skinny_factor};
constexpr gpuopt_kernel kKernels[] = {warptile_kernel<WarptileLaunch<kSkinny>>(
    kSkinny.name, "fp32, few rows or columns: tiles of 16 x 128 or 128 x 16, k split over blocks",
    "gemm_warptile_skinny_rows,gemm_warptile_skinny_columns", warptile_skinny_resources)};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
