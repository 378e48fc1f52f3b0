// A row in registers: what norm_warp_row, norm_block_row and norm_cluster_row share. They differ in who holds a row - some
// lanes of a warp, a block, a cluster of blocks - and so in how a sum over it is made.
//
// Idea and data movement: each thread loads V vectors of 16 bytes of its row (all loads first), adds the residual, and keeps
// the sums in fp32; one or two reductions later it multiplies, adds and stores. Memory is read once and written once. The
// mean comes first and the squares are those of the differences from it, so nothing cancels.
// Where a row does not begin at 16 bytes its vectors are cut at out's alignment, as in fused_act (runs.cuh): the head, the
// tail, and operands that are aligned otherwise move element by element.
#ifndef GPUOPT_KERNELS_NORM_ROW_CUH
#define GPUOPT_KERNELS_NORM_ROW_CUH

#include "common/bits.cuh"
#include "common/fast_math.cuh"
#include "common/index.cuh"
#include "common/launch.h"

namespace gpuopt {

template <class T>
struct RowWork {
  View x, residual, out, sum, gamma, beta, statistics;  // dtype 0: absent
  int32_t rows, cols, batch;
  float eps;
};

// The elements of a vector that exist: begin to end - 1 of K.
struct Part {
  int32_t begin, end;
};

template <bool kAligned, class T, int K>
__device__ __forceinline__ Bits<T, K> load_part(const T *from, const Part &part) {
  if (kAligned || (part.begin == 0 && part.end == K && reinterpret_cast<uintptr_t>(from) % 16 == 0))
    return load_bits<T, K>(from);
  Bits<T, K> bits = {};
#pragma unroll
  for (int e = 0; e < K; ++e) {
    if (e >= part.begin && e < part.end) set_element(bits, e, from[e]);
  }
  return bits;
}
template <bool kAligned, class T, int K>
__device__ __forceinline__ void store_part(T *to, const Part &part, const float (&x)[K]) {
  const Bits<T, K> bits = narrow_bits<T>(x);
  if (kAligned || (part.begin == 0 && part.end == K && reinterpret_cast<uintptr_t>(to) % 16 == 0)) {
    store_bits(to, bits);
  } else {
#pragma unroll
    for (int e = 0; e < K; ++e) {
      if (e >= part.begin && e < part.end) to[e] = element_of(bits, e);
    }
  }
}

// x, residual: the row itself, in memory or brought closer.
// group.rank(): the thread's place among group.size() that hold the row; group.sum(), group.greatest(): over them all.
template <class T, int kNorm, int V, bool kAligned, class Group>
__device__ __forceinline__ void norm_row(const RowWork<T> &work, Group &group, const T *x, const T *residual, int32_t p,
                                         int32_t i, bool exists) {
  constexpr int K = 16 / sizeof(T);
  constexpr bool kSoftmax = kNorm == GPUOPT_NORM_SOFTMAX || kNorm == GPUOPT_NORM_LOG_SOFTMAX;
  const int32_t n = exists ? work.cols : 0;
  const auto row_of = [&](const View &view) {
    return static_cast<T *>(view.data) + (p * view.batch_step + i * view.row_step);
  };
  T *const out = row_of(work.out);
  int32_t head = 0;
  if constexpr (!kAligned) head = static_cast<int32_t>(reinterpret_cast<uintptr_t>(out) % 16 / sizeof(T));
  const auto part_of = [&](int v, int32_t &first) {
    first = (v * group.size() + group.rank()) * K - head;
    if constexpr (kAligned) return Part{0, first < n ? K : 0};
    const int32_t end = n - first;
    return Part{first < 0 ? -first : 0, end < 0 ? 0 : end < K ? end : K};
  };
  const auto each = [&](auto &&f) {  // f(vector, its first element, what of it exists)
#pragma unroll
    for (int v = 0; v < V; ++v) {
      int32_t first;
      const Part part = part_of(v, first);
      if (part.begin < part.end) f(v, first, part);
    }
  };
  // f(e) of each element that exists: nearly all vectors are whole, and ask nothing of their elements.
  const auto each_element = [](const Part &part, auto &&f) {
    if (kAligned || part.end - part.begin == K) {
#pragma unroll
      for (int e = 0; e < K; ++e) f(e);
    } else {
#pragma unroll
      for (int e = 0; e < K; ++e) {
        if (e >= part.begin && e < part.end) f(e);
      }
    }
  };

  float h[V][K];
  {
    Bits<T, K> loaded[V];
    each([&](int v, int32_t first, const Part &part) { loaded[v] = load_part<kAligned, T, K>(x + first, part); });
    each([&](int v, int32_t, const Part &) { widen_bits(loaded[v], h[v]); });
  }
  if (work.residual.dtype != 0) {
    each([&](int v, int32_t first, const Part &part) {
      float r[K];
      widen_bits(load_part<kAligned, T, K>(residual + first, part), r);
#pragma unroll
      for (int e = 0; e < K; ++e) h[v][e] += r[e];
    });
  }

  float first_moment = 0, second_moment = 0;
  if constexpr (kSoftmax) {
    float greatest = -HUGE_VALF;
    each([&](int v, int32_t, const Part &part) {
      each_element(part, [&](int e) { greatest = h[v][e] > greatest || h[v][e] != h[v][e] ? h[v][e] : greatest; });
    });
    first_moment = group.greatest(greatest);
  } else if constexpr (kNorm == GPUOPT_NORM_LAYERNORM) {
    float sum = 0;
    each([&](int v, int32_t, const Part &part) { each_element(part, [&](int e) { sum += h[v][e]; }); });
    first_moment = group.sum(sum) / static_cast<float>(work.cols);
  }
  float sum = 0;
  each([&](int v, int32_t first, const Part &part) {
    // Before h is changed: the sum of x and the residual.
    if (work.sum.dtype != 0) store_part<kAligned, T, K>(row_of(work.sum) + first, part, h[v]);
    each_element(part, [&](int e) {
      if constexpr (kNorm != GPUOPT_NORM_RMSNORM) h[v][e] -= first_moment;
      float term = h[v][e] * h[v][e];
      if constexpr (kSoftmax) term = fast::exp(h[v][e]);
      if constexpr (kNorm == GPUOPT_NORM_SOFTMAX) h[v][e] = term;
      sum += term;
    });
  });
  second_moment = group.sum(sum);
  if constexpr (!kSoftmax) second_moment = rsqrtf(second_moment / static_cast<float>(work.cols) + work.eps);
  if (work.statistics.dtype != 0 && group.rank() == 0 && exists) {
    float *const statistics = static_cast<float *>(work.statistics.data);
    statistics[work.statistics.offset(p, i, 0)] = first_moment;
    statistics[work.statistics.offset(p, i, 1)] = second_moment;
  }

  const float factor = kNorm == GPUOPT_NORM_SOFTMAX ? 1.0f / second_moment : second_moment;
  const float shift = kNorm == GPUOPT_NORM_LOG_SOFTMAX ? logf(second_moment) : 0.0f;
  const T *const gamma = static_cast<const T *>(work.gamma.data) + p * work.gamma.batch_step;
  const T *const beta = static_cast<const T *>(work.beta.data) + p * work.beta.batch_step;
  each([&](int v, int32_t first, const Part &part) {
#pragma unroll
    for (int e = 0; e < K; ++e) h[v][e] = kNorm == GPUOPT_NORM_LOG_SOFTMAX ? h[v][e] - shift : h[v][e] * factor;
    if constexpr (!kSoftmax) {
      float weight[K];
      if (work.gamma.dtype != 0) {
        widen_bits(load_part<kAligned, T, K>(gamma + first, part), weight);
#pragma unroll
        for (int e = 0; e < K; ++e) h[v][e] *= weight[e];
      }
      if (work.beta.dtype != 0) {
        widen_bits(load_part<kAligned, T, K>(beta + first, part), weight);
#pragma unroll
        for (int e = 0; e < K; ++e) h[v][e] += weight[e];
      }
    }
    store_part<kAligned, T, K>(out + first, part, h[v]);
  });
}

template <class T>
__device__ __forceinline__ const T *start_of_row(const View &view, int32_t p, int32_t i) {
  return static_cast<const T *>(view.data) + (p * view.batch_step + i * view.row_step);
}

// Lanes of one warp, a power of two of them.
struct LaneGroup {
  int lanes;
  __device__ __forceinline__ int rank() const { return threadIdx.x & (lanes - 1); }
  __device__ __forceinline__ int size() const { return lanes; }
  __device__ __forceinline__ float sum(float value) const {
    for (int offset = lanes / 2; offset > 0; offset /= 2) value += __shfl_xor_sync(~0u, value, offset);
    return value;
  }
  __device__ __forceinline__ float greatest(float value) const {
    for (int offset = lanes / 2; offset > 0; offset /= 2) {
      const float other = __shfl_xor_sync(~0u, value, offset);
      value = other > value || other != other ? other : value;
    }
    return value;
  }
};

// A block of whole warps. Reductions take turns in two pieces of shared memory, so one barrier is enough for each.
struct BlockGroup {
  float (*partials)[32];  // two
  int used = 0;
  __device__ __forceinline__ explicit BlockGroup(float (*shared)[32]) : partials(shared) {}
  __device__ __forceinline__ int rank() const { return threadIdx.x; }
  __device__ __forceinline__ int size() const { return blockDim.x; }
  template <class Join>
  __device__ __forceinline__ float reduce(float value, float neutral, Join join) {
    for (int offset = 16; offset > 0; offset /= 2) value = join(value, __shfl_xor_sync(~0u, value, offset));
    float *const slots = partials[used++ % 2];  // the next but one is behind another barrier
    if (threadIdx.x % 32 == 0) slots[threadIdx.x / 32] = value;
    __syncthreads();
    value = threadIdx.x % 32 < blockDim.x / 32 ? slots[threadIdx.x % 32] : neutral;
    for (int offset = 16; offset > 0; offset /= 2) value = join(value, __shfl_xor_sync(~0u, value, offset));
    return value;
  }
  __device__ __forceinline__ float sum(float value) {
    return reduce(value, 0.0f, [](float a, float b) { return a + b; });
  }
  __device__ __forceinline__ float greatest(float value) {
    return reduce(value, -HUGE_VALF, [](float a, float b) { return b > a || b != b ? b : a; });
  }
};

}  // namespace gpuopt

#endif
