// Interleaved addressing: in step s, shared element e takes in element e + s, s = 1, 2, 4 ... Two ways to pick the
// threads.
//
// reduce_interleaved: thread tid works if tid % 2s is 0. Every warp stays busy in every step, with ever fewer of its
// lanes: 8 steps of 8 warps where the work of the last would fit one lane. Its shared accesses do not conflict,
// whatever is said of this loop: the active lanes of a warp are 2s apart, and 32 / 2s lanes touch 32 / 2s banks.
// reduce_interleaved_strided: the first threads work, thread t on element 2s * t. Whole warps retire, but now the lanes
// of a warp are 2s words apart: 2-way bank conflicts in the first step, 4-way in the second, 16-way from the fourth.
//
// Data movement: one 4-byte load a thread, all in one step, then only shared memory; one partial a block to global
// memory.
// Needs: f32 in and out; sums; any ld, layout and batch.
// arch class: teaching
#include "reduce/ladder/rung.cuh"

namespace gpuopt {

// Thread tid works where it is a multiple of 2s: the lanes that work thin out within every warp.
__global__ void __launch_bounds__(kRungThreads) interleaved_kernel(RungInput in, float *partials) {
  __shared__ float shared[kRungThreads];
  const RungBlock block(in);
  const int tid = threadIdx.x;
  shared[tid] = in(block.p, block.index * kRungThreads + tid);
  __syncthreads();
  for (int s = 1; s < kRungThreads; s *= 2) {
    if (tid % (2 * s) == 0) shared[tid] += shared[tid + s];
    __syncthreads();
  }
  if (tid == 0) partials[blockIdx.x] = shared[0];
}

// The first threads work, 2s words apart: whole warps retire, but the lanes of a warp share banks.
__global__ void __launch_bounds__(kRungThreads) interleaved_strided_kernel(RungInput in, float *partials) {
  __shared__ float shared[kRungThreads];
  const RungBlock block(in);
  const int tid = threadIdx.x;
  shared[tid] = in(block.p, block.index * kRungThreads + tid);
  __syncthreads();
  for (int s = 1; s < kRungThreads; s *= 2) {
    const int at = 2 * s * tid;
    if (at < kRungThreads) shared[at] += shared[at + s];
    __syncthreads();
  }
  if (tid == 0) partials[blockIdx.x] = shared[0];
}

namespace {

constexpr ReduceRung kRung = {"reduce_interleaved", interleaved_kernel, blocks_of<kRungThreads>};
constexpr ReduceRung kRungStrided = {"reduce_interleaved_strided", interleaved_strided_kernel, blocks_of<kRungThreads>};

constexpr gpuopt_kernel kKernels[] = {
    rung_descriptor<kRung>(
        "a tree in shared memory whose working lanes thin out within every warp: divergent; f32 sums"),
    rung_descriptor<kRungStrided>(
        "a tree in shared memory with working threads side by side, strides apart: bank conflicts; f32 sums")};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
