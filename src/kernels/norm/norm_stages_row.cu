// norm_stages_row: norm_warp_row and norm_block_row with stages after the norm; for rows of at most 32 KB.
//
// Idea and data movement: row.cuh with some lanes of a warp or a block a row, four vectors a thread. Stages are
// interpreted on a vector at a time, just before it is stored (row_stages.cuh). They are a kernel of their own, because
// the registers that an interpreter needs, used or not, would cost the others blocks an SM.
//
// Needs: x, residual, out, sum, gamma, beta and the stages' operands of one type (f32, f16, bf16), row-major. Any
// alignment.
// Recorded (H200, 2026-11-21, single call, cold): layer norm and GELU of f32 4097 x 4099 60.8 us, 57 % of copy. Aligned
// rows with such stages are norm_linear_row's.
// Measured once, not in a record: layer norm and GELU of bf16 262144 x 256 103 us, of 8192 square 119 (norm_shared
// 691).

#include "norm/row_launch.h"

namespace gpuopt {

constexpr int kStagesRowThreads = 512, kStagesRowVectors = 4;
constexpr int kStagesLaneThreads = 128;

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

template <class T, int kNorm>
__global__ void __launch_bounds__(kStagesLaneThreads, 4)
    norm_stages_lane_kernel(const __grid_constant__ RowWork<T> work, int lanes, int lanes_log2) {
  LaneGroup group{lanes};
  const auto row = static_cast<int32_t>((blockIdx.x * kStagesLaneThreads + threadIdx.x) >> lanes_log2);
  const int32_t total = work.rows * work.batch, read = row < total ? row : total - 1;
  const int32_t p = work.batch > 1 ? read / work.rows : 0, i = read - p * work.rows;
  Bits<T, 16 / sizeof(T)> bits[kStagesRowVectors];
  load_whole_row(start_of_row<T>(work.x, p, i), group, bits);
  norm_whole_row<T, kNorm, true>(work, group, bits, p, i, row < total);
}

namespace {

constexpr char kName[] = "norm_stages_row";

struct Shape {
  int mode, lanes_log2;  // lanes_log2 < 0: a block a row
  unsigned threads;
};
Shape shape_of(const gpuopt_problem &problem) {
  const int64_t vectors = row_vectors(problem);
  for (int lanes_log2 = 0; lanes_log2 <= 5; ++lanes_log2) {
    if (row_mode(problem, int64_t{1} << lanes_log2, kStagesRowVectors) == kRowWhole)
      return {kRowWhole, lanes_log2, kStagesLaneThreads};
  }
  const int64_t threads = ceil_div(ceil_div(vectors, kStagesRowVectors), 32) * 32;
  const bool whole = row_mode(problem, threads, kStagesRowVectors) == kRowWhole;
  return {whole ? kRowWhole : kRowAny, -1, static_cast<unsigned>(threads)};
}

// f(T's tag, whether lanes hold a row, the kernel).
template <class F>
gpuopt_status with_kernel(const gpuopt_problem &problem, const Shape &shape, F &&f) {
  return with_row_instance(problem, shape.mode, [&](auto tag, auto norm, auto mode) {
    using T = typename decltype(tag)::type;
    constexpr int kNorm = decltype(norm)::value;
    if constexpr (decltype(mode)::value == kRowWhole) {
      using cuda::std::bool_constant;
      if (shape.lanes_log2 >= 0) return f(tag, bool_constant<true>{}, norm_stages_lane_kernel<T, kNorm>);
      return f(tag, bool_constant<false>{}, norm_stages_row_kernel<T, kNorm, kRowWhole>);
    } else {
      return f(tag, cuda::std::bool_constant<false>{}, norm_stages_row_kernel<T, kNorm, kRowAny>);
    }
  });
}

gpuopt_status prepare(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  return with_kernel(*problem, shape_of(*problem),
                     [&](auto, auto, auto kernel) { return load_kernel(launch, kName, kernel); });
}

gpuopt_status launch(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  const Shape shape = shape_of(*problem);
  return with_kernel(*problem, shape, [&](auto tag, auto lanes, auto kernel) {
    const auto work = make_row_work<typename decltype(tag)::type>(*problem);
    const int64_t rows = problem->m * problem->batch;
    if constexpr (decltype(lanes)::value) {
      const auto blocks = static_cast<unsigned>(ceil_div(rows << shape.lanes_log2, kStagesLaneThreads));
      return launch_kernel(launch, kName, blocks, shape.threads, 0, kernel, work, 1 << shape.lanes_log2,
                           shape.lanes_log2);
    } else {
      return launch_kernel(launch, kName, static_cast<unsigned>(rows), shape.threads, 0, kernel, work);
    }
  });
}

int can_run(const gpuopt_problem *problem, gpuopt_reject *reject) {
  const int32_t stage = unfit_row_stage(*problem, problem->operand[GPUOPT_OPERAND_X].m.dtype);
  if (stage < 0) return row_can_run(problem, 0, int64_t{kStagesRowThreads} * kStagesRowVectors, reject);
  *reject = {GPUOPT_REJECT_STAGE, GPUOPT_OPERAND_STAGE + stage, 0, 0,
             "its operand is no vector along the row or row-major matrix of x's type"};
  return 0;
}

double predict_us(const gpuopt_problem *problem) {
  const bool lanes = shape_of(*problem).lanes_log2 >= 0;
  return row_us(*problem, lanes || row_vectors(*problem) >= 128 ? 0.7 : 0.2, 3.6);
}

#define GPUOPT_ENTRY_(T, norm, V, mode) \
  { kStagesRowThreads, 0, reinterpret_cast<const void *>(norm_stages_row_kernel<T, norm, mode>) }
#define GPUOPT_LANES_(T, norm, V, mode) \
  { kStagesLaneThreads, 0, reinterpret_cast<const void *>(norm_stages_lane_kernel<T, norm>) }
gpuopt_resource kResources[] = {GPUOPT_ROW_INSTANCES_OF(GPUOPT_ENTRY_, 0, kRowWhole),
                                GPUOPT_ROW_INSTANCES_OF(GPUOPT_ENTRY_, 0, kRowAny),
                                GPUOPT_ROW_INSTANCES_OF(GPUOPT_LANES_, 0, kRowWhole)};
#undef GPUOPT_ENTRY_
#undef GPUOPT_LANES_

constexpr gpuopt_kernel make_kernel() {
  gpuopt_kernel k = row_kernel(kName, "rows of at most 32 KB in registers, with stages after the norm");
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
