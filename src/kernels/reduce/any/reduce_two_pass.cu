// Pass 1 reduces each output's elements in one or more splits, each by one group of threads; pass 2 combines the
// partials of an output in the order of their numbers. No atomics: the same problem gives the same bits.
//
// Data movement: every element is read once, 16 bytes at a time where rows are aligned (walk.cuh says how). Pass 1
// writes one partial (4 to 16 bytes) for each split into scratch, under 0.1 % of what it reads; where one split an
// output is enough, as for many rows, it writes the result itself and there is no pass 2.
// Needs: nothing. Every variant, axis, layout, extent, ld, alignment, batch and data type. With BATCH_INVARIANT the
// splits follow from the reduced extent alone.
// Predicted: one launch or two, and the memory's time at the rate of whole 16-byte chunks, or the time to issue the
// instructions where that is more.
#include "common/dtypes.cuh"
#include "common/launch.h"
#include "reduce/any/figures.h"
#include "reduce/any/walk_plan.h"
#include "reduce/common/cost.h"
#include "reduce/common/descriptor.h"
#include "reduce/common/dispatch.cuh"
#include "reduce/common/output.cuh"

namespace gpuopt {

struct Partials {
  void *data;  // NULL: there is one split, write the results
  int64_t index_step, split_step;
  ReduceOutput output;
};

// MIN and MAX but of 16-bit floats are found by the code of ARGs, which spares their own: OpState::map then says that the
// value is the result.
constexpr int32_t kValueIsResult = kSquare;
constexpr bool has_extreme(int dtype) { return dtype == GPUOPT_F16 || dtype == GPUOPT_BF16; }
template <class Op>
__device__ __forceinline__ void write_total(const Op &op, const ReduceOutput &output, int64_t p, int64_t i,
                                            typename Op::Partial total) {
  using C = typename Op::Computed;
  if constexpr (std::is_same_v<Op, Arg<C>>) {
    if (op.state.map == kValueIsResult) return write_result(Extreme<C>{op.state}, output, p, i, total.key);
  }
  write_result(op, output, p, i, total);
}

template <class Op>
struct TwoPassSink {
  Partials partials;

  __device__ __forceinline__ void put(const Op &op, const Place &place, typename Op::Partial partial) const {
    using Second = typename Op::Second;
    if (partials.data == nullptr) {
      write_total(Second{op.state}, partials.output, place.p, place.i, static_cast<typename Second::Partial>(partial));
    } else {
      const int64_t at = place.index * partials.index_step + place.split * partials.split_step;
      static_cast<typename Op::Partial *>(partials.data)[at] = partial;
    }
  }
};

template <int kDtype, int kOp>
__global__ void __launch_bounds__(kThreads, 2) two_pass_rows(OpState state, ChunkRows walk, Partials partials) {
  using Op = OpFor<kOp, kDtype>;
  walk_rows<typename TypesOf<kDtype>::Stored>(Op{state}, walk, TwoPassSink<Op>{partials});
}

template <int kDtype, int kOp>
__global__ void __launch_bounds__(kThreads, 2) two_pass_columns(OpState state, ChunkColumns walk, Partials partials) {
  using Op = OpFor<kOp, kDtype>;
  walk_columns<typename TypesOf<kDtype>::Stored>(Op{state}, walk, TwoPassSink<Op>{partials});
}

// A group of threads a result. kDtype is the computing type's; kOp is never kDot, whose partials are summed.
template <int kDtype, int kOp>
__global__ void __launch_bounds__(kThreads, 2)
    two_pass_second(OpState state, Partials partials, int64_t outputs, int64_t splits, Divider per_matrix, int group,
                    int64_t first_block) {
  using First = OpFor<kOp, kDtype>;
  using Op = typename First::Second;
  const Op op{state};
  const int64_t index = (first_block + blockIdx.x) * (kThreads / group) + threadIdx.x / group;
  typename Op::Partial total = Op::identity();
  if (index < outputs) {
    const auto *from = static_cast<const typename First::Partial *>(partials.data) + index * partials.index_step;
    for (int64_t s = threadIdx.x % group; s < splits; s += group)
      total = Op::combine(total, static_cast<typename Op::Partial>(from[s * partials.split_step]));
  }
  total = join_group<Op>(total, group);
  if (index < outputs && threadIdx.x % group == 0) {
    int64_t i;
    const int64_t p = per_matrix.divide(index, i);
    write_total(op, partials.output, p, i, total);
  }
}

namespace {

constexpr char kName[] = "reduce_two_pass";

// Threads that combine the partials of a result.
int32_t second_group(int64_t splits) { return power_of_two(ceil_div(splits, 8), kThreads); }

int op_here(const gpuopt_problem &problem) {
  const int op = op_of(problem);
  return op == kExtreme && !has_extreme(problem.operand[GPUOPT_OPERAND_X].m.dtype) ? static_cast<int>(kArg) : op;
}
OpState state_here(const gpuopt_problem &problem) {
  OpState state = state_of(problem.variant);
  if (op_of(problem) == kExtreme) state.map = kValueIsResult;
  return state;
}

// Calls f(Choice<dtype, op>{}) for the problem; the op is one of ops.cuh.
template <class F>
gpuopt_status with_kernels(const gpuopt_problem &problem, F &&f) {
  const int32_t dtype = problem.operand[GPUOPT_OPERAND_X].m.dtype;
  switch (op_here(problem)) {
    case kDot:
      return with_dtype_choice<kDot>(dtype, f);
    case kWideSum:
      return with_wide_choice(dtype, f);
    case kProduct:
      return with_dtype_choice<kProduct>(dtype, f);
    case kExtreme:
      return dtype == GPUOPT_F16 ? f(Choice<GPUOPT_F16, kExtreme>{}) : f(Choice<GPUOPT_BF16, kExtreme>{});
    case kArg:
      return with_dtype_choice<kArg>(dtype, f);
    default:
      return with_dtype_choice<kSum>(dtype, f);
  }
}

void workspace(const gpuopt_problem *problem, size_t *scratch, size_t *zeroed) {
  const WalkPlan plan = walk_plan(*problem);
  const size_t bytes = partial_bytes(op_here(*problem), problem->operand[GPUOPT_OPERAND_X].m.dtype);
  *scratch = plan.splits > 1 ? static_cast<size_t>(plan.outputs * plan.splits) * bytes : 0;
  *zeroed = 0;
}

gpuopt_status launch(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  WalkPlan plan = walk_plan(*problem);
  if (plan.outputs == 0) return GPUOPT_OK;
  const OpState state = state_here(*problem);
  const Partials partials = {plan.splits > 1 ? launch->scratch : nullptr, plan.by_columns ? 1 : plan.splits,
                             plan.by_columns ? plan.outputs : 1, reduce_output(*problem)};
  return with_kernels(*problem, [&](auto kernels) {
    using K = decltype(kernels);
    const gpuopt_status status = for_each_grid(plan.blocks, [&](int64_t first, unsigned blocks) {
      plan.rows.first_block = plan.columns.first_block = first;
      return plan.by_columns ? launch_kernel(launch, kName, dim3(blocks), dim3(kThreads), 0,
                                             two_pass_columns<K::kDtype, K::kOp>, state, plan.columns, partials)
                             : launch_kernel(launch, kName, dim3(blocks), dim3(kThreads), 0,
                                             two_pass_rows<K::kDtype, K::kOp>, state, plan.rows, partials);
    });
    if (status != GPUOPT_OK || plan.splits == 1) return status;
    const int group = second_group(plan.splits);
    return for_each_grid(ceil_div(plan.outputs, kThreads / group), [&](int64_t first, unsigned blocks) {
      return launch_kernel(launch, kName, dim3(blocks), dim3(kThreads), 0, two_pass_second<K::kComputed, K::kSecondOp>,
                           state, partials, plan.outputs, plan.splits,
                           Divider(outputs_per_matrix(*problem), plan.outputs), group, first);
    });
  });
}

gpuopt_status prepare(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  return with_kernels(*problem, [&](auto kernels) {
    using K = decltype(kernels);
    const gpuopt_status status = problem->axis == GPUOPT_EACH_COL
                                     ? load_kernel(launch, kName, two_pass_columns<K::kDtype, K::kOp>)
                                     : load_kernel(launch, kName, two_pass_rows<K::kDtype, K::kOp>);
    return status == GPUOPT_OK ? load_kernel(launch, kName, two_pass_second<K::kComputed, K::kSecondOp>) : status;
  });
}

// Blocks take chunks in turns, four of each thread under way; every element is issued by itself, so that ops and types of
// many instructions take longer than the memory. What is not whole chunks is read element by element.
double predict_us(const gpuopt_problem *problem) {
  const ReduceAnyFigures &f = reduce_any_figures;
  const gpuopt_operand &x = problem->operand[GPUOPT_OPERAND_X], &y = problem->operand[GPUOPT_OPERAND_Y];
  const WalkPlan plan = walk_plan(*problem);
  if (plan.blocks == 0) return f.launch_us;
  const int op = op_here(*problem), bytes = dtype_bytes(x.m.dtype);
  const int chunk = plan.by_columns ? column_chunk(bytes) : row_chunk(bytes), chunk_bytes = chunk * bytes;
  const bool x_whole = x.align >= chunk_bytes && x.ld_align >= chunk_bytes && problem->n >= chunk;
  const bool y_rows = op != kDot || y.m.layout == GPUOPT_ROW;
  const bool y_whole = op != kDot || (y_rows && y.align >= chunk_bytes && y.ld_align >= chunk_bytes);
  const bool is_whole = x_whole && y_whole;
  const double pieces = is_whole ? 1 : plan.by_columns ? f.column_pieces_factor : f.pieces_factor;
  double turns, filled;  // of a block; the share of its lanes that have work
  if (plan.by_columns) {
    const int64_t chunks = ceil_div(problem->n, chunk), rows = int64_t{kThreads / plan.columns.lanes} * kInFlight;
    turns = static_cast<double>(ceil_div(plan.columns.range, rows));
    filled =
        static_cast<double>(chunks) / static_cast<double>(ceil_div(chunks, plan.columns.lanes) * plan.columns.lanes);
  } else {
    const int64_t step = int64_t{plan.rows.group} * kInFlight, chunks = plan.rows.chunks;
    const int64_t whole = ceil_div(chunks, step) * step, range = plan.rows.range < whole ? plan.rows.range : whole;
    turns = static_cast<double>(ceil_div(plan.rows.range < chunks ? plan.rows.range : chunks, step));
    filled = range > 0 ? static_cast<double>(chunks) / static_cast<double>(plan.splits * range) : 1;
  }
  if (turns < 1) turns = 1;
  if (filled < 0.05) filled = 0.05;
  if (!plan.by_columns) filled = std::sqrt(filled);  // lanes without work are mostly whole warps
  const ElementCost cost = {1, f.dot, f.product, f.extreme, f.arg, f.f64, f.integer, f.fp8, f.words, f.bytes, f.half};
  const double sm_count = problem->device->sm_count, blocks = static_cast<double>(plan.blocks);
  const double of_element = element_cost(*problem, op, op == kSum, cost) * pieces *
                            (plan.by_columns ? f.columns_factor : 1) * (y_rows ? 1 : f.transposed_factor);
  const double instructions = 4 * elements_of(*problem) * of_element;
  const double issue = issue_us(*problem, instructions) / filled + blocks * f.block_us / sm_count;
  const double life = f.life_us + f.turn_us * pieces * (op == kDot ? 2 : 1) * turns +
                      f.alone_factor * alone_us(*problem, instructions, blocks);
  const double waves = blocks / (4 * sm_count);
  const double outputs = static_cast<double>(plan.outputs);
  const double partials = outputs * static_cast<double>(plan.splits) *
                          static_cast<double>(partial_bytes(op, x.m.dtype)) * (plan.splits > 1 ? 2 : 1);
  const double memory = read_us(*problem, touched_bytes(*problem) + partials,
                                is_whole          ? f.whole_share
                                : plan.by_columns ? f.column_pieces_share
                                                  : f.pieces_share);
  const double gathered = static_cast<double>(ceil_div(plan.splits, second_group(plan.splits)));  // by a thread
  return f.launch_us + (plan.splits > 1 ? f.second_launch_us + f.gather_us * gathered : 0) +
         overlapped_us(memory, issue, (waves < 1 ? 1 : waves) * life) + f.last_life * life +
         outputs * f.output_ns * 1e-3 / sm_count;
}

#define GPUOPT_FIRST_(dtype, op)                                             \
  {kThreads, 0, reinterpret_cast<const void *>(two_pass_rows<dtype, op>)}, { \
    kThreads, 0, reinterpret_cast<const void *>(two_pass_columns<dtype, op>) \
  }
#define GPUOPT_FIRSTS_(dtype) \
  GPUOPT_FIRST_(dtype, 0), GPUOPT_FIRST_(dtype, 1), GPUOPT_FIRST_(dtype, 2), GPUOPT_FIRST_(dtype, 4)
#define GPUOPT_SECOND_(dtype, op) \
  { kThreads, 0, reinterpret_cast<const void *>(two_pass_second<dtype, op>) }
#define GPUOPT_SECONDS_(dtype) GPUOPT_SECOND_(dtype, 0), GPUOPT_SECOND_(dtype, 2), GPUOPT_SECOND_(dtype, 4)
gpuopt_resource kResources[] = {
    GPUOPT_FIRSTS_(1),          GPUOPT_FIRSTS_(2),           GPUOPT_FIRSTS_(3),           GPUOPT_FIRSTS_(4),
    GPUOPT_FIRSTS_(5),          GPUOPT_FIRSTS_(6),           GPUOPT_FIRSTS_(7),           GPUOPT_FIRSTS_(8),
    GPUOPT_FIRSTS_(9),          GPUOPT_FIRSTS_(10),          GPUOPT_SECONDS_(1),          GPUOPT_SECONDS_(2),
    GPUOPT_SECONDS_(10),        GPUOPT_FIRST_(3, 3),         GPUOPT_FIRST_(4, 3),         GPUOPT_SECOND_(1, 3),
    GPUOPT_FIRST_(9, kWideSum), GPUOPT_FIRST_(10, kWideSum), GPUOPT_SECOND_(10, kWideSum)};
#undef GPUOPT_FIRST_
#undef GPUOPT_FIRSTS_
#undef GPUOPT_SECOND_
#undef GPUOPT_SECONDS_

constexpr gpuopt_kernel make_kernel() {
  gpuopt_kernel k = kernel_descriptor(
      GPUOPT_OP_REDUCE, kName, "partials to scratch, combined in fixed order: any reduction, deterministic",
      kViewFeatures | GPUOPT_FEATURE_COLUMN_INDEX | GPUOPT_FEATURE_VALUE_OUT | GPUOPT_FEATURE_BATCH_INVARIANT);
  k.variants = kAllReductions;
  k.axes = kAllAxes;
  set_signatures(k, kReduceSignatures);
  k.workspace = workspace;
  set_functions(k, predict_us, prepare, launch, kResources);
  return k;
}

constexpr gpuopt_kernel kKernels[] = {make_kernel()};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
