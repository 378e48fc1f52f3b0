// The few lines of a product by vector, in shared memory, as the type that sums are kept in, whatever they are and however they lie:
// by asynchronous copies where that is their own type, else by loads of two lines at once.
#pragma once

#include <cuda_pipeline_primitives.h>

#include "common/bits.cuh"
#include "gemm/gemv/gemv_operands.cuh"

namespace gpuopt {

// The small operand's type: the other's, or of fp8 either.
template <class T, class F>
__device__ __forceinline__ void with_few_dtype(int32_t dtype, F &&f) {
  if constexpr (sizeof(T) == 1 && !std::is_same_v<T, int8_t>) {
    if (dtype == GPUOPT_E4M3)
      f(Type<__nv_fp8_e4m3>{});
    else
      f(Type<__nv_fp8_e5m2>{});
  } else {
    f(Type<T>{});
  }
}

// Where quad q of vector v of a chunk of the few begins. Along k neighbours read vectors, so quads of the same place in theirs
// are neighbours.
template <class T, class Acc, bool kAlong>
__device__ __forceinline__ int gemv_few_place(int chunk, int v, int q) {
  constexpr int kVector = 16 / sizeof(T), kQuad = 16 / sizeof(Acc);
  return (kAlong ? q * (chunk / kVector) + v : v * (kVector / kQuad) + q) * kQuad;
}

// A chunk of kFew lines from k on, of which `there` elements exist, zeros behind; `vectors` of 16 bytes of the other operand meet it.
template <class T, int kFew, bool kAlong, class Acc>
__device__ __forceinline__ void gemv_stage_few(const Gemv<Acc> &g, int64_t p, int first_few, int64_t k, int there,
                                               int vectors, Acc *shared) {
  constexpr int kVector = 16 / sizeof(T), kQuad = 16 / sizeof(Acc);
  using Quad = Pack<Acc, kQuad>;
  with_few_dtype<T>(g.few_dtype, [&](auto tag) {
    using Few = typename decltype(tag)::type;
    const Few *const first = static_cast<const Few *>(g.few) + p * g.few_batch + first_few * g.few_line + k * g.few_k;
    const auto bits = reinterpret_cast<uintptr_t>(first) | static_cast<uintptr_t>(g.few_line * sizeof(Few));
    const bool whole = g.few_k == 1 && (bits & 15) == 0;
    const int thread = static_cast<int>(threadIdx.x), threads = static_cast<int>(blockDim.x);
    if constexpr (sizeof(T) == sizeof(Acc)) {
#pragma unroll 1
      for (int f = 0; f < kFew; ++f) {
        const int count = first_few + f < g.few_lines ? there : 0;
        const Few *const from = first + (count > 0 ? f : 0) * g.few_line;
        Acc *const to = shared + f * g.chunk;
        const auto copy = [&](int e, auto elements) {
          constexpr int kCount = decltype(elements)::value;
          const int missing = min(max(e + kCount - count, 0), kCount);
          __pipeline_memcpy_async(to + e, from + (missing < kCount ? e * g.few_k : 0), kCount * sizeof(T),
                                  missing * sizeof(T));
        };
        if (whole) {
#pragma unroll 1
          for (int v = thread; v < vectors; v += threads) copy(v * kVector, std::integral_constant<int, kVector>{});
        } else {
#pragma unroll 1
          for (int e = thread; e < vectors * kVector; e += threads) copy(e, std::integral_constant<int, 1>{});
        }
      }
      __pipeline_commit();
      __pipeline_wait_prior(0);
    } else {
      constexpr int kPair = kFew < 2 ? kFew : 2;
      for (int v = thread; v < vectors; v += threads) {
#pragma unroll 1
        for (int f = 0; f < kFew; f += kPair) {
          Bits<Few, kVector> raw[kPair];
#pragma unroll
          for (int i = 0; i < kPair; ++i) {
            const int count = first_few + f + i < g.few_lines ? there - v * kVector : 0;
            const Few *const from = first + (f + i) * g.few_line + v * kVector * g.few_k;
            raw[i] = {};
            if (whole && count >= kVector) {
              raw[i] = load_bits<Few, kVector>(from);
            } else {
#pragma unroll
              for (int e = 0; e < kVector; ++e) {
                if (e < count) set_element(raw[i], e, from[e * g.few_k]);
              }
            }
          }
#pragma unroll
          for (int i = 0; i < kPair; ++i) {
            Acc y[kVector];
            widen_bits(raw[i], y);
#pragma unroll
            for (int q = 0; q < kVector / kQuad; ++q) {
              Quad quad;
#pragma unroll
              for (int e = 0; e < kQuad; ++e) quad.v[e] = y[q * kQuad + e];
              const int at = (f + i) * g.chunk + gemv_few_place<T, Acc, kAlong>(g.chunk, v, q);
              *reinterpret_cast<Quad *>(shared + at) = quad;
            }
          }
        }
      }
    }
  });
}

}  // namespace gpuopt
