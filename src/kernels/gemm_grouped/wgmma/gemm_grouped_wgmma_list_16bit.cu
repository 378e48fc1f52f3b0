// Lists of f16 and bf16 products of any shapes by wgmma, of many rows.
//
// Idea and data movement: list_wgmma_kernel.cuh, and list_maps.h for what is made of each product first. 128 x 256, 192 or 128 tiles
// of two warpgroups, as groups of rows have them (grouped_tiles_16bit.h); the device takes the width that suits the list.
// Needs: sm_90 (machine code of sm_90a). A's rows lie along k; A's and B's pointers and leading dimensions on 16 bytes, which a list
// of the device has to promise; any C, D, stages and extents. Where a product's D lies on 16 bytes, in rows of whole 16, and alpha
// alone is asked for, it goes by the tensor memory accelerator.
// Prediction: a launch that makes tensor maps, and the tiles of products that are all as large as any in the time of gemm_wgmma's, or
// reading them: from 128 rows on twice gemm_grouped_mma_16bit's speed.
// arch class: sm90a
#include <algorithm>
#include <cmath>

#include "gemm/common/signatures_16bit.h"
#include "gemm_grouped/common/group_products.h"
#include "gemm_grouped/common/grouped_descriptor.h"
#include "gemm_grouped/wgmma/grouped_wgmma.h"
#include "gemm_grouped/wgmma/list_tiles_16bit.h"
#include "gemm_grouped/wgmma/list_wgmma.h"

namespace gpuopt {

namespace {

constexpr char kName[] = "gemm_grouped_wgmma_list_16bit";

using Widest = GroupedWgmma<__half>::Tile<kGroupedWidest>;

#define GPUOPT_LIST_ENTRY_(T, along)                                                                 \
  {                                                                                                  \
    Widest::kThreads, kListWgmmaShared<T>,                                                           \
        reinterpret_cast<const void *>(gemm_grouped_wgmma_list_kernel<GroupedWgmma<T>::Tile, along>) \
  }
gpuopt_resource resources[] = {GPUOPT_LIST_ENTRY_(__half, false), GPUOPT_LIST_ENTRY_(__half, true),
                               GPUOPT_LIST_ENTRY_(__nv_bfloat16, false), GPUOPT_LIST_ENTRY_(__nv_bfloat16, true)};

const gpuopt_resource &resource_of(const gpuopt_problem &p) {
  const int type = p.operand[GPUOPT_OPERAND_A].m.dtype == GPUOPT_F16 ? 0 : 2;
  return resources[type + (grouped_b_along_k(p) ? 1 : 0)];
}
int can_run(const gpuopt_problem *problem, gpuopt_reject *reject) {
  return list_can_run(*problem, Widest::kM, grouped_columns(kGroupedWidths - 1), reject);
}

void workspace(const gpuopt_problem *problem, size_t *scratch, size_t *zeroed) {
  *scratch = list_maps_bytes(*problem);
  *zeroed = sizeof(uint32_t);  // ListWgmmaWork::taken
}

// Tiles of products that are all as large as any.
double most_tiles(const gpuopt_problem &p, int cols) {
  return static_cast<double>(p.batch) * static_cast<double>(ceil_div(p.m, Widest::kM)) *
         static_cast<double>(ceil_div(p.n, cols));
}

double predict_us(const gpuopt_problem *problem) {
  const gpuopt_problem &p = *problem;
  const double sms = std::max(p.device->sm_count, 1);
  const double stages = static_cast<double>(std::max<int64_t>(ceil_div(p.k, Widest::kDepth), 1));
  double tiles_clocks = 0;
  for (int width = 0; width < kGroupedWidths; ++width) {
    const GroupedClocks of_tile = grouped_clocks(width);
    const double clocks =
        std::ceil(most_tiles(p, grouped_columns(width)) / sms) * (stages * of_tile.stage + of_tile.end);
    if (width == 0 || clocks < tiles_clocks) tiles_clocks = clocks;
  }
  const double elements = static_cast<double>(p.batch) * static_cast<double>(p.m) * static_cast<double>(p.n);
  const gpuopt_operand &d = p.operand[GPUOPT_OPERAND_D];
  const bool by_panels = grouped_is_plain(p) && std::min(d.align, d.ld_align) >= 16;
  return list_maps_us(p) + grouped_tiles_us(p, tiles_clocks, elements, by_panels);
}

constexpr gpuopt_kernel make_kernel() {
  gpuopt_kernel kernel = list_descriptor(
      kName, "wgmma, lists of products of any shapes; tensor maps and tiles made and found on the device");
  kernel.cc_min = kernel.cc_exact = 90;
  take_by_vectors(kernel);
  set_signatures(kernel, kGemm16BitSignatures);
  kernel.can_run = can_run;
  kernel.workspace = workspace;
  set_functions(
      kernel, predict_us,
      [](const gpuopt_problem *problem, const gpuopt_launch *launch) {
        return list_wgmma_prepare(kName, resource_of(*problem), problem, launch);
      },
      [](const gpuopt_problem *problem, const gpuopt_launch *launch) {
        return list_wgmma_launch(kName, resource_of(*problem),
                                 most_tiles(*problem, grouped_columns(kGroupedWidths - 1)), problem, launch);
      },
      resources);
  return kernel;
}
constexpr gpuopt_kernel kKernels[] = {make_kernel()};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
