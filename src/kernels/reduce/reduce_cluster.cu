// A cluster of eight blocks a line, which meet in distributed shared memory: no ticket, no slots, no scratch, no zeroed
// memory.
//
// Data movement: every byte once, as in reduce_one_launch. Each block writes its partial into the first block's shared
// memory (one store between multiprocessors), the cluster's barrier orders it, and the first block combines them in the
// order of the ranks. The price: a line has eight multiprocessors, whatever its size, and the eight blocks start
// together.
// Needs: compute capability 9.0; a row a cluster, so that a packed matrix is reduced as one row. DOT: rows of both
// operands at 16-byte boundaries.
// Recorded (H200, 2026-11-21, single call, cold): f32 sum of one row of 64 K elements 5.66 us, 67 % of read (2.9 times
// CUB's speed), in a graph 3.23 us.
// Measured once, not in a record (H200, 2026-11-21, single call, cold): f32 sum of 1 K elements 4.9 us, of 64 K 5.6 us
// (reduce_one_launch 3.9 and 4.8 us), of 1 M 19.4 us.
#include <cooperative_groups.h>

#include <utility>

#include "common/launch.h"
#include "dispatch.cuh"
#include "divide.cuh"
#include "join.cuh"
#include "line.cuh"
#include "lines.h"
#include "output.cuh"
#include "plan.cuh"

namespace gpuopt {
namespace reduce {

constexpr int kClusterBlocks = 8;  // the largest that every device with clusters has
constexpr int kClusterThreads = 512;

struct ClusterWalk {
  View x, y;
  int64_t length, range;  // range: vectors of a block
  SmallDivider per_matrix;
};

template <int kDtype, int kOp>
__global__ void __launch_bounds__(kClusterThreads) cluster_kernel(OpState state, ClusterWalk walk, Output output) {
#if __CUDA_ARCH__ >= 900
  using Op = OpOfChoice<kOp, kDtype>;
  using Second = typename Op::Second;
  using T = typename TypesOf<kDtype>::Stored;
  __shared__ typename Op::Partial of_rank[kClusterBlocks];
  const Op op{state_of_choice<kOp>(state)};
  const auto cluster = cooperative_groups::this_cluster();
  auto started = cluster.barrier_arrive();
  const uint32_t rank = blockIdx.x % kClusterBlocks;
  uint32_t i;
  const uint32_t p = walk.per_matrix.divide(blockIdx.x / kClusterBlocks, i);
  const T *x = static_cast<const T *>(walk.x.data) + walk.x.offset(p, i, 0);
  const T *y = Op::kReadsY ? static_cast<const T *>(walk.y.data) + walk.y.offset(p, i, 0) : nullptr;
  constexpr int kFold = 64;  // a thread may have a 4,096th of all vectors: steps combined at a time (line.cuh)
  const auto partial = join_block<Op>(read_line<T, kLineInFlight / 2, kFold>(
      op, x, y, walk.length, rank * walk.range, walk.range, rank == 0, threadIdx.x, kClusterThreads));
  cluster.barrier_wait(std::move(started));  // all blocks have started: their shared memory may be written
  if (threadIdx.x == 0) *cluster.map_shared_rank(&of_rank[rank], 0) = partial;
  cluster.sync();
  if (rank != 0 || threadIdx.x != 0) return;
  const Second second{state};
  typename Second::Partial total = static_cast<typename Second::Partial>(of_rank[0]);
  for (int r = 1; r < kClusterBlocks; ++r)
    total = Second::combine(total, static_cast<typename Second::Partial>(of_rank[r]));
  write_result<T>(second, output, p, i, resolve<kVector<T>>(second, total, x, walk.length));
#endif
}

namespace {

constexpr char kName[] = "reduce_cluster";

gpuopt_status launch(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  const LineFacts facts = line_facts(*problem);
  ClusterWalk walk = {};
  walk.x = matrix_view(problem->operand[GPUOPT_OPERAND_X]);
  walk.y = matrix_view(problem->operand[GPUOPT_OPERAND_Y]);
  walk.length = facts.length;
  walk.range = ceil_div(facts.vectors, kClusterBlocks);
  walk.per_matrix = SmallDivider(outputs_per_matrix(*problem));
  const Output output = make_output(*problem);
  const OpState state = state_of(problem->variant);
  return with_choice(*problem, [&](auto choice) {
    using C = decltype(choice);
    return launch_kernel({false, kClusterBlocks}, launch, kName,
                         dim3(static_cast<unsigned>(facts.results) * kClusterBlocks), dim3(kClusterThreads), 0,
                         cluster_kernel<C::kDtype, C::kOp>, state, walk, output);
  });
}

gpuopt_status prepare(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  return with_choice(*problem, [&](auto choice) {
    using C = decltype(choice);
    return load_kernel(launch, kName, cluster_kernel<C::kDtype, C::kOp>);
  });
}

// One cluster reads at the rate of its multiprocessors; many share the memory.
double predict_us(const gpuopt_problem *problem) {
  const LineFacts facts = line_facts(*problem);
  const gpuopt_device_facts &device = *problem->device;
  const double blocks = static_cast<double>(facts.results) * kClusterBlocks, most = 2.0 * device.sm_count;
  const double share = (blocks < most ? blocks : most) / most;
  return 4.8 + facts.read_bytes / ((share < 0.4 ? 1.98 : 0.8) * device.memory_gbs * 1e3 * share);
}

gpuopt_resource kResources[] = {GPUOPT_REDUCE_RESOURCES(cluster_kernel, kClusterThreads)};

constexpr gpuopt_kernel make_kernel() {
  gpuopt_kernel k = line_kernel_descriptor(
      kName, "a cluster of 8 blocks a row, which meet in distributed shared memory", GPUOPT_EACH_ROW);
  k.cc_min = 90;
  set_functions(k, predict_us, prepare, launch, kResources);
  return k;
}

constexpr gpuopt_kernel kKernels[] = {make_kernel()};

}  // namespace
}  // namespace reduce
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::reduce::kKernels);
