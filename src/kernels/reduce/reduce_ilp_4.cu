// A grid of fixed size walks the matrix; each thread has four accumulators and four loads under way, which do not wait
// for each other. What they hide is the latency of memory, not that of the addition: with one load at a time a thread
// waits some 600 ns for every 4 bytes; the chain of additions alone would allow 130 times the bandwidth of the memory.
//
// Data movement: four 4-byte loads a thread and step, each coalesced over the warp. One partial a block of few blocks,
// so there are two passes however large the matrix is.
// Needs: f32 in and out; sums; any ld, layout and batch.
// Recorded (H200, 2026-11-21, single call, cold), forced: f32 sum of 256 M elements 476 us, 49 % of read.
// Measured once, not in a record (H200, 2026-11-21, single call, cold): f32 sum of 16 M elements 42.3 us.
// arch class: teaching
#include "rung.cuh"

namespace gpuopt {
namespace reduce {

constexpr int kAccumulators = 4;

__global__ void __launch_bounds__(kRungThreads) ilp_4_kernel(RungInput in, float *partials) {
  __shared__ float of_warp[kRungThreads / 32];
  const RungBlock block(in);
  const int tid = threadIdx.x;
  const int64_t step = in.blocks * kRungThreads;
  float sums[kAccumulators] = {};
  for (int64_t e = block.index * kRungThreads + tid; e < in.count; e += kAccumulators * step) {
    float x[kAccumulators];
#pragma unroll
    for (int a = 0; a < kAccumulators; ++a) x[a] = in(block.p, e + a * step);
#pragma unroll
    for (int a = 0; a < kAccumulators; ++a) sums[a] += x[a];
  }
  float sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
#pragma unroll
  for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_down_sync(~0u, sum, distance);
  if (tid % 32 == 0) of_warp[tid / 32] = sum;
  __syncthreads();
  if (tid >= 32) return;
  sum = tid < kRungThreads / 32 ? of_warp[tid] : 0;
#pragma unroll
  for (int distance = kRungThreads / 64; distance > 0; distance /= 2) sum += __shfl_down_sync(~0u, sum, distance);
  if (tid == 0) partials[blockIdx.x] = sum;
}

// Eight blocks a multiprocessor for all matrices together, more where a chain of additions would grow past 512.
int64_t ilp_4_blocks(int64_t count, int64_t batch, const gpuopt_device_facts &device) {
  const int64_t tile = kAccumulators * kRungThreads, tiles = ceil_div(count, tile);
  const int64_t resident = ceil_div(int64_t{8} * device.sm_count, batch), least = ceil_div(tiles, 512);
  const int64_t blocks = resident > least ? resident : least;
  return count <= kRungThreads * 8 ? 1 : tiles < blocks ? tiles : blocks;
}

namespace {

constexpr Rung kRung = {"reduce_ilp_4", ilp_4_kernel, ilp_4_blocks};

gpuopt_resource kResources[] = {{kRungThreads, 0, reinterpret_cast<const void *>(ilp_4_kernel)}};

constexpr gpuopt_kernel kKernels[] = {
    rung_descriptor<kRung>("four accumulators and four loads under way a thread; f32 sums", kResources)};

}  // namespace
}  // namespace reduce
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::reduce::kKernels);
