// fused_act_occupancy_*: one relu with all the warps that a multiprocessor can hold, and with fewer for each of the three
// reasons there are. Teaching rungs, in pairs that differ in one resource.
//
//   full            256 threads, few registers, no shared memory: every warp that fits
//   shared_memory   full, and 63 KB of shared memory a block that nobody touches: one to three blocks
//   blocks_of_32    full, in blocks of one warp: as many warps as a multiprocessor holds blocks
//   registers       48 elements a thread, all loaded before the first is stored: 48 registers and their addresses
//   registers_few   48 elements a thread, eight at a time, in registers that the next eight use again
//
// Needs: f32, RELU alone, packed and by rows.
// Prediction: bytes under way are what memory asks for (its rate times some 600 clocks, about 40 KB a multiprocessor of
// Hopper). Full has 2048 times 4 bytes, 8 KB at most, and blocks_of_32 and shared_memory lose with every warp that goes;
// registers has a quarter of the warps with 48 times the bytes each, and loses nothing: occupancy is one way to have bytes under way,
// not the aim.
// arch class: teaching

#include "fused_act/ladder/packed_relu.cuh"

namespace gpuopt {

constexpr int kUnusedSmem = 64 * 1024 - 1024;  // what a block of compute capability 7.5 may have, less the driver's own
constexpr int kElementsOfThread = 48;

template <int kThreads>
__global__ void __launch_bounds__(kThreads) fused_act_occupancy_kernel(PackedRelu work) {
  const int64_t e = int64_t{blockIdx.x} * kThreads + threadIdx.x;
  if (e < work.count) work.out[e] = relu_of(work.x[e]);
}

// A block's elements lie on end; a thread's are a block's width apart.
template <int kThreads, int kAtOnce>
__global__ void __launch_bounds__(kThreads) fused_act_occupancy_many_kernel(PackedRelu work) {
  int64_t first = int64_t{blockIdx.x} * (kThreads * kElementsOfThread) + threadIdx.x;
#pragma unroll 1
  for (int group = 0; group < kElementsOfThread; group += kAtOnce, first += kAtOnce * kThreads) {
    float x[kAtOnce];
#pragma unroll
    for (int e = 0; e < kAtOnce; ++e) x[e] = first + e * kThreads < work.count ? work.x[first + e * kThreads] : 0.0f;
#pragma unroll
    for (int e = 0; e < kAtOnce; ++e)
      if (first + e * kThreads < work.count) work.out[first + e * kThreads] = relu_of(x[e]);
  }
}

namespace {

template <int kThreadsOfBlock, int kSmem>
struct OccupancyRung {
  static constexpr int kThreads = kThreadsOfBlock, kDynamicSmem = kSmem, kAlign = 4;
  static constexpr auto kKernel = fused_act_occupancy_kernel<kThreads>;
  static PackedReluThreads threads(const gpuopt_problem &p) { return {p.batch * p.m * p.n, 1}; }
};
template <int kAtOnce>
struct OccupancyManyRung {
  static constexpr int kThreads = 128, kDynamicSmem = 0, kAlign = 4;
  static constexpr auto kKernel = fused_act_occupancy_many_kernel<kThreads, kAtOnce>;
  static PackedReluThreads threads(const gpuopt_problem &p) {
    return {ceil_div(p.batch * p.m * p.n, kElementsOfThread * kThreads) * kThreads, 1};
  }
};

struct Full : OccupancyRung<256, 0> {
  static constexpr const char *kName = "fused_act_occupancy_full";
  static constexpr const char *kSummary = "relu in blocks of 256: every warp that a multiprocessor holds";
};
struct SharedMemory : OccupancyRung<256, kUnusedSmem> {
  static constexpr const char *kName = "fused_act_occupancy_shared_memory";
  static constexpr const char *kSummary = "relu with 63 KB of shared memory a block: they limit the warps";
};
struct BlocksOf32 : OccupancyRung<32, 0> {
  static constexpr const char *kName = "fused_act_occupancy_blocks_of_32";
  static constexpr const char *kSummary = "relu in blocks of one warp: their number limits the warps";
};
struct Registers : OccupancyManyRung<48> {
  static constexpr const char *kName = "fused_act_occupancy_registers";
  static constexpr const char *kSummary = "relu, 48 elements a thread under way at once: registers limit the warps";
};
struct RegistersFew : OccupancyManyRung<8> {
  static constexpr const char *kName = "fused_act_occupancy_registers_few";
  static constexpr const char *kSummary = "relu, 48 elements a thread, eight at once in the same registers";
};

constexpr gpuopt_kernel kKernels[] = {packed_relu_kernel<Full>(), packed_relu_kernel<SharedMemory>(),
                                      packed_relu_kernel<BlocksOf32>(), packed_relu_kernel<Registers>(),
                                      packed_relu_kernel<RegistersFew>()};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
