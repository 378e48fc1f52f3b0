// gemm_warptile_128x256: the full fp32 kernel (warptile.cuh) with tiles of 128 x 256, 16 x 8 sums a thread.
//
// Idea and data movement: 8 warps of 64 x 64; 384 floats to shared memory and 6 float4 reads a thread for each 128
// multiply-adds of it. One block fills an SM (255 registers a thread), so both warps of a scheduler meet at the same
// barrier.
// _splitk gives a tile to as many blocks as fill the device; see warptile_work.cuh.
// Needs: f32; ld of A and B below 2^22. Every layout, alignment, extent, batch, scalar and stage. Operands contiguous
// along m (A) or n (B) whose lines are 16-byte aligned go by 16 bytes, others by 4.
// Recorded (H200, 2026-11-21, single call, cold), nn: 4096 cubed 2732 us, 50.3 TFLOP/s, 0.99 of the best peer and 75 %
// of the fp32 peak; 8192 cubed 21.7 ms, 50.6 TFLOP/s, 0.99; _splitk 60.1 us for 1024 cubed (without: 178 us).
// Measured once, not in a record (H200, 2026-11-21, single call, cold): 4096^3 tn 53.5, tt 48.3, nt 48.2 TFLOP/s. A
// multiply-add takes 1.21 clocks of an SM full of whole waves: 1.09 by issue slots, the rest for what fragments cost
// beside theirs; copies by 4 bytes add 5 to 10 %.
#include "gemm/warptile_instance.cuh"
#include "gemm/warptile_shapes.cuh"

namespace gpuopt {

template struct WarptileKernels<WarpTile128x256>;

namespace {

struct Whole {
  static constexpr char kName[] = "gemm_warptile_128x256";
  static constexpr char kSummary[] = "fp32: block, warp and thread tiles, cp.async ring; tiles of 128 x 256";
  using Shape = WarpTile128x256;
  static constexpr WarptileFigures kFigures = kFigures128x256;
  static constexpr WarptileDeal kDeal = WarptileDeal::whole;
  static constexpr bool kPacks = false;
};
struct SplitK : Whole {
  static constexpr char kName[] = "gemm_warptile_128x256_splitk";
  static constexpr char kSummary[] =
      "gemm_warptile_128x256 with k split over blocks, added in a fixed order by the last";
  static constexpr WarptileDeal kDeal = WarptileDeal::split_k;
  static constexpr bool kPacks = false;
};

constexpr gpuopt_kernel kKernels[] = {warptile_kernel<Whole>(), warptile_kernel<SplitK>()};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
