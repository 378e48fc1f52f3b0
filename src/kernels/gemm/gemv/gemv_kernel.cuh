// Products of few rows or columns on CUDA cores: the large operand is read once, at the speed of memory.
//
// Idea and data movement. A thread has four loads of 16 bytes under way, or eight, and a multiprocessor 64 KB of them in all.
// Where the many are contiguous along k, the four are of four lines, so that each element of the few that comes from shared
// memory meets four of them; where they lie across k, four rows of memory of the same lines. A chunk of the few is in shared
// memory as the type that sums are kept in, whatever they are and however they lie; the large operand's next loads are asked for
// before it is brought. Sums meet by shuffles, then through shared memory, then from block to block, always in the same order.
// Lines that do not begin on 16 bytes are read by the aligned pieces that they lie in and shifted into place.
#pragma once

#include <cuda_pipeline_primitives.h>

#include "common/dependent_launch.cuh"
#include "common/unaligned.cuh"
#include "gemm/common/accumulator.cuh"
#include "gemm/gemv/gemv_plan.h"

namespace gpuopt {

template <class Acc>
struct Gemv {
  using Scalar = EpilogueType<Acc>;
  // Operands by their lines along k: steps of elements from line to line, and along one.
  const void *many, *few;
  int64_t many_line, many_k, many_batch, few_line, few_k, few_batch;
  int64_t many_lines, few_lines, k, slice_k;
  int64_t many_tiles, few_tiles;
  int32_t few_dtype, phases, groups, slices, chunk;
  uint32_t prefetching;  // the first so many blocks, which may be up before they may read
  bool aligned;          // all 16-byte pieces of the many
  bool raw;              // results are plain sums
  // Results, by lines.
  void *d;
  const void *c;
  int64_t d_many, d_few, d_batch, c_many, c_few, c_batch;
  int32_t d_dtype;
  Scalar alpha, beta;
  const Scalar *alpha_ptr, *beta_ptr;
  // Of tiles that several blocks share.
  Acc *parts;
  uint32_t *tickets;
};

template <class Acc>
__device__ __forceinline__ void gemv_put(const Gemv<Acc> &g, int64_t p, int64_t many, int64_t few, Acc sum) {
  using Scalar = EpilogueType<Acc>;
  const int64_t at = p * g.d_batch + many * g.d_many + few * g.d_few;
  if (g.raw) {
    static_cast<Acc *>(g.d)[at] = sum;
    return;
  }
  Scalar x = (g.alpha_ptr != nullptr ? *g.alpha_ptr : g.alpha) * static_cast<Scalar>(sum);
  if (g.c != nullptr) {
    const Scalar beta = g.beta_ptr != nullptr ? *g.beta_ptr : g.beta;
    if (beta != Scalar(0))
      x += beta * load_element<Scalar>(g.c, p * g.c_batch + many * g.c_many + few * g.c_few, g.d_dtype);
  }
  store_element<Scalar>(g.d, at, g.d_dtype, x);
}

// The small operand's type: the other's, or of fp8 either.
template <class T, class F>
__device__ __forceinline__ void with_few_dtype(int32_t dtype, F &&f) {
  if constexpr (sizeof(T) == 1 && !cuda::std::is_same_v<T, int8_t>) {
    if (dtype == GPUOPT_E4M3)
      f(Type<__nv_fp8_e4m3>{});
    else
      f(Type<__nv_fp8_e5m2>{});
  } else {
    f(Type<T>{});
  }
}

template <class T, class Acc, int kFew, bool kAlong>
class GemvBlock {
  static constexpr int kVector = 16 / sizeof(T);
  static constexpr int kLines = gemv_lines(kAlong, sizeof(T)), kDepth = gemv_depth(kAlong, sizeof(T));
  static constexpr int kQuad = sizeof(Acc) == 8 ? 2 : 4;  // of the few, 16 bytes
  static constexpr int kFewAtOnce = kFew < 4 ? kFew : 4;  // across k
  using Pieces = Bits<T, kVector>[kGemvPieces];
  using Quad = Pack<Acc, kQuad>;

  const Gemv<Acc> &g;
  Acc *const shared;  // chunks of the few, then sums
  const int thread = static_cast<int>(threadIdx.x);
  const int phase = kAlong ? thread % g.phases : thread / g.groups;
  const int group = kAlong ? thread / g.phases : thread % g.groups;
  const int stride = g.phases * kDepth;  // of k, from a thread's step to its next
  uint32_t p, tile;
  int32_t slice, first_few;
  int64_t first_many, begin, end;
  const T *next;  // this thread's next load
  int64_t left;   // of k, there
  int lines;      // of this thread that there are
  Acc acc[kLines][kFew] = {};

 public:
  // Few lines that read the same many are neighbours, then parts of k.
  __device__ __forceinline__ GemvBlock(const Gemv<Acc> &gemv, Acc *memory) : g(gemv), shared(memory) {
    uint32_t rest = blockIdx.x;
    const auto few_tiles = static_cast<uint32_t>(g.few_tiles), slices = static_cast<uint32_t>(g.slices);
    const auto many_tiles = static_cast<uint32_t>(g.many_tiles);
    const uint32_t few_tile = rest % few_tiles;
    rest /= few_tiles;
    slice = static_cast<int32_t>(rest % slices);
    rest /= slices;
    const uint32_t many_tile = rest % many_tiles;
    p = rest / many_tiles;
    tile = (p * many_tiles + many_tile) * few_tiles + few_tile;
    first_few = static_cast<int32_t>(few_tile) * kFew;
    first_many = int64_t{many_tile} * g.groups * kLines;
    begin = slice * g.slice_k;
    end = min(g.k, begin + g.slice_k);
    const int64_t mine = first_many + group * kLines;
    lines = static_cast<int>(max(min(g.many_lines - mine, int64_t{kLines}), int64_t{0}));
    left = end - begin - phase * kDepth;
    next = static_cast<const T *>(g.many) + p * g.many_batch + (lines == 0 ? 0 : mine) * g.many_line +
           (begin + phase * kDepth) * g.many_k;
  }

  // Asks L2, and nothing nearer, for the first loads: what a kernel before still writes there is seen.
  __device__ __forceinline__ void prefetch_first() const {
    if (left < kDepth || lines < kLines) return;
    const T *from = next;
#pragma unroll
    for (int i = 0; i < kGemvPieces; from += step(i++)) prefetch(from);
  }

  __device__ __forceinline__ void run() {
    Pieces pieces;
    load(pieces);
#pragma unroll 1
    for (int64_t k = begin; k < end; k += g.chunk) {
      if (k != begin) __syncthreads();  // the chunk before has been read
      stage_few(k);
      __syncthreads();
      const auto steps = static_cast<int>(min(int64_t{g.chunk}, end - k));
#pragma unroll 1
      for (int s = phase * kDepth; s - phase * kDepth < steps; s += stride) {
        multiply(pieces, s);
        load(pieces);
      }
    }
    reduce();
    finish();
  }

 private:
  // The first `bytes` of 16, wherever they begin, zeros behind; only pieces that have some of them are read.
  static __device__ __forceinline__ Bits<T, kVector> load_some(const T *from, int bytes) {
    const int past = static_cast<int>(reinterpret_cast<uintptr_t>(from) & 15);
    const auto *pieces = reinterpret_cast<const Access<16> *>(reinterpret_cast<const char *>(from) - past);
    Access<16> low = {}, high = {};
    if (bytes > 0) low = pieces[0];
    if (past + bytes > 16) high = pieces[1];
    uint32_t w[8];
#pragma unroll
    for (int i = 0; i < 4; ++i) w[i] = low.w[i], w[4 + i] = high.w[i];
    Bits<T, kVector> bits = shift_into_place<T, kVector>(w, static_cast<uint32_t>(past));
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const int beyond = min(max(4 * i + 4 - bytes, 0), 4);
      bits.w[i] &= static_cast<uint32_t>(uint64_t{0xffffffffu} >> (8 * beyond));
    }
    return bits;
  }

  // From a thread's i-th piece to its next. Along k, beyond the last line it is read once more: those sums are dropped.
  __device__ __forceinline__ int64_t step(int i) const {
    return !kAlong ? g.many_k : i + 1 < lines ? g.many_line : 0;
  }

  __device__ __forceinline__ void load(Pieces &pieces) {
    const T *from = next;
    if (g.aligned && left >= kDepth && (kAlong || lines == kLines)) {
#pragma unroll
      for (int i = 0; i < kGemvPieces; from += step(i++)) pieces[i] = load_bits<T, kVector>(from);
    } else {
      const auto rest = static_cast<int>(min(max(left, int64_t{0}), int64_t{kDepth}));
#pragma unroll
      for (int i = 0; i < kGemvPieces; from += step(i++))
        pieces[i] = load_some(from, (kAlong ? rest : i < rest ? lines : 0) * static_cast<int>(sizeof(T)));
    }
    next += stride * g.many_k;
    left -= stride;
  }

  // Where quad q of vector v of a chunk of the few begins. Along k neighbours read vectors, so quads of the same place in theirs
  // are neighbours.
  __device__ __forceinline__ int place(int v, int q) const {
    return (kAlong ? q * (g.chunk / kVector) + v : v * (kVector / kQuad) + q) * kQuad;
  }

  // A chunk of the few, zeros where there are none: as it is by asynchronous copies, or converted.
  __device__ __forceinline__ void stage_few(int64_t k) const {
    const int64_t there = end - k;
    const auto vectors = static_cast<int>(min(int64_t{g.chunk}, (there + stride - 1) / stride * stride)) / kVector;
    with_few_dtype<T>(g.few_dtype, [&](auto tag) {
      using Few = typename decltype(tag)::type;
      const Few *const first = static_cast<const Few *>(g.few) + p * g.few_batch + first_few * g.few_line + k * g.few_k;
      const auto bits = reinterpret_cast<uintptr_t>(first) | static_cast<uintptr_t>(g.few_line * sizeof(Few));
      const bool whole = g.few_k == 1 && (bits & 15) == 0;
      const int threads = static_cast<int>(blockDim.x);
      if constexpr (sizeof(T) == sizeof(Acc)) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
#pragma unroll 1
        for (int f = 0; f < kFew; ++f) {
          const int64_t count = first_few + f < g.few_lines ? there : 0;
          const Few *const from = first + (count > 0 ? f : 0) * g.few_line;
          Acc *const to = shared + f * g.chunk;
          const auto copy = [&](int e, auto elements) {
            constexpr int kCount = decltype(elements)::value;
            const auto missing = static_cast<int>(min(max(e + kCount - count, int64_t{0}), int64_t{kCount}));
            __pipeline_memcpy_async(to + e, from + (missing < kCount ? e * g.few_k : 0), kCount * sizeof(T), missing * sizeof(T));
          };
          if (whole) {
            for (int v = thread; v < vectors; v += threads) copy(v * kVector, cuda::std::integral_constant<int, kVector>{});
          } else {
            for (int e = thread; e < vectors * kVector; e += threads) copy(e, cuda::std::integral_constant<int, 1>{});
          }
        }
        __pipeline_commit();
        __pipeline_wait_prior(0);
#endif
      } else {
        for (int v = thread; v < vectors; v += threads) {
          Bits<Few, kVector> raw[kFew];
#pragma unroll
          for (int f = 0; f < kFew; ++f) {
            const int64_t count = first_few + f < g.few_lines ? there - v * kVector : 0;
            const Few *const from = first + f * g.few_line + v * kVector * g.few_k;
            raw[f] = {};
            if (whole && count >= kVector) {
              raw[f] = load_bits<Few, kVector>(from);
            } else {
#pragma unroll
              for (int e = 0; e < kVector; ++e) {
                if (e < count) set_element(raw[f], e, from[e * g.few_k]);
              }
            }
          }
#pragma unroll
          for (int f = 0; f < kFew; ++f) {
            Acc y[kVector];
            widen_bits(raw[f], y);
#pragma unroll
            for (int q = 0; q < kVector / kQuad; ++q) {
              Quad quad;
#pragma unroll
              for (int e = 0; e < kQuad; ++e) quad.v[e] = y[q * kQuad + e];
              *reinterpret_cast<Quad *>(shared + f * g.chunk + place(v, q)) = quad;
            }
          }
        }
      }
    });
  }

  __device__ __forceinline__ void multiply(const Pieces &pieces, int k) {
    if constexpr (kAlong) {
#pragma unroll
      for (int q = 0; q < kVector / kQuad; ++q) {
        Acc x[kLines][kQuad];
#pragma unroll
        for (int i = 0; i < kLines; ++i) {
          Bits<T, kQuad> quad;
#pragma unroll
          for (int w = 0; w < quad.kWords; ++w) quad.w[w] = pieces[i].w[q * quad.kWords + w];
          widen_bits(quad, x[i]);
        }
#pragma unroll
        for (int f = 0; f < kFew; ++f) {
          const Quad y = *reinterpret_cast<const Quad *>(shared + f * g.chunk + place(k / kVector, q));
#pragma unroll
          for (int e = 0; e < kQuad; ++e) {
#pragma unroll
            for (int i = 0; i < kLines; ++i) acc[i][f] = multiply_add(x[i][e], y.v[e], acc[i][f]);
          }
        }
      }
    } else {
#pragma unroll
      for (int f = 0; f < kFew; f += kFewAtOnce) {
        Acc y[kFewAtOnce][kDepth];
#pragma unroll
        for (int j = 0; j < kFewAtOnce; ++j) {
#pragma unroll
          for (int e = 0; e < kDepth; e += kQuad) {
            const Quad quad = *reinterpret_cast<const Quad *>(shared + (f + j) * g.chunk + k + e);
#pragma unroll
            for (int q = 0; q < kQuad; ++q) y[j][e + q] = quad.v[q];
          }
        }
#pragma unroll
        for (int i = 0; i < kDepth; ++i) {
          Acc x[kLines];
          widen_bits(pieces[i], x);
#pragma unroll
          for (int j = 0; j < kFewAtOnce; ++j) {
#pragma unroll
            for (int v = 0; v < kLines; ++v) acc[v][f + j] = multiply_add(x[v], y[j][i], acc[v][f + j]);
          }
        }
      }
    }
  }

  __device__ __forceinline__ int block_lines() const { return g.groups * kLines; }
  __device__ __forceinline__ int rows() const {
    return kAlong ? (g.phases + 31) / 32 : static_cast<int>(blockDim.x) / 32;
  }

  // The sums of the block's phases, first of a warp's, into shared memory.
  __device__ __forceinline__ void reduce() {
    const int from = kAlong ? 1 : g.groups, to = kAlong ? min(g.phases, 32) : 32;
    const int row = kAlong ? phase / 32 : thread / 32;
#pragma unroll 1
    for (int far = from; far < to; far *= 2) {
#pragma unroll
      for (int i = 0; i < kLines; ++i) {
#pragma unroll
        for (int f = 0; f < kFew; ++f)
          acc[i][f] = multiply_add(__shfl_xor_sync(~0u, acc[i][f], far), Acc(1), acc[i][f]);
      }
    }
    __syncthreads();  // the last chunk has been read
    if (kAlong ? thread % to == 0 : thread % 32 < from) {
#pragma unroll
      for (int f = 0; f < kFew; ++f) {
#pragma unroll
        for (int i = 0; i < kLines; ++i) shared[(row * kFew + f) * block_lines() + group * kLines + i] = acc[i][f];
      }
    }
    __syncthreads();
  }

  // Results; of a tile that several blocks share by the block that comes last, which adds all parts.
  __device__ __forceinline__ void finish() const {
    const int count = block_lines() * kFew;
    const auto sum = [&](int o) {
      Acc x = shared[o];
      for (int row = 1; row < rows(); ++row) x = multiply_add(shared[row * count + o], Acc(1), x);
      return x;
    };
    const auto put = [&](int o, Acc x) {
      const int64_t line = first_many + o % block_lines(), of_few = first_few + o / block_lines();
      if (line < g.many_lines && of_few < g.few_lines) gemv_put(g, p, line, of_few, x);
    };
    const int threads = static_cast<int>(blockDim.x);
    if (g.slices == 1) {
      for (int o = thread; o < count; o += threads) put(o, sum(o));
      return;
    }
    Acc *const parts = g.parts + int64_t{tile} * g.slices * count;
    for (int o = thread; o < count; o += threads) parts[slice * count + o] = sum(o);
    __threadfence();
    __syncthreads();
    const auto last = static_cast<uint32_t>(g.slices - 1);  // a ticket wraps to zero for the next call
    if (__syncthreads_or(thread == 0 && atomicInc(g.tickets + tile, last) == last) == 0) return;
    __threadfence();
    for (int o = thread; o < count; o += threads) {
      Acc x = 0;
#pragma unroll 4
      for (int s = 0; s < g.slices; ++s) x = multiply_add(__ldcg(parts + s * count + o), Acc(1), x);
      put(o, x);
    }
  }
};

template <class T, class Acc, int kFew, bool kAlong>
__global__ void __launch_bounds__(gemv_threads(kFew, sizeof(T)), 1) gemm_gemv_kernel(const __grid_constant__ Gemv<Acc> g) {
  extern __shared__ __align__(16) char gemv_shared[];
  allow_successor();
  GemvBlock<T, Acc, kFew, kAlong> block(g, reinterpret_cast<Acc *>(gemv_shared));
  if (blockIdx.x < g.prefetching) block.prefetch_first();
  wait_for_predecessors();
  block.run();
}

}  // namespace gpuopt
