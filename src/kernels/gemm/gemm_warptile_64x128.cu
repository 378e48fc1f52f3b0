// gemm_warptile_64x128: tiles of 64 x 128 in two slices of k, for products of a few waves.
//
// Idea and data movement: two pairs of warps of 64 x 64 share a tile and take turns at every 8 steps of k; their sums
// are added through shared memory at the end. So a small tile keeps 16 x 8 sums a thread, hence few reads of shared
// memory, and four warps to hide latency.
// Needs: as gemm_warptile_128x256.
// Recorded (H200, 2026-11-21, single call, cold), nn: 1024 cubed 57.0 us (0.99 of the best peer; _splitk 55.6 us,
// 1.02), 4096 cubed 2770 us, 49.6 TFLOP/s, 0.97; 8192 cubed 21.3 ms, 51.5 TFLOP/s, 1.00.
// Measured once, not in a record (H200, 2026-11-21, single call, cold): 4096^3 tn 50.8 TFLOP/s; _splitk 128 x 4096 x
// 4096 101 us (0.95 of the best peer), 64 x 4096 x 4096 59.5 us (0.98).
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
