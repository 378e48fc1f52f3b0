// fused_act_chain_shifted: any chain in one pass over long rows that lie anyhow, interpreted as in fused_act_chain.
//
// Idea and data movement: fused_act_chain gives a thread one run of a row wherever operands are not aligned, and so
// pays for every run what finding it, its vectors and the interpreting cost. Here a thread takes two or four rows
// that begin at the same place within an access (shifted_rows.cuh), which share all of that, as aligned rows do;
// whole vectors are stored, and operands that lie otherwise are shifted into place, all rows of x being under way
// before the first is shifted. Ends of rows have blocks of their own.
//
// Needs: row-major x and matrix operands, rows of 128 elements or more, for 64-bit chains no operand of 8 bits. Every
// leading dimension, alignment, batch, broadcast, type and stage, in place or not.
// Recorded (H200, 2026-11-21, single call, cold), 8191 columns, of copy: relu_grad f32 102 %, bf16 93, i8 57; bias,
// relu, mul per_col, add, clamp f32 91, with gelu and per_row 84; gelu, tanh, silu bf16 50; relu f32 to bf16 94, f64
// 93, f64 with x alone off by an element 92. The chain with gelu on f32 4097 x 4099 45.9 us, 75 %
// (fused_act_linear_shifted, forced, 41.0).

#include "common/descriptor.h"
#include "fused_act/chain_bytes.h"
#include "fused_act/chain_shifted.cuh"
#include "fused_act/cost.h"

namespace gpuopt {
namespace {

constexpr char kName[] = "fused_act_chain_shifted";

template <class Type, int kElements, int kRunCount, int kMostBytes, bool kHasMatrices, int kMinBlocks>
struct Shifted {
  using C = Type;
  static constexpr int K = kElements, kRuns = kRunCount;
  static constexpr auto kEntry =
      fused_act_chain_shifted_kernel<Type, kElements, kRunCount, kMostBytes, kHasMatrices, kMinBlocks>;
};
using Shifted16 = Shifted<float, 8, 2, 2, true, 4>;  // by the bits of the largest element of a matrix
using Shifted16NoMatrix = Shifted<float, 8, 4, 2, false, 3>;
using Shifted32 = Shifted<float, 4, 4, 4, true, 4>;
using Shifted64 = Shifted<double, 2, 4, 8, true, 2>;

// f(Shifted...{}) for the problem.
template <class F>
gpuopt_status with_instance(const gpuopt_problem &problem, F &&f) {
  const ElementBytes bytes = element_bytes(problem);
  if (problem.compute == GPUOPT_COMPUTE_F64 || bytes.any > 4) return f(Shifted64{});
  if (bytes.matrix > 2) return f(Shifted32{});
  return has_stage_matrix(problem) ? f(Shifted16{}) : f(Shifted16NoMatrix{});
}

gpuopt_status prepare(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  return with_instance(*problem, [&](auto instance) { return load_kernel(launch, kName, decltype(instance)::kEntry); });
}

// The problem's cut for an instance, and its grid.
template <class Instance>
dim3 make_cut(const gpuopt_problem &problem, ShiftedRows &cut) {
  View matrices[GPUOPT_MAX_STAGES + 2] = {matrix_view(problem.operand[GPUOPT_OPERAND_X]),
                                          matrix_view(problem.operand[GPUOPT_OPERAND_OUT])};
  int matrix_count = 2;
  for (int32_t s = 0; s < problem.stage_count; ++s)
    if (is_matrix(problem.stage[s])) matrices[matrix_count++] = matrix_view(problem.stage[s].a);
  // Wide elements keep enough loads under way without; two such matrices lose by it.
  const bool prefetches = element_bytes(problem).matrix < 4 || !has_stage_matrix(problem);
  return make_shifted_rows(problem, Instance::K, Instance::kRuns, matrices, matrix_count, prefetches, cut);
}

gpuopt_status launch(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  return with_instance(*problem, [&](auto instance) {
    using Instance = decltype(instance);
    ChainShiftedWork<typename Instance::C> work;
    work.steps = make_steps<typename Instance::C>(*problem);
    const dim3 grid = make_cut<Instance>(*problem, work.cut);
    return launch_kernel(launch, kName, grid, kShiftedThreads, 0, Instance::kEntry, work);
  });
}

int can_run(const gpuopt_problem *problem, gpuopt_reject *reject) {
  for (int32_t s = 0; s < problem->stage_count; ++s) {
    if (!is_matrix(problem->stage[s]) || problem->stage[s].a.m.layout == GPUOPT_ROW) continue;
    *reject = {GPUOPT_REJECT_LAYOUT, GPUOPT_OPERAND_STAGE + s, GPUOPT_COL, 0, nullptr};
    return 0;
  }
  const ElementBytes bytes = element_bytes(*problem);
  if ((problem->compute == GPUOPT_COMPUTE_F64 || bytes.any > 4) && bytes.least < 2) {
    *reject = {GPUOPT_REJECT_DTYPE, GPUOPT_OPERAND_NONE, 0, 0, "8-bit operands in a 64-bit chain"};
    return 0;
  }
  return shifted_rows_can_run(problem, reject);
}

// Rows of the last threads that do not exist are work as well. One matrix to read keeps fewer loads under way.
double predict_us(const gpuopt_problem *problem) {
  double us = 0;
  with_instance(*problem, [&](auto instance) {
    using Instance = decltype(instance);
    ShiftedRows cut;
    make_cut<Instance>(*problem, cut);
    const double used = static_cast<double>(problem->m) / (static_cast<double>(cut.lanes) * Instance::kRuns);
    const bool is_f32 = problem->operand[GPUOPT_OPERAND_X].m.dtype == GPUOPT_F32;
    const double share = has_stage_matrix(*problem) ? 0.84 : is_f32 ? 0.78 : 0.72;
    us = pass_us(*problem, {2.6, share, 120 / used, 40, 1.0 * Instance::K * Instance::kRuns});
    return gpuopt_status{GPUOPT_OK};
  });
  return us;
}

gpuopt_resource kResources[] = {
    {kShiftedThreads, 0, reinterpret_cast<const void *>(Shifted16::kEntry)},
    {kShiftedThreads, 0, reinterpret_cast<const void *>(Shifted16NoMatrix::kEntry)},
    {kShiftedThreads, 0, reinterpret_cast<const void *>(Shifted32::kEntry)},
    {kShiftedThreads, 0, reinterpret_cast<const void *>(Shifted64::kEntry)},
};

// 64-bit chains have no operands of 8 bits.
constexpr gpuopt_signature kSignatures[] = {
    {{GPUOPT_ANY, GPUOPT_ANY, GPUOPT_ANY, GPUOPT_ANY}, GPUOPT_COMPUTE_F32},
#define GPUOPT_WIDE_(x, out) \
  { {GPUOPT_##x, GPUOPT_ANY, GPUOPT_##out, GPUOPT_ANY}, GPUOPT_COMPUTE_F64 }
#define GPUOPT_WIDE_ROW_(x) \
  GPUOPT_WIDE_(x, F64), GPUOPT_WIDE_(x, I32), GPUOPT_WIDE_(x, F32), GPUOPT_WIDE_(x, F16), GPUOPT_WIDE_(x, BF16)
    GPUOPT_WIDE_ROW_(F64),
    GPUOPT_WIDE_ROW_(I32),
    GPUOPT_WIDE_ROW_(F32),
    GPUOPT_WIDE_ROW_(F16),
    GPUOPT_WIDE_ROW_(BF16),
#undef GPUOPT_WIDE_ROW_
#undef GPUOPT_WIDE_
};

constexpr gpuopt_kernel make_kernel() {
  gpuopt_kernel k = any_chain_descriptor(
      GPUOPT_OP_FUSED_ACT, kName, "any chain over long rows that lie anyhow: a thread's rows lie alike, ends apart");
  k.layouts[GPUOPT_OPERAND_X] = GPUOPT_LAYOUT_ROW;
  set_signatures(k, kSignatures);
  k.can_run = can_run;
  set_functions(k, predict_us, prepare, launch, kResources);
  return k;
}
constexpr gpuopt_kernel kKernels[] = {make_kernel()};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
