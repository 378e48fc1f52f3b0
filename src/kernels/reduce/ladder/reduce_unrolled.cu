// As reduce_sequential, with the first addition while loading, so that every thread adds at least once, and the last
// six steps unrolled within one warp, without barriers of the block.
//
// Within a warp the steps still must be ordered: since Volta the lanes of a warp run on their own, so "no sync needed,
// the warp is in lockstep" and a volatile pointer are a race. __syncwarp() between reading and writing makes it right
// and costs next to nothing.
// Data movement: two 4-byte loads a thread, half a tile apart.
// Needs: f32 in and out; sums; any ld, layout and batch.
// arch class: teaching
#include "reduce/ladder/rung.cuh"

namespace gpuopt {

constexpr int kUnrolledTile = 2 * kRungThreads;

__global__ void __launch_bounds__(kRungThreads) unrolled_kernel(RungInput in, float *partials) {
  __shared__ float shared[kRungThreads];
  const RungBlock block(in);
  const int tid = threadIdx.x;
  const int64_t first = block.index * kUnrolledTile + tid;
  shared[tid] = in(block.p, first) + in(block.p, first + kRungThreads);
  __syncthreads();
#pragma unroll
  for (int s = kRungThreads / 2; s > 32; s /= 2) {
    if (tid < s) shared[tid] += shared[tid + s];
    __syncthreads();
  }
  if (tid >= 32) return;
#pragma unroll
  for (int s = 32; s > 0; s /= 2) {
    const float sum = shared[tid] + shared[tid + s];
    __syncwarp();
    shared[tid] = sum;
    __syncwarp();
  }
  if (tid == 0) partials[blockIdx.x] = shared[0];
}

namespace {

constexpr ReduceRung kRung = {"reduce_unrolled", unrolled_kernel, blocks_of<kUnrolledTile>};

constexpr gpuopt_kernel kKernels[] = {
    rung_descriptor<kRung>("first addition while loading, last warp unrolled with warp barriers; f32 sums")};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
