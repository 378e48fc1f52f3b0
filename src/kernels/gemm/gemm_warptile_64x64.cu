// gemm_warptile_64x64: tiles of 64 x 64 in four slices of k, for products that do not fill the device otherwise.
//
// Idea and data movement: four warps of 64 x 64 share a tile and take turns at every 8 steps of k; their sums are
// added through shared memory at the end. 1024^3 is 256 such tiles: 1.94 for each SM, with 16 x 8 sums a thread all
// the same.
// Needs: as gemm_warptile_128x256.
// Measured on an H200 (2026-11-21, single call, cold): 1024^3 nn 54.1 us (55.3 with the library's call around it, 1.02 of
// the best peer), tn 54.8 us; split-K: 64 x 4096 x 4096 57.8 us (1.01).
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
  static constexpr bool kPacks = false;
};
struct SplitK : Whole {
  static constexpr char kName[] = "gemm_warptile_64x64_splitk";
  static constexpr char kSummary[] = "gemm_warptile_64x64 with k split over blocks, added in a fixed order by the last";
  static constexpr WarptileDeal kDeal = WarptileDeal::split_k;
  static constexpr bool kPacks = false;
};

constexpr gpuopt_kernel kKernels[] = {warptile_kernel<Whole>(), warptile_kernel<SplitK>()};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
