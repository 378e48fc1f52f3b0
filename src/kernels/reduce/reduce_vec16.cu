// A packed matrix is one line, read in 16-byte vectors, four of every thread under way; each block leaves a partial,
// and a second launch of one block combines them, as is the custom. What one launch gains over two is the difference
// between this kernel and reduce_one_launch.
//
// Data movement: every byte once; a partial a block goes through global memory. Two launches, and the gap between them.
// This file also holds the device functions that reduce_split_rows and reduce_one_launch launch with other plans for
// what their own kernel does not take (lines.h): there blocks meet within the launch. A padded matrix is a line a row,
// each row a block.
// Needs: a padded matrix has at most 8,192 rows. DOT: lines of both operands at 16-byte boundaries.
// Recorded (H200, 2026-11-21, single call, cold), forced: f32 sum of 256 M elements 243.4 us, 4,412 GB/s, 95 % of read
// (0.98 of CUB's speed; reduce_one_launch 244.1 us).
// Measured once, not in a record (H200, 2026-11-21, single call, cold): f32 sum of 4 M elements 10.8 us, of 64 M 65.0
// us (reduce_one_launch then 9.4 and 64.3 us).
#include "common/dependent_launch.cuh"
#include "dispatch.cuh"
#include "divide.cuh"
#include "line.cuh"
#include "lines_predict.h"
#include "meeting.cuh"
#include "output.cuh"
#include "plan.cuh"

namespace gpuopt {
namespace reduce {

struct LineWalk {
  View x, y;
  int64_t length, range;
  SmallDivider splits, per_matrix;
  int32_t split_count;
  bool has_many;  // results
  bool by_rows;   // a split is a row
};

struct LineEnd {
  Output output;
  Meeting meeting;  // where blocks meet within the launch
  void *partials;   // or where they leave partials for a second one; both NULL: there is one split
};

// Two blocks a multiprocessor keep 64 KB under way; 8-bit types, DOT and products, which hold more in registers, have
// one.
constexpr int line_blocks(int dtype, int op) { return dtype_bytes(dtype) > 1 && op != kDot && op != kProduct ? 2 : 1; }

template <int kDtype, int kOp>
__global__ void __launch_bounds__(kMaxLineThreads, line_blocks(kDtype, kOp))
    line_kernel(OpState state, LineWalk walk, LineEnd end) {
  using Op = OpOfChoice<kOp, kDtype>;
  using T = typename TypesOf<kDtype>::Stored;
  const Op op{state_of_choice<kOp>(state)};
  const int thread = static_cast<int>(threadIdx.x);
  const uint32_t unit = blockIdx.x;  // one split of one line
  uint32_t result = 0, split = unit, p = 0, i = 0;
  const T *x = static_cast<const T *>(walk.x.data), *y = static_cast<const T *>(walk.y.data);
  if (walk.has_many) {
    result = walk.splits.divide(unit, split);
    p = walk.per_matrix.divide(result, i);
    x += walk.x.offset(p, i, 0);
    if constexpr (Op::kReadsY) y += walk.y.offset(p, i, 0);
  }
  uint32_t ticket = 0;
  wait_for_stream();
  if (end.meeting.tickets != nullptr) {
    ticket = draw_ticket(end.meeting, result);
    if (thread == 0) fetch_slot(end.meeting.slots + unit * kWords<typename Op::Partial>);
  }

  constexpr bool kIsHeavy = Op::kReadsY || (kIsSmallInteger<T> && kOp != kSum && kOp < kSumOfSquares);  // on registers
  constexpr int kLoads = kIsHeavy ? kLineInFlight / 2 : kLineInFlight;
  if (walk.by_rows) {
    x += split * walk.x.row_step;
    if constexpr (Op::kReadsY) y += split * walk.y.row_step;
  }
  const int64_t first = walk.by_rows ? 0 : split * walk.range;
  typename Op::Partial partial =
      read_line<T, kLoads>(op, x, y, walk.length, first, walk.range, first == 0, thread, kMaxLineThreads);
  partial = join_block<Op>(partial);
  if constexpr (kOp == kArg) {
    if (walk.by_rows && thread == 0) {  // another block may finish, which does not know this row
      partial = resolve<kVector<T>>(op, partial, x, walk.length);
      if (partial.index != INT64_MAX) partial.index += split * walk.length;
    }
  }
  const int64_t unresolved = walk.by_rows ? 0 : walk.length;

  using Second = typename Op::Second;
  const Second second{state};
  constexpr int N = kVector<T>;
  if (end.partials != nullptr) {
    if (thread == 0) static_cast<typename Op::Partial *>(end.partials)[unit] = resolve<N>(op, partial, x, unresolved);
  } else if (end.meeting.tickets != nullptr) {
    typename Second::Partial total;
    if (join_grid<Op>(end.meeting, result, split, walk.split_count, ticket, partial, &total))
      write_result<T>(second, end.output, p, i, resolve<N>(second, total, x, unresolved));
  } else if (thread == 0) {
    write_result<T>(second, end.output, p, i,
                    static_cast<typename Second::Partial>(resolve<N>(op, partial, x, unresolved)));
  }
}

// A block a result. kDtype is the computing type's; kOp is never kDot, whose partials are summed.
template <int kDtype, int kOp>
__global__ void __launch_bounds__(kMaxLineThreads)
    line_second(OpState state, const void *partials, int splits, SmallDivider per_matrix, Output output) {
  using First = OpFor<kOp, kDtype>;
  using Op = typename First::Second;
  const Op op{state};
  wait_for_stream();
  const auto *from = static_cast<const typename First::Partial *>(partials) + int64_t{blockIdx.x} * splits;
  typename Op::Partial total = Op::identity();
  for (int s = threadIdx.x; s < splits; s += blockDim.x)
    total = Op::combine(total, static_cast<typename Op::Partial>(from[s]));
  total = join_block<Op>(total);
  if (threadIdx.x == 0) {
    uint32_t i;
    const uint32_t p = per_matrix.divide(blockIdx.x, i);
    write_result(op, output, p, i, total);
  }
}

gpuopt_resource line_resources[kLineResources] = {GPUOPT_REDUCE_RESOURCES(line_kernel, kMaxLineThreads),
                                                  GPUOPT_REDUCE_SECOND_RESOURCES(line_second, kMaxLineThreads)};

namespace {

// Whether the matrices of the operands are one line each.
bool is_packed(const gpuopt_problem &problem) {
  const bool x = problem.operand[GPUOPT_OPERAND_X].m.ld == problem.n;
  const bool y = problem.variant != GPUOPT_REDUCE_DOT || problem.operand[GPUOPT_OPERAND_Y].m.ld == problem.n;
  return problem.m <= 1 || (x && y);
}

}  // namespace

LineFacts line_facts(const gpuopt_problem &problem) {
  LineFacts f = {};
  const bool all = problem.axis == GPUOPT_ALL;
  f.results = problem.batch * (all ? 1 : problem.m);
  f.rows = all && !is_packed(problem) ? problem.m : 1;
  f.length = all && f.rows == 1 ? problem.m * problem.n : problem.n;
  f.bytes = dtype_bytes(problem.operand[GPUOPT_OPERAND_X].m.dtype);
  f.vectors = ceil_div(f.length * f.bytes, 16);
  f.read_bytes = static_cast<double>(f.results * f.rows) * static_cast<double>(f.length) * f.bytes *
                 (problem.variant == GPUOPT_REDUCE_DOT ? 2 : 1);
  return f;
}

void split_line(const LineFacts &facts, int64_t most, LinePlan *plan) {
  plan->results = facts.results;
  plan->length = facts.length;
  plan->by_rows = facts.rows > 1;
  const int64_t step = int64_t{kMaxLineThreads} * kLineInFlight;
  const int64_t steps = ceil_div(facts.vectors, step);
  if (plan->by_rows) {
    plan->splits = facts.rows;
    plan->range = (steps > 0 ? steps : 1) * step;
    return;
  }
  plan->range = ceil_div(steps > 0 ? steps : 1, most < 1 ? 1 : most) * step;
  plan->splits = facts.vectors > 0 ? ceil_div(facts.vectors, plan->range) : 1;
}

int can_run_lines(const gpuopt_problem *problem, gpuopt_reject *reject) {
  const gpuopt_operand *operand = problem->operand;
  const auto refuse = [&](int32_t code, int which, int64_t have, int64_t need, const char *what) {
    *reject = {code, which, have, need, what};
    return 0;
  };
  const LineFacts facts = line_facts(*problem);
  const int64_t most = kSmallEnd / kMostUnitsOfLine;
  if (facts.results >= most)
    return refuse(GPUOPT_REJECT_SIZE_LIMIT, GPUOPT_OPERAND_NONE, facts.results, most, "results");
  if (facts.rows > kMostUnitsOfLine)
    return refuse(GPUOPT_REJECT_SIZE_LIMIT, GPUOPT_OPERAND_NONE, facts.rows, kMostUnitsOfLine,
                  "rows of a padded matrix");
  const int operands = problem->variant == GPUOPT_REDUCE_DOT ? 2 : 1;
  for (int o = 0; o < operands; ++o) {
    const gpuopt_operand &x = operand[o];
    if (x.m.layout != GPUOPT_ROW && problem->n > 1)
      return refuse(GPUOPT_REJECT_LAYOUT, o, x.m.layout, GPUOPT_ROW, nullptr);
    if (x.m.layout != GPUOPT_ROW && problem->m > 1 && x.m.ld != 1)
      return refuse(GPUOPT_REJECT_LAYOUT, o, x.m.layout, GPUOPT_ROW, nullptr);
    if (operands == 1) break;
    const int least = x.align < x.stride_align ? x.align : x.stride_align;
    const bool one_line = facts.rows == 1 && (problem->axis == GPUOPT_ALL || problem->m == 1);
    const int of_rows = one_line || x.ld_align > least ? least : x.ld_align;
    if (of_rows < 16) return refuse(GPUOPT_REJECT_ALIGN, o, of_rows, 16, "base, ld and batch stride of both");
  }
  return 1;
}

// Tickets first, slots from the next multiple of 256 bytes.
namespace {

size_t ticket_bytes(const LinePlan &plan) { return (static_cast<size_t>(plan.results) * 4 + 255) / 256 * 256; }
}  // namespace

void workspace_of_lines(const gpuopt_problem &problem, const LinePlan &plan, size_t *scratch, size_t *zeroed) {
  *scratch = *zeroed = 0;
  if (plan.splits == 1) return;
  const size_t bytes = partial_bytes(op_of(problem.variant), problem.operand[GPUOPT_OPERAND_X].m.dtype) *
                       static_cast<size_t>(plan.results * plan.splits);
  if (plan.second_launch)
    *scratch = bytes;
  else
    *zeroed = ticket_bytes(plan) + 2 * bytes;
}

gpuopt_status prepare_lines(const gpuopt_problem *problem, const gpuopt_launch *launch, const char *name) {
  return with_choice(*problem, [&](auto choice) {
    using C = decltype(choice);
    const gpuopt_status status = load_kernel(launch, name, line_kernel<C::kDtype, C::kOp>);
    return status == GPUOPT_OK ? load_kernel(launch, name, line_second<C::kComputed, C::kSecondOp>) : status;
  });
}

gpuopt_status launch_lines(const gpuopt_problem *problem, const gpuopt_launch *launch, const char *name,
                           const LinePlan &plan) {
  LineWalk walk = {};
  walk.x = matrix_view(problem->operand[GPUOPT_OPERAND_X]);
  walk.y = matrix_view(problem->operand[GPUOPT_OPERAND_Y]);
  walk.length = plan.length;
  walk.range = plan.range;
  walk.splits = SmallDivider(plan.splits);
  walk.per_matrix = SmallDivider(outputs_per_matrix(*problem));
  walk.split_count = static_cast<int32_t>(plan.splits);
  walk.has_many = plan.results > 1;
  walk.by_rows = plan.by_rows;
  LineEnd end = {};
  end.output = make_output(*problem);
  if (plan.splits > 1 && plan.second_launch) end.partials = launch->scratch;
  if (plan.splits > 1 && !plan.second_launch) {
    end.meeting.tickets = static_cast<uint32_t *>(launch->zeroed);
    end.meeting.slots = reinterpret_cast<uint64_t *>(static_cast<char *>(launch->zeroed) + ticket_bytes(plan));
  }
  const OpState state = state_of(problem->variant);
  return with_choice(*problem, [&](auto choice) {
    using C = decltype(choice);
    const unsigned blocks = static_cast<unsigned>(plan.results * plan.splits);
    const gpuopt_status status =
        launch_kernel(early_launch(*problem), launch, name, dim3(blocks), dim3(kMaxLineThreads), 0,
                      line_kernel<C::kDtype, C::kOp>, state, walk, end);
    if (status != GPUOPT_OK || end.partials == nullptr) return status;
    const int threads = power_of_two(plan.splits, kMaxLineThreads);
    return launch_kernel(early_launch(*problem), launch, name, dim3(static_cast<unsigned>(plan.results)),
                         dim3(threads < kWarp ? kWarp : threads), 0, line_second<C::kComputed, C::kSecondOp>, state,
                         end.partials, walk.split_count, walk.per_matrix, end.output);
  });
}

namespace {

constexpr char kName[] = "reduce_vec16";

gpuopt_status prepare(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  return prepare_lines(problem, launch, kName);
}
gpuopt_status launch(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  return launch_lines(problem, launch, kName, plan_lines(*problem, true));
}
void workspace(const gpuopt_problem *problem, size_t *scratch, size_t *zeroed) {
  workspace_of_lines(*problem, plan_lines(*problem, true), scratch, zeroed);
}

double predict_us(const gpuopt_problem *problem) {
  const LineFacts facts = line_facts(*problem);
  const LinePlan plan = plan_lines(*problem, true);
  return line_us(*problem, facts, plan, 4.0) + (plan.splits > 1 ? 1.0 : 0.0);
}

constexpr gpuopt_kernel make_kernel() {
  gpuopt_kernel k = line_kernel_descriptor(
      kName, "packed matrix as one line, 16-byte loads; partials combined by a second launch", GPUOPT_ALL);
  k.workspace = workspace;
  k.predict_us = predict_us;
  k.prepare = prepare;
  k.launch = launch;
  return k;
}

constexpr gpuopt_kernel kKernels[] = {make_kernel()};

}  // namespace
}  // namespace reduce
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::reduce::kKernels);
