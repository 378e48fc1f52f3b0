// A run: the N elements that one thread holds, at equal steps from (i, j) of matrix p, whatever the operand's
// layout and data type. Loads and stores look at the type once for the whole run and use vector accesses
// where the run is contiguous, complete and aligned. Plain loads, never the read-only path: an operand may be
// the output itself.
#pragma once

#include "common/index.cuh"
#include "common/with_dtype.cuh"

namespace gpuopt {

// Element e of the run is (i + e * step_i, j + e * step_j); only the first count of N exist.
struct Run {
  int64_t p, i, j;
  int32_t step_i, step_j;
  int32_t count;
};

// Elements that one access moves: at most 16 bytes of them, and one where N is no power of two.
template <class T, int N>
constexpr int kPackElements = (N & (N - 1)) != 0                     ? 1
                              : N < static_cast<int>(16 / sizeof(T)) ? N
                                                                     : static_cast<int>(16 / sizeof(T));

// Whether the run at this address can be moved in packs.
template <class T, int N>
__device__ __forceinline__ bool is_packed(const T *address, int64_t step, int32_t count) {
  if constexpr (kPackElements<T, N> == 1) return false;
  return step == 1 && count == N && reinterpret_cast<uintptr_t>(address) % (sizeof(T) * kPackElements<T, N>) == 0;
}

// Elements past run.count are 0.
template <class C, int N>
__device__ __forceinline__ void load_run(const View &view, const Run &run, C (&x)[N]) {
  const int64_t offset = view.offset(run.p, run.i, run.j);
  const int64_t step = run.step_i * view.row_step + run.step_j * view.col_step;
  with_dtype(view.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T *from = static_cast<const T *>(view.data) + offset;
    if (is_packed<T, N>(from, step, run.count)) {
      constexpr int kPack = kPackElements<T, N>;
#pragma unroll
      for (int e = 0; e < N; e += kPack) {
        const Pack<T, kPack> pack = *reinterpret_cast<const Pack<T, kPack> *>(from + e);
#pragma unroll
        for (int f = 0; f < kPack; ++f) x[e + f] = widen<C>(pack.v[f]);
      }
    } else {
#pragma unroll
      for (int e = 0; e < N; ++e) x[e] = e < run.count ? widen<C>(from[e * step]) : C(0);
    }
  });
}

template <class C, int N>
__device__ __forceinline__ void store_run(const View &view, const Run &run, const C (&x)[N]) {
  const int64_t offset = view.offset(run.p, run.i, run.j);
  const int64_t step = run.step_i * view.row_step + run.step_j * view.col_step;
  with_dtype(view.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    T *to = static_cast<T *>(view.data) + offset;
    if (is_packed<T, N>(to, step, run.count)) {
      constexpr int kPack = kPackElements<T, N>;
#pragma unroll
      for (int e = 0; e < N; e += kPack) {
        Pack<T, kPack> pack;
#pragma unroll
        for (int f = 0; f < kPack; ++f) pack.v[f] = narrow<T>(x[e + f]);
        *reinterpret_cast<Pack<T, kPack> *>(to + e) = pack;
      }
    } else {
#pragma unroll
      for (int e = 0; e < N; ++e) {
        if (e < run.count) to[e * step] = narrow<T>(x[e]);
      }
    }
  });
}

}  // namespace gpuopt
