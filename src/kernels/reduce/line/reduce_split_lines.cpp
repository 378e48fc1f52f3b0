// A line is shared by several blocks, which meet within the launch, a meeting for each line. A line is a row, or a packed
// matrix; of a padded matrix each row is a split.
//
// Data movement: every byte once, in 16-byte vectors, eight of every thread under way (four or two where they take many
// registers, and of the last few); a block reads one contiguous part of its line, and its partial is 8 bytes. How lines are split follows
// from the problem's extents and the number of multiprocessors, so results are the same from run to run, but not for
// other numbers of rows.
// Needs: a padded matrix has at most 8,192 rows. DOT: lines of both operands at 16-byte boundaries.
// Predicted: the memory's time where a block has a few thousand vectors and more; below, launch and meeting.
// What one line is, or plain sums and indices of rows, reduce_one_launch reads by shorter code.
// arch class: performance
#include <cuda_runtime.h>

#include "common/dependent_launch.cuh"
#include "reduce/common/choices.h"
#include "reduce/common/cost.h"
#include "reduce/common/even_share.h"
#include "reduce/common/every_choice.cuh"
#include "reduce/common/output.cuh"
#include "reduce/line/figures.h"
#include "reduce/line/line_plan.h"
#include "reduce/line/split_lines.h"

namespace gpuopt {

namespace {

constexpr char kName[] = "reduce_split_lines";

// Tickets first, slots from the next multiple of 256 bytes.
size_t ticket_bytes(const LinePlan &plan) { return (static_cast<size_t>(plan.results) * 4 + 255) / 256 * 256; }

void workspace(const gpuopt_problem *problem, size_t *scratch, size_t *zeroed) {
  const LinePlan plan = plan_lines(*problem);
  const size_t slot = 2 * partial_bytes(op_of(*problem), problem->operand[GPUOPT_OPERAND_X].m.dtype);
  *scratch = 0;
  *zeroed = plan.splits == 1 ? 0 : ticket_bytes(plan) + static_cast<size_t>(plan.results * plan.splits) * slot;
}

gpuopt_status prepare(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  return with_choice(*problem, [&](auto choice) {
    using C = decltype(choice);
    return load_kernel(launch, kName, reduce_line_kernel<C::kDtype, C::kOp>, largest_even_share(*problem));
  });
}

gpuopt_status launch(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  const LinePlan plan = plan_lines(*problem);
  LineWalk walk = {};
  walk.x = matrix_view(problem->operand[GPUOPT_OPERAND_X]);
  walk.y = matrix_view(problem->operand[GPUOPT_OPERAND_Y]);
  walk.length = plan.length;
  walk.range = plan.range;
  walk.splits = UnsignedDivider(plan.splits);
  walk.per_matrix = UnsignedDivider(outputs_per_matrix(*problem));
  walk.split_count = static_cast<int32_t>(plan.splits);
  walk.has_many = plan.results > 1;
  walk.by_rows = plan.by_rows;
  Meeting meeting = {};
  if (plan.splits > 1) {
    meeting.tickets = static_cast<uint32_t *>(launch->zeroed);
    meeting.slots = reinterpret_cast<uint64_t *>(static_cast<char *>(launch->zeroed) + ticket_bytes(plan));
  }
  const int64_t blocks = plan.results * plan.splits;
  return with_choice(*problem, [&](auto choice) {
    using C = decltype(choice);
    return launch_kernel(early_launch(*problem), launch, kName, dim3(static_cast<unsigned>(blocks)),
                         dim3(kMaxLineThreads), even_share(*problem, blocks, 2), reduce_line_kernel<C::kDtype, C::kOp>,
                         state_of(problem->variant), walk, meeting, reduce_output(*problem));
  });
}

// Blocks of a few vectors a thread live as long as a load takes to come, each turn of four again, so many at a time;
// large ones wait for memory, or issue what bytes take to be converted.
double predict_us(const gpuopt_problem *problem) {
  const ReduceLineFigures &f = reduce_line_figures;
  const LinePlan plan = plan_lines(*problem);
  const LineFacts facts = line_facts(*problem);
  const int op = op_of(*problem), bytes = facts.bytes;
  const bool by_words = is_by_words(*problem, op);
  const bool is_heavy = op == kDot || (bytes == 1 && op != kSum);
  const ElementCost cost = {f.split_sum,     f.split_dot, f.split_product, f.split_extreme, f.split_arg, f.split_f64,
                            f.split_integer, f.split_fp8, f.split_words,   f.split_bytes,   f.split_half};
  const int64_t per_unit = plan.range < facts.vectors ? plan.range : facts.vectors;
  const double turns = static_cast<double>(ceil_div(per_unit, kMaxLineThreads * (is_heavy ? 2 : kLineInFlight)));
  const double units = static_cast<double>(plan.results) * static_cast<double>(plan.splits);
  const double instructions = elements_of(*problem) * element_cost(*problem, op, by_words, cost);
  const double life = f.life_us + f.turn_us * turns + (op == kArg ? f.arg_life_us : 0) +
                      f.alone_factor * alone_us(*problem, instructions, units);
  const double resident = (bytes == 1 && !by_words) || op == kDot || op == kProduct ? 0.5 : 1;
  const double waves = units / (f.split_blocks * resident * problem->device->sm_count);
  return f.split_launch_us + (plan.splits > 1 ? f.split_meet_us : 0) +
         overlapped_us(read_us(*problem, touched_bytes(*problem), f.split_share), issue_us(*problem, instructions),
                       (waves < 1 ? 1 : waves) * life) +
         f.last_life * life;
}

gpuopt_resource kResources[] = {GPUOPT_REDUCE_RESOURCES(reduce_line_kernel, kMaxLineThreads)};

constexpr gpuopt_kernel make_kernel() {
  gpuopt_kernel k =
      line_kernel_descriptor(kName, "lines shared by blocks that meet within the launch, 16-byte loads: deterministic",
                             1u << GPUOPT_ALL | 1u << GPUOPT_EACH_ROW);
  k.version = 3;
  k.aliases = "reduce_split_rows,reduce_vec16";
  k.workspace = workspace;
  set_functions(k, predict_us, prepare, launch, kResources);
  return k;
}

constexpr gpuopt_kernel kKernels[] = {make_kernel()};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
