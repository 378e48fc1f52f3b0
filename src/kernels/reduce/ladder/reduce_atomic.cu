// The blocks' partials meet in atomics: each block adds its part as reduce_ilp_4 does, then adds the result to the
// matrix's total in global memory.
//
// Data movement: one read of the matrix; no partials, and one launch more, which finishes (mean, root, rounding) and
// leaves the totals zero. Totals are accumulated in fp64, but in the order in which blocks arrive, which changes from
// run to run, and so may the last bits. What it teaches: the atomics themselves are few and cheap; the price is
// reproducibility, and reduce_one_launch shows that it need not be paid.
// Needs: f32 in and out; sums; any ld, layout and batch.
// arch class: teaching
#include "reduce/ladder/rung.cuh"

namespace gpuopt {

__global__ void __launch_bounds__(kRungThreads) atomic_kernel(RungInput in, double *totals) {
  const RungBlock block(in);
  const float sum = join_rung(strided_sum(in, block));
  if (threadIdx.x == 0) atomicAdd(totals + block.p, static_cast<double>(sum));
}

__global__ void __launch_bounds__(kRungThreads) atomic_finish(double *totals, int64_t batch, ReduceOutput output) {
  const int64_t p = int64_t{blockIdx.x} * kRungThreads + threadIdx.x;
  if (p >= batch) return;
  write_result<float>(Sum<double>{}, output, p, 0, totals[p]);
  totals[p] = 0;
}

namespace {

constexpr char kName[] = "reduce_atomic";

void workspace(const gpuopt_problem *problem, size_t *scratch, size_t *zeroed) {
  *scratch = 0;
  *zeroed = static_cast<size_t>(problem->batch) * sizeof(double);
}

gpuopt_status launch(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  RungInput in = rung_input(*problem);
  in.blocks =
      in.count > 0 ? resident_rung_blocks(in.count, problem->batch, *problem->device, kAccumulators * kRungThreads) : 1;
  const int64_t blocks = in.blocks * problem->batch;
  in.blocks_per_matrix = Divider(in.blocks, blocks);
  double *const totals = static_cast<double *>(launch->zeroed);
  const gpuopt_status status = launch_kernel(launch, kName, dim3(static_cast<unsigned>(blocks)), dim3(kRungThreads), 0,
                                             atomic_kernel, in, totals);
  if (status != GPUOPT_OK) return status;
  return launch_kernel(launch, kName, dim3(static_cast<unsigned>(ceil_div(problem->batch, kRungThreads))),
                       dim3(kRungThreads), 0, atomic_finish, totals, problem->batch, reduce_output(*problem));
}

gpuopt_status prepare(const gpuopt_problem *, const gpuopt_launch *launch) {
  const gpuopt_status status = load_kernel(launch, kName, atomic_kernel);
  return status == GPUOPT_OK ? load_kernel(launch, kName, atomic_finish) : status;
}

constexpr gpuopt_kernel make_kernel() {
  gpuopt_kernel k = any_rung_descriptor(
      kName, "blocks add their partials to the total by atomics: the bits depend on their order of arrival; f32 sums");
  k.flags |= GPUOPT_KERNEL_NONDETERMINISTIC;
  k.workspace = workspace;
  set_functions(k, nullptr, prepare, launch, kResourcesOf<kRungThreads, 0, atomic_kernel, atomic_finish>);
  return k;
}

constexpr gpuopt_kernel kKernels[] = {make_kernel()};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
