// Column reductions by 16-byte loads, wherever the rows begin.
//
// Data movement: see columns.cuh. Sums of one matrix of single precision or 16 bits where no two clusters share a strip
// have a kernel of their own, of a third of the code (columns_plain.cuh), and so have sums and extremes of up to 16 rows of them,
// (columns_few.cuh).
// Needs: nothing.
// Predicted: the memory's time, or that of issuing the instructions where an ARG has many; less than the memory's rate
// where blocks are too few.
// arch class: performance
#include <cuda_runtime.h>

#include "common/dependent_launch.cuh"
#include "common/dtypes.cuh"
#include "reduce/columns/columns_few.h"
#include "reduce/columns/columns_plan.h"
#include "reduce/columns/figures.h"
#include "reduce/common/choices.h"
#include "reduce/common/cost.h"
#include "reduce/common/even_share.h"
#include "reduce/common/every_choice.cuh"

namespace gpuopt {

namespace {

constexpr char kName[] = "reduce_columns_vec16";

const auto kernel_of = [](auto choice) {
  using C = decltype(choice);
  return reduce_columns_kernel<C::kDtype, (C::kOp == kSumOfMagnitudes ? static_cast<int>(kSumOfSquares) : C::kOp)>;
};

// Whether columns_plain takes it.
bool is_plain_columns(const gpuopt_problem &problem, const ColumnPlan &plan) {
  return is_common_sum(plan.walk.x.dtype, choice_of(problem)) && problem.batch == 1 && plan.walk.cluster_count == 1 &&
         is_plain(problem);
}
size_t shared_bytes(const gpuopt_problem &problem, const ColumnPlan &plan) {
  const int32_t dtype = plan.walk.x.dtype, columns = columns_of_thread(dtype_bytes(dtype));
  const int received = plan.walk.cluster > 1 ? plan.walk.cluster << plan.walk.log_share : 0;
  const size_t of_threads =
      static_cast<size_t>(plan.threads * columns + received) * partial_bytes(op_of(problem), dtype);
  const size_t own = is_plain_columns(problem, plan) ? 0 : of_threads, even = even_share(problem, plan.blocks, 2);
  return own > even ? own : even;
}
int can_run(const gpuopt_problem *problem, gpuopt_reject *reject) {
  if (problem->batch == 0 || problem->n == 0) return 1;  // no output, no launch
  const int64_t blocks = is_few_rows(*problem) ? 0 : column_plan(*problem).blocks;
  if (blocks >= kSmallEnd)
    return refuse(reject, GPUOPT_REJECT_SIZE_LIMIT, GPUOPT_OPERAND_NONE, blocks, kSmallEnd - 1, "blocks");
  const int32_t layout = problem->operand[GPUOPT_OPERAND_X].m.layout;
  if (layout != GPUOPT_ROW) return refuse(reject, GPUOPT_REJECT_LAYOUT, GPUOPT_OPERAND_X, layout, GPUOPT_ROW, nullptr);
  return 1;
}

void workspace(const gpuopt_problem *problem, size_t *scratch, size_t *zeroed) {
  *scratch = *zeroed = 0;
  if (is_few_rows(*problem)) return;
  const ColumnPlan plan = column_plan(*problem);
  if (plan.walk.cluster_count == 1) return;
  const size_t partials = static_cast<size_t>(plan.blocks) << plan.walk.log_share;
  *zeroed = column_ticket_bytes(plan) +
            partials * 2 * partial_bytes(op_of(*problem), problem->operand[GPUOPT_OPERAND_X].m.dtype);
}

gpuopt_status launch(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  if (is_few_rows(*problem)) return problem->n == 0 ? GPUOPT_OK : launch_few_rows(*problem, launch, kName);
  const ColumnPlan plan = column_plan(*problem);
  LaunchAttributes attributes = early_launch(*problem);
  attributes.cluster = plan.walk.cluster > 1 ? plan.walk.cluster : 0;
  if (is_plain_columns(*problem, plan)) {
    return with_common_sum(plan.walk.x.dtype, [&](auto choice) {
      return launch_kernel(attributes, launch, kName, dim3(static_cast<unsigned>(plan.blocks)),
                           dim3(static_cast<unsigned>(plan.threads)), shared_bytes(*problem, plan),
                           reduce_plain_columns<decltype(choice)::kDtype>, plain_columns(*problem, plan));
    });
  }
  const ReduceOutput output = reduce_output(*problem);
  const OpState state = state_of(problem->variant);
  Meeting meeting = {};
  if (plan.walk.cluster_count > 1) {
    meeting.tickets = static_cast<uint32_t *>(launch->zeroed);
    meeting.slots = reinterpret_cast<uint64_t *>(static_cast<char *>(launch->zeroed) + column_ticket_bytes(plan));
  }
  return with_choice(*problem, [&](auto choice) {
    return launch_kernel(attributes, launch, kName, dim3(static_cast<unsigned>(plan.blocks)),
                         dim3(static_cast<unsigned>(plan.threads)), shared_bytes(*problem, plan), kernel_of(choice),
                         state, plan.walk, meeting, output);
  });
}

gpuopt_status prepare(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  if (is_few_rows(*problem)) return load_kernel(launch, kName, few_rows_plan(*problem).kernel);
  const ColumnPlan plan = column_plan(*problem);
  const size_t shared = largest_even_share(*problem);
  if (is_plain_columns(*problem, plan))
    return with_common_sum(plan.walk.x.dtype, [&](auto choice) {
      return load_kernel(launch, kName, reduce_plain_columns<decltype(choice)::kDtype>, shared);
    });
  return with_choice(*problem, [&](auto choice) { return load_kernel(launch, kName, kernel_of(choice), shared); });
}

// Threads issue every element of their columns, those of strips that are not full in vain; blocks live for their turns of
// rows; blocks of a cluster meet, and the last cluster of a strip gathers the partials of all.
double predict_us(const gpuopt_problem *problem) {
  const ReduceColumnsFigures &f = reduce_columns_figures;
  if (problem->batch == 0 || problem->n == 0) return f.launch_us;
  if (is_few_rows(*problem))
    return f.few_launch_us +
           read_us(*problem, touched_bytes(*problem) + 8.0 * static_cast<double>(problem->n), f.few_share);
  const ColumnPlan plan = column_plan(*problem);
  const ColumnWalk &walk = plan.walk;
  const int op = op_of(*problem), bytes = dtype_bytes(walk.x.dtype), columns = columns_of_thread(bytes);
  const double sm_count = problem->device->sm_count, blocks = static_cast<double>(plan.blocks), threads = plan.threads;
  const double lanes = walk.width / columns + (walk.any_phase ? 1 : 0);
  const double busy = walk.row_lanes * lanes / threads * static_cast<double>(problem->batch * problem->n) /
                      (static_cast<double>(plan.strips) * walk.width);
  const ElementCost cost = {1, f.dot, f.product, f.extreme, f.arg, f.f64, f.integer, f.fp8, f.words, f.bytes, f.half};
  const bool is_small = bytes == 1, by_words = is_by_words(*problem, op) && op == kSum;
  const bool of_map = by_words && choice_of(*problem) != kSum;
  const double of_y = op != kDot || walk.y_pieces ? 0
                      : walk.y.col_step != 1      ? f.y_transposed
                                                  : f.y_elements * (is_small ? 0.5 : 1);
  const double of_element = element_cost(*problem, op, by_words, cost) + (of_map ? f.mapped_bytes : 0) + of_y;
  const double instructions = 4 * elements_of(*problem) * of_element * (walk.any_phase ? f.any_phase_factor : 1);
  const double words = static_cast<double>(partial_bytes(op, walk.x.dtype)) / 4;
  const double block = f.block_us * threads / 512 + f.join_us * threads * columns * words / 1024;
  const double issue = issue_us(*problem, instructions) / (busy > 0.03 ? busy : 0.03) + blocks * block / sm_count;
  const int64_t range = walk.range < problem->m ? walk.range : problem->m;
  const int64_t at_once = int64_t{walk.row_lanes} * rows_under_way(bytes, op);
  const double turns = range > at_once ? static_cast<double>(ceil_div(range, at_once)) : 1;
  const double life = f.life_us + f.thread_life_us * threads / 512 + f.turn_us * (turns - 1) +
                      f.alone_factor * alone_us(*problem, instructions, blocks) + (op == kArg ? f.arg_life_us : 0);
  const double waves = blocks / (sm_count * (1024 / plan.threads));
  const double outputs = static_cast<double>(problem->batch) * static_cast<double>(problem->n);
  const double gathered = static_cast<double>(int64_t{walk.cluster_count} << walk.log_share) * words / threads;
  const double meeting =
      (walk.cluster > 1 ? f.cluster_us : 0) +
      (walk.cluster_count > 1 ? f.meet_us + (op == kArg ? f.arg_gather_us : f.gather_us) * gathered : 0);
  const double less =
      (is_plain_columns(*problem, plan) ? f.plain_us : 0) + (problem->m <= walk.row_lanes ? f.few_us : 0);
  return f.launch_us - less + meeting +
         overlapped_us(read_us(*problem, touched_bytes(*problem) + 8 * outputs, f.memory_share), issue,
                       (waves < 1 ? 1 : waves) * life) +
         f.last_life * life + outputs * (f.output_ns + (op == kArg ? f.arg_output_ns : 0)) * 1e-3 / sm_count;
}

#define GPUOPT_COLUMNS_(op) GPUOPT_REDUCE_RESOURCES_OF_OP_(reduce_columns_kernel, 512, op)
#define GPUOPT_PLAIN_(dtype) \
  { 512, 0, reinterpret_cast<const void *>(reduce_plain_columns<dtype>) }
// clang-format off
gpuopt_resource kResources[] = {GPUOPT_COLUMNS_(0), GPUOPT_COLUMNS_(1), GPUOPT_COLUMNS_(2), GPUOPT_COLUMNS_(3),
                                GPUOPT_COLUMNS_(4), GPUOPT_COLUMNS_(5), GPUOPT_PLAIN_(1), GPUOPT_PLAIN_(3), GPUOPT_PLAIN_(4),
                                GPUOPT_FEW_ROWS_RESOURCES(1), GPUOPT_FEW_ROWS_RESOURCES(3),
                                GPUOPT_FEW_ROWS_RESOURCES(4),
                                GPUOPT_REDUCE_WIDE_RESOURCES(reduce_columns_kernel, 512)};
// clang-format on
#undef GPUOPT_COLUMNS_
#undef GPUOPT_PLAIN_

constexpr gpuopt_kernel make_kernel() {
  gpuopt_kernel k = line_kernel_descriptor(
      kName, "threads along the columns, 16 bytes each; splits meet in clusters, and those within the launch",
      1u << GPUOPT_EACH_COL);
  k.version = 5;
  k.can_run = can_run;
  k.workspace = workspace;
  set_functions(k, predict_us, prepare, launch, kResources);
  return k;
}

constexpr gpuopt_kernel kKernels[] = {make_kernel()};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
