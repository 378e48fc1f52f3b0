// Lines of the many that lie across k, so that a row of memory has the same k of all: sums of columns.
//
// Idea and data movement. A thread has 16 bytes' worth of lines and four or eight steps of k at a time, each a 16-byte load; 8 or 32
// lanes are neighbours along a row, the other threads of the block at other steps. With 8, a block is 128 bytes wide, so
// a matrix of some thousand lines fills the chip with blocks that go from top to bottom and join nothing. The next
// loads are under way while these are used. Sums of the block's threads are added in order, those of blocks, too.
#pragma once

#include "gemm/gemv/gemv_few.cuh"

namespace gpuopt {

template <class T, class Acc, int kFew, bool kAligned>
class GemvAcrossK {
 public:
  static constexpr int kVector = 16 / sizeof(T), kChunk = kGemvChunk<Acc, kFew>;
  static constexpr int kDepth = kFew == 1 && kAligned ? kGemvDeep : kGemvDepth;
  static constexpr int kSums = kGemvWarps * 32 * kVector;  // of the warps of a block, of one line of the few
  static constexpr int kTotals = 32 * kVector * kFew;      // of a block

  static __device__ __forceinline__ void run(const Gemv<Acc> &g, Acc *few, Acc *sums, Acc *totals) {
    const GemvPlace at(g);
    const int lane = static_cast<int>(threadIdx.x) % g.lanes, phase = static_cast<int>(threadIdx.x) / g.lanes;
    const int width = g.lanes * kVector, stride = kGemvThreads / g.lanes * kDepth;
    const int64_t first = at.many * width, mine = first + lane * kVector, end = min(g.k, (at.slice + 1) * g.slice_k);
    const auto lines = static_cast<int>(max(min(g.many_lines - mine, int64_t{kVector}), int64_t{0}));
    const T *const column = static_cast<const T *>(g.many) + at.p * g.many_batch + mine * g.many_line;
    Acc acc[kVector][kFew];
#pragma unroll
    for (int v = 0; v < kVector; ++v) {
#pragma unroll
      for (int f = 0; f < kFew; ++f) acc[v][f] = 0;
    }
    const auto load = [&](int64_t k, Bits<T, kVector>(&bits)[kDepth]) {
      const T *const from = column + k * g.many_k;
      if (k + kDepth > end || lines < kVector) {
#pragma unroll
        for (int d = 0; d < kDepth; ++d)
          bits[d] = gemv_load_some<kVector>(from + d * g.many_k, 1, k + d < end ? lines : 0);
      } else {
#pragma unroll
        for (int d = 0; d < kDepth; ++d) bits[d] = gemv_load<kVector, kAligned>(from + d * g.many_k);
      }
    };
    const int offset = phase * kDepth;
#pragma unroll 1
    for (int64_t begin = at.slice * g.slice_k; begin < end; begin += kChunk) {
      const auto steps = static_cast<int>(min(int64_t{kChunk}, end - begin));
      Bits<T, kVector> now[kDepth];
      if (offset < steps) load(begin + offset, now);
      if (begin != at.slice * g.slice_k) __syncthreads();  // the chunk before has been read
      gemv_stage_few<kFew>(g, at, begin, end, few, [](int e) { return e; });
      __syncthreads();
#pragma unroll 1
      for (int s = offset; s < steps; s += stride) {
        Bits<T, kVector> next[kDepth];
        const bool more = s + stride < steps;
        if (more) load(begin + s + stride, next);
        multiply(now, few + s, acc);
        if (more) {
#pragma unroll
          for (int d = 0; d < kDepth; ++d) now[d] = next[d];
        }
      }
    }
    // Of one line of the few after another: lanes of a warp at other steps first, then warps in order.
    const int warp = static_cast<int>(threadIdx.x) / 32;
#pragma unroll
    for (int f = 0; f < kFew; ++f) {
#pragma unroll
      for (int v = 0; v < kVector; ++v) {
        Acc x = acc[v][f];
        for (int far = 16; far >= g.lanes; far /= 2) x = multiply_add(__shfl_xor_sync(~0u, x, far), Acc(1), x);
        if (static_cast<int>(threadIdx.x) % 32 < g.lanes) sums[warp * width + lane * kVector + v] = x;
      }
      __syncthreads();
      for (int o = static_cast<int>(threadIdx.x); o < width; o += kGemvThreads) {
        Acc x = sums[o];
        for (int w = 1; w < kGemvWarps; ++w) x = multiply_add(sums[w * width + o], Acc(1), x);
        totals[f * width + o] = x;
      }
      __syncthreads();
    }
    gemv_join(
        g, at, first, at.few * kFew, width * kFew, [&](int o) { return totals[o]; }, [&](int o) { return o % width; },
        [&](int o) { return o / width; });
  }

 private:
  static __device__ __forceinline__ void multiply(const Bits<T, kVector> (&bits)[kDepth], const Acc *few,
                                                  Acc (&acc)[kVector][kFew]) {
    constexpr int kQuad = sizeof(Acc) == 8 ? 2 : 4;
    Acc y[kFew][kDepth];
#pragma unroll
    for (int f = 0; f < kFew; ++f) {
#pragma unroll
      for (int q = 0; q < kDepth / kQuad; ++q) {
        const Pack<Acc, kQuad> pack = *reinterpret_cast<const Pack<Acc, kQuad> *>(few + f * kChunk + q * kQuad);
#pragma unroll
        for (int e = 0; e < kQuad; ++e) y[f][q * kQuad + e] = pack.v[e];
      }
    }
#pragma unroll
    for (int d = 0; d < kDepth; ++d) {
      Acc x[kVector];
      widen_bits(bits[d], x);
#pragma unroll
      for (int v = 0; v < kVector; ++v) {
#pragma unroll
        for (int f = 0; f < kFew; ++f) acc[v][f] = multiply_add(x[v], y[f][d], acc[v][f]);
      }
    }
  }
};

template <class T, class Acc, int kFew, bool kAligned>
__global__ void __launch_bounds__(kGemvThreads, 16 / sizeof(T) * kFew > 16 ? 1 : 2)
    gemm_gemv_across_k_kernel(const __grid_constant__ Gemv<Acc> g) {
  using Body = GemvAcrossK<T, Acc, kFew, kAligned>;
  constexpr int kFewElements = Body::kChunk * kFew;
  __shared__ __align__(16) Acc few[kFewElements];
  __shared__ Acc sums[Body::kSums], totals[Body::kTotals];
  wait_for_stream();
  Body::run(g, few, sums, totals);
}

}  // namespace gpuopt
