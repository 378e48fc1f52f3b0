// gemm_warptile_64x128: tiles of 64 x 128 in two slices of k, for products of a few waves.
//
// Idea and data movement: two pairs of warps of 64 x 64 share a tile and take turns at every 8 steps of k; their sums
// are added through shared memory at the end. So a small tile keeps 16 x 8 sums a thread, hence few reads of shared
// memory, and four warps to hide latency. Copies are spread over the steps of k, as in gemm_warptile_64x64.
// Needs: as gemm_warptile_128x256.
// Recorded (H200, 2026-11-21, single call, cold), nn: 1024 cubed 54.7 us (1.03 of the best peer; _splitk 54.5 us,
// 1.04), 4096 cubed 2693 us, 51.0 TFLOP/s, 1.00; 8192 cubed 21.1 ms, 52.2 TFLOP/s, 1.02.
// Measured once, not in a record (H200, 2026-11-21, single call, cold): 1024^3 tn 51.0 us, 4096^3 tn 52.2 TFLOP/s (54.9
// us and 50.7 TFLOP/s before its copies were spread); before, _splitk 128 x 4096 x 4096 101 us (0.95 of the best peer),
// 64 x 4096 x 4096 59.5 us (0.98).
#include "gemm/warptile_instance.cuh"
#include "gemm/warptile_shapes.cuh"

namespace gpuopt {

template struct WarptileKernels<WarpTile64x128>;

namespace {

struct Whole {
  static constexpr char kName[] = "gemm_warptile_64x128";
  static constexpr char kSummary[] = "fp32: block, warp and thread tiles, cp.async ring; tiles of 64 x 128";
  using Shape = WarpTile64x128;
  static constexpr WarptileFigures kFigures = kFigures64x128;
  static constexpr WarptileDeal kDeal = WarptileDeal::whole;
  static constexpr bool kPacks = false;
};
struct SplitK : Whole {
  static constexpr char kName[] = "gemm_warptile_64x128_splitk";
  static constexpr char kSummary[] =
      "gemm_warptile_64x128 with k split over blocks, added in a fixed order by the last";
  static constexpr WarptileDeal kDeal = WarptileDeal::split_k;
  static constexpr bool kPacks = false;
};

constexpr gpuopt_kernel kKernels[] = {warptile_kernel<Whole>(), warptile_kernel<SplitK>()};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
