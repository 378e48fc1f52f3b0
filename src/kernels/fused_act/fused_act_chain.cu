// fused_act_chain: any chain in one pass; the list of stages is interpreted once a thread, for 8 to 32 elements in
// registers.
//
// Idea and data movement: a thread loads several runs of 8 (16-bit types) or 4 neighbours, all at once, and walks the
// stages in a loop whose branches are the same for all threads, so that a decision costs what a few of its elements do.
// Types are run-time facts, asked once an operand. Aligned problems (chain_rows.cuh) take runs below each other, which
// share what is read along the row, in blocks of 128 threads; all others (chain_runs.cuh) take whole aligned stores
// wherever out lies, and shift what lies otherwise.
//
// Needs: row-major x and matrix operands (out is by normal form). Every leading dimension, alignment, extent, batch,
// broadcast, type and stage, in place or not.
// Recorded (H200, 2026-11-21, single call, cold), 8192 square, of copy: silu_grad f32 103 %, bf16 99; f32 to bf16 relu
// 100; bf16 to e4m3 relu 96; i8 relu_grad 68; gelu, tanh, silu f32 97, f64 57, bf16 59 (71 of what its special
// functions allow). Long rows that are not aligned are fused_act_chain_shifted's, linear chains over 8-bit rows
// fused_act_linear_shifted's.

#include "common/descriptor.h"
#include "fused_act/chain_bytes.h"
#include "fused_act/chain_rows.cuh"
#include "fused_act/chain_runs.cuh"

namespace gpuopt {
namespace {

constexpr char kName[] = "fused_act_chain";
constexpr int kBlocksAhead = 2;  // of each SM: farther than that, and what was fetched is gone again

// Whether runs of k elements of every operand are whole and aligned, and rows long enough to be read side by side.
bool is_aligned_chain(const gpuopt_problem &problem, int k) {
  const auto access = [k](const gpuopt_operand &o) {
    const int bytes = k * dtype_bytes(o.m.dtype);
    return bytes < 16 ? bytes : 16;
  };
  const auto matrix_aligned = [&](const gpuopt_operand &o) { return is_aligned_to(o, access(o)); };
  bool aligned = problem.n % k == 0 && problem.n >= 64 && problem.m >= 4 &&
                 matrix_aligned(problem.operand[GPUOPT_OPERAND_X]) &&
                 matrix_aligned(problem.operand[GPUOPT_OPERAND_OUT]);
  for (int32_t s = 0; s < problem.stage_count; ++s) {
    const gpuopt_problem_stage &stage = problem.stage[s];
    const gpuopt_operand &per_col = stage.kind == GPUOPT_STAGE_ADD_OUTER ? stage.b : stage.a;
    if (is_matrix(stage))
      aligned = aligned && matrix_aligned(stage.a);
    else if (stage.kind == GPUOPT_STAGE_ADD_OUTER || (stage.a.m.dtype != 0 && stage.form == GPUOPT_PER_COL))
      aligned =
          aligned && per_col.m.ld == 1 && per_col.align >= access(per_col) && per_col.stride_align >= access(per_col);
  }
  return aligned;
}

template <class Type, int kElements, int kRunCount, int kMostBytes, bool kHasMatrices, int kMinBlocks>
struct Rows {
  using C = Type;
  static constexpr int K = kElements, kRuns = kRunCount;
  static constexpr auto kEntry =
      fused_act_chain_rows_kernel<Type, kElements, kRunCount, kMostBytes, kHasMatrices, kMinBlocks>;
};
template <class Type, int kElements, int kMostBytes, int kMinBlocks>
struct AnyRuns {
  using C = Type;
  static constexpr int K = kElements;
  static constexpr auto kEntry = fused_act_chain_runs_kernel<Type, kElements, kMostBytes, kMinBlocks>;
};
using Rows16 = Rows<float, 8, 2, 2, true, 4>;  // by the bits of the largest element of a matrix
using Rows16NoMatrix = Rows<float, 8, 4, 2, false, 4>;
using Rows32 = Rows<float, 4, 4, 4, true, 4>;
using Rows64 = Rows<double, 2, 4, 8, true, 3>;
using Runs16 = AnyRuns<float, 8, 2, 4>;
using Runs32 = AnyRuns<float, 8, 4, 4>;
using Runs64 = AnyRuns<double, 4, 8, 3>;

// by_rows(Rows...{}) or by_runs(AnyRuns...{}) for the problem.
template <class F, class G>
gpuopt_status with_instance(const gpuopt_problem &problem, F &&by_rows, G &&by_runs) {
  const ElementBytes bytes = element_bytes(problem);
  const auto suits = [&](auto instance) {
    constexpr int K = decltype(instance)::K, kRuns = decltype(instance)::kRuns;
    return is_aligned_chain(problem, K) && ceil_div(problem.m, kRuns) <= (int64_t{1} << 30) / ceil_div(problem.n, K);
  };
  if (problem.compute == GPUOPT_COMPUTE_F64 || bytes.any > 4) {
    return bytes.least >= 2 && suits(Rows64{}) ? by_rows(Rows64{}) : by_runs(Runs64{});
  }
  if (bytes.matrix > 2) return suits(Rows32{}) ? by_rows(Rows32{}) : by_runs(Runs32{});
  if (!suits(Rows16{})) return by_runs(Runs16{});
  return has_stage_matrix(problem) ? by_rows(Rows16{}) : by_rows(Rows16NoMatrix{});
}

gpuopt_status prepare(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  const auto load = [&](auto instance) { return load_kernel(launch, kName, decltype(instance)::kEntry); };
  return with_instance(*problem, load, load);
}

gpuopt_status launch(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  const auto by_rows = [&](auto instance) {
    using Instance = decltype(instance);
    ChainRowsWork<typename Instance::C> work;
    work.steps = make_steps<typename Instance::C>(*problem);
    work.rows = static_cast<int32_t>(problem->m);
    work.vectors = static_cast<int32_t>(problem->n / Instance::K);
    work.by_vectors = SmallDivider(work.vectors);
    const int64_t next = int64_t{launch->device->sm_count} * kBlocksAhead * kRunThreads;
    // Wide elements keep enough loads under way without; two such matrices lose by it.
    const bool fetches = element_bytes(*problem).matrix < 4 || !has_stage_matrix(*problem);
    work.ahead = fetches ? static_cast<int32_t>(ceil_div(next, work.vectors)) * Instance::kRuns : 0;
    const int64_t threads = ceil_div(problem->m, Instance::kRuns) * work.vectors;
    const dim3 grid(static_cast<unsigned>(ceil_div(threads, kRowsThreads)), static_cast<unsigned>(problem->batch));
    return launch_kernel(launch, kName, grid, kRowsThreads, 0, Instance::kEntry, work);
  };
  const auto by_runs = [&](auto instance) {
    using Instance = decltype(instance);
    ChainRunsWork<typename Instance::C> work = {};
    work.steps = make_steps<typename Instance::C>(*problem);
    work.out = matrix_view(problem->operand[GPUOPT_OPERAND_OUT]);
    work.out_bytes = dtype_bytes(work.out.dtype);
    View matrices[kMostSteps] = {work.steps.step[0].operand, work.out};
    int matrix_count = 2;
    bool has_vectors = false, per_row = false;
    for (int32_t s = 0; s < problem->stage_count; ++s) {
      has_vectors = has_vectors || is_vector(problem->stage[s]);
      per_row = per_row || problem->stage[s].kind == GPUOPT_STAGE_ADD_OUTER || problem->stage[s].form == GPUOPT_PER_ROW;
      if (is_matrix(problem->stage[s])) matrices[matrix_count++] = matrix_view(problem->stage[s].a);
    }
    const dim3 grid = make_runs(*problem, Instance::K, matrices, matrix_count, has_vectors, !per_row, work.runs);
    const int64_t next = int64_t{launch->device->sm_count} * kBlocksAhead * kRunThreads * Instance::K;
    work.ahead = static_cast<int32_t>(work.runs.flat ? next : ceil_div(next, problem->n));
    return launch_kernel(launch, kName, grid, kRunThreads, 0, Instance::kEntry, work);
  };
  return with_instance(*problem, by_rows, by_runs);
}

int can_run(const gpuopt_problem *problem, gpuopt_reject *reject) {
  for (int32_t s = 0; s < problem->stage_count; ++s) {
    if (!is_matrix(problem->stage[s]) || problem->stage[s].a.m.layout == GPUOPT_ROW) continue;
    *reject = {GPUOPT_REJECT_LAYOUT, GPUOPT_OPERAND_STAGE + s, GPUOPT_COL, 0, nullptr};
    return 0;
  }
  return runs_can_run(problem, reject);
}

// Runs cost more instructions, as many an element whatever its size, and keep fewer loads under way.
double predict_us(const gpuopt_problem *problem) {
  double us = 0;
  with_instance(
      *problem,
      [&](auto instance) {
        using Instance = decltype(instance);
        us = pass_us(*problem, {2.5, 0.85, 80, 30, 1.0 * Instance::K * Instance::kRuns});
        return gpuopt_status{GPUOPT_OK};
      },
      [&](auto instance) {
        constexpr double kElements = decltype(instance)::K;
        us = pass_us(*problem, {2.5, 0.65, 31 * kElements, 7.5 * kElements, kElements});
        return gpuopt_status{GPUOPT_OK};
      });
  return us;
}

gpuopt_resource kResources[] = {
    {kRowsThreads, 0, reinterpret_cast<const void *>(Rows16::kEntry)},
    {kRowsThreads, 0, reinterpret_cast<const void *>(Rows16NoMatrix::kEntry)},
    {kRowsThreads, 0, reinterpret_cast<const void *>(Rows32::kEntry)},
    {kRowsThreads, 0, reinterpret_cast<const void *>(Rows64::kEntry)},
    {kRunThreads, 0, reinterpret_cast<const void *>(Runs16::kEntry)},
    {kRunThreads, 0, reinterpret_cast<const void *>(Runs32::kEntry)},
    {kRunThreads, 0, reinterpret_cast<const void *>(Runs64::kEntry)},
};

constexpr gpuopt_kernel make_kernel() {
  gpuopt_kernel k = any_chain_descriptor(GPUOPT_OP_FUSED_ACT, kName,
                                         "any chain in one pass, interpreted once a thread for up to 32 elements");
  k.layouts[GPUOPT_OPERAND_X] = GPUOPT_LAYOUT_ROW;
  k.can_run = can_run;
  set_functions(k, predict_us, prepare, launch, kResources);
  return k;
}
constexpr gpuopt_kernel kKernels[] = {make_kernel()};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
