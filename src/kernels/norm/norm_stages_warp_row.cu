// norm_stages_warp_row: norm_warp_row with stages after the norm; for whole rows of at most 2 KB.
//
// Idea and data movement: 1 to 32 lanes of a warp hold a row of exactly four vectors each in registers; statistics are
// shuffles. Stages are interpreted on a vector at a time, just before it is stored (row_stages.cuh).
//
// Needs: x, out, gamma, beta and the stages' operands of one type (f32, f16, bf16), row-major, aligned to 16 bytes;
// rows of 64, 128, 256, 512, 1,024 or 2,048 bytes; no residual and no sum. Other rows are norm_stages_row's.
// Recorded (H200, 2026-11-21, single call, cold): without stages, layer norm of f32 1048576 x 64 131.1 us, 99 % of copy
// (norm_warp_row 133.7, 97 %).
// Measured once, not in a record: layer norm and GELU of bf16 262144 x 256 103 us.

#include "norm/row_launch.h"

namespace gpuopt {

constexpr int kStagesLaneThreads = 128, kStagesLaneVectors = 4;

template <class T, int kNorm>
__global__ void __launch_bounds__(kStagesLaneThreads, 4)
    norm_stages_lane_kernel(const __grid_constant__ RowWork<T> work, int lanes, int lanes_log2) {
  LaneGroup group{lanes};
  const auto row = static_cast<int32_t>((blockIdx.x * kStagesLaneThreads + threadIdx.x) >> lanes_log2);
  const int32_t total = work.rows * work.batch, read = row < total ? row : total - 1;
  const int32_t p = work.batch > 1 ? read / work.rows : 0, i = read - p * work.rows;
  Bits<T, 16 / sizeof(T)> bits[kStagesLaneVectors];
  load_whole_row(start_of_row<T>(work.x, p, i), group, bits);
  norm_whole_row<T, kNorm, true>(work, group, bits, p, i, row < total);
}

namespace {

constexpr char kName[] = "norm_stages_warp_row";

// Lanes of a row, as a power of two; -1: rows that lanes do not hold whole.
int lanes_log2_of(const gpuopt_problem &problem) {
  for (int lanes_log2 = 0; lanes_log2 <= 5; ++lanes_log2) {
    if (row_mode(problem, int64_t{1} << lanes_log2, kStagesLaneVectors) == kRowWhole) return lanes_log2;
  }
  return -1;
}

// f(T's tag, the kernel).
template <class F>
gpuopt_status with_kernel(const gpuopt_problem &problem, F &&f) {
  return with_row_instance(problem, kRowWhole, [&](auto tag, auto norm, auto) {
    return f(tag, norm_stages_lane_kernel<typename decltype(tag)::type, decltype(norm)::value>);
  });
}

gpuopt_status prepare(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  return with_kernel(*problem, [&](auto, auto kernel) { return load_kernel(launch, kName, kernel); });
}

gpuopt_status launch(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  const int lanes_log2 = lanes_log2_of(*problem);
  const auto blocks = static_cast<unsigned>(ceil_div((problem->m * problem->batch) << lanes_log2, kStagesLaneThreads));
  return with_kernel(*problem, [&](auto tag, auto kernel) {
    return launch_kernel(launch, kName, blocks, kStagesLaneThreads, 0, kernel,
                         make_row_work<typename decltype(tag)::type>(*problem), 1 << lanes_log2, lanes_log2);
  });
}

int can_run(const gpuopt_problem *problem, gpuopt_reject *reject) {
  constexpr int64_t kMost = 32 * kStagesLaneVectors;
  if (!stages_fit(*problem, reject) || !row_can_run(problem, 0, kMost, reject)) return 0;
  if (problem->n == 0 || problem->m == 0 || problem->batch == 0) return 1;
  if (!others_aligned(*problem, reject)) return 0;
  if (lanes_log2_of(*problem) >= 0) return 1;
  int64_t whole = kStagesLaneVectors * (is_f32(*problem) ? 4 : 8);  // the least row of lanes that holds n
  while (whole < problem->n) whole *= 2;
  *reject = {GPUOPT_REJECT_DIM_MULTIPLE, GPUOPT_OPERAND_NONE, problem->n, whole, "n"};
  return 0;
}

double predict_us(const gpuopt_problem *problem) { return row_us(*problem, 0.7, 3.6); }

#define GPUOPT_ENTRY_(T, norm, V, mode) \
  { kStagesLaneThreads, 0, reinterpret_cast<const void *>(norm_stages_lane_kernel<T, norm>) }
gpuopt_resource kResources[] = {GPUOPT_ROW_INSTANCES_OF(GPUOPT_ENTRY_, 0, kRowWhole)};
#undef GPUOPT_ENTRY_

constexpr gpuopt_kernel make_kernel() {
  gpuopt_kernel k =
      aligned_row_kernel(kName, "rows of at most 2 KB in lanes of a warp, with stages after the norm", 16);
  set_signatures(k, kRowSignaturesAlone);
  k.stage_kinds = kRowStageKinds;
  k.max_stages = kMostRowStages;
  k.can_run = can_run;
  set_functions(k, predict_us, prepare, launch, kResources);
  return k;
}
constexpr gpuopt_kernel kKernels[] = {make_kernel()};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
