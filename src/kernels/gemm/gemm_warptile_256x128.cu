// gemm_warptile_256x128: gemm_warptile_128x256 with the roles of rows and columns exchanged.
//
// Idea and data movement: 8 warps of 64 x 64, four along m. The better one where B is copied by 4 bytes and A by 16
// (tt): the smaller share of the tile goes the slow way.
// Needs: as gemm_warptile_128x256.
// Recorded (H200, 2026-11-21, single call, cold), nn: 4096 cubed 2838 us, 48.4 TFLOP/s, 0.95 of the best peer; 8192
// cubed 22.6 ms, 48.6 TFLOP/s, 0.95; _splitk 61.8 us for 1024 cubed (without: 185 us).
// Measured once, not in a record (H200, 2026-11-21, single call, cold): 4096^3 tn 53.6, tt 49.8, nt 47.6 TFLOP/s.
#include "gemm/warptile_instance.cuh"
#include "gemm/warptile_shapes.cuh"

namespace gpuopt {

template struct WarptileKernels<WarpTile256x128>;

namespace {

struct Whole {
  static constexpr char kName[] = "gemm_warptile_256x128";
  static constexpr char kSummary[] = "fp32: block, warp and thread tiles, cp.async ring; tiles of 256 x 128";
  using Shape = WarpTile256x128;
  static constexpr WarptileFigures kFigures = kFigures256x128;
  static constexpr WarptileDeal kDeal = WarptileDeal::whole;
  static constexpr bool kPacks = false;
};
struct SplitK : Whole {
  static constexpr char kName[] = "gemm_warptile_256x128_splitk";
  static constexpr char kSummary[] =
      "gemm_warptile_256x128 with k split over blocks, added in a fixed order by the last";
  static constexpr WarptileDeal kDeal = WarptileDeal::split_k;
  static constexpr bool kPacks = false;
};

constexpr gpuopt_kernel kKernels[] = {warptile_kernel<Whole>(), warptile_kernel<SplitK>()};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
