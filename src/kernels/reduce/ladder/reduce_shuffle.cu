// As reduce_unrolled, with the tree in registers (join_rung() of rung.cuh): five shuffles join a warp, one shared word a warp and one barrier
// join the block.
//
// Data movement: two 4-byte loads a thread; 32 bytes of shared memory a block instead of 1 KB, one barrier instead of
// four.
// Needs: f32 in and out; sums; any ld, layout and batch.
// arch class: teaching
#include "reduce/ladder/rung.cuh"

namespace gpuopt {

constexpr int kShuffleTile = 2 * kRungThreads;

__global__ void __launch_bounds__(kRungThreads) shuffle_kernel(RungInput in, float *partials) {
  const RungBlock block(in);
  const int64_t first = block.index * kShuffleTile + static_cast<int>(threadIdx.x);
  const float sum = join_rung(in(block.p, first) + in(block.p, first + kRungThreads));
  if (threadIdx.x == 0) partials[blockIdx.x] = sum;
}

namespace {

constexpr ReduceRung kRung = {"reduce_shuffle", shuffle_kernel, blocks_of<kShuffleTile>};

constexpr gpuopt_kernel kKernels[] = {
    rung_descriptor<kRung>("the tree in registers by warp shuffles, one barrier; f32 sums")};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
