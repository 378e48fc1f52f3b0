// norm_warp_row: some lanes of a warp hold a row in registers; for rows of at most 2 KB.
//
// Idea and data movement: row.cuh, with 1 to 32 lanes a row, as many rows a warp as that allows, and two or four vectors a
// lane. Sums are shuffles; there is no shared memory and no barrier, so warps run on by themselves.
//
// Needs: x, residual, out, sum, gamma, beta of one type (f32, f16, bf16), row-major; no stages. Any alignment.
// Measured on an H200 (2026-11-21, single call, cold): layer norm of 64 MiB elements, f32 4,066 GB/s at 64
// columns, 4,070 at 256; bf16 3,726 at 64, 3,554 at 256.

#include "norm/row_launch.h"

namespace gpuopt {

constexpr int kWarpRowThreads = 256;

template <class T, int kNorm, int V, bool kAligned>
__global__ void __launch_bounds__(kWarpRowThreads)
    norm_warp_row_kernel(const __grid_constant__ RowWork<T> work, int lanes, int lanes_log2) {
  LaneGroup group{lanes};
  const auto row = static_cast<int32_t>((blockIdx.x * kWarpRowThreads + threadIdx.x) >> lanes_log2);
  int32_t p = 0, i = row;
  if (work.batch > 1) {
    p = row / work.rows;
    i = row - p * work.rows;
  }
  norm_row<T, kNorm, V, kAligned>(work, group, start_of_row<T>(work.x, p, i), start_of_row<T>(work.residual, p, i), p,
                                  i, p < work.batch && i < work.rows);
}

namespace {

constexpr char kName[] = "norm_warp_row";
constexpr int kFew = 2, kVectors = 4;

struct Shape {
  int lanes_log2;
  bool few;  // vectors a lane
};
Shape shape_of(const gpuopt_problem &problem) {
  const int64_t vectors = row_vectors(problem);
  Shape shape = {0, vectors <= 8};
  while (shape.lanes_log2 < 5 && (int64_t{1} << shape.lanes_log2) * (shape.few ? kFew : kVectors) < vectors)
    ++shape.lanes_log2;
  return shape;
}

template <class F>
gpuopt_status with_kernel(const gpuopt_problem &problem, F &&f) {
  return with_row_instance(problem, [&](auto tag, auto norm, auto aligned) {
    using T = typename decltype(tag)::type;
    if (shape_of(problem).few)
      return f(tag, norm_warp_row_kernel<T, decltype(norm)::value, kFew, decltype(aligned)::value>);
    return f(tag, norm_warp_row_kernel<T, decltype(norm)::value, kVectors, decltype(aligned)::value>);
  });
}

gpuopt_status prepare(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  return with_kernel(*problem, [&](auto, auto kernel) { return load_kernel(launch, kName, kernel); });
}

gpuopt_status launch(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  return with_kernel(*problem, [&](auto tag, auto kernel) {
    const int lanes_log2 = shape_of(*problem).lanes_log2;
    const int64_t rows = problem->m * problem->batch;
    return launch_kernel(launch, kName, static_cast<unsigned>(ceil_div(rows << lanes_log2, kWarpRowThreads)),
                         kWarpRowThreads, 0, kernel, make_row_work<typename decltype(tag)::type>(*problem),
                         1 << lanes_log2, lanes_log2);
  });
}

int can_run(const gpuopt_problem *problem, gpuopt_reject *reject) {
  return row_can_run(problem, 0, 32 * kVectors, reject);
}

double predict_us(const gpuopt_problem *problem) { return row_us(*problem, 0.85, 2.6); }

#define GPUOPT_ENTRY_(T, norm, V, aligned) \
  { kWarpRowThreads, 0, reinterpret_cast<const void *>(norm_warp_row_kernel<T, norm, V, aligned>) }
gpuopt_resource kResources[] = {GPUOPT_ROW_INSTANCES(GPUOPT_ENTRY_, kFew),
                                GPUOPT_ROW_INSTANCES(GPUOPT_ENTRY_, kVectors)};
#undef GPUOPT_ENTRY_

constexpr gpuopt_kernel make_kernel() {
  gpuopt_kernel k = row_kernel(kName, "rows of at most 2 KB in the registers of some lanes of a warp");
  k.can_run = can_run;
  k.predict_us = predict_us;
  k.prepare = prepare;
  k.launch = launch;
  k.resources = kResources;
  k.resource_count = sizeof(kResources) / sizeof(kResources[0]);
  return k;
}
constexpr gpuopt_kernel kKernels[] = {make_kernel()};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
