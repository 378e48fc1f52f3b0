// Column reductions by 16-byte loads, wherever the rows begin.
//
// Data movement: see columns.cuh. Sums of one matrix of single precision or 16 bits without splits have a kernel of
// their own, of a third of the code (columns_plain.cuh).
// Needs: nothing.
// Recorded (H200, 2026-11-21, single call, cold), f32 sums: 8192^2 64.0 us, 4,197 GB/s, 96 % of read, in a graph 63.4
// us; 16384^2 241 us, 96 %; 1,048,576 x 64 68.3 us, 90 %; 64 x 1,048,576 66.1 us, 93 %; 4097 x 4099 20.8 us, 87 %;
// 1024^2 5.34 us, 84 %; bf16 8192^2 34.0 us, 95 %, in a graph 33.2 us, 4097 x 4099 13.4 us, 82 %.
#include "columns.cuh"
#include "columns_plain.cuh"
#include "common/dependent_launch.cuh"

namespace gpuopt {
namespace reduce {

template <int kDtype, int kOp>
__global__ void __launch_bounds__(column_threads(dtype_bytes(kDtype), kOp), 1)
    columns_vectors(OpState state, const __grid_constant__ ColumnWalk walk, const __grid_constant__ Meeting meeting,
                    const __grid_constant__ Output output) {
  reduce_columns<kDtype, kOp>(state, walk, meeting, output);
}

namespace {

constexpr char kName[] = "reduce_columns_vec16";

const auto kernel_of = [](auto choice) { return columns_vectors<decltype(choice)::kDtype, decltype(choice)::kOp>; };

// Whether columns_plain takes it.
bool is_plain_columns(const gpuopt_problem &problem, const ColumnPlan &plan) {
  return has_plain_columns(plan.walk.x.dtype, choice_of(problem.variant)) && problem.batch == 1 && plan.splits == 1 &&
         is_plain(problem);
}
template <class F>
gpuopt_status with_plain_kernel(int32_t dtype, F &&f) {
  return dtype == GPUOPT_F32   ? f(columns_plain<GPUOPT_F32>)
         : dtype == GPUOPT_F16 ? f(columns_plain<GPUOPT_F16>)
                               : f(columns_plain<GPUOPT_BF16>);
}

int can_run(const gpuopt_problem *problem, gpuopt_reject *reject) {
  if (problem->batch == 0 || problem->n == 0) return 1;  // no output, no launch
  const auto refuse = [&](int32_t code, int operand, int64_t have, int64_t need, const char *what) {
    *reject = {code, operand, have, need, what};
    return 0;
  };
  const int64_t blocks = column_plan(*problem).blocks;
  if (blocks >= kSmallEnd)
    return refuse(GPUOPT_REJECT_SIZE_LIMIT, GPUOPT_OPERAND_NONE, blocks, kSmallEnd - 1, "blocks");
  const int32_t layout = problem->operand[GPUOPT_OPERAND_X].m.layout;
  if (layout != GPUOPT_ROW) return refuse(GPUOPT_REJECT_LAYOUT, GPUOPT_OPERAND_X, layout, GPUOPT_ROW, nullptr);
  return 1;
}

void workspace(const gpuopt_problem *problem, size_t *scratch, size_t *zeroed) {
  const ColumnPlan plan = column_plan(*problem);
  *scratch = *zeroed = 0;
  if (plan.splits == 1) return;
  const size_t partials = static_cast<size_t>(plan.blocks) * static_cast<size_t>(plan.walk.width);
  *zeroed = column_ticket_bytes(plan) +
            partials * 2 * partial_bytes(op_of(problem->variant), problem->operand[GPUOPT_OPERAND_X].m.dtype);
}

gpuopt_status launch(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  const ColumnPlan plan = column_plan(*problem);
  if (is_plain_columns(*problem, plan)) {
    return with_plain_kernel(plan.walk.x.dtype, [&](auto kernel) {
      return launch_kernel(early_launch(*problem), launch, kName, dim3(static_cast<unsigned>(plan.blocks)),
                           dim3(static_cast<unsigned>(plan.threads)), 0, kernel, plain_columns(*problem, plan));
    });
  }
  const Output output = make_output(*problem);
  const OpState state = state_of(problem->variant);
  Meeting meeting = {};
  if (plan.splits > 1) {
    meeting.tickets = static_cast<uint32_t *>(launch->zeroed);
    meeting.slots = reinterpret_cast<uint64_t *>(static_cast<char *>(launch->zeroed) + column_ticket_bytes(plan));
  }
  const size_t shared = static_cast<size_t>(plan.threads) * columns_of_thread(dtype_bytes(plan.walk.x.dtype)) *
                        partial_bytes(op_of(problem->variant), plan.walk.x.dtype);
  return with_choice(*problem, [&](auto choice) {
    return launch_kernel(early_launch(*problem), launch, kName, dim3(static_cast<unsigned>(plan.blocks)),
                         dim3(static_cast<unsigned>(plan.threads)), shared, kernel_of(choice), state, plan.walk,
                         meeting, output);
  });
}

gpuopt_status prepare(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  if (is_plain_columns(*problem, column_plan(*problem)))
    return with_plain_kernel(problem->operand[GPUOPT_OPERAND_X].m.dtype,
                             [&](auto kernel) { return load_kernel(launch, kName, kernel); });
  return with_choice(*problem, [&](auto choice) { return load_kernel(launch, kName, kernel_of(choice)); });
}

double predict_us(const gpuopt_problem *problem) {
  const gpuopt_device_facts &device = *problem->device;
  const ColumnPlan plan = column_plan(*problem);
  const double elements =
      static_cast<double>(problem->batch) * static_cast<double>(problem->m) * static_cast<double>(problem->n);
  const double read = elements * dtype_bytes(plan.walk.x.dtype) * (problem->variant == GPUOPT_REDUCE_DOT ? 2 : 1);
  const double threads = static_cast<double>(plan.blocks) * plan.threads, resident = 256.0 * device.sm_count;
  const double busy = threads < resident ? threads / resident : 1;
  const double memory = read / (device.memory_gbs * 1e3 * 0.96);
  const double instructions = op_of(problem->variant) == kArg ? 16 : 4;
  const double issue = elements * instructions / (device.sm_count * 100.0 * device.clock_mhz);
  return (plan.splits > 1 ? 4.3 : 3.5) + (memory > issue ? memory : issue) / busy;
}

gpuopt_resource kResources[] = {GPUOPT_REDUCE_RESOURCES(columns_vectors, 512),
                                {512, 0, reinterpret_cast<const void *>(columns_plain<GPUOPT_F32>)},
                                {512, 0, reinterpret_cast<const void *>(columns_plain<GPUOPT_F16>)},
                                {512, 0, reinterpret_cast<const void *>(columns_plain<GPUOPT_BF16>)}};

constexpr gpuopt_kernel make_kernel() {
  gpuopt_kernel k = line_kernel_descriptor(
      kName, "threads along the columns, 16 bytes each; splits meet within the launch", GPUOPT_EACH_COL);
  k.can_run = can_run;
  k.workspace = workspace;
  set_functions(k, predict_us, prepare, launch, kResources);
  return k;
}

constexpr gpuopt_kernel kKernels[] = {make_kernel()};

}  // namespace
}  // namespace reduce
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::reduce::kKernels);
