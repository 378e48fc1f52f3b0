// norm_linear_row: a norm and then an activation between two linear steps of numbers, a row in registers; for rows of
// at most 64 KB.
//
// Idea and data movement: as norm_warp_row and norm_block_row, read once and written once, with row_linear.cuh in place
// of the interpreter of norm_stages_row, which is run for every vector. Elements of 16 bits stay packed, a thread has
// four vectors and its registers are bounded for 40 or 48 warps of an SM (16-bit rows above 16 KB: 32), so that one
// block's memory and another's arithmetic overlap: layer norm and GELU of 16-bit elements are 28 instructions an
// element, which take nearly as long to issue as their bytes to move. Rows above 32 KB have eight vectors a thread and
// two blocks an SM, which leaves the first-level cache to the weights.
//
// Needs: x, out, gamma, beta of one type (f32, f16, bf16), row-major, rows that begin and end at 16 bytes; LAYERNORM
// or RMSNORM; no residual; stages without operands that come to that form.
// Recorded (H200, 2026-11-21, single call, cold), 8192 square: layer norm and GELU f32 134.9 us, 96 % of copy, bf16
// 88.6 us, 76 %; RMS norm and SiLU bf16 72.2 us, 93 %.
// Measured once, not in a record, layer norm and GELU of rows of 64 KB: f32 4096 x 16384 139 us, bf16 of 32,768 columns
// 166.

#include "norm/row_launch.h"
#include "norm/row_linear.cuh"

namespace gpuopt {

constexpr int kLinearVectors = 4, kLinearMost = 8;  // of a thread
constexpr int kLinearFew = 256, kLinearMany = 512;  // threads of a row's block
constexpr int kLinearLaneThreads = 128, kLinearLaneBlocks = 8;
// Blocks an SM that registers are to be enough for; fp32 elements need fewer.
template <class T, int kThreads, int V>
constexpr int kLinearBlocks = blocks_at_once<kThreads>(kThreads == kLinearFew                  ? 5
                                                       : sizeof(T) == 4 && V == kLinearVectors ? 3
                                                                                               : 2);

template <class T, int kNorm, int kThreads, int V>
__global__ void __launch_bounds__(kThreads, kLinearBlocks<T, kThreads, V>)
    norm_linear_row_kernel(const __grid_constant__ RowWork<T> work, const __grid_constant__ RowLinear chain) {
  __shared__ Moments partials[2][kThreads / 32];
  BlockGroup<kThreads / 32> group(partials);
  const auto row = static_cast<int32_t>(blockIdx.x);
  const int32_t p = work.batch > 1 ? row / work.rows : 0, i = row - p * work.rows;
  norm_linear_row<T, kNorm, V>(work, chain, group, p, i, true);
}

template <class T, int kNorm>
__global__ void __launch_bounds__(kLinearLaneThreads, kLinearLaneBlocks)
    norm_linear_lane_kernel(const __grid_constant__ RowWork<T> work, const __grid_constant__ RowLinear chain, int lanes,
                            int lanes_log2) {
  LaneGroup group{lanes};
  const auto row = static_cast<int32_t>((blockIdx.x * kLinearLaneThreads + threadIdx.x) >> lanes_log2);
  const int32_t total = work.rows * work.batch, read = row < total ? row : total - 1;
  const int32_t p = work.batch > 1 ? read / work.rows : 0, i = read - p * work.rows;
  norm_linear_row<T, kNorm, kLinearVectors>(work, chain, group, p, i, row < total);
}

namespace {

constexpr char kName[] = "norm_linear_row";

struct Shape {
  int lanes_log2;  // < 0: a block a row
  unsigned threads;
  int each;  // vectors of a thread
};
Shape shape_of(const gpuopt_problem &problem) {
  const int64_t vectors = row_vectors(problem);
  for (int lanes_log2 = 0; lanes_log2 <= 5; ++lanes_log2) {
    if (vectors <= int64_t{kLinearVectors} << lanes_log2) return {lanes_log2, kLinearLaneThreads, kLinearVectors};
  }
  const int each = vectors <= int64_t{kLinearMany} * kLinearVectors ? kLinearVectors : kLinearMost;
  return {-1, static_cast<unsigned>(ceil_div(ceil_div(vectors, each), 32) * 32), each};
}

// f(T's tag, the norm as a constant).
template <class F>
gpuopt_status with_instance(const gpuopt_problem &problem, F &&f) {
  using cuda::std::integral_constant;
  const auto with_norm = [&](auto tag) {
    return problem.variant == GPUOPT_NORM_LAYERNORM ? f(tag, integral_constant<int, GPUOPT_NORM_LAYERNORM>{})
                                                    : f(tag, integral_constant<int, GPUOPT_NORM_RMSNORM>{});
  };
  if (problem.operand[GPUOPT_OPERAND_X].m.dtype == GPUOPT_F16) return with_norm(Type<__half>{});
  if (problem.operand[GPUOPT_OPERAND_X].m.dtype == GPUOPT_BF16) return with_norm(Type<__nv_bfloat16>{});
  return with_norm(Type<float>{});
}

// f(T's tag, the kernel of a block a row).
template <class F>
gpuopt_status with_row_kernel(const gpuopt_problem &problem, const Shape &shape, F &&f) {
  return with_instance(problem, [&](auto tag, auto norm) {
    using T = typename decltype(tag)::type;
    constexpr int kNorm = decltype(norm)::value;
    if (shape.each == kLinearMost) return f(tag, norm_linear_row_kernel<T, kNorm, kLinearMany, kLinearMost>);
    return shape.threads <= kLinearFew ? f(tag, norm_linear_row_kernel<T, kNorm, kLinearFew, kLinearVectors>)
                                       : f(tag, norm_linear_row_kernel<T, kNorm, kLinearMany, kLinearVectors>);
  });
}

gpuopt_status prepare(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  const Shape shape = shape_of(*problem);
  if (shape.lanes_log2 < 0)
    return with_row_kernel(*problem, shape, [&](auto, auto kernel) { return load_kernel(launch, kName, kernel); });
  return with_instance(*problem, [&](auto tag, auto norm) {
    return load_kernel(launch, kName, norm_linear_lane_kernel<typename decltype(tag)::type, decltype(norm)::value>);
  });
}

gpuopt_status launch(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  const Shape shape = shape_of(*problem);
  const int64_t rows = problem->m * problem->batch;
  RowLinear chain;
  match_row_linear(*problem, chain);
  if (shape.lanes_log2 < 0)
    return with_row_kernel(*problem, shape, [&](auto tag, auto kernel) {
      return launch_kernel(launch, kName, static_cast<unsigned>(rows), shape.threads, 0, kernel,
                           make_row_work<typename decltype(tag)::type>(*problem), chain);
    });
  return with_instance(*problem, [&](auto tag, auto norm) {
    using T = typename decltype(tag)::type;
    const auto blocks = static_cast<unsigned>(ceil_div(rows << shape.lanes_log2, kLinearLaneThreads));
    return launch_kernel(launch, kName, blocks, shape.threads, 0, norm_linear_lane_kernel<T, decltype(norm)::value>,
                         make_row_work<T>(*problem), chain, 1 << shape.lanes_log2, shape.lanes_log2);
  });
}

int can_run(const gpuopt_problem *problem, gpuopt_reject *reject) {
  RowLinear chain;
  const int32_t stage = match_row_linear(*problem, chain);
  if (stage >= 0) {
    *reject = {GPUOPT_REJECT_STAGE, GPUOPT_OPERAND_STAGE + stage, 0, 0,
               "not an activation between two linear steps of numbers"};
    return 0;
  }
  const int elements = is_f32(*problem) ? 4 : 8;
  if (problem->n % elements != 0) {
    *reject = {GPUOPT_REJECT_DIM_MULTIPLE, GPUOPT_OPERAND_NONE, problem->n, elements, "n"};
    return 0;
  }
  if (!others_aligned(*problem, reject)) return 0;
  return row_can_run(problem, 0, int64_t{kLinearMany} * kLinearMost, reject);
}

// More than the interpreter's share, as it is the same movement with fewer instructions; without stages it is the
// others' work.
double predict_us(const gpuopt_problem *problem) {
  return problem->stage_count == 0 ? 0.0 : row_us(*problem, is_f32(*problem) ? 0.84 : 0.75, 3.3);
}

#define GPUOPT_ENTRIES_(T, norm)                                                                                      \
  {kLinearFew, 0, reinterpret_cast<const void *>(norm_linear_row_kernel<T, norm, kLinearFew, kLinearVectors>)},       \
      {kLinearMany, 0, reinterpret_cast<const void *>(norm_linear_row_kernel<T, norm, kLinearMany, kLinearVectors>)}, \
      {kLinearMany, 0, reinterpret_cast<const void *>(norm_linear_row_kernel<T, norm, kLinearMany, kLinearMost>)}, {  \
    kLinearLaneThreads, 0, reinterpret_cast<const void *>(norm_linear_lane_kernel<T, norm>)                           \
  }
#define GPUOPT_ENTRIES_OF_(T) GPUOPT_ENTRIES_(T, GPUOPT_NORM_LAYERNORM), GPUOPT_ENTRIES_(T, GPUOPT_NORM_RMSNORM)
gpuopt_resource kResources[] = {GPUOPT_ENTRIES_OF_(float), GPUOPT_ENTRIES_OF_(__half),
                                GPUOPT_ENTRIES_OF_(__nv_bfloat16)};
#undef GPUOPT_ENTRIES_
#undef GPUOPT_ENTRIES_OF_

constexpr gpuopt_kernel make_kernel() {
  gpuopt_kernel k =
      aligned_row_kernel(kName, "rows of at most 64 KB in registers, then an activation between two linear steps", 4);
  k.variants = 1u << GPUOPT_NORM_LAYERNORM | 1u << GPUOPT_NORM_RMSNORM;
  k.stage_kinds = kRowLinearKinds;
  k.max_stages = 5;
  set_signatures(k, kRowSignaturesAlone);
  k.can_run = can_run;
  set_functions(k, predict_us, prepare, launch, kResources);
  return k;
}
constexpr gpuopt_kernel kKernels[] = {make_kernel()};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
