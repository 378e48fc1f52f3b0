// gemm_warptile_64x64: tiles of 64 x 64 in four slices of k, for products that do not fill the device otherwise.
//
// Idea and data movement: four warps of 64 x 64 share a tile and take turns at every 8 steps of k; their sums are
// added through shared memory at the end. 1024^3 is 256 such tiles: 1.94 for each SM, with 16 x 8 sums a thread all
// the same. Slices make the tiles deep, so a thread has eight copies of each; issued at once they held up the reads of
// fragments, so they are spread over the steps of k, without a branch.
// Needs: as gemm_warptile_128x256.
// Recorded (H200, 2026-11-21, single call, cold), nn: 1024 cubed 52.2 us, 1.08 of the best peer (in the suite
// every_kernel 53.1 us, 1.08), in a graph 49.2 us, 1.08; 4096 cubed 2860 us, 48.1 TFLOP/s, 0.94.
// Measured once, not in a record (H200, 2026-11-21, single call, cold): 512 cubed by _splitk 16.6 us, in a graph 14.0,
// tn 15.2 us; 1024^3 tn 48.4 us (54.4 before its copies were spread); before, _splitk 64 x 4096 x 4096 57.8 us (1.01).
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
