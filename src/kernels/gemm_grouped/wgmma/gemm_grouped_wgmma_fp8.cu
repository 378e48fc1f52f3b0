// Grouped fp8 products by wgmma, of groups of many rows.
//
// Idea and data movement: grouped_wgmma_kernel.cuh. 128 x 128 tiles of two warpgroups, with sums that move to fp32 after each
// 128 of k, as gemm_wgmma_fp8_promoting_128x128 has them. (256 x 128 does not compile without spills beside the walk.)
// Needs: sm_90 (machine code of sm_90a). e4m3 along k in A and B, on 16 bytes; groups begin at any row, offsets are the host's or the
// device's; any C, D, stages and scales, of blocks where a row of A, and 128 columns of B, have their own.
// Prediction: the time of gemm_wgmma_fp8_promoting_128x128 for the groups' rows rounded up to tiles; what does not go by whole panels
// adds an element's time.
// arch class: sm90a
#include "gemm/wgmma/wgmma_host.h"
#include "gemm_grouped/wgmma/grouped_tiles_fp8.h"
#include "gemm_grouped/wgmma/grouped_wgmma_descriptor.h"

namespace gpuopt {
namespace {

constexpr char kName[] = "gemm_grouped_wgmma_fp8_128x128";

using Tile = GroupedTileFp8;
constexpr GroupedTileFacts kTile = {Tile::kM, Tile::kN, Tile::kDepth};
gpuopt_resource resources[] = {{Tile::kThreads, Tile::kShared + kGroupedSlotBytes,
                                reinterpret_cast<const void *>(gemm_grouped_wgmma_kernel<Tile, true>)}};

GroupedFunction function_of(const gpuopt_problem &) {
  const gpuopt_resource &r = resources[0];
  return {kName, r.entry, r.threads, r.dynamic_smem, 1, kTile, false};
}

double predict_us(const gpuopt_problem *problem) { return grouped_wgmma_us(*problem, kTile); }

constexpr gpuopt_signature kSignatures[] = {
    {{GPUOPT_E4M3, GPUOPT_E4M3, GPUOPT_ANY, GPUOPT_ANY}, GPUOPT_COMPUTE_F32},
    {{GPUOPT_E4M3, GPUOPT_E4M3, GPUOPT_ANY, GPUOPT_ANY}, GPUOPT_COMPUTE_F8_FAST},
};

constexpr gpuopt_kernel make_kernel() {
  gpuopt_kernel kernel = grouped_wgmma_kernel<function_of>(
      kName, "wgmma, 128 x 128 tiles of whichever group, found on the device, sums to fp32 after each 128 of k",
      kSignatures, predict_us, resources);
  kernel.version = 3;
  kernel.understands |= GPUOPT_FEATURE_BLOCK_SCALES;
  kernel.layouts[GPUOPT_OPERAND_B] = GPUOPT_LAYOUT_COL;
  return kernel;
}
constexpr gpuopt_kernel kKernels[] = {make_kernel()};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
