// fused_act_small: the common chains on matrices that one wave of threads covers: nothing but the work, found in a few
// instructions.
//
// Idea and data movement: what a small problem takes is latency: the launch, the first reads of the parameters, the
// instructions in front of the loads, the loads, the stores. A thread takes 16 bytes where everything is aligned, one
// element where anything is not, so there are no heads, tails or crossings; positions have 32 bits. All loads leave
// before the first is used. On devices that can, blocks come up while what precedes them still runs, and have fetched
// into L2 what they will read when it ends. Constants come in lines of 64 bytes, of which the first, a quarter taken by
// the launch, holds all that the load of x needs: a cold kernel waits for one such line, not for two in a row. Packed
// matrices without vectors (flat) have kernels of their own, of 28 instructions for RELU where the others have 88, with
// all parameters in that line.
//
// Needs: row-major x, out and matrix of at most 2^24 elements, no batch, all operands of one type (f32, f16, bf16), a
// chain of the form of pattern.cuh.
// Prediction: the launch, which is nearly all of it.

#include "common/dependent_launch.cuh"
#include "common/dtypes.cuh"
#include "common/small_divider.cuh"
#include "common/unaligned.cuh"
#include "fused_act/pattern/figures.h"
#include "fused_act/pattern/pattern.cuh"

namespace gpuopt {

constexpr int kSmallThreads = 256;

enum : uint32_t { kHasPre = 1, kHasPost = 2, kHasMatrix = 4, kMultiplies = 8 };  // parts of a chain

struct SmallWork {
  const void *x, *pre;
  uint32_t parts;
  int32_t count;         // runs of K elements
  SmallDivider by_runs;  // of a row
  int32_t x_step;
  float scale, pre_factor;  // the first line of constants ends here
  const void *matrix, *post;
  void *out;
  int32_t matrix_step, out_step;
  float matrix_factor, post_factor;
};

// All matrices packed and aligned, no vectors.
struct FlatWork {
  const void *x, *matrix;
  void *out;
  int32_t count;  // of accesses of 16 bytes
  float scale, matrix_factor;
};

// K elements of 16 bytes in one access, or one element.
template <class T, int K>
struct SmallRun {
  Bits<T, K> bits;
  __device__ __forceinline__ void load(const void *from, int32_t at) {
    bits = load_bits<T, K>(static_cast<const T *>(from) + at);
  }
  __device__ __forceinline__ void widen_to(float (&x)[K]) const { widen_bits(bits, x); }
  static __device__ __forceinline__ void store(void *to, int32_t at, const float (&x)[K]) {
    store_bits(static_cast<T *>(to) + at, narrow_bits<T>(x));
  }
};
template <class T>
struct SmallRun<T, 1> {
  T element;
  __device__ __forceinline__ void load(const void *from, int32_t at) { element = static_cast<const T *>(from)[at]; }
  __device__ __forceinline__ void widen_to(float (&x)[1]) const { x[0] = widen<float>(element); }
  static __device__ __forceinline__ void store(void *to, int32_t at, const float (&x)[1]) {
    static_cast<T *>(to)[at] = narrow<T>(x[0]);
  }
};

template <class T, int32_t kAct, int K>
__global__ void __launch_bounds__(kSmallThreads) fused_act_small_kernel(const __grid_constant__ SmallWork work) {
  allow_successor();
  const auto run = static_cast<int32_t>(blockIdx.x * kSmallThreads + threadIdx.x);
  int32_t j;
  const int32_t i = work.by_runs.divide(run, j);
  if (run >= work.count) return;
  j *= K;
  const bool has_pre = (work.parts & kHasPre) != 0, has_post = (work.parts & kHasPost) != 0,
             has_matrix = (work.parts & kHasMatrix) != 0;
  SmallRun<T, K> loaded, pre, post, matrix;
  prefetch(static_cast<const T *>(work.x) + (i * work.x_step + j));
  wait_for_predecessors();
  loaded.load(work.x, i * work.x_step + j);
  if (has_matrix) matrix.load(work.matrix, i * work.matrix_step + j);
  if (has_pre) pre.load(work.pre, j);
  if (has_post) post.load(work.post, j);
  float x[K];
  loaded.widen_to(x);
  const auto add = [&](const SmallRun<T, K> &operand, float factor) {
    float v[K];
    operand.widen_to(v);
#pragma unroll
    for (int e = 0; e < K; ++e) x[e] += factor * v[e];
  };
  if (has_pre) add(pre, work.pre_factor);
  apply_act<kAct>(x);
  if (has_post) add(post, work.post_factor);
#pragma unroll
  for (int e = 0; e < K; ++e) x[e] *= work.scale;
  if (has_matrix) {
    if ((work.parts & kMultiplies) != 0) {
      float v[K];
      matrix.widen_to(v);
#pragma unroll
      for (int e = 0; e < K; ++e) x[e] *= work.matrix_factor * v[e];
    } else {
      add(matrix, work.matrix_factor);
    }
  }
  SmallRun<T, K>::store(work.out, i * work.out_step + j, x);
}

template <class T, int32_t kAct, int32_t kMatrix>
__global__ void __launch_bounds__(kSmallThreads) fused_act_flat_kernel(const __grid_constant__ FlatWork work) {
  allow_successor();
  constexpr int K = 16 / sizeof(T);
  const auto run = static_cast<int32_t>(blockIdx.x * kSmallThreads + threadIdx.x);
  if (run >= work.count) return;
  const T *from = static_cast<const T *>(work.x) + run * K, *other = static_cast<const T *>(work.matrix) + run * K;
  prefetch(from);
  if constexpr (kMatrix != kNoMatrix) prefetch(other);
  wait_for_predecessors();
  const Bits<T, K> loaded = load_bits<T, K>(from);
  Bits<T, K> matrix;
  if constexpr (kMatrix != kNoMatrix) matrix = load_bits<T, K>(other);
  float x[K];
  widen_bits(loaded, x);
  apply_act<kAct>(x);
#pragma unroll
  for (int e = 0; e < K; ++e) x[e] *= work.scale;
  if constexpr (kMatrix != kNoMatrix) apply_matrix<kMatrix>(work.matrix_factor, matrix, x);
  store_bits(static_cast<T *>(work.out) + run * K, narrow_bits<T>(x));
}

namespace {

constexpr char kName[] = "fused_act_small";
constexpr int64_t kMostElements = int64_t{1} << 24;  // far beyond what it is good for; positions stay in 32 bits

template <class T>
constexpr int kVector = 16 / sizeof(T);

bool is_aligned_problem(const gpuopt_problem &problem) {
  const auto matrix_aligned = [](const gpuopt_operand &o) { return o.align >= 16 && o.ld_align >= 16; };
  bool aligned = problem.n * dtype_bytes(problem.operand[GPUOPT_OPERAND_X].m.dtype) % 16 == 0 &&
                 matrix_aligned(problem.operand[GPUOPT_OPERAND_X]) &&
                 matrix_aligned(problem.operand[GPUOPT_OPERAND_OUT]);
  for (int32_t s = 0; s < problem.stage_count; ++s) {
    const gpuopt_problem_stage &stage = problem.stage[s];
    if (stage.a.m.dtype == 0) continue;
    aligned = aligned && (stage.form == GPUOPT_MATRIX ? matrix_aligned(stage.a) : stage.a.align >= 16);
  }
  return aligned;
}

// Whether every matrix is one run of whole accesses, and there is nothing but matrices.
bool is_flat_problem(const gpuopt_problem &problem, bool with_vectors) {
  const auto packed = [&](const gpuopt_operand &o) { return o.align >= 16 && (problem.m == 1 || o.m.ld == problem.n); };
  bool flat = !with_vectors &&
              problem.m * problem.n * dtype_bytes(problem.operand[GPUOPT_OPERAND_X].m.dtype) % 16 == 0 &&
              packed(problem.operand[GPUOPT_OPERAND_X]) && packed(problem.operand[GPUOPT_OPERAND_OUT]);
  for (int32_t s = 0; s < problem.stage_count; ++s)
    flat = flat && (problem.stage[s].a.m.dtype == 0 || packed(problem.stage[s].a));
  return flat;
}

// f(T's tag, the activation, elements a thread) of the instance for a problem that is not flat.
template <class F>
gpuopt_status with_instance(const gpuopt_problem &problem, const Pattern &pattern, F &&f) {
  using std::integral_constant;
  const bool aligned = is_aligned_problem(problem);
  return with_pattern_act(pattern, [&](auto tag, auto act) {
    if (aligned) return f(tag, act, integral_constant<int, kVector<typename decltype(tag)::type>>{});
    return f(tag, act, integral_constant<int, 1>{});
  });
}

gpuopt_status prepare(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  Pattern pattern;
  match_pattern(*problem, pattern);
  if (is_flat_problem(*problem, has_vectors(pattern))) {
    return with_pattern_instance(pattern, [&](auto tag, auto act, auto matrix) {
      return load_kernel(
          launch, kName,
          fused_act_flat_kernel<typename decltype(tag)::type, decltype(act)::value, decltype(matrix)::value>);
    });
  }
  return with_instance(*problem, pattern, [&](auto tag, auto act, auto elements) {
    return load_kernel(
        launch, kName,
        fused_act_small_kernel<typename decltype(tag)::type, decltype(act)::value, decltype(elements)::value>);
  });
}

dim3 grid_for(int64_t count) { return dim3(static_cast<unsigned>(ceil_div(count, kSmallThreads))); }

gpuopt_status launch_flat(const gpuopt_problem &problem, const Pattern &pattern, const gpuopt_launch *launch) {
  const int64_t count = problem.m * problem.n * dtype_bytes(pattern.x.dtype) / 16;
  const FlatWork work = {pattern.x.data, pattern.matrix.data,  pattern.out.data, static_cast<int32_t>(count),
                         pattern.scale,  pattern.matrix_factor};
  return with_pattern_instance(pattern, [&](auto tag, auto act, auto matrix) {
    return launch_kernel(
        early_launch(problem), launch, kName, grid_for(count), kSmallThreads, 0,
        fused_act_flat_kernel<typename decltype(tag)::type, decltype(act)::value, decltype(matrix)::value>, work);
  });
}

gpuopt_status launch(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  Pattern pattern;
  match_pattern(*problem, pattern);
  if (is_flat_problem(*problem, has_vectors(pattern))) return launch_flat(*problem, pattern, launch);
  return with_instance(*problem, pattern, [&](auto tag, auto act, auto elements) {
    constexpr int K = decltype(elements)::value;
    const int64_t count = problem->m * (problem->n / K);
    SmallWork work = {};
    work.x = pattern.x.data;
    work.out = pattern.out.data;
    work.count = static_cast<int32_t>(count);
    work.by_runs = SmallDivider(problem->n / K);
    work.x_step = static_cast<int32_t>(pattern.x.row_step);
    work.out_step = static_cast<int32_t>(pattern.out.row_step);
    work.matrix_step = static_cast<int32_t>(pattern.matrix.row_step);
    work.parts = (pattern.pre.dtype != 0 ? kHasPre : 0u) | (pattern.post.dtype != 0 ? kHasPost : 0u) |
                 (pattern.matrix.dtype != 0 ? kHasMatrix : 0u) | (pattern.multiplies ? kMultiplies : 0u);
    work.pre = pattern.pre.data;
    work.post = pattern.post.data;
    work.matrix = pattern.matrix.data;
    work.pre_factor = pattern.pre_factor;
    work.post_factor = pattern.post_factor;
    work.scale = pattern.scale;
    work.matrix_factor = pattern.matrix_factor;
    return launch_kernel(early_launch(*problem), launch, kName, grid_for(count), kSmallThreads, 0,
                         fused_act_small_kernel<typename decltype(tag)::type, decltype(act)::value, K>, work);
  });
}

int can_run(const gpuopt_problem *problem, gpuopt_reject *reject) {
  if (!pattern_can_run(problem, reject)) return 0;
  const int64_t most_rows = problem->n == 0 ? kMostElements : kMostElements / problem->n;  // asked of empty ones, too
  if (problem->m <= most_rows) return 1;
  return refuse(reject, GPUOPT_REJECT_SIZE_LIMIT, GPUOPT_OPERAND_OUT, problem->m, most_rows, "rows of this length");
}

double predict_us(const gpuopt_problem *problem) {
  const FusedActPatternFigures &f = fused_act_pattern_figures;
  const ElementCost element = element_cost(*problem);
  const bool whole = is_flat_problem(*problem, element.vectors > 0) || is_aligned_problem(*problem);
  const double elements = whole ? 16.0 / dtype_bytes(problem->operand[GPUOPT_OPERAND_X].m.dtype) : 1.0;
  const double count = static_cast<double>(problem->m) * static_cast<double>(problem->n);
  return pass_us(*problem, element,
                 {f.small_launch_us, f.small_share, f.small_thread_instructions, f.small_stage_instructions, 0,
                  elements, count / elements, true});
}

#define GPUOPT_ENTRY_(T, act, elements) \
  { kSmallThreads, 0, reinterpret_cast<const void *>(fused_act_small_kernel<T, act, elements>) }
#define GPUOPT_ENTRIES_(T, elements)                                                                     \
  GPUOPT_ENTRY_(T, kNoAct, elements), GPUOPT_ENTRY_(T, GPUOPT_STAGE_RELU, elements),                     \
      GPUOPT_ENTRY_(T, GPUOPT_STAGE_GELU, elements), GPUOPT_ENTRY_(T, GPUOPT_STAGE_GELU_TANH, elements), \
      GPUOPT_ENTRY_(T, GPUOPT_STAGE_SILU, elements)
#define GPUOPT_FLAT_(T, act, matrix) \
  { kSmallThreads, 0, reinterpret_cast<const void *>(fused_act_flat_kernel<T, act, matrix>) }
gpuopt_resource kResources[] = {
    GPUOPT_PATTERN_INSTANCES(GPUOPT_FLAT_),
    GPUOPT_ENTRIES_(float, kVector<float>),
    GPUOPT_ENTRIES_(float, 1),
    GPUOPT_ENTRIES_(__half, kVector<__half>),
    GPUOPT_ENTRIES_(__half, 1),
    GPUOPT_ENTRIES_(__nv_bfloat16, kVector<__nv_bfloat16>),
    GPUOPT_ENTRIES_(__nv_bfloat16, 1),
};
#undef GPUOPT_ENTRY_
#undef GPUOPT_ENTRIES_
#undef GPUOPT_FLAT_

constexpr gpuopt_kernel make_kernel() {
  gpuopt_kernel k = pattern_kernel(kName, "common chains on small matrices: 16 bytes or one element a thread");
  k.understands = 0;
  k.can_run = can_run;
  set_functions(k, predict_us, prepare, launch, kResources);
  return k;
}
constexpr gpuopt_kernel kKernels[] = {make_kernel()};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
