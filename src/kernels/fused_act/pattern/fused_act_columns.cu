// fused_act_columns: vectors along the row stay in registers while a thread walks down its 16-byte column.
//
// Idea and data movement: a thread owns 16 bytes of columns of one or two rows: all their loads first, then its part of
// the bias, then arithmetic and stores. There is no division and no head or tail, so the instructions left are those of
// the elements. A block covers 128 vectors of a row, or several rows where rows are short.
//
// Needs: x, out, matrix and vectors aligned to 16 bytes in base, leading dimension and batch stride, columns a multiple
// of 8, one type (f32, f16, bf16), a chain of the form of pattern.cuh.
// Prediction: the bytes at the rate of a copy, which large matrices should reach within a hundredth.

#include "common/dependent_launch.cuh"
#include "common/dtypes.cuh"
#include "fused_act/common/runs_plan.h"
#include "fused_act/pattern/figures.h"
#include "fused_act/pattern/pattern.cuh"

namespace gpuopt {

constexpr int kColumnsThreads = 128;

struct ColumnsWork {
  Pattern pattern;
  int32_t rows, vectors;   // of 16 bytes in a row
  int32_t across;          // log2 of a block's threads along a row
  SmallDivider by_blocks;  // blocks along a row
};

// Blocks of one row and one matrix to read are over so soon that the two instructions of an early launch are what
// limits their rate.
template <int32_t kMatrix, int kRows>
constexpr bool kStartsEarly = kRows > 1 || kMatrix != kNoMatrix;

template <class T, int32_t kAct, int32_t kMatrix, int kRows>
__global__ void __launch_bounds__(kColumnsThreads) fused_act_columns_kernel(const __grid_constant__ ColumnsWork work) {
  if constexpr (kStartsEarly<kMatrix, kRows>) allow_successor();
  constexpr int K = 16 / sizeof(T);
  const Pattern &pattern = work.pattern;
  const auto down = static_cast<int32_t>(kColumnsThreads >> work.across);
  int32_t block;
  const int32_t row_block = work.by_blocks.divide(static_cast<int32_t>(blockIdx.x), block);
  const int32_t vector = (block << work.across) + static_cast<int32_t>(threadIdx.x & ((1u << work.across) - 1));
  const int32_t first = row_block * (down * kRows) + static_cast<int32_t>(threadIdx.x >> work.across);
  if (vector >= work.vectors || first >= work.rows) return;
  if constexpr (kStartsEarly<kMatrix, kRows>) wait_for_predecessors();
  const auto at = [&](const View &view) {
    return static_cast<T *>(view.data) + (blockIdx.y * view.batch_step + first * view.row_step + vector * K);
  };
  const T *from = at(pattern.x);
  Bits<T, K> loaded[kRows], matrix[kRows];
#pragma unroll
  for (int r = 0; r < kRows; ++r) {
    if (first + r * down >= work.rows) continue;
    loaded[r] = load_bits<T, K>(from + r * down * pattern.x.row_step);
    if constexpr (kMatrix != kNoMatrix)
      matrix[r] = load_bits<T, K>(at(pattern.matrix) + r * down * pattern.matrix.row_step);
  }
  float pre[K] = {}, post[K] = {};
  const auto load_vector = [&](const View &view, float factor, float(&v)[K]) {
    widen_bits(load_bits<T, K>(static_cast<const T *>(view.data) + (blockIdx.y * view.batch_step + vector * K)), v);
#pragma unroll
    for (int e = 0; e < K; ++e) v[e] *= factor;
  };
  if (pattern.pre.dtype != 0) load_vector(pattern.pre, pattern.pre_factor, pre);
  if (pattern.post.dtype != 0) load_vector(pattern.post, pattern.post_factor, post);
  T *to = at(pattern.out);
#pragma unroll
  for (int r = 0; r < kRows; ++r) {
    if (first + r * down >= work.rows) return;
    float x[K];
    widen_bits(loaded[r], x);
#pragma unroll
    for (int e = 0; e < K; ++e) x[e] += pre[e];
    apply_act<kAct>(x);
#pragma unroll
    for (int e = 0; e < K; ++e) x[e] = (x[e] + post[e]) * pattern.scale;  // in order: factors alone may overflow
    if constexpr (kMatrix != kNoMatrix) apply_matrix<kMatrix>(pattern.matrix_factor, matrix[r], x);
    store_bits(to + r * down * pattern.out.row_step, narrow_bits<T>(x));
  }
}

namespace {

constexpr char kName[] = "fused_act_columns";
// One row fills the memory system best; where 16-bit types have a function to compute, two rows share what a thread
// does beside its elements.
template <class T, int32_t kAct>
constexpr int kRows = sizeof(T) == 4 || kAct == kNoAct || kAct == GPUOPT_STAGE_RELU ? 1 : 2;

template <class T, int32_t kAct, int32_t kMatrix>
constexpr auto kKernel = fused_act_columns_kernel<T, kAct, kMatrix, kRows<T, kAct>>;

gpuopt_status prepare(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  Pattern pattern;
  match_pattern(*problem, pattern);
  return with_pattern_instance(pattern, [&](auto tag, auto act, auto matrix) {
    return load_kernel(launch, kName,
                       kKernel<typename decltype(tag)::type, decltype(act)::value, decltype(matrix)::value>);
  });
}

int64_t vectors_of(const gpuopt_problem &problem) {
  return problem.n * dtype_bytes(problem.operand[GPUOPT_OPERAND_X].m.dtype) / 16;
}
int32_t log2_across(int64_t vectors) {
  int32_t across = 0;
  while ((1 << across) < kColumnsThreads && (1 << across) < vectors) ++across;
  return across;
}

gpuopt_status launch(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  ColumnsWork work;
  match_pattern(*problem, work.pattern);
  work.rows = static_cast<int32_t>(problem->m);
  work.vectors = static_cast<int32_t>(vectors_of(*problem));
  work.across = log2_across(work.vectors);
  return with_pattern_instance(work.pattern, [&](auto tag, auto act, auto matrix) {
    using T = typename decltype(tag)::type;
    const int64_t block_rows = int64_t{kColumnsThreads >> work.across} * kRows<T, decltype(act)::value>;
    const int64_t blocks = ceil_div(work.vectors, int64_t{1} << work.across);
    work.by_blocks = SmallDivider(blocks);
    const dim3 grid(static_cast<unsigned>(ceil_div(work.rows, block_rows) * blocks),
                    static_cast<unsigned>(problem->batch));
    constexpr bool kEarly = kStartsEarly<decltype(matrix)::value, kRows<T, decltype(act)::value>>;
    return launch_kernel(kEarly ? early_launch(*problem) : LaunchAttributes{}, launch, kName, grid, kColumnsThreads, 0,
                         kKernel<T, decltype(act)::value, decltype(matrix)::value>, work);
  });
}

int can_run(const gpuopt_problem *problem, gpuopt_reject *reject) {
  if (!pattern_can_run(problem, reject)) return 0;
  for (int32_t s = 0; s < problem->stage_count; ++s) {
    const gpuopt_operand &a = problem->stage[s].a;
    if (a.m.dtype == 0) continue;
    if (a.align < 16) return refuse(reject, GPUOPT_REJECT_ALIGN, GPUOPT_OPERAND_STAGE + s, a.align, 16, nullptr);
    const bool is_matrix = problem->stage[s].form == GPUOPT_MATRIX;
    if ((is_matrix && a.ld_align < 16) || a.stride_align < 16)
      return refuse(reject, GPUOPT_REJECT_LD_MULTIPLE, GPUOPT_OPERAND_STAGE + s,
                    is_matrix && a.ld_align < 16 ? a.ld_align : a.stride_align, 16,
                    is_matrix && a.ld_align < 16 ? "ld" : "batch_stride");
  }
  return runs_can_run(problem, reject);
}

// Idle threads past the last vector of a row count as well.
double predict_us(const gpuopt_problem *problem) {
  const FusedActPatternFigures &f = fused_act_pattern_figures;
  const int64_t vectors = vectors_of(*problem), across = int64_t{1} << log2_across(vectors);
  const double elements = 16.0 / dtype_bytes(problem->operand[GPUOPT_OPERAND_X].m.dtype);
  const int64_t threads = ceil_div(vectors, across) * across * problem->m * problem->batch;
  return pass_us(*problem, element_cost(*problem),
                 {f.columns_launch_us, f.columns_share, f.columns_thread_instructions, f.columns_stage_instructions, 0,
                  elements, static_cast<double>(threads), true});
}

#define GPUOPT_ENTRY_(T, act, matrix) \
  { kColumnsThreads, 0, reinterpret_cast<const void *>(fused_act_columns_kernel<T, act, matrix, kRows<T, act>>) }
gpuopt_resource kResources[] = {GPUOPT_PATTERN_INSTANCES(GPUOPT_ENTRY_)};
#undef GPUOPT_ENTRY_

constexpr gpuopt_kernel make_kernel() {
  gpuopt_kernel k =
      pattern_kernel(kName, "common chains, bias in registers, each thread walks down 16 bytes of columns");
  for (int operand : {GPUOPT_OPERAND_X, GPUOPT_OPERAND_OUT}) {
    k.align[operand] = 16;
    k.ld_align[operand] = 16;
  }
  k.version = 2;
  k.multiple[1] = 8;
  k.can_run = can_run;
  set_functions(k, predict_us, prepare, launch, kResources);
  return k;
}
constexpr gpuopt_kernel kKernels[] = {make_kernel()};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
