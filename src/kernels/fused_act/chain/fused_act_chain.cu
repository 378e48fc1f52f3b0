// fused_act_chain: any chain in one pass; stages are interpreted once a thread, for 8 to 32 elements in registers.
//
// Idea and data movement: a thread loads several runs of 8 (16-bit types) or 4 neighbours, all at once, and walks the
// stages in a loop whose branches are the same for all threads, so that a decision costs what a few of its elements do.
// Types are run-time facts, asked once an operand. Three instances of the one loop:
//   aligned    runs below each other, which share what is read along the row (aligned_rows.cuh), 128 threads a block
//   unaligned  long rows that lie anyhow: rows that begin at the same place within an access, two or four a thread,
//              share all of that as well; ends of rows have blocks of their own (unaligned_rows.cuh)
//   runs       all else: one run of a row, whatever its head, tail and crossing (runs.cuh)
// The last two store whole aligned vectors wherever out lies, and shift what lies otherwise.
//
// Needs: row-major x and matrix operands. Every leading dimension, alignment, extent, batch, broadcast, type and stage.
// Prediction: the slowest of bytes, instructions and special functions; large aligned matrices should come near the
// rate of a copy but for fp64 and for functions of 16-bit types, whose special functions take longer.
#include "common/chain_descriptor.h"
#include "common/dtypes.cuh"
#include "fused_act/chain/chain_bytes.h"
#include "fused_act/chain/chain_rows.cuh"
#include "fused_act/chain/chain_runs.cuh"
#include "fused_act/chain/figures.h"
#include "fused_act/common/cost.h"

namespace gpuopt {

#define GPUOPT_EXTERN_(...) extern GPUOPT_CHAIN_UNALIGNED_(__VA_ARGS__);
GPUOPT_CHAIN_UNALIGNED(GPUOPT_EXTERN_)
#undef GPUOPT_EXTERN_

namespace {

constexpr char kName[] = "fused_act_chain";

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

enum class Form { kAligned, kUnaligned, kRuns };

template <Form kOne, class Type, class RowsType, int kMostBytes, bool kHasMatrices, int kMinBlocks>
struct ByRows {
  static constexpr Form kForm = kOne;
  using C = Type;
  using Rows = RowsType;
  static constexpr int kValues = Rows::K * Rows::kRuns, kThreads = Rows::kThreads;
  static constexpr auto kEntry = fused_act_chain_rows_kernel<Type, Rows, kMostBytes, kHasMatrices, kMinBlocks>;
};
template <class C, int K, int kRuns, int kMost, bool kHasMatrices, int kBlocks>
using Aligned = ByRows<Form::kAligned, C, AlignedRows<K, kRuns>, kMost, kHasMatrices, kBlocks>;
template <class C, int K, int kRuns, int kMost, bool kHasMatrices, int kBlocks>
using Unaligned = ByRows<Form::kUnaligned, C, UnalignedRows<K, kRuns>, kMost, kHasMatrices, kBlocks>;
template <class Type, int kElements, int kMostBytes, int kMinBlocks>
struct AnyRuns {
  static constexpr Form kForm = Form::kRuns;
  using C = Type;
  static constexpr int kValues = kElements, kThreads = kRunThreads;
  static constexpr auto kEntry = fused_act_chain_runs_kernel<Type, kElements, kMostBytes, kMinBlocks>;
};
using Aligned16 = Aligned<float, 8, 2, 2, true, 4>;  // by the bits of the largest element of a matrix
using Aligned16NoMatrix = Aligned<float, 8, 4, 2, false, 4>;
using Aligned32 = Aligned<float, 4, 4, 4, true, 4>;
using Aligned64 = Aligned<double, 2, 4, 8, true, 3>;
using Unaligned16 = Unaligned<float, 8, 2, 2, true, 4>;
using Unaligned16NoMatrix = Unaligned<float, 8, 4, 2, false, 3>;
using Unaligned32 = Unaligned<float, 4, 4, 4, true, 4>;
using Unaligned64 = Unaligned<double, 2, 4, 8, true, 2>;
using Runs16 = AnyRuns<float, 8, 2, 4>;
using Runs32 = AnyRuns<float, 8, 4, 4>;
using Runs64 = AnyRuns<double, 4, 8, 3>;

// x, out and the stages' matrices. Returns how many.
int list_matrices(const gpuopt_problem &problem, View (&matrices)[GPUOPT_MAX_STAGES + 2]) {
  int count = 0;
  for (int operand : {GPUOPT_OPERAND_X, GPUOPT_OPERAND_OUT}) matrices[count++] = matrix_view(problem.operand[operand]);
  for (int32_t s = 0; s < problem.stage_count; ++s)
    if (is_matrix(problem.stage[s])) matrices[count++] = matrix_view(problem.stage[s].a);
  return count;
}

template <class Instance>
dim3 make_cut(const gpuopt_problem &problem, typename Instance::Rows::Cut &cut) {
  // Wide elements keep enough loads under way without prefetching; two such matrices lose by it.
  const bool prefetches = element_bytes(problem).matrix < 4 || !has_stage_matrix(problem);
  if constexpr (Instance::kForm == Form::kAligned) {
    return make_aligned_rows<typename Instance::Rows>(problem, 1, prefetches ? kRunThreads : 0, cut);
  } else {
    View matrices[GPUOPT_MAX_STAGES + 2];
    const int count = list_matrices(problem, matrices);
    return make_unaligned_rows(problem, Instance::Rows::K, Instance::Rows::kRuns, matrices, count, prefetches, cut);
  }
}

dim3 make_chain_runs(const gpuopt_problem &problem, int k, Runs &runs) {
  View matrices[GPUOPT_MAX_STAGES + 2];
  const int count = list_matrices(problem, matrices);
  bool has_vectors = false, per_row = false;
  for (int32_t s = 0; s < problem.stage_count; ++s) {
    has_vectors = has_vectors || is_vector(problem.stage[s]);
    per_row = per_row || problem.stage[s].kind == GPUOPT_STAGE_ADD_OUTER || problem.stage[s].form == GPUOPT_PER_ROW;
  }
  return make_runs(problem, k, matrices, count, has_vectors, !per_row, runs);
}

template <class Instance>
double instance_us(const gpuopt_problem &problem, const ElementCost &element) {
  const FusedActChainFigures &f = fused_act_chain_figures;
  constexpr double kValues = Instance::kValues;
  if constexpr (Instance::kForm == Form::kAligned) {
    using Rows = typename Instance::Rows;
    const int64_t threads = ceil_div(problem.m, Rows::kRuns) * (problem.n / Rows::K) * problem.batch;
    PassCost cost = {f.aligned_launch_us,
                     f.aligned_share,
                     f.aligned_thread_instructions,
                     f.aligned_stage_instructions,
                     f.aligned_operand_instructions,
                     kValues,
                     static_cast<double>(threads),
                     false};
    cost.rows = Rows::kRuns;
    return pass_us(problem, element, cost);
  } else if constexpr (Instance::kForm == Form::kUnaligned) {
    UnalignedCut cut;
    make_cut<Instance>(problem, cut);
    PassCost cost = {f.unaligned_launch_us,
                     f.unaligned_share,
                     f.unaligned_thread_instructions,
                     f.unaligned_stage_instructions,
                     f.unaligned_operand_instructions,
                     kValues,
                     0,
                     false};
    count_unaligned(problem, Instance::Rows::K, Instance::Rows::kRuns, cut, cost, element.matrices);
    cost.edge_instructions = f.unaligned_edge_instructions;
    cost.shifted_instructions = f.unaligned_shifted_instructions;
    cost.rows = Instance::Rows::kRuns;
    return pass_us(problem, element, cost);
  } else {
    Runs runs;
    make_chain_runs(problem, Instance::kValues, runs);
    PassCost cost = {f.runs_launch_us,
                     f.runs_share,
                     f.runs_thread_instructions,
                     f.runs_stage_instructions,
                     f.runs_operand_instructions,
                     kValues,
                     0,
                     false};
    count_runs(problem, Instance::kValues, runs, element, cost);
    cost.edge_instructions = f.runs_edge_instructions;
    cost.shifted_instructions = f.runs_shifted_instructions;
    return pass_us(problem, element, cost);
  }
}

// f(Aligned...{}), f(Unaligned...{}) or f(Runs...{}) for the problem: aligned where it is, else the sooner.
template <class F>
auto with_instance(const gpuopt_problem &problem, F &&f) {
  const ElementBytes bytes = element_bytes(problem);
  const auto choose = [&](auto aligned, auto unaligned, auto runs) {
    using Rows = typename decltype(aligned)::Rows;
    gpuopt_reject reject;
    if (is_aligned_chain(problem, Rows::K) &&
        ceil_div(problem.m, Rows::kRuns) <= (int64_t{1} << 30) / ceil_div(problem.n, Rows::K))
      return f(aligned);
    if (!unaligned_rows_can_run(&problem, &reject)) return f(runs);
    const ElementCost element = element_cost(problem);
    if (instance_us<decltype(unaligned)>(problem, element) <= instance_us<decltype(runs)>(problem, element))
      return f(unaligned);
    return f(runs);
  };
  if (problem.compute == GPUOPT_COMPUTE_F64 || bytes.any > 4)
    return bytes.least < 2 ? f(Runs64{}) : choose(Aligned64{}, Unaligned64{}, Runs64{});
  if (bytes.matrix > 2) return choose(Aligned32{}, Unaligned32{}, Runs32{});
  return has_stage_matrix(problem) ? choose(Aligned16{}, Unaligned16{}, Runs16{})
                                   : choose(Aligned16NoMatrix{}, Unaligned16NoMatrix{}, Runs16{});
}

gpuopt_status prepare(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  return with_instance(*problem, [&](auto instance) { return load_kernel(launch, kName, decltype(instance)::kEntry); });
}

template <class Instance>
gpuopt_status launch_runs(const gpuopt_problem &problem, const gpuopt_launch *launch) {
  ChainRunsWork<typename Instance::C> work = {};
  work.steps = make_steps<typename Instance::C>(problem);
  work.out = matrix_view(problem.operand[GPUOPT_OPERAND_OUT]);
  work.out_bytes = dtype_bytes(work.out.dtype);
  const dim3 grid = make_chain_runs(problem, Instance::kValues, work.runs);
  const int64_t next = int64_t{launch->device->sm_count} * kBlocksAhead * kRunThreads * Instance::kValues;
  work.ahead = static_cast<int32_t>(work.runs.flat ? next : ceil_div(next, problem.n));
  return launch_kernel(launch, kName, grid, kRunThreads, 0, Instance::kEntry, work);
}

gpuopt_status launch(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  return with_instance(*problem, [&](auto instance) {
    using Instance = decltype(instance);
    if constexpr (Instance::kForm == Form::kRuns) {
      return launch_runs<Instance>(*problem, launch);
    } else {
      ChainRowsWork<typename Instance::C, typename Instance::Rows::Cut> work;
      work.steps = make_steps<typename Instance::C>(*problem);
      const dim3 grid = make_cut<Instance>(*problem, work.cut);
      return launch_kernel(launch, kName, grid, Instance::kThreads, 0, Instance::kEntry, work);
    }
  });
}

int can_run(const gpuopt_problem *problem, gpuopt_reject *reject) {
  for (int32_t s = 0; s < problem->stage_count; ++s) {
    if (!is_matrix(problem->stage[s]) || problem->stage[s].a.m.layout == GPUOPT_ROW) continue;
    return refuse(reject, GPUOPT_REJECT_LAYOUT, GPUOPT_OPERAND_STAGE + s, GPUOPT_COL, 0, nullptr);
  }
  return runs_can_run(problem, reject);
}

double predict_us(const gpuopt_problem *problem) {
  const ElementCost element = element_cost(*problem);
  return with_instance(*problem, [&](auto instance) { return instance_us<decltype(instance)>(*problem, element); });
}

#define GPUOPT_ENTRY_(Instance) \
  { Instance::kThreads, 0, reinterpret_cast<const void *>(Instance::kEntry) }
gpuopt_resource kResources[] = {
    GPUOPT_ENTRY_(Aligned16),   GPUOPT_ENTRY_(Aligned16NoMatrix),
    GPUOPT_ENTRY_(Aligned32),   GPUOPT_ENTRY_(Aligned64),
    GPUOPT_ENTRY_(Unaligned16), GPUOPT_ENTRY_(Unaligned16NoMatrix),
    GPUOPT_ENTRY_(Unaligned32), GPUOPT_ENTRY_(Unaligned64),
    GPUOPT_ENTRY_(Runs16),      GPUOPT_ENTRY_(Runs32),
    GPUOPT_ENTRY_(Runs64),
};
#undef GPUOPT_ENTRY_

constexpr gpuopt_kernel make_kernel() {
  gpuopt_kernel k = any_chain_descriptor(GPUOPT_OP_FUSED_ACT, kName,
                                         "any chain in one pass, interpreted once a thread for up to 32 elements");
  k.version = 2;
  k.aliases = "fused_act_chain_shifted";
  k.layouts[GPUOPT_OPERAND_X] = GPUOPT_LAYOUT_ROW;
  k.can_run = can_run;
  set_functions(k, predict_us, prepare, launch, kResources);
  return k;
}
constexpr gpuopt_kernel kKernels[] = {make_kernel()};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
