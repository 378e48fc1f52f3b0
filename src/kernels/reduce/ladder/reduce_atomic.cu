// reduce_atomic: the blocks' partials meet in atomics. Each block adds its part as reduce_ilp_4 does, then adds the result to
// the matrix's total in global memory. reduce_atomic_each is the counter-example without the blocks' partials: every element
// has an atomic of its own. The private sums of a thread and of a block are all the difference (privatisation).
//
// Data movement: one read of the matrix; no partials, and one launch more, which finishes (mean, root, rounding) and
// leaves the totals zero. Totals are accumulated in fp64, but in the order in which blocks arrive, which changes from
// run to run, and so may the last bits. What it teaches: the atomics themselves are few and cheap; the price is
// reproducibility, and reduce_one_launch shows that it need not be paid.
// Needs: f32 in and out; sums; any ld, layout and batch.
// Prediction: reduce_atomic_each's additions all go to one word, of which L2 takes one in a clock or two, whoever sends it:
// some 1 ns an element on an H200, which reads a thousand in that time. (The texts that this ladder follows have 20 times.)
// arch class: teaching
#include "reduce/ladder/rung.cuh"

namespace gpuopt {

__global__ void __launch_bounds__(kRungThreads) atomic_kernel(RungInput in, double *totals) {
  const RungBlock block(in);
  const float sum = join_rung(strided_sum(in, block));
  if (threadIdx.x == 0) atomicAdd(totals + block.p, static_cast<double>(sum));
}

__global__ void __launch_bounds__(kRungThreads) atomic_each_kernel(RungInput in, double *totals) {
  const RungBlock block(in);
  const int64_t e = block.index * kRungThreads + static_cast<int>(threadIdx.x);
  if (e < in.count) atomicAdd(totals + block.p, static_cast<double>(in(block.p, e)));
}

__global__ void __launch_bounds__(kRungThreads) atomic_finish(double *totals, int64_t batch, ReduceOutput output) {
  const int64_t p = int64_t{blockIdx.x} * kRungThreads + threadIdx.x;
  if (p >= batch) return;
  write_result<float>(Sum<double>{}, output, p, 0, totals[p]);
  totals[p] = 0;
}

namespace {

struct BlockPartials {
  static constexpr const char *kName = "reduce_atomic";
  static constexpr const char *kSummary =
      "blocks add their partials to the total by atomics: the bits depend on their order of arrival; f32 sums";
  static constexpr auto kKernel = atomic_kernel;
  static int64_t blocks(const gpuopt_problem &problem, int64_t count) {
    return resident_rung_blocks(count, problem.batch, *problem.device, kAccumulators * kRungThreads);
  }
};
struct EachElement {
  static constexpr const char *kName = "reduce_atomic_each";
  static constexpr const char *kSummary = "an atomic for each element, all to one word: nothing is private; f32 sums";
  static constexpr auto kKernel = atomic_each_kernel;
  static int64_t blocks(const gpuopt_problem &, int64_t count) { return ceil_div(count, kRungThreads); }
};

void workspace(const gpuopt_problem *problem, size_t *scratch, size_t *zeroed) {
  *scratch = 0;
  *zeroed = static_cast<size_t>(problem->batch) * sizeof(double);
}

template <class Rung>
gpuopt_status launch(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  RungInput in = rung_input(*problem);
  in.blocks = in.count > 0 ? Rung::blocks(*problem, in.count) : 1;
  const int64_t blocks = in.blocks * problem->batch;
  in.blocks_per_matrix = Divider(in.blocks, blocks);
  double *const totals = static_cast<double *>(launch->zeroed);
  const gpuopt_status status = launch_kernel(launch, Rung::kName, dim3(static_cast<unsigned>(blocks)),
                                             dim3(kRungThreads), 0, Rung::kKernel, in, totals);
  if (status != GPUOPT_OK) return status;
  return launch_kernel(launch, Rung::kName, dim3(static_cast<unsigned>(ceil_div(problem->batch, kRungThreads))),
                       dim3(kRungThreads), 0, atomic_finish, totals, problem->batch, reduce_output(*problem));
}

template <class Rung>
gpuopt_status prepare(const gpuopt_problem *, const gpuopt_launch *launch) {
  const gpuopt_status status = load_kernel(launch, Rung::kName, Rung::kKernel);
  return status == GPUOPT_OK ? load_kernel(launch, Rung::kName, atomic_finish) : status;
}

template <class Rung>
constexpr gpuopt_kernel make_kernel() {
  gpuopt_kernel k = any_rung_descriptor(Rung::kName, Rung::kSummary);
  k.flags |= GPUOPT_KERNEL_NONDETERMINISTIC;
  k.workspace = workspace;
  set_functions(k, nullptr, prepare<Rung>, launch<Rung>, kResourcesOf<kRungThreads, 0, Rung::kKernel, atomic_finish>);
  return k;
}

constexpr gpuopt_kernel kKernels[] = {make_kernel<BlockPartials>(), make_kernel<EachElement>()};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
