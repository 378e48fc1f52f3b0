// fused_act_linear: an activation between two linear steps, each with bounds: what most chains without a matrix come
// to.
//
// Idea and data movement: as fused_act_columns, but what stands before and after the activation is a step with run-time
// parts (linear_act.cuh), into which chains of up to five stages fold: bias, gelu, a factor of each row, a number and a
// clamp cost hardly more than gelu alone. Aligned problems give a thread 16 bytes of columns of several rows, which
// share what is read along the row; others give it one run (runs.cuh).
//
// Needs: row-major x, x and out of one type (f32, f16, bf16), vectors of that type or f32, a chain of that form.
// Recorded (H200, 2026-11-21, single call, cold), 8192 square, of copy: bias, relu, mul per_col, add, clamp f32 99 %,
// bf16 98; with gelu and per_row 99 and 94; tanh f32 99. Long rows that are not aligned are fused_act_linear_shifted's
// or, of f32, fused_act_chain_shifted's.

#include "common/descriptor.h"
#include "fused_act/cost.h"
#include "fused_act/linear_act.cuh"

namespace gpuopt {

constexpr int kLinearThreads = 128;

struct LinearRowsWork {
  LinearAct chain;
  int32_t rows, vectors;  // of 16 bytes in a row
  int32_t ahead;          // rows between a block and the one that takes its place: where to prefetch
  SmallDivider by_vectors;
};
struct LinearRunsWork {
  LinearAct chain;
  Runs runs;
};

// 16-bit types with a function to compute have too few warps to keep memory busy while they do: those want more of
// them, and what later blocks will read in the second-level cache. Eight blocks leave GELU_TANH one register too few.
template <class T, int32_t kAct>
constexpr bool kPrefetches = sizeof(T) == 2 && kAct != kEnd;
template <class T, int32_t kAct>
constexpr int kLinearBlocks = !kPrefetches<T, kAct>            ? 6
                              : kAct == GPUOPT_STAGE_GELU_TANH ? 7
                                                               : 8;  // of an SM

template <class T, int32_t kAct, int kRows>
__global__ void __launch_bounds__(kLinearThreads, kLinearBlocks<T, kAct>)
    fused_act_linear_rows_kernel(const __grid_constant__ LinearRowsWork work) {
  constexpr int K = 16 / sizeof(T);
  const LinearAct &chain = work.chain;
  int32_t vector;
  const int32_t first =
      kRows * work.by_vectors.divide(static_cast<int32_t>(blockIdx.x * kLinearThreads + threadIdx.x), vector);
  if (first >= work.rows) return;
  const auto at = [&](const View &view) {
    return static_cast<T *>(view.data) + (blockIdx.y * view.batch_step + first * view.row_step + vector * K);
  };
  Bits<T, K> loaded[kRows] = {};
  const T *from = at(chain.x);
#pragma unroll
  for (int r = 0; r < kRows; ++r) {
    if (r == 0 || first + r < work.rows) loaded[r] = load_bits<T, K>(from + r * chain.x.row_step);
  }
  if (kPrefetches<T, kAct> && first + work.ahead + kRows <= work.rows) {
    from += work.ahead * chain.x.row_step;
#pragma unroll
    for (int r = 0; r < kRows; ++r) prefetch(from + r * chain.x.row_step);
  }
  const auto load_columns = [&](const LinearStep &step, float(&v)[K]) {
    const int64_t offset = blockIdx.y * step.operand.batch_step + vector * K;
    if (sizeof(T) == 4 || step.operand.dtype == GPUOPT_F32)
      widen_bits(load_bits<float, K>(static_cast<const float *>(step.operand.data) + offset), v);
    else
      widen_bits(load_bits<T, K>(static_cast<const T *>(step.operand.data) + offset), v);
#pragma unroll
    for (int e = 0; e < K; ++e) v[e] *= step.value;
  };
  const auto load_rows = [&](const LinearStep &step, float(&v)[K]) {
    const int64_t at = blockIdx.y * step.operand.batch_step + first * step.operand.row_step;
    const auto load = [&](auto tag) {
      using V = typename decltype(tag)::type;
      const V *from_row = static_cast<const V *>(step.operand.data) + at;
      V raw[kRows] = {};
#pragma unroll
      for (int r = 0; r < kRows; ++r) {
        if (r == 0 || first + r < work.rows) raw[r] = from_row[r * step.operand.row_step];
      }
#pragma unroll
      for (int r = 0; r < kRows; ++r) v[r] = step.value * widen<float>(raw[r]);
    };
    if (sizeof(T) == 4 || step.operand.dtype == GPUOPT_F32)
      load(Type<float>{});
    else
      load(Type<T>{});
  };
  const auto load_vector = [&](const LinearStep &step, float(&v)[K]) {
    if (step.per_col()) load_columns(step, v);
    if (step.per_row()) load_rows(step, v);
  };
  float before[K] = {}, after[K] = {};
  load_vector(chain.before, before);
  load_vector(chain.after, after);
  float x[K * kRows];
#pragma unroll
  for (int r = 0; r < kRows; ++r) {
    float row[K];
    widen_bits(loaded[r], row);
#pragma unroll
    for (int e = 0; e < K; ++e) x[r * K + e] = row[e];
  }
  apply_step(chain.before, before, x);
  apply_activation<kAct>(x);
  apply_step(chain.after, after, x);
  T *to = at(chain.out);
#pragma unroll
  for (int r = 0; r < kRows; ++r) {
    float row[K];
#pragma unroll
    for (int e = 0; e < K; ++e) row[e] = x[r * K + e];
    if (first + r < work.rows) store_bits(to + r * chain.out.row_step, narrow_bits<T>(row));
  }
}

template <class T, int32_t kAct>
__global__ void __launch_bounds__(kRunThreads)
    fused_act_linear_runs_kernel(const __grid_constant__ LinearRunsWork work) {
  constexpr int K = 16 / sizeof(T);
  const LinearAct &chain = work.chain;
  const Runs &runs = work.runs;
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
constexpr int32_t kMostStages = 5;
constexpr int kBlocksAhead = 2;  // of each SM: farther than that, and what was fetched is gone again
template <class T>
constexpr int kRows = sizeof(T) == 4 ? 2 : 4;

// f(T's tag, the activation as a constant).
template <class F>
gpuopt_status with_instance(const LinearAct &chain, F &&f) {
  using cuda::std::integral_constant;
  const auto with_act = [&](auto tag) {
    if (chain.act == GPUOPT_STAGE_GELU) return f(tag, integral_constant<int32_t, GPUOPT_STAGE_GELU>{});
    if (chain.act == GPUOPT_STAGE_GELU_TANH) return f(tag, integral_constant<int32_t, GPUOPT_STAGE_GELU_TANH>{});
    if (chain.act == GPUOPT_STAGE_SILU) return f(tag, integral_constant<int32_t, GPUOPT_STAGE_SILU>{});
    if (chain.act == GPUOPT_STAGE_SIGMOID) return f(tag, integral_constant<int32_t, GPUOPT_STAGE_SIGMOID>{});
    if (chain.act == GPUOPT_STAGE_TANH) return f(tag, integral_constant<int32_t, GPUOPT_STAGE_TANH>{});
    return f(tag, integral_constant<int32_t, kEnd>{});
  };
  if (chain.x.dtype == GPUOPT_F16) return with_act(Type<__half>{});
  if (chain.x.dtype == GPUOPT_BF16) return with_act(Type<__nv_bfloat16>{});
  return with_act(Type<float>{});
}

bool rows_are_aligned(const gpuopt_problem &problem) {
  const int bytes = dtype_bytes(problem.operand[GPUOPT_OPERAND_X].m.dtype);
  bool aligned = problem.n * bytes % 16 == 0 && problem.n * bytes >= 128 && problem.m >= 4 &&
                 is_aligned_to(problem.operand[GPUOPT_OPERAND_X], 16) &&
                 is_aligned_to(problem.operand[GPUOPT_OPERAND_OUT], 16) &&
                 problem.m <= (int64_t{1} << 30) / (problem.n * bytes / 16);
  for (int32_t s = 0; s < problem.stage_count; ++s) {
    const gpuopt_operand &a = problem.stage[s].a;
    if (a.m.dtype != 0 && problem.stage[s].form == GPUOPT_PER_COL)
      aligned = aligned && a.m.ld == 1 && a.align >= 16 && a.stride_align >= 16;
  }
  return aligned;
}

gpuopt_status prepare(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  LinearAct chain;
  match_linear_act(*problem, chain);
  return with_instance(chain, [&](auto tag, auto act) {
    using T = typename decltype(tag)::type;
    return rows_are_aligned(*problem)
               ? load_kernel(launch, kName, fused_act_linear_rows_kernel<T, decltype(act)::value, kRows<T>>)
               : load_kernel(launch, kName, fused_act_linear_runs_kernel<T, decltype(act)::value>);
  });
}

gpuopt_status launch(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  LinearAct chain;
  match_linear_act(*problem, chain);
  const bool aligned = rows_are_aligned(*problem);
  return with_instance(chain, [&](auto tag, auto act) {
    using T = typename decltype(tag)::type;
    constexpr int K = 16 / sizeof(T);
    if (aligned) {
      const auto vectors = static_cast<int32_t>(problem->n / K);
      const int64_t next = int64_t{launch->device->sm_count} * kBlocksAhead * kLinearThreads;
      const auto ahead = static_cast<int32_t>(ceil_div(next, vectors)) * kRows<T>;
      const LinearRowsWork work = {chain, static_cast<int32_t>(problem->m), vectors, ahead, SmallDivider(vectors)};
      const int64_t threads = ceil_div(problem->m, kRows<T>) * vectors;
      const dim3 grid(static_cast<unsigned>(ceil_div(threads, kLinearThreads)), static_cast<unsigned>(problem->batch));
      return launch_kernel(launch, kName, grid, kLinearThreads, 0,
                           fused_act_linear_rows_kernel<T, decltype(act)::value, kRows<T>>, work);
    }
    LinearRunsWork work = {chain, {}};
    for (LinearStep *step :
         {&work.chain.before, &work.chain.after}) {  // a run may cross: one element for each of its own
      if (step->op == kAddPerRow) step->op = kAddPerCol;
      if (step->op == kMultiplyPerRow) step->op = kMultiplyPerCol;
    }
    const View matrices[2] = {chain.x, chain.out};
    const bool has_vectors = chain.before.operand.dtype != 0 || chain.after.operand.dtype != 0;
    const dim3 grid = make_runs(*problem, K, matrices, 2, has_vectors, true, work.runs);
    return launch_kernel(launch, kName, grid, kRunThreads, 0, fused_act_linear_runs_kernel<T, decltype(act)::value>,
                         work);
  });
}

int can_run(const gpuopt_problem *problem, gpuopt_reject *reject) {
  LinearAct chain;
  if (match_linear_act(*problem, chain)) return runs_can_run(problem, reject);
  *reject = {GPUOPT_REJECT_STAGE, GPUOPT_OPERAND_NONE, 0, 0,
             "not an activation between two linear steps with vectors of x's type or f32"};
  return 0;
}

double predict_us(const gpuopt_problem *problem) {
  const double elements = 16.0 / dtype_bytes(problem->operand[GPUOPT_OPERAND_X].m.dtype);
  return rows_are_aligned(*problem) ? pass_us(*problem, {2.5, 0.87, 60, 2, 2 * elements})
                                    : pass_us(*problem, {2.4, 0.85, 220, 10, elements});
}

constexpr uint64_t stage_bit(int32_t kind) { return uint64_t{1} << kind; }
constexpr uint64_t kStageKinds =
    stage_bit(GPUOPT_STAGE_RELU) | stage_bit(GPUOPT_STAGE_CLAMP) | stage_bit(GPUOPT_STAGE_NEG) |
    stage_bit(GPUOPT_STAGE_ADD) | stage_bit(GPUOPT_STAGE_SUB) | stage_bit(GPUOPT_STAGE_MUL) |
    stage_bit(GPUOPT_STAGE_GELU) | stage_bit(GPUOPT_STAGE_GELU_TANH) | stage_bit(GPUOPT_STAGE_SILU) |
    stage_bit(GPUOPT_STAGE_SIGMOID) | stage_bit(GPUOPT_STAGE_TANH);

constexpr gpuopt_signature kSignatures[] = {
    {{GPUOPT_F32, GPUOPT_ANY, GPUOPT_F32, GPUOPT_ANY}, GPUOPT_COMPUTE_F32},
    {{GPUOPT_F16, GPUOPT_ANY, GPUOPT_F16, GPUOPT_ANY}, GPUOPT_COMPUTE_F32},
    {{GPUOPT_BF16, GPUOPT_ANY, GPUOPT_BF16, GPUOPT_ANY}, GPUOPT_COMPUTE_F32},
};
#define GPUOPT_ENTRIES_(T, act)                                                                          \
  {kLinearThreads, 0, reinterpret_cast<const void *>(fused_act_linear_rows_kernel<T, act, kRows<T>>)}, { \
    kRunThreads, 0, reinterpret_cast<const void *>(fused_act_linear_runs_kernel<T, act>)                 \
  }
#define GPUOPT_ENTRIES_OF_(T)                                                                                  \
  GPUOPT_ENTRIES_(T, kEnd), GPUOPT_ENTRIES_(T, GPUOPT_STAGE_GELU), GPUOPT_ENTRIES_(T, GPUOPT_STAGE_GELU_TANH), \
      GPUOPT_ENTRIES_(T, GPUOPT_STAGE_SILU), GPUOPT_ENTRIES_(T, GPUOPT_STAGE_SIGMOID),                         \
      GPUOPT_ENTRIES_(T, GPUOPT_STAGE_TANH)
gpuopt_resource kResources[] = {GPUOPT_ENTRIES_OF_(float), GPUOPT_ENTRIES_OF_(__half),
                                GPUOPT_ENTRIES_OF_(__nv_bfloat16)};
#undef GPUOPT_ENTRIES_
#undef GPUOPT_ENTRIES_OF_

constexpr gpuopt_kernel make_kernel() {
  gpuopt_kernel k = kernel_descriptor(
      GPUOPT_OP_FUSED_ACT, kName,
      "an activation between two linear steps with bounds, compiled for itself; any alignment", kViewFeatures);
  k.stage_kinds = kStageKinds;
  k.max_stages = kMostStages;
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
