// gemm_warptile_128x256, _128x128, _64x128, _64x64: the full fp32 product on CUDA cores (warptile.cuh), one
// kernel for each shape of tiles, 16 x 8 sums a thread.
//
// Idea and data movement: a tile passes through a ring of shared memory, and six float4 reads of it serve a thread for
// 128 multiply-adds. 128 x 256 is 8 warps of 64 x 64, one block an SM: the least copying for a multiply-add. 128 x 128 is 4 such warps, two blocks an SM, so that one
// multiplies while the other waits at its barrier. 64 x 128 and 64 x 64 are for products of a few waves: the warps of 64
// x 64 share a tile in two or four slices of k, whose sums are added through shared memory, so that small tiles keep
// their sums a thread, and their copies are spread over the steps of k.
// Whom tiles are dealt to is the plan's, from the time model (warptile_plan.h): a block each; or, where they do not fill
// the device, several blocks each (split-K); or the tiles of the last waves cut along k over all blocks, so that all SMs
// end together (stream-K). Parts of sums meet in scratch memory and are added in order of k (warptile_work.cuh): nothing
// waits, and the bits are the same every time.
// Needs: f32; ld of A and B below 2^22. Every layout, alignment, extent, batch, scalar and stage. Operands contiguous
// along m (A) or n (B) whose lines are 16-byte aligned go by 16 bytes, others by 4.
// Prediction: the multiply-adds of the busiest SM at the shape's share of the fp32 peak, about four fifths (nine issue
// slots in ten are FFMA, less what fragments cost beside theirs), or the operands' bytes where these are more.
#include "gemm/warptile/warptile_launch.cuh"

namespace gpuopt {
namespace {

#define GPUOPT_RUNG_(tile)                                                             \
  constexpr WarptileRung kRung##tile = {"gemm_warptile_" #tile,                        \
                                        {&warptile_##tile, nullptr},                   \
                                        &gemm_warptile_figures.tile_##tile##_start_us, \
                                        &gemm_warptile_figures.tile_##tile##_factor};
GPUOPT_RUNG_(128x256)
GPUOPT_RUNG_(128x128)
GPUOPT_RUNG_(64x128)
GPUOPT_RUNG_(64x64)
#undef GPUOPT_RUNG_

// A tile that slices of warps share is never summed in one place.
template <class Shape>
constexpr gpuopt_kernel batch_invariant(gpuopt_kernel kernel) {
  if (Shape::kWarpsK == 1) kernel.understands |= GPUOPT_FEATURE_BATCH_INVARIANT;
  return kernel;
}
#define GPUOPT_KERNEL_(tile, words, aliases)                                                                           \
  batch_invariant<WarpTile##tile>(warptile_kernel<WarptileLaunch<kRung##tile>>(                                        \
      kRung##tile.name, "fp32: block, warp and thread tiles, cp.async ring; tiles of " words ", whole or cut along k", \
      aliases, warptile_##tile##_resources))
constexpr gpuopt_kernel kKernels[] = {
    GPUOPT_KERNEL_(128x256, "128 x 256",
                   "gemm_warptile_128x256_splitk,gemm_warptile_streamk_128x256,gemm_warptile_256x128,"
                   "gemm_warptile_256x128_splitk,gemm_warptile_streamk_256x128"),
    GPUOPT_KERNEL_(128x128, "128 x 128", "gemm_warptile_128x128_splitk,gemm_warptile_streamk"),
    GPUOPT_KERNEL_(64x128, "64 x 128", "gemm_warptile_64x128_splitk,gemm_warptile_streamk_64x128"),
    GPUOPT_KERNEL_(64x64, "64 x 64", "gemm_warptile_64x64_splitk"),
};
#undef GPUOPT_KERNEL_

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
