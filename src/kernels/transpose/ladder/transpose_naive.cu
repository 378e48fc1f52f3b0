// One element a thread, in the order of the source.
//
// Data movement: neighbouring threads read neighbouring source elements, so reads are coalesced; a transposed
// write lands ld elements from its neighbour's, so each warp store touches 32 cache sectors and uses only one
// element of each. That is what every other transpose kernel is there to avoid.
// Needs: nothing. Any extents, ld, alignment and batch; a copy between layouts (writes coalesced too); in
// place for square matrices, where the thread of an element above the diagonal swaps it with its mirror
// image.
#include "common/dependent_launch.cuh"
#include "common/divider.cuh"
#include "transpose/common/traffic.h"
#include "transpose/ladder/figures.h"

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

// Pieces of `unit` bytes that the stores of a warp of consecutive elements touch where rows of the result are ld bytes
// apart: a run of each of its rows, which neighbouring rows share where they are short.
double pieces_of_warp(double n, double bytes, double ld, double unit) {
  const double rows = n < 32 ? n : 32, run = 32 / rows * bytes;
  const double apart = rows * (1 + (run - bytes) / unit), together = 1 + ((rows - 1) * ld + run - bytes) / unit;
  return apart < together ? apart : together;
}

// A warp's scattered stores take a turn for each sector and each line that they touch. Lines stay in L2 until all their
// elements have come, a row of the source after the other; those that it has no room for go to memory and back for
// every element. Below that is the time to issue the instructions.
double predict_us(const gpuopt_problem *problem) {
  const TransposeLadderFigures &f = transpose_ladder_figures;
  const double bytes = word_bytes(*problem), n = static_cast<double>(problem->n);
  const double elements = static_cast<double>(problem->batch) * static_cast<double>(problem->m) * n;
  if (elements == 0) return f.launch_us;
  const double ld = static_cast<double>(problem->operand[GPUOPT_OPERAND_DST].m.ld) * bytes;
  const bool copy = problem->features & GPUOPT_FEATURE_COPY, in_place = problem->features & GPUOPT_FEATURE_IN_PLACE;
  const Traffic traffic = traffic_of(*problem);
  const double sectors =
      copy ? traffic.written / kSectorBytes : elements / 32 * pieces_of_warp(n, bytes, ld, kSectorBytes);
  const double lines = copy ? traffic.written / kLineBytes : elements / 32 * pieces_of_warp(n, bytes, ld, kLineBytes);
  double stores_us = (sectors / f.sectors_per_ns + lines / f.lines_per_ns) / 1e3, evicted = 0;
  if (in_place) {
    stores_us *= f.in_place_factor * n / (n + f.in_place_extent) * (1 + f.in_place_bytes / bytes);
  } else if (!copy) {
    stores_us *= 1 + bytes / f.sector_bytes;
    const double line = ld < kLineBytes ? ld : kLineBytes;
    const double open = n * line / (f.l2_share * static_cast<double>(problem->device->l2_bytes));
    const double lost = 1 - 1 / (1 + std::pow(open, f.l2_power));
    evicted = 2 * elements * line * lost * f.evicted_factor;
  }
  const double memory = memory_us(*problem, evicted + f.partial_factor * traffic.partial, 1);
  return f.launch_us + overlapped_us(stores_us + memory, elements / (f.elements_per_ns * 1e3), f.overlap);
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
