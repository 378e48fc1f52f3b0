// norm_cluster_row: a cluster of two to sixteen blocks holds a row in registers; for rows of 16,384 to 262,144 elements (sm_90).
//
// Idea and data movement: row.cuh, with up to 16 x 512 threads a row and 32 elements a thread.
// Each block leaves its sum in its shared memory; after a barrier of the cluster all blocks read all sums, in the order of
// their rank, through distributed shared memory. So a row of 262,144 elements is still read once.
//
// Needs: sm_90; x, residual, out, sum, gamma, beta of one type (f32, f16, bf16), row-major; no stages. Any alignment.
// Measured on an H200 (2026-11-21, single call, cold): layer norm of 256 x 262144, f32
// 263 us, 2,069 GB/s, half of copy: one block an SM, so nothing is under way while a cluster reduces. 1024 threads of half
// as many elements were slower (1,868), and half as fast in bf16.

#include <cooperative_groups.h>

#include "norm/row_launch.h"

namespace gpuopt {

constexpr int kClusterRowThreads = 512;
constexpr int kMostBlocks = 16;
template <class T>
constexpr int kClusterVectors = sizeof(T) == 4 ? 8 : 4;

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
// The blocks of a cluster, on top of a block's own reduction.
struct ClusterGroup {
  BlockGroup block;
  float *slot;  // two, of this block
  int used = 0;
  __device__ __forceinline__ int rank() const {
    return static_cast<int>(cooperative_groups::this_cluster().block_rank() * blockDim.x + threadIdx.x);
  }
  __device__ __forceinline__ int size() const {
    return static_cast<int>(cooperative_groups::this_cluster().num_blocks() * blockDim.x);
  }
  template <class Join>
  __device__ __forceinline__ float join_blocks(float value, Join join) {
    const auto cluster = cooperative_groups::this_cluster();
    float *const mine = slot + used++;
    if (threadIdx.x == 0) *mine = value;
    cluster.sync();
    value = *cluster.map_shared_rank(mine, 0);
    for (unsigned b = 1; b < cluster.num_blocks(); ++b) value = join(value, *cluster.map_shared_rank(mine, b));
    return value;
  }
  __device__ __forceinline__ float sum(float value) {
    return join_blocks(block.sum(value), [](float a, float b) { return a + b; });
  }
  __device__ __forceinline__ float greatest(float value) {
    return join_blocks(block.greatest(value), [](float a, float b) { return b > a || b != b ? b : a; });
  }
};
#endif

template <class T, int kNorm, bool kAligned>
__global__ void __launch_bounds__(kClusterRowThreads, 1)
    norm_cluster_row_kernel(const __grid_constant__ RowWork<T> work) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
  __shared__ float partials[2][32], slots[2];
  ClusterGroup group{BlockGroup(partials), slots};
  const auto row = static_cast<int32_t>(blockIdx.y);
  const auto p = static_cast<int32_t>(blockIdx.z);
  norm_row<T, kNorm, kClusterVectors<T>, kAligned>(work, group, start_of_row<T>(work.x, p, row),
                                                   start_of_row<T>(work.residual, p, row), p, row, true);
  cooperative_groups::this_cluster().sync();  // no block leaves while its slots may be read
#endif
}

namespace {

constexpr char kName[] = "norm_cluster_row";

int vectors_of(const gpuopt_problem &problem) {
  return is_f32(problem) ? kClusterVectors<float> : kClusterVectors<__half>;
}

template <class F>
gpuopt_status with_kernel(const gpuopt_problem &problem, F &&f) {
  return with_row_instance(problem, [&](auto tag, auto norm, auto aligned) {
    return f(tag,
             norm_cluster_row_kernel<typename decltype(tag)::type, decltype(norm)::value, decltype(aligned)::value>);
  });
}

gpuopt_status prepare(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  return with_kernel(*problem, [&](auto, auto kernel) {
    const gpuopt_status status = load_kernel(launch, kName, kernel);
    if (status != GPUOPT_OK) return status;
    // More than 8 blocks a cluster are not portable, but Hopper and later datacenter chips have 16.
    return cuda_status(launch, kName,
                       cudaFuncSetAttribute(reinterpret_cast<const void *>(kernel),
                                            cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
  });
}

// As few blocks as hold the row, but two.
int blocks_of(const gpuopt_problem &problem) {
  int blocks = 2;
  while (blocks < kMostBlocks && int64_t{blocks} * kClusterRowThreads * vectors_of(problem) < row_vectors(problem))
    blocks *= 2;
  return blocks;
}

gpuopt_status launch(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  return with_kernel(*problem, [&](auto tag, auto kernel) {
    const int blocks = blocks_of(*problem);
    const int64_t a_block = ceil_div(row_vectors(*problem), int64_t{blocks} * vectors_of(*problem));
    cudaLaunchAttribute cluster = {};
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim = {static_cast<unsigned>(blocks), 1, 1};
    cudaLaunchConfig_t config = {};
    config.gridDim =
        dim3(static_cast<unsigned>(blocks), static_cast<unsigned>(problem->m), static_cast<unsigned>(problem->batch));
    config.blockDim = dim3(static_cast<unsigned>(ceil_div(a_block, 32) * 32));
    config.stream = launch->stream;
    config.attrs = &cluster;
    config.numAttrs = 1;
    return cuda_status(launch, kName,
                       cudaLaunchKernelEx(&config, kernel, make_row_work<typename decltype(tag)::type>(*problem)));
  });
}

int can_run(const gpuopt_problem *problem, gpuopt_reject *reject) {
  if (!row_can_run(problem, 0, int64_t{kMostBlocks} * kClusterRowThreads * vectors_of(*problem), reject)) return 0;
  if (problem->m <= 65535 && problem->batch <= 65535) return 1;
  *reject = {GPUOPT_REJECT_SIZE_LIMIT, GPUOPT_OPERAND_X, problem->m > 65535 ? problem->m : problem->batch, 65535,
             problem->m > 65535 ? "rows" : "batch"};
  return 0;
}

double predict_us(const gpuopt_problem *problem) {
  const int64_t vectors = row_vectors(*problem);
  return row_us(*problem, vectors < 1024 ? 0.4 : vectors <= 4096 ? 0.7 : 0.45, 4.2);
}

#define GPUOPT_ENTRY_(T, norm, V, aligned) \
  { kClusterRowThreads, 0, reinterpret_cast<const void *>(norm_cluster_row_kernel<T, norm, aligned>) }
gpuopt_resource kResources[] = {GPUOPT_ROW_INSTANCES(GPUOPT_ENTRY_, 0)};
#undef GPUOPT_ENTRY_

constexpr gpuopt_kernel make_kernel() {
  gpuopt_kernel k = row_kernel(kName, "rows of up to 262,144 elements in the registers of a cluster of blocks");
  k.cc_min = 90;
  k.cc_max = 119;  // not measured, and not needed, on the small chips of sm_120
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
