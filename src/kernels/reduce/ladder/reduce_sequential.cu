// Sequential addressing: in step s = 128, 64 ... 1, the first s threads add the element s further on. The threads that
// work are neighbours and so are their elements: whole warps retire, and no two lanes share a bank (elements s apart
// that one lane reads are two accesses, one after the other, so that both lie in the same bank is no conflict).
//
// Data movement: as reduce_interleaved. Half of the threads never add anything; every step ends in a barrier of
// the whole block, even when a single warp works.
// Needs: f32 in and out; sums; any ld, layout and batch.
// arch class: teaching
#include "reduce/ladder/rung.cuh"

namespace gpuopt {

__global__ void __launch_bounds__(kRungThreads) sequential_kernel(RungInput in, float *partials) {
  __shared__ float shared[kRungThreads];
  const RungBlock block(in);
  const int tid = threadIdx.x;
  shared[tid] = in(block.p, block.index * kRungThreads + tid);
  __syncthreads();
  for (int s = kRungThreads / 2; s > 0; s /= 2) {
    if (tid < s) shared[tid] += shared[tid + s];
    __syncthreads();
  }
  if (tid == 0) partials[blockIdx.x] = shared[0];
}

namespace {

constexpr ReduceRung kRung = {"reduce_sequential", sequential_kernel, blocks_of<kRungThreads>};

constexpr gpuopt_kernel kKernels[] = {rung_descriptor<kRung>(
    "a tree in shared memory over neighbouring threads: neither divergence nor conflicts; f32 sums")};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
