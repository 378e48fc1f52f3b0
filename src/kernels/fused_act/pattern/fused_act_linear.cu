// fused_act_linear: an activation between two linear steps, each with bounds: what most chains without a matrix come
// to.
//
// Idea and data movement: as fused_act_columns, but what stands before and after the activation is a step with run-time
// parts (common/linear_steps.h), into which chains of up to five stages fold: bias, gelu, a factor of each row, a
// number and a clamp cost hardly more than gelu alone. There is no list to walk and no type to ask for; vectors are
// under way together with x. Three instances of the one kernel:
//   aligned    16 bytes of columns of several rows, which share what is read along the row (aligned_rows.cuh); of packed
//              matrices as many rows as are whole vectors together are one
//   unaligned  long rows that lie anyhow: four rows that begin at the same place within an access share all of that as
//              well (unaligned_rows.cuh); one instance does for all 8-bit types
//   runs       all else: one run of a row (runs.cuh)
//
// Needs: row-major x, x and out of one type but f64 and i32 (of 8 bits: rows of 128 elements or more), vectors of that
// type or f32, a chain of that form.
// Prediction: the slowest of bytes, instructions and special functions; aligned matrices should come near the rate of a
// copy, with a function to compute within a tenth of it, unaligned ones within a fifth.

#include "common/dtypes.cuh"
#include "fused_act/common/run_operands.cuh"
#include "fused_act/pattern/figures.h"
#include "fused_act/pattern/linear_launch.h"
#include "fused_act/pattern/linear_rows.cuh"

namespace gpuopt {

#define GPUOPT_EXTERN_(T, act) extern GPUOPT_LINEAR_UNALIGNED_(T, act);
GPUOPT_LINEAR_UNALIGNED(GPUOPT_EXTERN_)
#undef GPUOPT_EXTERN_

template <class T, int32_t kAct>
__global__ void __launch_bounds__(kRunThreads)
    fused_act_linear_runs_kernel(const __grid_constant__ LinearWork<Runs> work) {
  constexpr int K = 16 / sizeof(T);
  const LinearAct &chain = work.chain;
  const Runs &runs = work.cut;
  Spot spot;
  if (!find_spot<K>(runs, chain.out, sizeof(T), spot)) return;
  const Bits<T, K> loaded = load_run_bits<K, T>(chain.x, runs, spot);
  const auto load_vector = [&](const LinearStep &step, float(&v)[K]) {
    if (step.operand.dtype == 0) return;
    if (sizeof(T) == 4 || step.operand.dtype == GPUOPT_F32)
      widen_bits(load_run_bits<K, float>(step.operand, runs, spot), v);
    else
      widen_bits(load_run_bits<K, T>(step.operand, runs, spot), v);
#pragma unroll
    for (int e = 0; e < K; ++e) v[e] *= step.value;
  };
  float before[K] = {}, after[K] = {}, x[K];
  load_vector(chain.before, before);
  load_vector(chain.after, after);
  widen_bits(loaded, x);
  apply_step(chain.before, before, x);
  apply_activation<kAct>(x);
  apply_step(chain.after, after, x);
  store_run_bits(chain.out, runs, spot, narrow_bits<T>(x));
}

namespace {

constexpr char kName[] = "fused_act_linear";

// Rows of packed matrices that are whole vectors together: where one is not, they are taken for one, along which vectors repeat.
int64_t rows_together(const gpuopt_problem &problem) {
  const gpuopt_operand &x = problem.operand[GPUOPT_OPERAND_X], &out = problem.operand[GPUOPT_OPERAND_OUT];
  const int64_t row_bytes = problem.n * dtype_bytes(x.m.dtype);
  int64_t together = 1;
  while (row_bytes * together % 16 != 0) together *= 2;
  bool packed = problem.batch <= 1 && problem.m % together == 0 && row_bytes >= 16 && x.m.ld == problem.n &&
                out.m.ld == problem.n && x.align >= 16 && out.align >= 16;
  for (int32_t s = 0; s < problem.stage_count; ++s) packed = packed && problem.stage[s].form != GPUOPT_PER_ROW;
  return packed ? together : 1;
}

bool is_aligned_linear(const gpuopt_problem &problem) {
  const gpuopt_operand &x = problem.operand[GPUOPT_OPERAND_X], &out = problem.operand[GPUOPT_OPERAND_OUT];
  const int64_t together = rows_together(problem), row_bytes = problem.n * together * dtype_bytes(x.m.dtype);
  bool aligned = row_bytes % 16 == 0 && row_bytes >= 128 && problem.m >= 4 * together &&
                 problem.m / together <= (int64_t{1} << 30) / (row_bytes / 16) &&
                 (together > 1 || (is_aligned_to(x, 16) && is_aligned_to(out, 16)));
  for (int32_t s = 0; s < problem.stage_count; ++s) {
    const gpuopt_operand &a = problem.stage[s].a;
    if (together == 1 && a.m.dtype != 0 && problem.stage[s].form == GPUOPT_PER_COL)
      aligned = aligned && a.m.ld == 1 && a.align >= 16 && a.stride_align >= 16;
  }
  return aligned;
}

PassCost cost_of(double launch_us, double share, double thread, double stage, double operand, int elements) {
  return {launch_us, share, thread, stage, operand, 1.0 * elements, 0, true};
}

// By rows, aligned or not.
template <class Tag, class Act, template <class, int32_t> class RowsOf>
struct ByRows {
  using T = typename Tag::type;
  using Rows = RowsOf<T, Act::value>;
  using Cut = typename Rows::Cut;
  static constexpr bool kIsAligned = std::is_same_v<Cut, AlignedCut>;
  static constexpr int kThreads = Rows::kThreads, kValues = Rows::K * Rows::kRuns;
  static constexpr auto kEntry = fused_act_linear_rows_kernel<T, Act::value, Rows>;

  static dim3 cut(const gpuopt_problem &problem, LinearAct &chain, Cut &cut) {
    const View matrices[2] = {chain.x, chain.out};
    if constexpr (kIsAligned) {
      const int64_t together = rows_together(problem);
      chain.x.row_step *= together;
      chain.out.row_step *= together;
      return make_aligned_rows<Rows>(problem, together, kThreads, cut);
    } else {
      return make_unaligned_rows(problem, Rows::K, Rows::kRuns, matrices, 2, true, cut);
    }
  }
  static double predict_us(const gpuopt_problem &problem, LinearAct chain) {
    const FusedActPatternFigures &f = fused_act_pattern_figures;
    const ElementCost element = element_cost(problem);
    Cut rows;
    cut(problem, chain, rows);
    if constexpr (kIsAligned) {
      const int64_t threads = ceil_div(rows.rows, Rows::kRuns) * rows.vectors * problem.batch;
      PassCost cost = cost_of(f.linear_launch_us, f.linear_share, f.linear_thread_instructions,
                              f.linear_stage_instructions, rows.repeat.d == 0 ? 0 : 3.0 * Rows::K, kValues);
      cost.threads = static_cast<double>(threads);
      cost.rows = Rows::kRuns;
      return pass_us(problem, element, cost);
    } else {
      PassCost cost =
          cost_of(f.linear_unaligned_launch_us, f.linear_unaligned_share, f.linear_unaligned_thread_instructions,
                  f.linear_unaligned_stage_instructions, f.linear_unaligned_operand_instructions, kValues);
      count_unaligned(problem, Rows::K, Rows::kRuns, rows, cost, element.matrices);
      cost.edge_instructions = f.linear_unaligned_edge_instructions;
      cost.shifted_instructions = f.linear_unaligned_shifted_instructions;
      cost.rows = Rows::kRuns;
      return pass_us(problem, element, cost);
    }
  }
};
template <class Tag, class Act>
struct ByRuns {
  using T = typename Tag::type;
  using Cut = Runs;
  static constexpr int kThreads = kRunThreads;
  static constexpr auto kEntry = fused_act_linear_runs_kernel<T, Act::value>;

  static dim3 cut(const gpuopt_problem &problem, LinearAct &chain, Runs &runs) {
    for (LinearStep *step : {&chain.before, &chain.after}) {  // a run may cross: one element for each of its own
      if (step->op == kAddPerRow) step->op = kAddPerCol;
      if (step->op == kMultiplyPerRow) step->op = kMultiplyPerCol;
    }
    const View matrices[2] = {chain.x, chain.out};
    const bool has_vectors = chain.before.operand.dtype != 0 || chain.after.operand.dtype != 0;
    return make_runs(problem, 16 / sizeof(T), matrices, 2, has_vectors, true, runs);
  }
  static double predict_us(const gpuopt_problem &problem, LinearAct &chain) {
    const FusedActPatternFigures &f = fused_act_pattern_figures;
    const ElementCost element = element_cost(problem);
    LinearAct crossing = chain;
    Runs runs;
    cut(problem, crossing, runs);
    constexpr int K = 16 / sizeof(T);
    PassCost cost = cost_of(f.linear_runs_launch_us, f.linear_runs_share, f.linear_runs_thread_instructions,
                            f.linear_runs_stage_instructions, f.linear_runs_operand_instructions, K);
    count_runs(problem, K, runs, element, cost);
    cost.edge_instructions = f.linear_runs_edge_instructions;
    cost.shifted_instructions = f.linear_runs_shifted_instructions;
    return pass_us(problem, element, cost);
  }
};

// f(ByRows or ByRuns) for the problem: aligned where it is, else the sooner.
template <class F>
auto with_instance(const gpuopt_problem &problem, LinearAct &chain, F &&f) {
  return with_linear_act(chain, [&](auto tag, auto act) {
    using Tag = decltype(tag);
    using Act = decltype(act);
    using ByUnaligned = ByRows<Tag, Act, UnalignedLinear>;
    gpuopt_reject reject;
    if constexpr (sizeof(typename Tag::type) == 1) {
      return f(ByUnaligned{});
    } else {
      if (is_aligned_linear(problem)) return f(ByRows<Tag, Act, AlignedLinear>{});
      if (unaligned_rows_can_run(&problem, &reject) &&
          ByUnaligned::predict_us(problem, chain) <= ByRuns<Tag, Act>::predict_us(problem, chain))
        return f(ByUnaligned{});
      return f(ByRuns<Tag, Act>{});
    }
  });
}

gpuopt_status prepare(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  LinearAct chain;
  match_linear_act(*problem, chain);
  return with_instance(*problem, chain,
                       [&](auto instance) { return load_kernel(launch, kName, decltype(instance)::kEntry); });
}

gpuopt_status launch(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  LinearAct chain;
  match_linear_act(*problem, chain);
  return with_instance(*problem, chain, [&](auto instance) {
    using Instance = decltype(instance);
    LinearWork<typename Instance::Cut> work;
    const dim3 grid = Instance::cut(*problem, chain, work.cut);
    work.chain = chain;
    return launch_kernel(launch, kName, grid, Instance::kThreads, 0, Instance::kEntry, work);
  });
}

int can_run(const gpuopt_problem *problem, gpuopt_reject *reject) {
  if (!is_linear_chain(*problem, reject)) return 0;
  return dtype_bytes(problem->operand[GPUOPT_OPERAND_X].m.dtype) == 1 ? unaligned_rows_can_run(problem, reject)
                                                                      : runs_can_run(problem, reject);
}

double predict_us(const gpuopt_problem *problem) {
  LinearAct chain;
  match_linear_act(*problem, chain);
  return with_instance(*problem, chain, [&](auto instance) { return decltype(instance)::predict_us(*problem, chain); });
}

#define GPUOPT_SIGNATURE_(type) \
  { {GPUOPT_##type, GPUOPT_ANY, GPUOPT_##type, GPUOPT_ANY}, GPUOPT_COMPUTE_F32 }
constexpr gpuopt_signature kSignatures[] = {GPUOPT_SIGNATURE_(F32),  GPUOPT_SIGNATURE_(F16),  GPUOPT_SIGNATURE_(BF16),
                                            GPUOPT_SIGNATURE_(E4M3), GPUOPT_SIGNATURE_(E5M2), GPUOPT_SIGNATURE_(I8),
                                            GPUOPT_SIGNATURE_(U8)};
#undef GPUOPT_SIGNATURE_
#define GPUOPT_ENTRY_(threads, ...) \
  { threads, 0, reinterpret_cast<const void *>(__VA_ARGS__) }
#define GPUOPT_UNALIGNED_(T, act) \
  GPUOPT_ENTRY_(kUnalignedThreads, fused_act_linear_rows_kernel<T, act, UnalignedLinear<T, act>>)
#define GPUOPT_ENTRIES_(T, act)                                                                                        \
  GPUOPT_ENTRY_(kRowsThreads, fused_act_linear_rows_kernel<T, act, AlignedLinear<T, act>>), GPUOPT_UNALIGNED_(T, act), \
      GPUOPT_ENTRY_(kRunThreads, fused_act_linear_runs_kernel<T, act>)
gpuopt_resource kResources[] = {GPUOPT_LINEAR_ACTS(GPUOPT_ENTRIES_, float), GPUOPT_LINEAR_ACTS(GPUOPT_ENTRIES_, __half),
                                GPUOPT_LINEAR_ACTS(GPUOPT_ENTRIES_, __nv_bfloat16),
                                GPUOPT_LINEAR_ACTS(GPUOPT_UNALIGNED_, uint8_t)};
#undef GPUOPT_ENTRY_
#undef GPUOPT_UNALIGNED_
#undef GPUOPT_ENTRIES_

constexpr gpuopt_kernel make_kernel() {
  gpuopt_kernel k = linear_act_kernel(
      kName, "an activation between two linear steps with bounds, compiled for itself; any alignment");
  k.version = 2;
  k.aliases = "fused_act_linear_shifted";
  set_signatures(k, kSignatures);
  k.can_run = can_run;
  set_functions(k, predict_us, prepare, launch, kResources);
  return k;
}
constexpr gpuopt_kernel kKernels[] = {make_kernel()};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
