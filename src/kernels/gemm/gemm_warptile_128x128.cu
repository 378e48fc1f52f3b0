// gemm_warptile_128x128: the full fp32 kernel (warptile.cuh) with tiles of 128 x 128, 16 x 8 sums a thread.
//
// Idea and data movement: 4 warps of 64 x 64, two blocks an SM, so that one multiplies while the other waits at its
// barrier. A third more copying for a multiply-add than 128 x 256, half the quantum of the last wave.
// Needs: as gemm_warptile_128x256.
// Recorded (H200, 2026-11-21, single call, cold), nn: 4096 cubed 2726 us, 50.4 TFLOP/s, 0.99 of the best peer; 8192
// cubed 21.4 ms, 51.3 TFLOP/s, 1.00, 77 % of the fp32 peak; _splitk 60.9 us for 1024 cubed (without: 103 us).
// Measured once, not in a record (H200, 2026-11-21, single call, cold): 4096^3 tn 53.5, tt 50.7, nt 47.2 TFLOP/s.
#include "gemm/warptile_instance.cuh"
#include "gemm/warptile_shapes.cuh"

namespace gpuopt {

template struct WarptileKernels<WarpTile128x128>;

namespace {

struct Whole {
  static constexpr char kName[] = "gemm_warptile_128x128";
  static constexpr char kSummary[] = "fp32: block, warp and thread tiles, cp.async ring; tiles of 128 x 128";
  using Shape = WarpTile128x128;
  static constexpr WarptileFigures kFigures = kFigures128x128;
  static constexpr WarptileDeal kDeal = WarptileDeal::whole;
  static constexpr bool kPacks = false;
};
struct SplitK : Whole {
  static constexpr char kName[] = "gemm_warptile_128x128_splitk";
  static constexpr char kSummary[] =
      "gemm_warptile_128x128 with k split over blocks, added in a fixed order by the last";
  static constexpr WarptileDeal kDeal = WarptileDeal::split_k;
  static constexpr bool kPacks = false;
};

constexpr gpuopt_kernel kKernels[] = {warptile_kernel<Whole>(), warptile_kernel<SplitK>()};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
