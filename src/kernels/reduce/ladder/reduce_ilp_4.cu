// A grid of fixed size walks the matrix (strided_sum() of rung.cuh); each thread has four accumulators and four loads under way, which do not wait
// for each other. What they hide is the latency of memory, not that of the addition: with one load at a time a thread
// waits some 600 ns for every 4 bytes; the chain of additions alone would allow 130 times the bandwidth of the memory.
//
// Data movement: four 4-byte loads a thread and step, each coalesced over the warp. One partial a block of few blocks,
// so there are two passes however large the matrix is.
// Needs: f32 in and out; sums; any ld, layout and batch.
// arch class: teaching
#include "reduce/ladder/rung.cuh"

namespace gpuopt {

__global__ void __launch_bounds__(kRungThreads) ilp_4_kernel(RungInput in, float *partials) {
  const float sum = join_rung(strided_sum(in, RungBlock(in)));
  if (threadIdx.x == 0) partials[blockIdx.x] = sum;
}

int64_t ilp_4_blocks(int64_t count, int64_t batch, const gpuopt_device_facts &device) {
  return resident_rung_blocks(count, batch, device, kAccumulators * kRungThreads);
}

namespace {

constexpr ReduceRung kRung = {"reduce_ilp_4", ilp_4_kernel, ilp_4_blocks};

constexpr gpuopt_kernel kKernels[] = {
    rung_descriptor<kRung>("four accumulators and four loads under way a thread; f32 sums")};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
