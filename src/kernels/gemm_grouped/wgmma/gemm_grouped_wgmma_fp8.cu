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
#include "gemm_grouped/common/grouped_descriptor.h"
#include "gemm_grouped/wgmma/grouped_tiles_fp8.h"
#include "gemm_grouped/wgmma/grouped_wgmma.h"

namespace gpuopt {
namespace {

struct Grouped128x128 {
  static constexpr char kName[] = "gemm_grouped_wgmma_fp8_128x128";
  static constexpr char kSummary[] =
      "wgmma, 128 x 128 tiles of whichever group, found on the device, sums to fp32 after each 128 of k";
  using Tile = GroupedTileFp8;
  static constexpr auto speed = wgmma_promoting_128x128_speed;
  inline static gpuopt_resource resources[] = {{Tile::kThreads, Tile::kShared + kGroupedSlotBytes,
                                                reinterpret_cast<const void *>(gemm_grouped_wgmma_kernel<Tile, true>)}};
};
template <class Kernel>
GroupedFunction function() {
  const gpuopt_resource &r = Kernel::resources[0];
  return {Kernel::kName,  r.entry, r.threads,
          r.dynamic_smem, 1,       {Kernel::Tile::kM, Kernel::Tile::kN, Kernel::Tile::kDepth},
          false};
}

constexpr gpuopt_signature kSignatures[] = {
    {{GPUOPT_E4M3, GPUOPT_E4M3, GPUOPT_ANY, GPUOPT_ANY}, GPUOPT_COMPUTE_F32},
    {{GPUOPT_E4M3, GPUOPT_E4M3, GPUOPT_ANY, GPUOPT_ANY}, GPUOPT_COMPUTE_F8_FAST},
};

template <class Kernel>
constexpr gpuopt_kernel make_kernel() {
  gpuopt_kernel kernel = grouped_descriptor(Kernel::kName, Kernel::kSummary);
  kernel.version = 2;
  kernel.understands |= GPUOPT_FEATURE_BLOCK_SCALES;
  kernel.cc_min = kernel.cc_exact = 90;
  kernel.layouts[GPUOPT_OPERAND_A] = GPUOPT_LAYOUT_ROW;
  kernel.layouts[GPUOPT_OPERAND_B] = GPUOPT_LAYOUT_COL;
  kernel.align[GPUOPT_OPERAND_A] = kernel.align[GPUOPT_OPERAND_B] = 16;
  kernel.ld_align[GPUOPT_OPERAND_A] = kernel.ld_align[GPUOPT_OPERAND_B] = 16;
  set_signatures(kernel, kSignatures);
  kernel.can_run = grouped_wgmma_can_run;
  kernel.workspace = grouped_wgmma_workspace;
  set_functions(
      kernel,
      [](const gpuopt_problem *problem) {
        const WgmmaSpeed speed = Kernel::speed();
        return grouped_wgmma_us(*problem, function<Kernel>().tile, &speed);
      },
      [](const gpuopt_problem *problem, const gpuopt_launch *launch) {
        return grouped_wgmma_prepare(function<Kernel>(), problem, launch);
      },
      [](const gpuopt_problem *problem, const gpuopt_launch *launch) {
        return grouped_wgmma_launch(function<Kernel>(), problem, launch);
      },
      Kernel::resources);
  return kernel;
}
constexpr gpuopt_kernel kKernels[] = {make_kernel<Grouped128x128>()};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
