// Grouped fp8 products by wgmma, of groups of many rows.
//
// Idea and data movement: grouped_wgmma_kernel.cuh. 256 x 128 and 128 x 128 tiles of two warpgroups, with sums that move to fp32
// after each 128 of k, as gemm_wgmma_fp8_promoting_256x128 and _128x128 have them: the former multiply more for a byte that comes
// from L2 and for a wait, the latter round groups of few rows up to less.
// Needs: sm_90 (machine code of sm_90a). e4m3 along k in A and B, on 16 bytes; groups begin at any row, offsets are the host's or the
// device's; any C, D, stages and scales, of blocks where a row of A, and 128 columns of B, have their own.
// Prediction: the time of the dense kernel of the same tile for the groups' rows rounded up to tiles, of which one warpgroup alone
// multiplies those with at most half the rows; what does not go by whole panels adds an element's time.
// arch class: sm90a
#include "gemm/wgmma/wgmma_host.h"
#include "gemm_grouped/wgmma/grouped_tiles_fp8.h"
#include "gemm_grouped/wgmma/grouped_wgmma_descriptor.h"

namespace gpuopt {
namespace {

template <class Tile, const char *kName>
struct GroupedFp8 {
  static constexpr GroupedTileFacts kTile = {Tile::kM, Tile::kN, Tile::kDepth};
  static inline gpuopt_resource resources[1] = {
      {Tile::kThreads, Tile::kShared + kGroupedSlotBytes,
       reinterpret_cast<const void *>(gemm_grouped_wgmma_kernel<Tile, true>)}};
  static GroupedFunction function_of(const gpuopt_problem &) {
    const gpuopt_resource &r = resources[0];
    return {kName, r.entry, r.threads, r.dynamic_smem, 1, kTile, false};
  }
  static double predict_us(const gpuopt_problem *problem) { return grouped_wgmma_us(*problem, kTile); }
};

constexpr gpuopt_signature kSignatures[] = {
    {{GPUOPT_E4M3, GPUOPT_E4M3, GPUOPT_ANY, GPUOPT_ANY}, GPUOPT_COMPUTE_F32},
    {{GPUOPT_E4M3, GPUOPT_E4M3, GPUOPT_ANY, GPUOPT_ANY}, GPUOPT_COMPUTE_F8_FAST},
};

template <class Tile, const char *kName>
constexpr gpuopt_kernel make_kernel(int version, const char *summary) {
  using Kernel = GroupedFp8<Tile, kName>;
  gpuopt_kernel kernel =
      grouped_wgmma_kernel<Kernel::function_of>(kName, summary, kSignatures, Kernel::predict_us, Kernel::resources);
  kernel.version = version;
  kernel.understands |= GPUOPT_FEATURE_BLOCK_SCALES;
  kernel.layouts[GPUOPT_OPERAND_B] = GPUOPT_LAYOUT_COL;
  return kernel;
}
constexpr char k128x128[] = "gemm_grouped_wgmma_fp8_128x128", k256x128[] = "gemm_grouped_wgmma_fp8_256x128";
constexpr gpuopt_kernel kKernels[] = {
    make_kernel<GroupedTileFp8x128, k128x128>(
        4, "wgmma, 128 x 128 tiles of whichever group, found on the device, sums to fp32 after each 128 of k"),
    make_kernel<GroupedTileFp8x256, k256x128>(
        1, "wgmma, 256 x 128 tiles of whichever group, found on the device, sums to fp32 after each 128 of k")};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
