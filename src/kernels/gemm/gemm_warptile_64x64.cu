// gemm_warptile_64x64: tiles of 64 x 64 in four slices of k, for products that do not fill the device otherwise.
//
// Idea and data movement: four warps of 64 x 64 share a tile and take turns at every 8 steps of k; their sums are
// added through shared memory at the end. 1024^3 is 256 such tiles: 1.94 for each SM, with 16 x 8 sums a thread all
// the same.
// Needs: as gemm_warptile_128x256.
// Measured on an H200 (2026-11-21, single call, cold): 1024^3 nn 56.8 us (1.01 of the best peer), 1000^3 57.1 us
// (1.01); split-K: 512^3 16.3 us (1.00), 64 x 4096 x 4096 59.7 us (1.00).
#include "gemm/warptile_instance.cuh"
#include "gemm/warptile_shapes.cuh"

namespace gpuopt {

template struct WarptileKernels<WarpTile64x64>;

namespace {

struct Whole {
  static constexpr char kName[] = "gemm_warptile_64x64";
  static constexpr char kSummary[] = "fp32: block, warp and thread tiles, cp.async ring; tiles of 64 x 64";
  using Shape = WarpTile64x64;
  static constexpr WarptileFigures kFigures = kFigures64x64;
  static constexpr WarptileDeal kDeal = WarptileDeal::whole;
};
struct SplitK : Whole {
  static constexpr char kName[] = "gemm_warptile_64x64_splitk";
  static constexpr char kSummary[] = "gemm_warptile_64x64 with k split over blocks, added in a fixed order by the last";
  static constexpr WarptileDeal kDeal = WarptileDeal::split_k;
};

constexpr gpuopt_kernel kKernels[] = {warptile_kernel<Whole>(), warptile_kernel<SplitK>()};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
