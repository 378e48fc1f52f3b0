// From a list to a launch: which tile, and what its kernel is told.
#include <algorithm>

#include "common/launch.h"
#include "gemm/common/gemm_epilogue.cuh"
#include "gemm/mma/mma_host.cuh"
#include "gemm_grouped/common/group_offsets.h"
#include "gemm_grouped/mma/list_mma.h"

namespace gpuopt {
namespace {

using Function = void (*)(ListWork, GemmEpilogue<float>);

const gpuopt_resource &resource_of(const gpuopt_resource *functions, const gpuopt_problem &p, int tile) {
  return functions[4 * tile + (p.operand[GPUOPT_OPERAND_A].m.dtype == GPUOPT_BF16 ? 2 : 0) +
                   (p.operand[GPUOPT_OPERAND_B].m.layout == GPUOPT_COL ? 1 : 0)];
}
Function function_of(const gpuopt_resource &resource) {
  return reinterpret_cast<Function>(reinterpret_cast<uintptr_t>(resource.entry));
}

// Of a list of the host the mean of what is there.
double rows_of(const gpuopt_problem &p) {
  if (p.host_list == nullptr) return static_cast<double>(p.m);
  const GroupBounds bounds(p);
  double rows = 0, products = 0;
  for (int64_t i = 0; i < p.batch; ++i) {
    const GroupProduct x = bounds.of(p.host_list[i]);
    if (x.m == 0 || x.n == 0) continue;
    rows += static_cast<double>(x.m);
    products += 1;
  }
  return products > 0 ? rows / products : 0;
}

}  // namespace

gpuopt_status list_mma_prepare(const char *name, const gpuopt_resource *functions, const gpuopt_problem *problem,
                               const gpuopt_launch *launch) {
  for (int tile = 0; tile < static_cast<int>(std::size(kListTiles)); ++tile) {  // any may be called for
    const gpuopt_resource &r = resource_of(functions, *problem, tile);
    const gpuopt_status status = load_kernel(launch, name, function_of(r), static_cast<size_t>(r.dynamic_smem));
    if (status != GPUOPT_OK) return status;
  }
  return load_group_words(*problem, launch);
}

gpuopt_status list_mma_launch(const char *name, const gpuopt_resource *functions, const gpuopt_problem *problem,
                              const gpuopt_launch *launch) {
  const gpuopt_problem &p = *problem;
  const bool reads_c = (p.features & GPUOPT_FEATURE_BETA) != 0;
  ListWork work = {
      {nullptr, p.batch, GroupBounds(p)}, {}, list_is_plain(p), reads_c, static_cast<uint32_t *>(launch->zeroed)};
  const gpuopt_status status = bring_group_products(p, launch, launch->scratch, &work.list.products);
  if (status != GPUOPT_OK) return status;
  work.store = mma_store(p, {}, false, nullptr);
  const int tile = list_tile_for(p, rows_of(p));
  const gpuopt_resource &r = resource_of(functions, p, tile);
  const auto blocks = static_cast<unsigned>(std::max(p.device->sm_count, 1) * kListTiles[tile].blocks);
  return launch_kernel(launch, name, dim3(blocks), dim3(static_cast<unsigned>(r.threads)),
                       static_cast<size_t>(r.dynamic_smem), function_of(r), work, make_gemm_epilogue<float>(p));
}

}  // namespace gpuopt
