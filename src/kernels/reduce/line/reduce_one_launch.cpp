// One line - a packed matrix, or a single row - read by all blocks in 16-byte vectors, which meet within the launch,
// through tickets and slots in zeroed memory that is left zero (slots.cuh). Partials are combined in the order of the
// splits: deterministic. Several rows likewise, a row of the grid and a meeting each.
//
// Data movement: every byte once, four 16-byte loads of every thread under way at once (two where bytes are taken
// apart); a block's partial is one 8-byte store. Beside the reading, a call pays for one store and one load of the
// partials, less than the gap between two launches. What is read and by whom follows from a few numbers that the host
// works out, and one barrier joins the threads of a block and tells whether it is the one that joins the blocks: on
// small matrices, the kernel's first fetch of every instruction and parameter shows. Of ARGs of floats a block's
// partial is one word, too, key and position (best_element.cuh).
// Needs: one line, or at most 65,535 rows of float or 16-bit sums or ARGs whose totals go out as they are. No DOT, no
// product: those, batches and padded matrices are reduce_split_lines'.
// Predicted: launch, a meeting of about a microsecond, and the memory's time.
// arch class: performance
#include <cuda_runtime.h>

#include "common/dependent_launch.cuh"
#include "reduce/common/choices.h"
#include "reduce/common/cost.h"
#include "reduce/common/even_share.h"
#include "reduce/line/figures.h"
#include "reduce/line/whole_plan.h"

namespace gpuopt {

namespace {

constexpr char kName[] = "reduce_one_launch";

int can_run(const gpuopt_problem *problem, gpuopt_reject *reject) {
  if (!can_run_lines(problem, reject)) return 0;
  const LineFacts facts = line_facts(*problem);
  if (facts.results == 0 || is_whole_line(*problem)) return 1;
  if (facts.results == 1 && facts.rows == 1)
    return refuse(reject, GPUOPT_REJECT_SIZE_LIMIT, GPUOPT_OPERAND_NONE, facts.length, kMostElementsOfWord, "elements");
  return refuse(reject, GPUOPT_REJECT_SIZE_LIMIT, GPUOPT_OPERAND_NONE, facts.results * facts.rows, 1,
                "lines, but for plain sums and indices of long rows");
}

void workspace(const gpuopt_problem *problem, size_t *scratch, size_t *zeroed) {
  *scratch = *zeroed = 0;
  const LineFacts facts = line_facts(*problem);
  const RowsPlan rows = rows_plan(*problem, facts);
  if (rows.splits > 0) {
    *zeroed = rows.ticket_bytes() + static_cast<size_t>(rows.rows * rows.splits) * 8;
    return;
  }
  const int64_t blocks = whole_plan(*problem, facts).blocks;
  const int32_t dtype = problem->operand[GPUOPT_OPERAND_X].m.dtype, op = op_of(*problem);
  const size_t slot = is_best_element(dtype, op) ? 8 : 2 * partial_bytes(op, dtype);
  if (blocks > 1) *zeroed = kTicketBytes + static_cast<size_t>(blocks) * slot;
}

// run(kernel) with the reduce_whole_line of the problem; run returns a status.
template <class Run>
gpuopt_status with_whole_line(const gpuopt_problem &problem, int threads, Run &&run) {
  const int32_t dtype = problem.operand[GPUOPT_OPERAND_X].m.dtype;
  const auto of_choice = [&](auto choice) {
    using C = decltype(choice);
    return run(reduce_whole_line<C::kDtype, C::kOp>);
  };
  switch (choice_of(problem)) {
    case kSum:
      return with_dtype_choice<kSum>(dtype, [&](auto choice) {
        constexpr int kDtype = decltype(choice)::kDtype;
        return run(threads == kFewThreads ? reduce_whole_line<kDtype, kSum, kFewThreads>
                                          : reduce_whole_line<kDtype, kSum>);
      });
    case kSumOfSquares:
      return with_dtype_choice<kSumOfSquares>(dtype, of_choice);
    case kWideSum:
      return with_wide_choice(dtype, of_choice);
    case kSumOfMagnitudes:
      return with_dtype_choice<kSumOfMagnitudes>(dtype, of_choice);
    case kExtreme:
      return with_dtype_choice<kExtreme>(dtype, of_choice);
    case kArg:
      return with_dtype_choice<kArg>(dtype, [&](auto choice) {
        constexpr int kDtype = decltype(choice)::kDtype;
        if constexpr (is_best_element(kDtype, kArg))
          return run(threads == kFewThreads ? reduce_whole_line<kDtype, kArg, kFewThreads>
                                            : reduce_whole_line<kDtype, kArg>);
        else
          return run(reduce_whole_line<kDtype, kArg>);
      });
    default:
      return GPUOPT_INTERNAL;
  }
}

// run(kernel) with the kernel for rows of a grid.
template <class Run>
gpuopt_status with_rows_kernel(const gpuopt_problem &problem, int threads, Run &&run) {
  return with_constant<GPUOPT_F32, GPUOPT_F16, GPUOPT_BF16>(problem.operand[GPUOPT_OPERAND_X].m.dtype, [&](auto dtype) {
    return with_constant<kSum, kArg>(choice_of(problem), [&](auto op) {
      return with_constant<kFewThreads, kWholeThreads>(threads, [&](auto of_block) {
        return run(reduce_whole_line<decltype(dtype)::value, decltype(op)::value, decltype(of_block)::value, true>);
      });
    });
  });
}

gpuopt_status prepare(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  const LineFacts facts = line_facts(*problem);
  const auto load = [&](auto kernel) { return load_kernel(launch, kName, kernel, largest_even_share(*problem)); };
  const RowsPlan rows = rows_plan(*problem, facts);
  if (rows.splits > 0) return with_rows_kernel(*problem, rows.threads, load);
  return with_whole_line(*problem, whole_plan(*problem, facts).threads, load);
}

gpuopt_status launch(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  const LineFacts facts = line_facts(*problem);
  if (facts.results == 0) return GPUOPT_OK;
  const RowsPlan rows = rows_plan(*problem, facts);
  const bool by_rows = rows.splits > 0;
  const gpuopt_matrix &x = problem->operand[GPUOPT_OPERAND_X].m;
  WholePlan plan = {rows.threads, 0, rows.splits, true};
  if (!by_rows) plan = whole_plan(*problem, facts);
  const ReduceOutput output = reduce_output(*problem);
  WholeLine line = {};
  if (!by_rows) line = whole_line_of(x.data, facts.length, facts.bytes, plan.tile);
  line.zeroed = static_cast<uint64_t *>(launch->zeroed);
  line.most = state_of(problem->variant).most;
  if (has_plain_totals(*problem, output)) line.plain = output.out.data;
  line.as_x = is_as_x(*problem);
  if (by_rows) {
    line.slots = line.zeroed + rows.ticket_bytes() / 8;
    line.body = x.data;
    line.step = x.ld;
    line.length = facts.length;
  }
  const dim3 grid(static_cast<unsigned>(plan.blocks), by_rows ? static_cast<unsigned>(rows.rows) : 1);
  const int64_t resident = problem->device->max_threads_per_sm / plan.threads;
  const size_t shared = even_share(*problem, plan.blocks * (by_rows ? rows.rows : 1), resident);
  const auto run = [&](auto kernel) {
    LaunchAttributes attributes = early_launch(*problem);
    attributes.early = attributes.early && plan.early;
    return launch_kernel(attributes, launch, kName, grid, dim3(static_cast<unsigned>(plan.threads)), shared, kernel,
                         line, output);
  };
  return by_rows ? with_rows_kernel(*problem, rows.threads, run) : with_whole_line(*problem, plan.threads, run);
}

// An empty launch, the meeting, and the reading at the memory's rate, or at that of the blocks where rows leave them few.
double predict_us(const gpuopt_problem *problem) {
  const ReduceLineFigures &f = reduce_line_figures;
  const LineFacts facts = line_facts(*problem);
  const RowsPlan rows = rows_plan(*problem, facts);
  const bool by_rows = rows.splits > 0;
  const int op = op_of(*problem);
  const double blocks = static_cast<double>(by_rows ? rows.rows * rows.splits : whole_plan(*problem, facts).blocks);
  const ElementCost cost = {f.whole_sum,
                            f.whole_sum,
                            f.whole_sum,
                            f.whole_sum * f.whole_extreme,
                            f.whole_sum * f.whole_arg,
                            f.whole_f64,
                            f.whole_integer,
                            f.whole_fp8,
                            f.whole_words,
                            f.whole_bytes,
                            f.whole_half};
  const double most_gbs = f.whole_share * problem->device->memory_gbs, blocks_gbs = blocks * f.alone_gbs;
  const double memory = touched_bytes(*problem) / ((blocks_gbs < most_gbs ? blocks_gbs : most_gbs) * 1e3);
  const double some = blocks / (2.0 * problem->device->sm_count);
  return (by_rows ? f.rows_launch_us : f.whole_launch_us) +
         (blocks > 1 ? f.whole_meet_us + f.whole_wide_us * (some < 1 ? some : 1) : 0) +
         overlapped_us(
             memory,
             issue_us(*problem, elements_of(*problem) * element_cost(*problem, op, is_by_words(*problem, op), cost)),
             0) +
         f.whole_end_us * (op == kArg ? f.whole_arg_end : 1);
}

#define GPUOPT_FEW_(dtype, op) \
  { kFewThreads, 0, reinterpret_cast<const void *>(reduce_whole_line<dtype, op, kFewThreads>) }
#define GPUOPT_ROWS_OF_(dtype, op, threads) \
  { threads, 0, reinterpret_cast<const void *>(reduce_whole_line<dtype, op, threads, true>) }
#define GPUOPT_ROWS_(dtype)                                                               \
  GPUOPT_ROWS_OF_(dtype, kSum, kFewThreads), GPUOPT_ROWS_OF_(dtype, kSum, kWholeThreads), \
      GPUOPT_ROWS_OF_(dtype, kArg, kFewThreads), GPUOPT_ROWS_OF_(dtype, kArg, kWholeThreads)
#define GPUOPT_FEW_OF_FLOATS_(op) \
  GPUOPT_FEW_(1, op), GPUOPT_FEW_(3, op), GPUOPT_FEW_(4, op), GPUOPT_FEW_(5, op), GPUOPT_FEW_(6, op)
#define GPUOPT_WHOLE_(op) GPUOPT_REDUCE_RESOURCES_OF_OP_(reduce_whole_line, kWholeThreads, op)
// clang-format off
gpuopt_resource kResources[] = {
    GPUOPT_FEW_OF_FLOATS_(kSum), GPUOPT_FEW_OF_FLOATS_(kArg), GPUOPT_FEW_(2, kSum), GPUOPT_FEW_(7, kSum),
    GPUOPT_FEW_(8, kSum), GPUOPT_FEW_(9, kSum), GPUOPT_FEW_(10, kSum), GPUOPT_ROWS_(1), GPUOPT_ROWS_(3), GPUOPT_ROWS_(4),
    GPUOPT_WHOLE_(0), GPUOPT_WHOLE_(3), GPUOPT_WHOLE_(4), GPUOPT_WHOLE_(5), GPUOPT_WHOLE_(6),
    GPUOPT_REDUCE_WIDE_RESOURCES(reduce_whole_line, kWholeThreads)};
// clang-format on

constexpr gpuopt_kernel make_kernel() {
  gpuopt_kernel k = line_kernel_descriptor(
      kName, "one line, or rows of plain sums, 16-byte loads; blocks meet within the launch: deterministic",
      1u << GPUOPT_ALL | 1u << GPUOPT_EACH_ROW);
  k.understands &= ~(GPUOPT_FEATURE_BATCH | GPUOPT_FEATURE_BROADCAST);  // its rows are those of one matrix
  k.version = 2;
  k.variants = kAllReductions & ~(1u << GPUOPT_REDUCE_DOT | 1u << GPUOPT_REDUCE_PROD);
  k.can_run = can_run;
  k.workspace = workspace;
  set_functions(k, predict_us, prepare, launch, kResources);
  return k;
}

constexpr gpuopt_kernel kKernels[] = {make_kernel()};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
