// Pass 1 reduces each output's elements in one or more splits, each by one group of threads; pass 2 combines the
// partials of an output in the order of their numbers. No atomics: the same problem gives the same bits.
//
// Data movement: every element is read once, 16 bytes at a time where rows are aligned (walk.cuh says how). Pass 1
// writes one partial (4 to 16 bytes) for each split into scratch, under 0.1 % of what it reads; where one split an
// output is enough, as for many rows, it writes the result itself and there is no pass 2.
// Needs: nothing. Every variant, axis, layout, extent, ld, alignment, batch and data type. With BATCH_INVARIANT the
// splits follow from the reduced extent alone.
// Recorded (H200, 2026-11-21, single call, cold), forced: f32 sum of 256 M elements 248 us, 93 % of read (0.96 of CUB's
// speed).
// Measured once, not in a record (H200, 2026-11-21, single call, cold): f32 sum of 16 M elements 26.9 us; rows and
// columns of 8192^2 74.8 and 71.8 us; ARGMAX of 16 M 47.3 us.
#include "common/launch.h"
#include "descriptor.h"
#include "dispatch.cuh"
#include "output.cuh"
#include "plan.cuh"

namespace gpuopt {
namespace reduce {

struct Partials {
  void *data;  // NULL: there is one split, write the results
  int64_t index_step, split_step;
  Output output;
};

template <class Op>
struct TwoPassSink {
  Partials partials;

  __device__ __forceinline__ void put(const Op &op, const Place &place, typename Op::Partial partial) const {
    using Second = typename Op::Second;
    if (partials.data == nullptr) {
      write_result(Second{op.state}, partials.output, place.p, place.i, static_cast<typename Second::Partial>(partial));
    } else {
      const int64_t at = place.index * partials.index_step + place.split * partials.split_step;
      static_cast<typename Op::Partial *>(partials.data)[at] = partial;
    }
  }
};

template <int kDtype, int kOp>
__global__ void __launch_bounds__(kThreads, 2) two_pass_rows(OpState state, Rows walk, Partials partials) {
  using Op = OpFor<kOp, kDtype>;
  walk_rows<typename TypesOf<kDtype>::Stored>(Op{state}, walk, TwoPassSink<Op>{partials});
}

template <int kDtype, int kOp>
__global__ void __launch_bounds__(kThreads, 2) two_pass_columns(OpState state, Columns walk, Partials partials) {
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
    write_result(op, partials.output, p, i, total);
  }
}

namespace {

constexpr char kName[] = "reduce_two_pass";

// Calls f(Choice<dtype, op>{}) for the problem; the op is one of ops.cuh.
template <class F>
gpuopt_status with_kernels(const gpuopt_problem &problem, F &&f) {
  const int32_t dtype = problem.operand[GPUOPT_OPERAND_X].m.dtype;
  switch (op_of(problem.variant)) {
    case kDot:
      return with_dtype_choice<kDot>(dtype, f);
    case kProduct:
      return with_dtype_choice<kProduct>(dtype, f);
    case kExtreme:
      return with_dtype_choice<kExtreme>(dtype, f);
    case kArg:
      return with_dtype_choice<kArg>(dtype, f);
    default:
      return with_dtype_choice<kSum>(dtype, f);
  }
}

void workspace(const gpuopt_problem *problem, size_t *scratch, size_t *zeroed) {
  const Plan plan = make_plan(*problem);
  const size_t bytes = partial_bytes(op_of(problem->variant), problem->operand[GPUOPT_OPERAND_X].m.dtype);
  *scratch = plan.splits > 1 ? static_cast<size_t>(plan.outputs * plan.splits) * bytes : 0;
  *zeroed = 0;
}

gpuopt_status launch(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  Plan plan = make_plan(*problem);
  if (plan.outputs == 0) return GPUOPT_OK;
  const OpState state = state_of(problem->variant);
  const Partials partials = {plan.splits > 1 ? launch->scratch : nullptr, plan.by_columns ? 1 : plan.splits,
                             plan.by_columns ? plan.outputs : 1, make_output(*problem)};
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
    const int group = power_of_two(ceil_div(plan.splits, 8), kThreads);
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

// Memory time at the rate of whole 16-byte chunks, or the time to issue the instructions where that is more.
double predict_us(const gpuopt_problem *problem) {
  const gpuopt_operand &x = problem->operand[GPUOPT_OPERAND_X], &y = problem->operand[GPUOPT_OPERAND_Y];
  const gpuopt_device_facts &device = *problem->device;
  const Plan plan = make_plan(*problem);
  const int op = op_of(problem->variant), bytes = dtype_bytes(x.m.dtype);
  const int chunk = plan.by_columns ? column_chunk(bytes) : row_chunk(bytes), chunk_bytes = chunk * bytes;
  const bool x_whole = x.align >= chunk_bytes && x.ld_align >= chunk_bytes && problem->n >= chunk;
  const bool y_whole = op != kDot || (y.m.layout == GPUOPT_ROW && y.align >= chunk_bytes && y.ld_align >= chunk_bytes);
  const double elements =
      static_cast<double>(problem->batch) * static_cast<double>(problem->m) * static_cast<double>(problem->n);
  const double read = elements * bytes * (op == kDot ? 2 : 1);
  const double written = static_cast<double>(plan.outputs * plan.splits) * 8;
  const bool whole_number = computed_dtype(x.m.dtype) == GPUOPT_I64;
  const double instructions = (op == kArg ? 16 : op == kExtreme ? 8 : 4) + (whole_number ? 4 : 2);
  const double resident = static_cast<double>(device.sm_count) * 512;
  const double running = static_cast<double>(plan.blocks) * kThreads;
  const double busy = running < resident ? (running < 1 ? 1 : running) / resident : 1;
  const double memory = (read + 2 * written) / ((x_whole && y_whole ? 0.82 : 0.3) * device.memory_gbs * 1e3);
  const double issue =
      elements * instructions * (x_whole && y_whole ? 1 : 3) / (device.sm_count * 100.0 * device.clock_mhz);
  return (plan.splits > 1 ? 6.5 : 4.2) + (memory > issue ? memory : issue) / busy;
}

#define GPUOPT_FIRST_(dtype, op)                                             \
  {kThreads, 0, reinterpret_cast<const void *>(two_pass_rows<dtype, op>)}, { \
    kThreads, 0, reinterpret_cast<const void *>(two_pass_columns<dtype, op>) \
  }
#define GPUOPT_FIRSTS_(dtype)                                                                         \
  GPUOPT_FIRST_(dtype, 0), GPUOPT_FIRST_(dtype, 1), GPUOPT_FIRST_(dtype, 2), GPUOPT_FIRST_(dtype, 3), \
      GPUOPT_FIRST_(dtype, 4)
#define GPUOPT_SECOND_(dtype, op) \
  { kThreads, 0, reinterpret_cast<const void *>(two_pass_second<dtype, op>) }
#define GPUOPT_SECONDS_(dtype) \
  GPUOPT_SECOND_(dtype, 0), GPUOPT_SECOND_(dtype, 2), GPUOPT_SECOND_(dtype, 3), GPUOPT_SECOND_(dtype, 4)
gpuopt_resource kResources[] = {GPUOPT_FIRSTS_(1),  GPUOPT_FIRSTS_(2),  GPUOPT_FIRSTS_(3),  GPUOPT_FIRSTS_(4),
                                GPUOPT_FIRSTS_(5),  GPUOPT_FIRSTS_(6),  GPUOPT_FIRSTS_(7),  GPUOPT_FIRSTS_(8),
                                GPUOPT_FIRSTS_(9),  GPUOPT_FIRSTS_(10), GPUOPT_SECONDS_(1), GPUOPT_SECONDS_(2),
                                GPUOPT_SECONDS_(10)};
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
}  // namespace reduce
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::reduce::kKernels);
