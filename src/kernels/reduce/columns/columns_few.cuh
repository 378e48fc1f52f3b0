// Columns of few rows, totals of the commonest kind: such a call is a launch, one trip to memory and little else, so its code and
// parameters are few, too, and nothing is asked but what each thread needs.
//
// A lane has a piece of 16 bytes, or, where rows, columns or results do not lie so, one column. One row is written as it comes; of
// several a warp has each, and they meet in shared memory; where that would take more blocks than run at once, a thread has all rows
// of its columns, every one under way at once. All add rows in their order.
#pragma once

#include "common/dependent_launch.cuh"
#include "reduce/columns/column_lanes.cuh"
#include "reduce/columns/columns.h"
#include "reduce/common/dispatch.cuh"

namespace gpuopt {

// Totals of N columns side by side to D, of x's type or fp32.
template <class T, int N>
__device__ __forceinline__ void write_columns(const PlainTotals &out, int64_t column, const float (&totals)[N]) {
  const auto store = [&](auto tag) {
    using Out = typename decltype(tag)::type;
    constexpr int kMost = 16 / static_cast<int>(sizeof(Out)), kAtOnce = N < kMost ? N : kMost;
#pragma unroll
    for (int first = 0; first < N; first += kAtOnce) {
      Pack<Out, kAtOnce> pack;
#pragma unroll
      for (int e = 0; e < kAtOnce; ++e) pack.v[e] = narrow<Out>(totals[first + e]);
      *reinterpret_cast<Pack<Out, kAtOnce> *>(static_cast<Out *>(out.data) + column + first) = pack;
    }
  };
  if constexpr (kIsShortFloat<T>) {
    if (out.as_x) return store(Type<T>());
  }
  store(Type<float>());
}
__device__ __forceinline__ float value_of(const Sum<float> &, float total) { return total; }
__device__ __forceinline__ float value_of(const Extreme<float> &op, uint32_t key) {
  return from_key<float>(key, op.state.most);
}

template <class T, bool kPieces>
constexpr int kFewColumns = kPieces ? 16 / static_cast<int>(sizeof(T)) : 1;

// kRows: 1, or kFewRows.
template <int kDtype, int kOp, bool kPieces, int kRows>
__global__ void __launch_bounds__(kFewRowThreads) reduce_few_rows(const __grid_constant__ FewRows walk) {
  using Op = OpOfChoice<kOp, kDtype>;
  using T = typename TypesOf<kDtype>::Stored;
  constexpr int N = kFewColumns<T, kPieces>;
  using Piece = Pack<T, N>;
  const Op op{{kValue, walk.most}};
  const int64_t column = (int64_t{blockIdx.x} * blockDim.x + threadIdx.x) * N;
  wait_for_stream();
  if (column >= walk.cols) return;
  const T *x = static_cast<const T *>(walk.x) + column;
  Piece of_row[kRows];
#pragma unroll
  for (int row = 0; row < kRows; ++row) {
    if (row == 0 || row < walk.rows) of_row[row] = *reinterpret_cast<const Piece *>(x + row * walk.ld);
  }
  ColumnLanes<Op, T, N> columns;
#pragma unroll
  for (int row = 0; row < kRows; ++row) {
    if (row == 0 || row < walk.rows) columns.absorb(op, of_row[row], of_row[row], row);
  }
  float totals[N];
#pragma unroll
  for (int e = 0; e < N; ++e) totals[e] = value_of(op, columns.partial(op, e, 0, 1));
  write_columns<T>(walk.out, column, totals);
}

template <int kDtype, int kOp, bool kPieces>
__global__ void __launch_bounds__(kFewRows *kWarp) reduce_rows_by_warps(const __grid_constant__ FewRows walk) {
  using Op = OpOfChoice<kOp, kDtype>;
  using T = typename TypesOf<kDtype>::Stored;
  constexpr int N = kFewColumns<T, kPieces>, kColumns = kWarp * N;
  using Piece = Pack<T, N>;
  __shared__ typename Op::Partial partials[kFewRows][kColumns];
  const Op op{{kValue, walk.most}};
  const int warp = static_cast<int>(threadIdx.x) / kWarp, lane = static_cast<int>(threadIdx.x) % kWarp;
  const int64_t first = int64_t{blockIdx.x} * kColumns, column = first + lane * N;
  wait_for_stream();
  if (column < walk.cols) {
    const Piece piece = *reinterpret_cast<const Piece *>(static_cast<const T *>(walk.x) + warp * walk.ld + column);
    ColumnLanes<Op, T, N> columns;
    columns.absorb(op, piece, piece, 0);
#pragma unroll
    for (int e = 0; e < N; ++e) partials[warp][lane * N + e] = columns.partial(op, e, 0, 1);
  }
  __syncthreads();
  for (int at = static_cast<int>(threadIdx.x); at < kColumns; at += static_cast<int>(blockDim.x)) {
    if (first + at >= walk.cols) return;
    typename Op::Partial total = partials[0][at];
#pragma unroll 5
    for (int row = 1; row < walk.rows; ++row) total = Op::combine(total, partials[row][at]);
    const float totals[1] = {value_of(op, total)};
    write_columns<T>(walk.out, first + at, totals);
  }
}

}  // namespace gpuopt
