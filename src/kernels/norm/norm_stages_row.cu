// norm_stages_row: norm_block_row with stages after the norm; for rows of at most 32 KB.
//
// Idea and data movement: row.cuh with a block a row, four vectors a thread. Stages are interpreted on a vector at a
// time, just before it is stored (row_stages.cuh). They are a kernel of their own, because the registers that an
// interpreter needs, used or not, would cost the others blocks an SM.
//
// Needs: x, residual, out, sum, gamma, beta and the stages' operands of one type (f32, f16, bf16), row-major. Any
// alignment.
// Recorded (H200, 2026-11-21, single call, cold): layer norm and GELU of f32 4097 x 4099 60.8 us, 57 % of copy. Aligned
// rows with such stages are norm_linear_row's; of other aligned ones norm_stages_warp_row has those of its lengths, and
// rows above 32 KB are norm_long_row's.
// Measured once, not in a record: layer norm and GELU of bf16 8192 square 119 us (norm_shared 691).

#include "norm/row_launch.h"

namespace gpuopt {

constexpr int kStagesRowThreads = 512, kStagesRowVectors = 4;

template <class T, int kNorm, int kMode>
__global__ void __launch_bounds__(kStagesRowThreads, 1)
    norm_stages_row_kernel(const __grid_constant__ RowWork<T> work) {
  __shared__ Moments partials[2][kStagesRowThreads / 32];
  BlockGroup<kStagesRowThreads / 32> group(partials);
  const auto row = static_cast<int32_t>(blockIdx.x);
  const int32_t p = work.batch > 1 ? row / work.rows : 0, i = row - p * work.rows;
  const T *const x = start_of_row<T>(work.x, p, i);
  if constexpr (kMode == kRowWhole) {
    Bits<T, 16 / sizeof(T)> bits[kStagesRowVectors];
    load_whole_row(x, group, bits);
    norm_whole_row<T, kNorm, true>(work, group, bits, p, i, true);
  } else {
    norm_row<T, kNorm, kStagesRowVectors, kMode, true>(work, group, x, start_of_row<T>(work.residual, p, i), p, i,
                                                       true);
  }
}

namespace {

constexpr char kName[] = "norm_stages_row";

unsigned threads_of(const gpuopt_problem &problem) {
  return static_cast<unsigned>(ceil_div(ceil_div(row_vectors(problem), kStagesRowVectors), 32) * 32);
}

// f(T's tag, the kernel).
template <class F>
gpuopt_status with_kernel(const gpuopt_problem &problem, F &&f) {
  const bool whole = row_mode(problem, threads_of(problem), kStagesRowVectors) == kRowWhole;
  return with_row_instance(problem, whole ? kRowWhole : kRowAny, [&](auto tag, auto norm, auto mode) {
    constexpr int kMode = decltype(mode)::value == kRowWhole ? kRowWhole : kRowAny;
    return f(tag, norm_stages_row_kernel<typename decltype(tag)::type, decltype(norm)::value, kMode>);
  });
}

gpuopt_status prepare(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  return with_kernel(*problem, [&](auto, auto kernel) { return load_kernel(launch, kName, kernel); });
}

gpuopt_status launch(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  return with_kernel(*problem, [&](auto tag, auto kernel) {
    return launch_kernel(launch, kName, static_cast<unsigned>(problem->m * problem->batch), threads_of(*problem), 0,
                         kernel, make_row_work<typename decltype(tag)::type>(*problem));
  });
}

int can_run(const gpuopt_problem *problem, gpuopt_reject *reject) {
  constexpr int64_t kMost = int64_t{kStagesRowThreads} * kStagesRowVectors;
  return stages_fit(*problem, reject) ? row_can_run(problem, 0, kMost, reject) : 0;
}

double predict_us(const gpuopt_problem *problem) {
  return row_us(*problem, row_vectors(*problem) >= 128 ? 0.7 : 0.2, 3.6);
}

#define GPUOPT_ENTRY_(T, norm, V, mode) \
  { kStagesRowThreads, 0, reinterpret_cast<const void *>(norm_stages_row_kernel<T, norm, mode>) }
gpuopt_resource kResources[] = {GPUOPT_ROW_INSTANCES_OF(GPUOPT_ENTRY_, 0, kRowWhole),
                                GPUOPT_ROW_INSTANCES_OF(GPUOPT_ENTRY_, 0, kRowAny)};
#undef GPUOPT_ENTRY_

constexpr gpuopt_kernel make_kernel() {
  gpuopt_kernel k = row_kernel(kName, "rows of at most 32 KB in registers, a block a row, with stages after the norm");
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
