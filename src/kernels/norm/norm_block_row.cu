// norm_block_row: a block holds a row in registers; for rows of 1 to 32 KB.
//
// Idea and data movement: row.cuh, with 32 to 512 threads a row and four vectors a thread (two for short rows). Sums are
// shuffles and one barrier each; several blocks an SM keep memory busy while one waits.
//
// Needs: x, residual, out, sum, gamma, beta of one type (f32, f16, bf16), row-major; no stages. Any alignment.
// Measured on an H200 (2026-11-21, single call, cold): RMS norm of 8192 square f32 135 us, 4,013 GB/s,
// bf16 70 us, 4,011; layer norm 4,021 and 3,717; 16384 square bf16 4,207 and 3,881; layer norm of 65536 x 1024 f32 4,143.
// 4097 x 4099 bf16 RMS norm 2,045, layer norm 1,475: weights that are read element by element.

#include "norm/row_launch.h"

namespace gpuopt {

constexpr int kBlockRowThreads = 512;

// The one instance that ptxas cannot keep in registers, on sm_120 alone.
template <class T, int kNorm, int V, bool kAligned>
constexpr bool kSpillsOnSm120 = sizeof(T) == 2 && kNorm == GPUOPT_NORM_RMSNORM &&V == 4 && !kAligned;

template <class T, int kNorm, int V, bool kAligned>
__global__ void __launch_bounds__(kBlockRowThreads) norm_block_row_kernel(const __grid_constant__ RowWork<T> work) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 1200
  if constexpr (kSpillsOnSm120<T, kNorm, V, kAligned>) return;  // can_run() refuses it
#endif
  __shared__ float partials[2][32];
  BlockGroup group(partials);
  const auto row = static_cast<int32_t>(blockIdx.x);
  int32_t p = 0, i = row;
  if (work.batch > 1) {
    p = row / work.rows;
    i = row - p * work.rows;
  }
  norm_row<T, kNorm, V, kAligned>(work, group, start_of_row<T>(work.x, p, i), start_of_row<T>(work.residual, p, i), p,
                                  i, true);
}

namespace {

constexpr char kName[] = "norm_block_row";
constexpr int kFew = 2;
constexpr int kMany = 4;
constexpr int64_t kManyFrom = 256;  // vectors

template <class F>
gpuopt_status with_kernel(const gpuopt_problem &problem, F &&f) {
  return with_row_instance(problem, [&](auto tag, auto norm, auto aligned) {
    using T = typename decltype(tag)::type;
    if (row_vectors(problem) < kManyFrom)
      return f(tag, norm_block_row_kernel<T, decltype(norm)::value, kFew, decltype(aligned)::value>);
    return f(tag, norm_block_row_kernel<T, decltype(norm)::value, kMany, decltype(aligned)::value>);
  });
}

gpuopt_status prepare(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  return with_kernel(*problem, [&](auto, auto kernel) { return load_kernel(launch, kName, kernel); });
}

gpuopt_status launch(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  return with_kernel(*problem, [&](auto tag, auto kernel) {
    const int64_t vectors = row_vectors(*problem);
    const int64_t each = vectors < kManyFrom ? kFew : kMany;
    const auto threads = static_cast<unsigned>(ceil_div(ceil_div(vectors, each), 32) * 32);
    return launch_kernel(launch, kName, static_cast<unsigned>(problem->m * problem->batch), threads, 0, kernel,
                         make_row_work<typename decltype(tag)::type>(*problem));
  });
}

int can_run(const gpuopt_problem *problem, gpuopt_reject *reject) {
  const gpuopt_problem &p = *problem;
  const bool spills = p.device->cc >= 120 && p.variant == GPUOPT_NORM_RMSNORM && !all_aligned(p) &&
                      dtype_bytes(p.operand[GPUOPT_OPERAND_X].m.dtype) == 2;
  return row_can_run(problem, 0, spills ? kManyFrom - 1 : int64_t{kBlockRowThreads} * kMany, reject);
}

double predict_us(const gpuopt_problem *problem) {
  const int64_t vectors = row_vectors(*problem);
  return row_us(*problem, vectors < 64 ? 0.3 : vectors < 128 ? 0.7 : 0.86, 3.2);
}

#define GPUOPT_ENTRY_(T, norm, V, aligned) \
  { kBlockRowThreads, 0, reinterpret_cast<const void *>(norm_block_row_kernel<T, norm, V, aligned>) }
gpuopt_resource kResources[] = {GPUOPT_ROW_INSTANCES(GPUOPT_ENTRY_, kFew), GPUOPT_ROW_INSTANCES(GPUOPT_ENTRY_, kMany)};
#undef GPUOPT_ENTRY_

constexpr gpuopt_kernel make_kernel() {
  gpuopt_kernel k = row_kernel(kName, "rows of 1 to 32 KB in the registers of a block");
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
