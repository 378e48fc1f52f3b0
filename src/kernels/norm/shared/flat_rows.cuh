// Rows of any types that lie side by side, through shared memory in fp32.
//
// Idea and data movement: some whole rows, whose elements follow each other in memory, are one range: it comes by vectors of 16
// bytes wherever its rows begin, and lies in shared memory as fp32. Then as many threads as have four elements each share a row,
// hold its elements and put its results in their places; and the range of results leaves by vectors as it came. What is found at
// run time, types, is found once for a vector. Rows too long to be held are a range each, of all threads, who read them again in
// each pass.
#pragma once

#include "common/fast_math.cuh"
#include "norm/common/passes.cuh"
#include "norm/shared/flat_rows.h"

namespace gpuopt {

// A team shares a range: a warp, or a block.
template <int kTeam>
__device__ __forceinline__ int flat_thread() {
  const auto thread = static_cast<int>(threadIdx.x);
  return kTeam == 32 ? thread % 32 : thread;
}
template <int kTeam>
__device__ __forceinline__ void flat_sync() {
  kTeam == 32 ? __syncwarp() : __syncthreads();
}

// A range of elements, wherever it begins, and shared memory in which its vectors begin on 16 bytes.
template <class T>
struct FlatRange {
  static constexpr int kVector = 16 / sizeof(T);
  int lead, vectors;  // elements before the first whole vector; how many of these there are
  __device__ __forceinline__ FlatRange(const void *from, int elements) {
    const auto past = static_cast<int>(reinterpret_cast<uintptr_t>(from) % 16 / sizeof(T));
    lead = min(past == 0 ? 0 : kVector - past, elements);
    vectors = (elements - lead) / kVector;
  }
};

// All elements of x, or what is there and they, to row[0], row[1] ...; whole vectors where those are on 16 bytes there, too. Out of
// line, as is store_flat(): one for all kernels, which are a third of the time to compile for it.
template <bool kAdds>
__device__ __noinline__ void load_flat(const View &x, int64_t first, int count, float *row, int thread, int team) {
  with_small_float_dtype(x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T *const from = static_cast<const T *>(x.data) + first;
    const auto put = [&](int e, float v) { row[e] = kAdds ? row[e] + v : v; };
    const FlatRange<T> range(from, count);
    using Vector = Pack<T, FlatRange<T>::kVector>;
    const auto *const vectors = reinterpret_cast<const Vector *>(from + range.lead);
    const int tail = range.lead + range.vectors * FlatRange<T>::kVector;
#pragma unroll 1
    for (int v = thread; v < range.vectors; v += team) {
      const Vector vector = vectors[v];
      float *const to = row + range.lead + v * FlatRange<T>::kVector;
      if (!kAdds && reinterpret_cast<uintptr_t>(to) % 16 == 0) {
#pragma unroll
        for (int e = 0; e < FlatRange<T>::kVector; e += 4)
          *reinterpret_cast<float4 *>(to + e) = {widen<float>(vector.v[e]), widen<float>(vector.v[e + 1]),
                                                 widen<float>(vector.v[e + 2]), widen<float>(vector.v[e + 3])};
      } else {
#pragma unroll
        for (int e = 0; e < FlatRange<T>::kVector; ++e)
          put(range.lead + v * FlatRange<T>::kVector + e, widen<float>(vector.v[e]));
      }
    }
    if (thread < range.lead) put(thread, widen<float>(from[thread]));
    if (tail + thread < count) put(tail + thread, widen<float>(from[tail + thread]));
  });
}
__device__ __noinline__ void store_flat(const View &out, int64_t first, int count, const float *row, int thread,
                                        int team) {
  with_small_float_dtype(out.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    T *const to = static_cast<T *>(out.data) + first;
    const FlatRange<T> range(to, count);
    using Vector = Pack<T, FlatRange<T>::kVector>;
    auto *const vectors = reinterpret_cast<Vector *>(to + range.lead);
    const int tail = range.lead + range.vectors * FlatRange<T>::kVector;
#pragma unroll 1
    for (int v = thread; v < range.vectors; v += team) {
      const float *const from = row + range.lead + v * FlatRange<T>::kVector;
      Vector vector;
      if (reinterpret_cast<uintptr_t>(from) % 16 == 0) {
#pragma unroll
        for (int e = 0; e < FlatRange<T>::kVector; e += 4) {
          const float4 x = *reinterpret_cast<const float4 *>(from + e);
          vector.v[e] = narrow<T>(x.x);
          vector.v[e + 1] = narrow<T>(x.y);
          vector.v[e + 2] = narrow<T>(x.z);
          vector.v[e + 3] = narrow<T>(x.w);
        }
      } else {
#pragma unroll
        for (int e = 0; e < FlatRange<T>::kVector; ++e) vector.v[e] = narrow<T>(from[e]);
      }
      vectors[v] = vector;
    }
    if (thread < range.lead) to[thread] = narrow<T>(row[thread]);
    if (tail + thread < count) to[tail + thread] = narrow<T>(row[tail + thread]);
  });
}

// A thread's sum: of thousands of terms, or of a few.
template <bool kLong>
struct FlatSum : LongSum<float> {};
template <>
struct FlatSum<false> {
  float sum = 0;
  __device__ __forceinline__ void add(float x) { sum += x; }
};

// The threads of a row: 2^log of them, of one warp, or all of a team that is a block.
template <int kTeam>
struct FlatGroup {
  int log;
  float *shared;
  template <bool kGreatest>
  __device__ __forceinline__ float reduce(float value) const {
    const bool whole = kTeam > 32 && log > 5;
    return group_reduce<kGreatest, kTeam>(value, whole ? 16 : (1 << log) / 2, whole, shared);
  }
};

// A thread's own results times their weights, or with those added.
template <bool kTimes>
__device__ __forceinline__ void weigh_flat(const View &weights, int64_t p, int mine, int end, int threads, float *row) {
  with_small_float_dtype(weights.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T *const of = static_cast<const T *>(weights.data) + weights.offset(p, 0, 0);
#pragma unroll 4
    for (int j = mine; j < end; j += threads) {
      const float w = widen<float>(of[j * weights.row_step]);
      row[j] = kTimes ? row[j] * w : row[j] + w;
    }
  });
}

// Out of line, so that rows without stages have its registers.
__device__ __noinline__ float flat_chained(const Chain<float> &chain, int64_t p, int64_t i, int64_t j, float y) {
  float result[1] = {y};
  apply_chain(chain, Run{p, i, j, 0, 0, 1}, result);
  return result[0];
}

// kHeld: elements of a thread, which it holds; 0: it reads them again.
template <int kHeld, int kTeam>
__global__ void __launch_bounds__(flat_threads(kTeam), kTeam == 32  ? 4
                                                       : kHeld == 0 ? 1
                                                       : kHeld > 8  ? 2
                                                                    : 3)
    norm_flat_rows_kernel(const __grid_constant__ FlatRows work) {
  extern __shared__ __align__(16) unsigned char memory[];
  __shared__ float sums[kTeam / 32];
  constexpr int kTeams = flat_threads(kTeam) / kTeam;
  const int thread = flat_thread<kTeam>();
  const int team = kTeams > 1 ? static_cast<int>(threadIdx.x) / kTeam : 0;
  const int64_t first_row = (int64_t{blockIdx.x} * kTeams + team) * work.at_once;
  if (kTeams > 1 && first_row >= work.all_rows) return;
  const int rows = static_cast<int>(min(int64_t{work.at_once}, work.all_rows - first_row));
  const auto n = static_cast<int>(work.cols);
  const int64_t p = first_row / work.rows, i = first_row - p * work.rows;
  const auto begin = [&](const View &x) { return x.offset(p, i, 0); };  // rows of a range follow each other
  const int64_t from = begin(work.x);
  // Shared memory begins so that x's vectors are whole there.
  const auto past = static_cast<int>((reinterpret_cast<uintptr_t>(work.x.data) / work.x_bytes + from) & 3);
  float *const row = reinterpret_cast<float *>(memory) + team * work.team_floats + past;
  load_flat<false>(work.x, from, rows * n, row, thread, kTeam);
  if (work.residual.dtype != 0) {
    flat_sync<kTeam>();
    load_flat<true>(work.residual, begin(work.residual), rows * n, row, thread, kTeam);
  }
  flat_sync<kTeam>();
  if (work.sum.dtype != 0) {
    store_flat(work.sum, begin(work.sum), rows * n, row, thread, kTeam);
    flat_sync<kTeam>();
  }

  const bool softmax = work.norm == GPUOPT_NORM_SOFTMAX || work.norm == GPUOPT_NORM_LOG_SOFTMAX;
  const FlatGroup<kTeam> group = {work.log_group, sums};
  const int threads = 1 << work.log_group, groups = kTeam >> work.log_group;
  const int mine = thread & (threads - 1);
#pragma unroll 1
  for (int base = 0; base < rows; base += groups) {
    const int number = base + (thread >> work.log_group);
    const bool exists = number < rows;
    float *const of_row = row + number * n;
    const int end = exists ? n : 0;
    float held[kHeld == 0 ? 1 : kHeld];
    // f(column, element) of all of a thread's.
    const auto each = [&](auto &&f) {
      if constexpr (kHeld != 0) {
#pragma unroll
        for (int e = 0; e < kHeld; ++e)
          if (mine + e * threads < end) f(mine + e * threads, held[e]);
      } else {
        for (int j = mine; j < end; j += threads) {
          float h = of_row[j];
          f(j, h);
        }
      }
    };
    if constexpr (kHeld != 0) each([&](int j, float &h) { h = of_row[j]; });
    SplitMean<float> centre = {};  // the mean, 0 or the greatest
    if (softmax) {
      float greatest = -HUGE_VALF;
      each([&](int, float h) { greatest = h > greatest || h != h ? h : greatest; });
      centre.high = group.template reduce<true>(greatest);
    } else if (work.norm == GPUOPT_NORM_LAYERNORM) {
      const float origin = exists ? middle_of(of_row[0], of_row[n / 2], of_row[n - 1]) : 0.0f;
      FlatSum<kHeld == 0> distance;
      each([&](int, float h) { distance.add(h - origin); });
      centre = split_mean(origin, group.template reduce<false>(distance.sum) / static_cast<float>(n));
    }
    // What a thread holds is the difference then, of a softmax its exponential.
    const bool log_softmax = work.norm == GPUOPT_NORM_LOG_SOFTMAX;
    const auto difference = [&](float h) { return (h - centre.high) - centre.low; };
    FlatSum<kHeld == 0> terms;
    if (softmax) {
      each([&](int, float &h) {
        const float d = difference(h), x = fast::exp(d);
        terms.add(x);
        h = log_softmax ? d : x;
      });
    } else {
      each([&](int, float &h) {
        h = difference(h);
        terms.add(h * h);
      });
    }
    float second = group.template reduce<false>(terms.sum);
    if (!softmax) second = 1.0f / std::sqrt(second / static_cast<float>(n) + work.eps);
    const int64_t at = first_row + number;
    const int64_t at_p = work.rows == work.all_rows ? 0 : at / work.rows, at_i = at - at_p * work.rows;
    if (work.statistics.dtype != 0 && exists) {
      for (int s = mine; s < 2; s += threads)
        store_element(work.statistics.data, work.statistics.offset(at_p, at_i, s), work.statistics.dtype,
                      s == 0 ? centre.high : second);
    }
    const float factor = work.norm == GPUOPT_NORM_SOFTMAX ? 1.0f / second : log_softmax ? 1.0f : second;
    const float shift = log_softmax ? std::log(second) : 0.0f;
    __syncwarp();  // all have read the elements that a mean begins with
    each([&](int j, float h) {
      if constexpr (kHeld == 0) {
        h = difference(h);
        if (softmax && !log_softmax) h = fast::exp(h);
      }
      of_row[j] = h * factor - shift;
    });
    if (work.gamma.dtype != 0) weigh_flat<true>(work.gamma, at_p, mine, end, threads, of_row);
    if (work.beta.dtype != 0) weigh_flat<false>(work.beta, at_p, mine, end, threads, of_row);
    if (work.chain.count != 0) {
#pragma unroll 1
      for (int j = mine; j < end; j += threads) of_row[j] = flat_chained(work.chain, at_p, at_i, j, of_row[j]);
    }
  }
  flat_sync<kTeam>();
  store_flat(work.out, begin(work.out), rows * n, row, thread, kTeam);
}

}  // namespace gpuopt
