// Grouped f16 and bf16 products by wgmma, of groups of few rows, as a mixture of experts that decodes has them.
//
// Idea and data movement: grouped_skinny_kernel.cuh. Tiles of 64 columns of B by 8, 16, 32 or 64 rows: as many as the groups
// have in the mean, which is what the host knows.
// Needs: sm_90 (machine code of sm_90a). Rows of A on 16 bytes, and B's lines; groups begin at any row, offsets are the
// host's or the device's; any C, D, stages and scales.
// Prediction: reading the matrices of the groups, at nine tenths of memory's bandwidth; with more rows what L2 hands to the
// multiprocessors.
// arch class: sm90a
#include "gemm/common/signatures_16bit.h"
#include "gemm_grouped/wgmma/grouped_skinny_kernel.cuh"
#include "gemm_grouped/wgmma/grouped_wgmma_descriptor.h"

namespace gpuopt {

constexpr int kGroupedSkinnyColumns = 64;

// Its ring has as many stages as fit.
template <class T, int kFew>
struct GroupedSkinnyTile : WgmmaSkinnyTile<T, T, kGroupedSkinnyColumns, kFew, true, false> {
  static constexpr int kStageBytes = (kGroupedSkinnyColumns + kFew) * 128;
  static constexpr WgmmaSkinnyRing kRing = wgmma_skinny_ring(kWgmmaSkinnyShared, kStageBytes, 0);
  static constexpr int kStages = kRing.stages, kShared = kRing.shared, kBarriers = kStages * kStageBytes;
  static_assert(kStages >= 3 &&
                    kStageBytes == WgmmaSkinnyTile<T, T, kGroupedSkinnyColumns, kFew, true, false>::kStageBytes,
                "a ring");
};

namespace {

constexpr char kName[] = "gemm_grouped_wgmma_skinny_16bit";

constexpr int kColumns = kGroupedSkinnyColumns, kRows[] = {8, 16, 32, 64};
template <class T, int kFew>
using Tile = GroupedSkinnyTile<T, kFew>;

#define GPUOPT_GROUPED_ENTRY_(T, few, along)                                                  \
  {                                                                                           \
    Tile<T, few>::kThreads, Tile<T, few>::kShared,                                            \
        reinterpret_cast<const void *>(gemm_grouped_wgmma_skinny_kernel<Tile<T, few>, along>) \
  }
#define GPUOPT_GROUPED_ENTRIES_(T, few) GPUOPT_GROUPED_ENTRY_(T, few, false), GPUOPT_GROUPED_ENTRY_(T, few, true)
#define GPUOPT_GROUPED_TYPE_(T)                                                                  \
  GPUOPT_GROUPED_ENTRIES_(T, 8), GPUOPT_GROUPED_ENTRIES_(T, 16), GPUOPT_GROUPED_ENTRIES_(T, 32), \
      GPUOPT_GROUPED_ENTRIES_(T, 64)
gpuopt_resource resources[] = {GPUOPT_GROUPED_TYPE_(__half), GPUOPT_GROUPED_TYPE_(__nv_bfloat16)};

// The narrowest tile that the groups fill in the mean.
int shape_of(const gpuopt_problem &p) {
  int shape = 0;
  while (shape < 3 && grouped_mean_rows(p) > kRows[shape]) ++shape;
  return shape;
}

GroupedTileFacts tile_of(const gpuopt_problem &p) { return {kRows[shape_of(p)], kColumns, Tile<__half, 8>::kDepth}; }

GroupedFunction function_of(const gpuopt_problem &p) {
  const int type = p.operand[GPUOPT_OPERAND_A].m.dtype == GPUOPT_F16 ? 0 : 8;
  const gpuopt_resource &r = resources[type + 2 * shape_of(p) + (grouped_b_along_k(p) ? 1 : 0)];
  return {kName, r.entry, r.threads, r.dynamic_smem, 2, tile_of(p), true};
}

double predict_us(const gpuopt_problem *problem) { return grouped_skinny_us(*problem, tile_of(*problem)); }

constexpr gpuopt_kernel make_kernel() {
  gpuopt_kernel kernel = grouped_wgmma_kernel<function_of>(
      kName, "wgmma, few rows a group: 64 columns of B are the instruction's rows; tiles found on the device",
      kGemm16BitSignatures, predict_us, resources);
  kernel.workspace = grouped_skinny_workspace;
  return kernel;
}
constexpr gpuopt_kernel kKernels[] = {make_kernel()};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
