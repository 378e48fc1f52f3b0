// norm_warp_row: some lanes of a warp hold a row in registers; for rows of at most 2 KB.
//
// Idea and data movement: row.cuh, with 1 to 32 lanes a row, as many rows a warp as that allows, and up to four vectors
// a lane. Statistics are shuffles; there is no shared memory and no barrier, so warps run on by themselves. Where the
// row fills its lanes and is short, a lane takes four vectors all the same, of two or four rows, so that as much is
// under way.
//
// Needs: x, residual, out, sum, gamma, beta of one type (f32, f16, bf16), row-major; no stages. Any
// alignment.
// Recorded (H200, 2026-11-21, single call, cold), layer norm of 64 Mi elements, of copy: rows of 64 f32 96.8 % (133.6
// us), bf16 93.9 (71.1 us); of 256 97.5 and 92.0; of 1024 bf16 90.9. Softmax, rows of 64, 96.3 and 97.7.

#include "norm/row_launch.h"

namespace gpuopt {

constexpr int kWarpRowThreads = 256;
constexpr int kVectorsOfLane = 4;

// V vectors of a row a lane; in kRowWhole of as many rows as make four vectors.
template <class T, int kNorm, int V, int kMode>
__global__ void __launch_bounds__(kWarpRowThreads, kMode == kRowWhole ? (V == kVectorsOfLane ? 3 : 4) : 2)
    norm_warp_row_kernel(const __grid_constant__ RowWork<T> work, int lanes, int lanes_log2) {
  LaneGroup group{lanes};
  const auto place = [&](int32_t row, int32_t &i) {
    i = row;
    if (work.batch == 1) return 0;
    const int32_t p = row / work.rows;
    i = row - p * work.rows;
    return p;
  };
  const auto slot = static_cast<int32_t>(threadIdx.x >> lanes_log2);
  const int32_t rows_at_once = kWarpRowThreads >> lanes_log2;
  if constexpr (kMode == kRowWhole) {
    constexpr int kRows = kVectorsOfLane / V;
    const int32_t total = work.rows * work.batch;
    Bits<T, 16 / sizeof(T)> bits[kRows][V];
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
      const int32_t row = (static_cast<int32_t>(blockIdx.x) * kRows + r) * rows_at_once + slot;
      int32_t i;
      const int32_t p = place(row < total ? row : total - 1, i);
      load_whole_row(start_of_row<T>(work.x, p, i), group, bits[r]);
    }
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
      const int32_t row = (static_cast<int32_t>(blockIdx.x) * kRows + r) * rows_at_once + slot;
      int32_t i;
      const int32_t p = place(row, i);
      norm_whole_row<T, kNorm, false>(work, group, bits[r], p, i, row < total);
    }
  } else {
    const int32_t row = static_cast<int32_t>(blockIdx.x) * rows_at_once + slot;
    int32_t i;
    const int32_t p = place(row, i);
    norm_row<T, kNorm, V, kMode, false>(work, group, start_of_row<T>(work.x, p, i),
                                        start_of_row<T>(work.residual, p, i), p, i, p < work.batch && i < work.rows);
  }
}

namespace {

constexpr char kName[] = "norm_warp_row";

struct Shape {
  int lanes_log2, each, mode;  // vectors a lane
};
Shape shape_of(const gpuopt_problem &problem) {
  const int64_t vectors = row_vectors(problem);
  const auto with = [&](int each) {
    Shape shape = {0, each, 0};
    if (!all_aligned(problem)) shape.lanes_log2 = 4;
    static_assert(kLeastGroup == 1 << 4, "of lanes");
    while (shape.lanes_log2 < 5 && (int64_t{1} << shape.lanes_log2) * each < vectors) ++shape.lanes_log2;
    shape.mode = row_mode(problem, int64_t{1} << shape.lanes_log2, each);
    return shape;
  };
  // Few lanes a row have few shuffles.
  for (int each : {vectors < 16 ? 2 : kVectorsOfLane, 2, 1}) {
    const Shape shape = with(each);
    if (shape.mode == kRowWhole) return shape;
  }
  return with(kVectorsOfLane);  // others exist with four alone
}

template <class F>
gpuopt_status with_kernel(const gpuopt_problem &problem, const Shape &shape, F &&f) {
  return with_row_instance(problem, shape.mode, [&](auto tag, auto norm, auto mode) {
    using T = typename decltype(tag)::type;
    constexpr int kNorm = decltype(norm)::value, kMode = decltype(mode)::value;
    if constexpr (kMode == kRowWhole) {
      if (shape.each == 1) return f(tag, norm_warp_row_kernel<T, kNorm, 1, kMode>);
      if (shape.each == 2) return f(tag, norm_warp_row_kernel<T, kNorm, 2, kMode>);
    }
    return f(tag, norm_warp_row_kernel<T, kNorm, kVectorsOfLane, kMode>);
  });
}

gpuopt_status prepare(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  return with_kernel(*problem, shape_of(*problem),
                     [&](auto, auto kernel) { return load_kernel(launch, kName, kernel); });
}

gpuopt_status launch(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  const Shape shape = shape_of(*problem);
  return with_kernel(*problem, shape, [&](auto tag, auto kernel) {
    const int64_t rows_of_lane = shape.mode == kRowWhole ? kVectorsOfLane / shape.each : 1;
    const int64_t rows_of_block = (kWarpRowThreads >> shape.lanes_log2) * rows_of_lane;
    return launch_kernel(launch, kName, static_cast<unsigned>(ceil_div(problem->m * problem->batch, rows_of_block)),
                         kWarpRowThreads, 0, kernel, make_row_work<typename decltype(tag)::type>(*problem),
                         1 << shape.lanes_log2, shape.lanes_log2);
  });
}

int can_run(const gpuopt_problem *problem, gpuopt_reject *reject) {
  return row_can_run(problem, 0, 32 * kVectorsOfLane, reject);
}

double predict_us(const gpuopt_problem *problem) { return row_us(*problem, 0.87, 2.6); }

#define GPUOPT_ENTRY_(T, norm, V, mode) \
  { kWarpRowThreads, 0, reinterpret_cast<const void *>(norm_warp_row_kernel<T, norm, V, mode>) }
gpuopt_resource kResources[] = {GPUOPT_ROW_INSTANCES_OF(GPUOPT_ENTRY_, 1, kRowWhole),
                                GPUOPT_ROW_INSTANCES_OF(GPUOPT_ENTRY_, 2, kRowWhole),
                                GPUOPT_ROW_INSTANCES(GPUOPT_ENTRY_, kVectorsOfLane)};
#undef GPUOPT_ENTRY_

constexpr gpuopt_kernel make_kernel() {
  gpuopt_kernel k = row_kernel(kName, "rows of at most 2 KB in the registers of some lanes of a warp");
  k.can_run = can_run;
  set_functions(k, predict_us, prepare, launch, kResources);
  return k;
}
constexpr gpuopt_kernel kKernels[] = {make_kernel()};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
