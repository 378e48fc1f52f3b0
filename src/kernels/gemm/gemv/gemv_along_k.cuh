// Lines of the many that are contiguous along k: dot products.
//
// Idea and data movement. A team of 8 to 32 lanes takes four lines at a time, 16 bytes of each a lane, so that each element of
// the few that comes from shared memory meets four of them; the next 16 bytes are asked for before these are used. Short
// lines take short teams, long or few ones several warps or blocks. Sums of a team meet by shuffles, those of warps
// and blocks are added in order.
#pragma once

#include "gemm/gemv/gemv_few.cuh"

namespace gpuopt {

template <class T, class Acc, int kFew, bool kAligned>
class GemvAlongK {
 public:
  static constexpr int kVector = 16 / sizeof(T), kQuad = kVector < 4 ? kVector : 4, kChunk = kGemvChunk<Acc, kFew>;
  static constexpr int kVectors = kChunk / kVector;
  static constexpr int kSums = kGemvWarps * 4 * kGemvRows * kFew;  // of a block, at most

  static __device__ __forceinline__ void run(const Gemv<Acc> &g, Acc *few, Acc *sums) {
    const GemvPlace at(g);
    const int team = static_cast<int>(threadIdx.x) / g.lanes, lane = static_cast<int>(threadIdx.x) % g.lanes;
    const int teams = kGemvThreads / g.lanes, of_k = team % g.warps_of_k, group = team / g.warps_of_k;
    const int groups = teams / g.warps_of_k, stride = g.lanes * g.warps_of_k;
    const int64_t first = at.many * groups * kGemvRows, end = min(g.k, (at.slice + 1) * g.slice_k);
    const T *line[kGemvRows];
#pragma unroll
    for (int r = 0; r < kGemvRows; ++r) {
      // Beyond the last line the last is read once more: its sums are dropped.
      const int64_t i = min(first + group * kGemvRows + r, g.many_lines - 1);
      line[r] = static_cast<const T *>(g.many) + at.p * g.many_batch + i * g.many_line;
    }
    Acc acc[kGemvRows][kFew];
#pragma unroll
    for (int r = 0; r < kGemvRows; ++r) {
#pragma unroll
      for (int f = 0; f < kFew; ++f) acc[r][f] = 0;
    }
    const int offset = of_k * g.lanes + lane;  // a thread's first vector
#pragma unroll 1
    for (int64_t begin = at.slice * g.slice_k; begin < end; begin += kChunk) {
      const auto vectors = static_cast<int>(min(int64_t{kVectors}, (end - begin + kVector - 1) / kVector));
      Bits<T, kVector> now[kGemvRows];
      if (offset < vectors) load(line, begin + offset * kVector, end, now);
      if (begin != at.slice * g.slice_k) __syncthreads();  // the chunk before has been read
      gemv_stage_few<kFew>(g, at, begin, end, few,
                           [](int e) { return (e % kVector / kQuad * kVectors + e / kVector) * kQuad + e % kQuad; });
      __syncthreads();
#pragma unroll 1
      for (int v = offset; v < vectors; v += stride) {
        Bits<T, kVector> next[kGemvRows];
        const bool more = v + stride < vectors;
        if (more) load(line, begin + (v + stride) * kVector, end, next);
        multiply(now, few, v, acc);
        if (more) {
#pragma unroll
          for (int r = 0; r < kGemvRows; ++r) now[r] = next[r];
        }
      }
    }
#pragma unroll
    for (int r = 0; r < kGemvRows; ++r) {
#pragma unroll
      for (int f = 0; f < kFew; ++f) {
        Acc x = acc[r][f];
        for (int far = g.lanes / 2; far > 0; far /= 2) x = multiply_add(__shfl_xor_sync(~0u, x, far), Acc(1), x);
        if (lane == 0) sums[((of_k * groups + group) * kGemvRows + r) * kFew + f] = x;
      }
    }
    __syncthreads();
    const int count = groups * kGemvRows * kFew;
    gemv_join(
        g, at, first, at.few * kFew, count,
        [&](int o) {
          Acc x = sums[o];
          for (int warp = 1; warp < g.warps_of_k; ++warp) x = multiply_add(sums[warp * count + o], Acc(1), x);
          return x;
        },
        [](int o) { return o / kFew; }, [](int o) { return o % kFew; });
  }

 private:
  static __device__ __forceinline__ void load(const T *const (&line)[kGemvRows], int64_t k, int64_t end,
                                              Bits<T, kVector> (&bits)[kGemvRows]) {
    if (k + kVector > end) {
#pragma unroll
      for (int r = 0; r < kGemvRows; ++r) bits[r] = gemv_load_some<kVector>(line[r] + k, 1, end - k);
    } else {
#pragma unroll
      for (int r = 0; r < kGemvRows; ++r) bits[r] = gemv_load<kVector, kAligned>(line[r] + k);
    }
  }

  static __device__ __forceinline__ void multiply(const Bits<T, kVector> (&bits)[kGemvRows], const Acc *few, int v,
                                                  Acc (&acc)[kGemvRows][kFew]) {
    Acc x[kGemvRows][kVector];
#pragma unroll
    for (int r = 0; r < kGemvRows; ++r) widen_bits(bits[r], x[r]);
#pragma unroll
    for (int f = 0; f < kFew; ++f) {
#pragma unroll
      for (int q = 0; q < kVector / kQuad; ++q) {
        const Pack<Acc, kQuad> y =
            *reinterpret_cast<const Pack<Acc, kQuad> *>(few + f * kChunk + (q * kVectors + v) * kQuad);
#pragma unroll
        for (int e = 0; e < kQuad; ++e) {
#pragma unroll
          for (int r = 0; r < kGemvRows; ++r) acc[r][f] = multiply_add(x[r][q * kQuad + e], y.v[e], acc[r][f]);
        }
      }
    }
  }
};

// Blocks of an SM, where ptxas finds the registers: of the function that most calls take, and of those for many bytes at once.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
constexpr int kGemvMostBlocks = 2, kGemvByteBlocks = 1;
#else
constexpr int kGemvMostBlocks = 3, kGemvByteBlocks = 2;
#endif

template <class T, class Acc, int kFew, bool kAligned>
__global__ void __launch_bounds__(kGemvThreads, kFew == 1 && kAligned ? kGemvMostBlocks
                                                : sizeof(T) == 1      ? kGemvByteBlocks
                                                                      : 2)
    gemm_gemv_along_k_kernel(const __grid_constant__ Gemv<Acc> g) {
  using Body = GemvAlongK<T, Acc, kFew, kAligned>;
  __shared__ __align__(16) Acc few[Body::kChunk * kFew];
  __shared__ Acc sums[Body::kSums];
  wait_for_stream();
  Body::run(g, few, sums);
}

}  // namespace gpuopt
