// A run's elements of an operand of any form: a matrix, a vector along a row or along the rows, of any stride.
#pragma once

#include "fused_act/common/runs.cuh"

namespace gpuopt {

// Whether a run's elements of an operand are neighbours in memory that it can read by aligned accesses alone; then
// load_near reads them. Those that are not are the first and last runs of a line, runs that cross into the next row
// (vector operands only), and vectors of a stride. Accesses that are shifted stay within the line.
struct Near {
  int64_t offset;  // of the run's element 0
  bool near;
};
template <int K, int kElementBytes>
__device__ __forceinline__ Near find_near(const View &view, const Runs &runs, const Spot &spot) {
  constexpr int kBytes = K * kElementBytes < 16 ? K * kElementBytes : 16, kBeyond = kBytes / kElementBytes;
  const bool one_line = runs.flat && view.row_step != 0 && view.col_step != 0;  // rows follow each other
  Near found = {spot.e, false};
  int32_t at = spot.e, line = runs.length;
  if (!one_line) {
    found.offset = spot.p * view.batch_step + spot.i * view.row_step + static_cast<int64_t>(spot.j) * view.col_step;
    at = spot.j;
    line = runs.cols;
  }
  const auto start = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(view.data)) +
                     static_cast<uint32_t>(found.offset) * static_cast<uint32_t>(kElementBytes);
  const auto past = static_cast<int32_t>((start & (kBytes - 1)) / kElementBytes);
  found.near =
      view.col_step == 1 && is_whole<K>(spot) && at >= past && line - at >= K + (past == 0 ? 0 : kBeyond - past);
  return found;
}
// Matrices are shifted out of whole accesses; vectors, which lie in the first-level cache, are cheaper in small ones.
template <class T, int K>
__device__ __forceinline__ Bits<T, K> load_near(const T *from, bool is_matrix) {
  if (is_aligned<T, K>(from)) return load_bits<T, K>(from);
  if (is_matrix) return load_unaligned<T, K>(from);
  Bits<T, K> bits = {};
#pragma unroll
  for (int e = 0; e < K; ++e) set_element(bits, e, from[e]);
  return bits;
}

// The run's elements of an operand of any form, 0 (or any) where it has none.
template <int K, class T>
__device__ __forceinline__ Bits<T, K> load_run_bits(const View &view, const Runs &runs, const Spot &spot) {
  const Near found = find_near<K, sizeof(T)>(view, runs, spot);
  const T *here = static_cast<const T *>(view.data) + found.offset;
  if (found.near) return load_near<T, K>(here, view.row_step != 0);
  Bits<T, K> bits = {};
  if (runs.flat && runs.cols < K) {  // a run may be several rows
    int32_t j = spot.j, i = spot.i;
#pragma unroll
    for (int e = 0; e < K; ++e) {
      if (e >= spot.begin && e < spot.end) set_element(bits, e, *here);
      here += view.col_step;
      if (++j == runs.cols) {
        j = 0;
        here += view.row_step - runs.cols * view.col_step;
        if (++i == runs.rows) {
          i = 0;
          here += view.batch_step - runs.rows * view.row_step;
        }
      }
    }
    return bits;
  }
  // The run's own row, and the next from element `left` on.
  const int32_t left = runs.flat ? runs.cols - spot.j : K;
  const T *there = here;
  if (left < K) {
    const bool last = spot.i + 1 == runs.rows;
    there = static_cast<const T *>(view.data) +
            (view.offset(spot.p + (last ? 1 : 0), last ? 0 : spot.i + 1, 0) - left * view.col_step);
  }
  if (view.col_step == 0) {
    const T v = *here, w = spot.end > left ? *there : v;
#pragma unroll
    for (int e = 0; e < K; ++e) set_element(bits, e, e < left ? v : w);
    return bits;
  }
#pragma unroll
  for (int e = 0; e < K; ++e) {
    const T *from = e < left ? here : there;
    if (e >= spot.begin && e < spot.end) set_element(bits, e, from[e * view.col_step]);
  }
  return bits;
}

}  // namespace gpuopt
