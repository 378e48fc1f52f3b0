// One element a thread, in the order of the source.
//
// Data movement: neighbouring threads read neighbouring source elements, so reads are coalesced; a transposed
// write lands ld elements from its neighbour's, so each warp store touches 32 cache sectors and uses only one
// element of each. That is what every other transpose kernel is there to avoid.
// Needs: nothing. Any extents, ld, alignment and batch; a copy between layouts (writes coalesced too); in
// place for square matrices, where the thread of an element above the diagonal swaps it with its mirror
// image.
// Recorded (H200, 2026-11-21, single call, cold): 1000 x 3 f32 3.71 us, 96 % of copy, in a graph 1.11 us; forced, 256^2
// f32 4.93 us, 77 %, in a graph 2.55 us.
// Measured once, not in a record (H200, 2026-11-21, single call, cold): f32 8192^2 1,053 us, 510 GB/s.
#include "common/dependent_launch.cuh"
#include "special_values.h"
#include "words.cuh"

namespace gpuopt {

constexpr int kNaiveThreads = 256;

template <int kBytes>
__global__ void __launch_bounds__(kNaiveThreads)
    transpose_naive_kernel(View src, View dst, int64_t total, Divider per_matrix, Divider per_row) {
  const int64_t element = int64_t{blockIdx.x} * kNaiveThreads + threadIdx.x;
  wait_for_stream();
  if (element >= total) return;
  int64_t in_matrix, j;
  const int64_t p = per_matrix.divide(element, in_matrix);
  const int64_t i = per_row.divide(in_matrix, j);
  static_cast<Word<kBytes> *>(dst.data)[dst.offset(p, i, j)] =
      static_cast<const Word<kBytes> *>(src.data)[src.offset(p, i, j)];
}

template <int kBytes>
__global__ void __launch_bounds__(kNaiveThreads)
    transpose_naive_in_place_kernel(View matrix, int64_t total, Divider per_matrix, Divider per_row) {
  const int64_t element = int64_t{blockIdx.x} * kNaiveThreads + threadIdx.x;
  wait_for_stream();
  if (element >= total) return;
  int64_t in_matrix, j;
  const int64_t p = per_matrix.divide(element, in_matrix);
  const int64_t i = per_row.divide(in_matrix, j);
  if (i >= j) return;
  Word<kBytes> *data = static_cast<Word<kBytes> *>(matrix.data);
  Word<kBytes> &above = data[matrix.offset(p, i, j)];
  Word<kBytes> &below = data[matrix.offset(p, j, i)];
  const Word<kBytes> saved = above;
  above = below;
  below = saved;
}

// special_values.h: the same walk, which writes only what has the least or the greatest exponent.
template <int kBytes>
__global__ void __launch_bounds__(kNaiveThreads)
    transpose_special_values_kernel(View src, View dst, int64_t total, Divider per_matrix, Divider per_row) {
  constexpr Word<kBytes> kExponent =
      kBytes == 4 ? static_cast<Word<kBytes>>(0x7f800000u) : static_cast<Word<kBytes>>(0x7ff0000000000000ull);
  const int64_t element = int64_t{blockIdx.x} * kNaiveThreads + threadIdx.x;
  if (element >= total) return;
  int64_t in_matrix, j;
  const int64_t p = per_matrix.divide(element, in_matrix);
  const int64_t i = per_row.divide(in_matrix, j);
  const Word<kBytes> value = static_cast<const Word<kBytes> *>(src.data)[src.offset(p, i, j)];
  if ((value & kExponent) == kExponent || (value & kExponent) == 0)
    static_cast<Word<kBytes> *>(dst.data)[dst.offset(p, j, i)] = value;
}

gpuopt_status load_special_values(const gpuopt_problem &problem, const gpuopt_launch *launch) {
  return dtype_bytes(problem.operand[GPUOPT_OPERAND_SRC].m.dtype) == 8
             ? load_kernel(launch, "transpose_special_values", transpose_special_values_kernel<8>)
             : load_kernel(launch, "transpose_special_values", transpose_special_values_kernel<4>);
}

gpuopt_status restore_special_values(const gpuopt_problem &problem, const gpuopt_launch *launch) {
  const int64_t per_matrix = problem.m * problem.n, total = problem.batch * per_matrix;
  const dim3 grid(static_cast<unsigned>(ceil_div(total, kNaiveThreads)));
  const Divider matrices(per_matrix, total), rows(problem.n, per_matrix);
  return launch_kernel(launch, "transpose_special_values", grid, dim3(kNaiveThreads), 0,
                       dtype_bytes(problem.operand[GPUOPT_OPERAND_SRC].m.dtype) == 8
                           ? transpose_special_values_kernel<8>
                           : transpose_special_values_kernel<4>,
                       matrix_view(problem.operand[GPUOPT_OPERAND_SRC]),
                       matrix_view(problem.operand[GPUOPT_OPERAND_DST]), total, matrices, rows);
}

namespace {

constexpr char kName[] = "transpose_naive";

gpuopt_status launch(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  const int64_t per_matrix = problem->m * problem->n;
  const int64_t total = problem->batch * per_matrix;
  if (total == 0) return GPUOPT_OK;
  const dim3 grid(static_cast<unsigned>(ceil_div(total, kNaiveThreads)));  // 2^39 elements fit in no device
  const Divider matrices(per_matrix, total), rows(problem->n, per_matrix);
  const View src = matrix_view(problem->operand[GPUOPT_OPERAND_SRC]);
  View dst = matrix_view(problem->operand[GPUOPT_OPERAND_DST]);
  if (!(problem->features & GPUOPT_FEATURE_COPY)) {  // from here on dst is indexed as the source is
    const int64_t row_step = dst.row_step;
    dst.row_step = dst.col_step;
    dst.col_step = row_step;
  }
  return with_bytes(*problem, [&](auto bytes) {
    constexpr int kBytes = decltype(bytes)::value;
    if (problem->features & GPUOPT_FEATURE_IN_PLACE)
      return launch_kernel(early_launch(*problem), launch, kName, grid, dim3(kNaiveThreads), 0,
                           transpose_naive_in_place_kernel<kBytes>, src, total, matrices, rows);
    return launch_kernel(early_launch(*problem), launch, kName, grid, dim3(kNaiveThreads), 0,
                         transpose_naive_kernel<kBytes>, src, dst, total, matrices, rows);
  });
}

gpuopt_status prepare(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  return with_bytes(*problem, [&](auto bytes) {
    constexpr int kBytes = decltype(bytes)::value;
    return problem->features & GPUOPT_FEATURE_IN_PLACE
               ? load_kernel(launch, kName, transpose_naive_in_place_kernel<kBytes>)
               : load_kernel(launch, kName, transpose_naive_kernel<kBytes>);
  });
}

// By log2 of the element size: a scattered write moves a 32-byte sector for one element; what keeps the loss
// below that is L2, which merges some of the writes.
constexpr double kScatteredFraction[] = {0.04, 0.08, 0.14, 0.26, 0.45};
constexpr double kCopyFraction[] = {0.20, 0.40, 0.70, 0.85, 0.88};

double predict_us(const gpuopt_problem *problem) {
  const bool copy = problem->features & GPUOPT_FEATURE_COPY;
  return transpose_us(*problem, 3.65, (copy ? kCopyFraction : kScatteredFraction)[word_log2(*problem)]);
}

#define GPUOPT_RESOURCES_(kBytes)                                                             \
  {kNaiveThreads, 0, reinterpret_cast<const void *>(transpose_naive_kernel<kBytes>)}, {       \
    kNaiveThreads, 0, reinterpret_cast<const void *>(transpose_naive_in_place_kernel<kBytes>) \
  }
gpuopt_resource kResources[] = {GPUOPT_BY_WORD(GPUOPT_RESOURCES_)};
#undef GPUOPT_RESOURCES_

constexpr gpuopt_kernel make_kernel() {
  gpuopt_kernel k = transpose_kernel(kName, "one element a thread: coalesced reads, scattered writes; any problem",
                                     kViewFeatures | GPUOPT_FEATURE_COPY | GPUOPT_FEATURE_IN_PLACE);
  set_functions(k, predict_us, prepare, launch, kResources);
  return k;
}

constexpr gpuopt_kernel kKernels[] = {make_kernel()};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
