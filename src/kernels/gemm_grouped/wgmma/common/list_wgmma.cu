// From a list to launches: the wgmma kernel of lists on the host.
// arch class: sm90a
#include "gemm_grouped/wgmma/list_wgmma.h"

#include <algorithm>

#include "common/dependent_launch.cuh"
#include "common/tensor_map.h"
#include "gemm/common/gemm_epilogue.cuh"
#include "gemm_grouped/wgmma/grouped_wgmma.h"
#include "gemm_grouped/wgmma/list_maps.h"

namespace gpuopt {
namespace {

using Function = void (*)(ListWgmmaWork, GemmEpilogue<float>);

Function function_of(const gpuopt_resource &r) {
  return reinterpret_cast<Function>(reinterpret_cast<uintptr_t>(r.entry));
}

}  // namespace

gpuopt_status list_wgmma_prepare(const char *name, const gpuopt_resource &r, const gpuopt_problem *problem,
                                 const gpuopt_launch *launch) {
  if (tensor_map_encoder() == nullptr) return no_tensor_map(launch, name);
  const gpuopt_status status = load_kernel(launch, name, function_of(r), static_cast<size_t>(r.dynamic_smem));
  return status == GPUOPT_OK ? load_list_maps(name, *problem, launch) : status;
}

gpuopt_status list_wgmma_launch(const char *name, const gpuopt_resource &r, double tiles, const gpuopt_problem *problem,
                                const gpuopt_launch *launch) {
  const gpuopt_problem &p = *problem;
  ListWgmmaWork work = {};
  const gpuopt_status status = make_list_maps(name, p, launch, grouped_is_plain(p), &work);
  if (status != GPUOPT_OK) return status;
  work.alpha = static_cast<float>(p.alpha);
  work.taken = static_cast<uint32_t *>(launch->zeroed);
  for (int width = 0; width < kGroupedWidths; ++width) {
    const GroupedClocks clocks = grouped_clocks(width);
    work.stage_clocks[width] = static_cast<float>(clocks.stage);
    work.end_clocks[width] = static_cast<float>(clocks.end);
  }
  const auto blocks = static_cast<unsigned>(std::min<double>(std::max(p.device->sm_count, 1), tiles));
  return launch_kernel(early_launch(p), launch, name, dim3(blocks), dim3(static_cast<unsigned>(r.threads)),
                       static_cast<size_t>(r.dynamic_smem), function_of(r), work, make_gemm_epilogue<float>(p));
}

}  // namespace gpuopt
