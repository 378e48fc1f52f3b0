// group_offsets.h: numbers of the host travel as kernel parameters, so that they may change when the call returns and a graph
// keeps those that it was captured with.
#include "gemm_grouped/common/group_offsets.h"

#include <algorithm>

#include "common/launch.h"
#include "gemm_grouped/common/figures.h"

namespace gpuopt {

constexpr int kOffsetsOfLaunch = 448;  // of 8 bytes: all parameters together have 4096

struct OffsetsOfLaunch {
  int64_t row[kOffsetsOfLaunch];
};

__global__ void __launch_bounds__(kOffsetsOfLaunch)
    gemm_grouped_offsets_kernel(const __grid_constant__ OffsetsOfLaunch offsets, int64_t *to, int32_t count) {
  const auto i = static_cast<int32_t>(threadIdx.x);
  if (i < count) to[i] = offsets.row[i];
}

namespace {
constexpr char kName[] = "gemm_grouped_offsets";
}

size_t group_offsets_bytes(const gpuopt_problem &problem) {
  if ((problem.features & GPUOPT_FEATURE_HOST_OFFSETS) == 0) return 0;
  return (static_cast<size_t>(problem.batch + 1) * sizeof(int64_t) + 255) / 256 * 256;
}

gpuopt_status load_group_offsets(const gpuopt_problem &problem, const gpuopt_launch *launch) {
  if ((problem.features & GPUOPT_FEATURE_HOST_OFFSETS) == 0) return GPUOPT_OK;
  return load_kernel(launch, kName, gemm_grouped_offsets_kernel);
}

gpuopt_status bring_group_offsets(const gpuopt_problem &problem, const gpuopt_launch *launch, void *at,
                                  GroupOffsets *offsets) {
  if ((problem.features & GPUOPT_FEATURE_HOST_OFFSETS) == 0) {
    const gpuopt_matrix &m = problem.extra[GPUOPT_OPERAND_OFFSETS - 4].m;
    *offsets = {m.data, m.ld, m.dtype == GPUOPT_I64, problem.m};
    return GPUOPT_OK;
  }
  int64_t *const to = static_cast<int64_t *>(at);
  *offsets = {to, 1, true, problem.m};
  for (int64_t first = 0; first <= problem.batch; first += kOffsetsOfLaunch) {
    OffsetsOfLaunch part = {};
    const int64_t count = std::min<int64_t>(kOffsetsOfLaunch, problem.batch + 1 - first);
    std::copy_n(problem.host_offsets + first, count, part.row);
    const gpuopt_status status = launch_kernel(launch, kName, 1, kOffsetsOfLaunch, 0, gemm_grouped_offsets_kernel, part,
                                               to + first, static_cast<int32_t>(count));
    if (status != GPUOPT_OK) return status;
  }
  return GPUOPT_OK;
}

double group_offsets_us(const gpuopt_problem &problem) {
  if ((problem.features & GPUOPT_FEATURE_HOST_OFFSETS) == 0) return 0;
  return gemm_grouped_common_figures.offsets_us * static_cast<double>(ceil_div(problem.batch + 1, kOffsetsOfLaunch));
}

double grouped_bytes(const gpuopt_problem &p) {
  const auto of = [](const gpuopt_operand &o) {
    return static_cast<double>(o.m.rows) * static_cast<double>(o.m.cols) *
           static_cast<double>(gpuopt_dtype_size(o.m.dtype));
  };
  const bool shared = p.operand[GPUOPT_OPERAND_B].m.batch_stride == 0;
  const double matrices = shared ? 1 : static_cast<double>(std::min(p.batch, p.m));
  return of(p.operand[GPUOPT_OPERAND_A]) + matrices * of(p.operand[GPUOPT_OPERAND_B]) + of(p.operand[GPUOPT_OPERAND_D]);
}

}  // namespace gpuopt
