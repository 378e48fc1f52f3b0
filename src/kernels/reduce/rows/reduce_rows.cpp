// Rows of half a KB and more: neighbouring threads a row, a warp's or up to a block's.
//
// Data movement: every byte once, in 16-byte vectors, four of every thread under way. Rows begin and end anywhere: the
// elements before the first 16-byte boundary and after the last are asked for first, one a thread, and added last, so
// that any alignment reads at full speed. A result needs nothing from other threads than its row's: shuffles, and one
// barrier where they are more than a warp.
// A warp a row serves rows of some KB, which then wait for no barrier; 64 to 256 threads longer ones, so that each has
// about four vectors: many short lives hide each other's beginnings and ends better than few long ones. Rows that are
// whole vectors have a kernel of their own, for sums and ARGs, which is shorter.
// Needs: DOT: rows of both operands at 16-byte boundaries.
// Predicted: the memory's time, or that of the blocks' lives one after the other.
// arch class: performance
#include <cuda_runtime.h>

#include <algorithm>

#include "common/dependent_launch.cuh"
#include "reduce/common/choices.h"
#include "reduce/common/cost.h"
#include "reduce/common/even_share.h"
#include "reduce/common/every_choice.cuh"
#include "reduce/common/lines.h"
#include "reduce/common/output.cuh"
#include "reduce/rows/figures.h"
#include "reduce/rows/rows.h"

namespace gpuopt {

namespace {

constexpr char kName[] = "reduce_rows";

// What the choice of so many threads a row follows.
double plan_us(const gpuopt_problem &problem, const LineFacts &facts, int32_t per_row) {
  const ReduceRowsFigures &f = reduce_rows_figures;
  const gpuopt_device_facts &device = *problem.device;
  const double steps = static_cast<double>(ceil_div(facts.vectors > 0 ? facts.vectors : 1, per_row * kLineInFlight));
  const double waves = static_cast<double>(facts.results) * per_row / (1280.0 * device.sm_count);
  const double life = f.plan_life_us + f.plan_step_us * (steps - 1), lives = (waves < 1 ? 1 : waves) * life;
  const double memory = facts.read_bytes / (f.plan_share * device.memory_gbs * 1e3) + f.plan_start_us;
  const double wait = per_row > kWarp && per_row < kRowThreads && facts.vectors < 768 ? f.plan_wait_us : 0;
  return (memory > lives ? memory : lives) + f.plan_last_life * life + f.plan_lives * lives + wait;
}

// A warp, or what gives each about four vectors, whichever takes less time. An ARG has more to do in the end. Of no more rows than
// multiprocessors each has one to itself, by a thread for each vector: nothing else is there for others to do.
int32_t threads_of_row(const gpuopt_problem &problem, const LineFacts &facts) {
  if (facts.results <= problem.device->sm_count && facts.vectors > kWarp && op_of(problem) != kArg)
    return power_of_two(facts.vectors, kRowThreads);
  const int64_t vectors = op_of(problem) == kArg ? 10 : 5;  // of a thread, at most
  const int32_t about_four = power_of_two(ceil_div(facts.vectors, vectors), kRowThreads);
  const int32_t more = about_four < 2 * kWarp ? 2 * kWarp : about_four;
  return plan_us(problem, facts, more) <= plan_us(problem, facts, kWarp) ? more : kWarp;
}

// The kernel of a choice; of whole rows where it has one.
const auto kernel_of = [](auto choice, bool whole) {
  using Choice = decltype(choice);
  const auto any = reduce_rows_kernel<Choice::kDtype, Choice::kOp>;
  if constexpr (has_whole(Choice::kDtype, Choice::kOp))
    return whole ? reduce_rows_kernel<Choice::kDtype, Choice::kOp, true> : any;
  else
    return any;
};

int can_run(const gpuopt_problem *problem, gpuopt_reject *reject) {
  constexpr int64_t kMostColumns = 0xfffffffe;  // the index of an ARG is a half of a word
  if (op_of(*problem) == kArg && problem->n > kMostColumns)
    return refuse(reject, GPUOPT_REJECT_SIZE_LIMIT, GPUOPT_OPERAND_NONE, problem->n, kMostColumns, "columns");
  return can_run_lines(problem, reject);
}

int64_t blocks_of(const LineFacts &facts, int32_t per_row) { return ceil_div(facts.results, kRowThreads / per_row); }
size_t shared_bytes(const gpuopt_problem &problem, const LineFacts &facts, int32_t per_row) {
  constexpr int64_t kResident = 5;  // blocks of the commonest types
  return even_share(problem, blocks_of(facts, per_row), kResident);
}

gpuopt_status launch(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  const LineFacts facts = line_facts(*problem);
  const int32_t per_row = threads_of_row(*problem, facts);
  RowWalk walk = {};
  walk.x = matrix_view(problem->operand[GPUOPT_OPERAND_X]);
  walk.y = matrix_view(problem->operand[GPUOPT_OPERAND_Y]);
  walk.length = facts.length;
  walk.rows = static_cast<uint32_t>(facts.results);
  walk.per_matrix = UnsignedDivider(problem->m > 0 ? problem->m : 1);
  walk.has_many = problem->batch > 1;
  while (1 << walk.log_per_row < per_row) ++walk.log_per_row;
  const ReduceOutput output = reduce_output(*problem);
  walk.plain = plain_output(*problem);
  const OpState state = state_of(problem->variant);
  const gpuopt_operand &x = problem->operand[GPUOPT_OPERAND_X];
  const bool whole = walk.plain.data != nullptr && !walk.has_many && x.align >= 16 && x.ld_align >= 16 &&
                     facts.length * facts.bytes % 16 == 0;
  return with_choice(*problem, [&](auto choice) {
    return launch_kernel(early_launch(*problem), launch, kName, dim3(static_cast<unsigned>(blocks_of(facts, per_row))),
                         dim3(kRowThreads), shared_bytes(*problem, facts, per_row), kernel_of(choice, whole), state,
                         walk, output);
  });
}
gpuopt_status prepare(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  const size_t shared = largest_even_share(*problem);
  return with_choice(*problem, [&](auto choice) {
    const gpuopt_status status = load_kernel(launch, kName, kernel_of(choice, false), shared);
    return status == GPUOPT_OK ? load_kernel(launch, kName, kernel_of(choice, true), shared) : status;
  });
}

// A warp issues its elements, and at the end of each row the joining, more where rows begin or end within a vector; blocks
// live for the turns of their rows.
double predict_us(const gpuopt_problem *problem) {
  const ReduceRowsFigures &f = reduce_rows_figures;
  const LineFacts facts = line_facts(*problem);
  const int op = op_of(*problem), per_row = threads_of_row(*problem, facts);
  const gpuopt_operand &x = problem->operand[GPUOPT_OPERAND_X];
  const bool has_ends = x.align < 16 || (problem->m > 1 && x.ld_align < 16) ||
                        (problem->batch > 1 && x.stride_align < 16) || facts.length * facts.bytes % 16 != 0;
  const ElementCost cost = {1, f.dot, f.product, f.extreme, f.arg, f.f64, f.integer, f.fp8, f.words, f.bytes, f.half};
  const double sm_count = problem->device->sm_count, warps = static_cast<double>(facts.results) * per_row / kWarp;
  const bool by_words = is_by_words(*problem, op);
  const double of_warp = f.row_clocks + (op == kArg ? f.arg_clocks : 0) +
                         (facts.bytes == 1 && !by_words ? f.bytes_clocks * (op == kExtreme ? f.extreme_bytes : 1) : 0) +
                         (has_ends ? f.end_clocks * (facts.bytes == 1 ? f.end_bytes : 1) : 0);
  // Lanes without a vector wait for those that have one.
  const double steps = static_cast<double>(ceil_div(facts.vectors > 0 ? facts.vectors : 1, per_row));
  const double issued = warps * kWarp * steps * (16.0 / facts.bytes);
  const double instructions = 4 * issued * element_cost(*problem, op, by_words, cost);
  const double issue = issue_us(*problem, instructions + kWarp * warps * of_warp), blocks = warps * kWarp / kRowThreads;
  const int under_way = op == kDot ? kLineInFlight / 2 : kLineInFlight;
  const double turns = static_cast<double>(ceil_div(facts.vectors > 0 ? facts.vectors : 1, per_row * under_way));
  const int32_t dtype = x.m.dtype, choice = choice_of(*problem);
  const bool whole = !has_ends && has_whole(dtype, choice);
  const double of_turn = op == kExtreme ? f.extreme_turn : whole ? f.whole_turn : 1;
  const double life = f.life_us + f.turn_us * of_turn * (turns - 1) + (op == kArg ? f.arg_life_us : 0) +
                      f.alone_factor * alone_us(*problem, instructions, blocks);
  const double waves = std::ceil(blocks) / (f.blocks * sm_count);
  // Rows of a block wait for each other where each multiprocessor has several blocks.
  const bool waits = per_row > kWarp && per_row < kRowThreads && facts.vectors < 768;
  const double wait = waits ? f.wait_us * std::min(1.0, blocks / (f.blocks * sm_count)) : 0;
  return f.launch_us +
         overlapped_us(read_us(*problem, touched_bytes(*problem), f.memory_share), issue,
                       (waves < 1 ? 1 : waves) * life) +
         f.last_life * life + wait;
}

#define GPUOPT_WHOLE_ROWS_(op)                                                                      \
  {kRowThreads, 0, reinterpret_cast<const void *>(reduce_rows_kernel<GPUOPT_F32, op, true>)},       \
      {kRowThreads, 0, reinterpret_cast<const void *>(reduce_rows_kernel<GPUOPT_F16, op, true>)}, { \
    kRowThreads, 0, reinterpret_cast<const void *>(reduce_rows_kernel<GPUOPT_BF16, op, true>)       \
  }
gpuopt_resource kResources[] = {GPUOPT_REDUCE_RESOURCES(reduce_rows_kernel, kRowThreads), GPUOPT_WHOLE_ROWS_(kSum),
                                GPUOPT_WHOLE_ROWS_(kExtreme), GPUOPT_WHOLE_ROWS_(kArg)};
#undef GPUOPT_WHOLE_ROWS_

constexpr gpuopt_kernel make_kernel() {
  gpuopt_kernel k = line_kernel_descriptor(
      kName, "a warp to a block of threads a row, 16-byte loads: rows of half a KB and more", 1u << GPUOPT_EACH_ROW);
  k.version = 3;
  k.aliases = "reduce_rows_block,reduce_rows_warp";
  k.can_run = can_run;
  set_functions(k, predict_us, prepare, launch, kResources);
  return k;
}

constexpr gpuopt_kernel kKernels[] = {make_kernel()};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
