// norm_block_row: a block holds a row in registers; for rows of 1 to 64 KB.
//
// Idea and data movement: row.cuh, with 32 to 512 threads a row and two, four or (fp32 rows above 32 KB) eight vectors
// a thread. Statistics are shuffles and one barrier; two or more blocks an SM keep memory busy while one waits.
//
// Needs: x, residual, out, sum, gamma, beta of one type (f32, f16, bf16), row-major; no stages. Any
// alignment; rows of 32 to 64 KB are aligned fp32 ones of whole vectors.
// Recorded (H200, 2026-11-21, single call, cold), of copy: 65536 x 1024 f32 layer norm 98.9 % (130.9 us); 4097 x 4099
// f32 layer norm 72.3 (48.0 us), RMS norm 87.9, softmax 96.0, bf16 softmax 87.6; f32 8192 square RMS norm of a sum 89.8
// (285.2 us), layer norm of a sum 89.4. 32 x 4096 f32 layer norm 5.2 us, bf16 RMS norm 4.7, in a graph 3.0 and 2.3.
// Measured once, not in a record (H200, 2026-11-21, single call, cold): RMS norm of a sum, bf16 8192 square, 3,487
// GB/s: sums are kept in fp32, which takes registers for twice the blocks. Rows of 8192 and 16,384 elements are
// norm_twice_row's; here 8192 square f32 layer norm takes 132 us, bf16 71, 16384 square f32 523.

#include "norm/row_launch.h"

namespace gpuopt {

constexpr int kBlockRowThreads = 512;
// Blocks an SM that registers are to be enough for; 16-bit elements that are kept in fp32 take twice as many.
template <class T, int kMode>
constexpr int kBlocksAtOnce = kMode != kRowWhole && sizeof(T) == 2 ? 1 : 2;

template <class T, int kNorm, int V, int kMode>
__global__ void __launch_bounds__(kBlockRowThreads, kBlocksAtOnce<T, kMode>)
    norm_block_row_kernel(const __grid_constant__ RowWork<T> work) {
  __shared__ Moments partials[2][kBlockRowThreads / 32];
  BlockGroup<kBlockRowThreads / 32> group(partials);
  const auto row = static_cast<int32_t>(blockIdx.x);
  int32_t p = 0, i = row;
  if (work.batch > 1) {
    p = row / work.rows;
    i = row - p * work.rows;
  }
  const T *const x = start_of_row<T>(work.x, p, i);
  if constexpr (kMode == kRowWhole) {
    Bits<T, 16 / sizeof(T)> bits[V];
    load_whole_row(x, group, bits);
    norm_whole_row<T, kNorm, false>(work, group, bits, p, i, true);
  } else {
    norm_row<T, kNorm, V, kMode, false>(work, group, x, start_of_row<T>(work.residual, p, i), p, i, true);
  }
}

namespace {

constexpr char kName[] = "norm_block_row";
constexpr int kFew = 2, kMany = 4, kMost = 8;
constexpr int64_t kManyFrom = 256;  // vectors

struct Shape {
  int each, mode;  // vectors a thread
  unsigned threads;
};
Shape shape_of(const gpuopt_problem &problem) {
  // Whole ones: what else a row has where it does not begin at 16 bytes is an element a thread.
  const int64_t whole = problem.n / (is_f32(problem) ? 4 : 8), vectors = whole > 0 ? whole : 1;
  Shape shape = {};
  // Short rows have few vectors a thread, for more threads.
  for (int each : {vectors < kManyFrom ? kFew : vectors <= kBlockRowThreads * kMany ? kMany : kMost, kMany}) {
    shape.each = each;
    shape.threads = static_cast<unsigned>(ceil_div(ceil_div(vectors, each), 32) * 32);
    shape.mode = row_mode(problem, shape.threads, each);
    if (shape.mode == kRowWhole) break;  // others exist with kMany alone
  }
  return shape;
}

template <class F>
gpuopt_status with_kernel(const gpuopt_problem &problem, const Shape &shape, F &&f) {
  return with_row_instance(problem, shape.mode, [&](auto tag, auto norm, auto mode) {
    using T = typename decltype(tag)::type;
    constexpr int kNorm = decltype(norm)::value, kMode = decltype(mode)::value;
    if constexpr (kMode == kRowWhole) {
      if constexpr (sizeof(T) == 4) {
        if (shape.each == kMost) return f(tag, norm_block_row_kernel<T, kNorm, kMost, kMode>);
      }
      if (shape.each == kFew) return f(tag, norm_block_row_kernel<T, kNorm, kFew, kMode>);
    }
    return f(tag, norm_block_row_kernel<T, kNorm, kMany, kMode>);
  });
}

gpuopt_status prepare(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  return with_kernel(*problem, shape_of(*problem),
                     [&](auto, auto kernel) { return load_kernel(launch, kName, kernel); });
}

gpuopt_status launch(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  const Shape shape = shape_of(*problem);
  return with_kernel(*problem, shape, [&](auto tag, auto kernel) {
    return launch_kernel(launch, kName, static_cast<unsigned>(problem->m * problem->batch), shape.threads, 0, kernel,
                         make_row_work<typename decltype(tag)::type>(*problem));
  });
}

int can_run(const gpuopt_problem *problem, gpuopt_reject *reject) {
  const Shape shape = shape_of(*problem);
  const bool most = is_f32(*problem) && shape.mode == kRowWhole && shape.each == kMost;
  return row_can_run(problem, 0, int64_t{kBlockRowThreads} * (most ? kMost : kMany), reject);
}

double predict_us(const gpuopt_problem *problem) {
  const int64_t vectors = row_vectors(*problem);
  const bool wide_sums = problem->operand[GPUOPT_OPERAND_RESIDUAL].m.dtype != 0 && !is_f32(*problem) && vectors >= 1024;
  return row_us(*problem, vectors < 64 ? 0.3 : vectors < 128 ? 0.7 : wide_sums ? 0.74 : 0.86, 3.2);
}

#define GPUOPT_ENTRY_(T, norm, V, mode) \
  { kBlockRowThreads, 0, reinterpret_cast<const void *>(norm_block_row_kernel<T, norm, V, mode>) }
gpuopt_resource kResources[] = {GPUOPT_ROW_INSTANCES_OF(GPUOPT_ENTRY_, kFew, kRowWhole),
                                GPUOPT_ROW_INSTANCES(GPUOPT_ENTRY_, kMany),
                                GPUOPT_ROW_NORMS_(GPUOPT_ENTRY_, float, kMost, kRowWhole)};
#undef GPUOPT_ENTRY_

constexpr gpuopt_kernel make_kernel() {
  gpuopt_kernel k = row_kernel(kName, "rows of 1 to 64 KB in the registers of a block");
  k.can_run = can_run;
  set_functions(k, predict_us, prepare, launch, kResources);
  return k;
}
constexpr gpuopt_kernel kKernels[] = {make_kernel()};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
