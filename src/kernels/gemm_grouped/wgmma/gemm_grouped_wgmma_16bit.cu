// Grouped f16 and bf16 products by wgmma, of groups of many rows.
//
// Idea and data movement: grouped_wgmma_kernel.cuh. 128 x 256 tiles of two warpgroups, as gemm_wgmma_16bit_128x256 has them.
// Needs: sm_90 (machine code of sm_90a). Rows of A on 16 bytes, and B's lines; groups begin at any row, offsets are the
// host's or the device's; any C, D, stages and scales.
// Prediction: the best of three widths of tiles for groups of the mean size, rounded up to tiles, each with the time of the dense
// kernel of its shape; what has stages, C or scales adds an element's time.
// arch class: sm90a
#include "gemm/common/signatures_16bit.h"
#include "gemm_grouped/wgmma/grouped_tiles_16bit.h"
#include "gemm_grouped/wgmma/grouped_wgmma_descriptor.h"

namespace gpuopt {

namespace {

constexpr char kName[] = "gemm_grouped_wgmma_16bit_128x256";

constexpr GroupedTileFacts kTile = {GroupedWgmma<__half>::Tile<kGroupedWidest>::kM, kGroupedWidest,
                                    GroupedWgmma<__half>::Tile<kGroupedWidest>::kDepth};

#define GPUOPT_GROUPED_ENTRY_(T, along)                                                                \
  {                                                                                                    \
    GroupedWgmma<T>::Tile<kGroupedWidest>::kThreads, GroupedWgmma<T>::kShared,                         \
        reinterpret_cast<const void *>(gemm_grouped_wgmma_widths_kernel<GroupedWgmma<T>::Tile, along>) \
  }
gpuopt_resource resources[] = {GPUOPT_GROUPED_ENTRY_(__half, false), GPUOPT_GROUPED_ENTRY_(__half, true),
                               GPUOPT_GROUPED_ENTRY_(__nv_bfloat16, false), GPUOPT_GROUPED_ENTRY_(__nv_bfloat16, true)};

GroupedFunction function_of(const gpuopt_problem &p) {
  const int type = p.operand[GPUOPT_OPERAND_A].m.dtype == GPUOPT_F16 ? 0 : 2;
  const gpuopt_resource &r = resources[type + (grouped_b_along_k(p) ? 1 : 0)];
  return {kName, r.entry, r.threads, r.dynamic_smem, 1, kTile, false};
}

double predict_us(const gpuopt_problem *problem) { return grouped_wgmma_us(*problem, kTile); }

constexpr gpuopt_kernel kKernels[] = {grouped_wgmma_kernel<function_of>(
    kName, "wgmma, 128 x 256 tiles of whichever group, found on the device; persistent blocks", kGemm16BitSignatures,
    predict_us, resources)};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
