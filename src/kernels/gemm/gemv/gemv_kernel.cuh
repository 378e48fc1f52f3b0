// Products of few rows or columns on CUDA cores: the large operand is read once, at the speed of memory.
//
// Idea and data movement. A thread has four loads of 16 bytes under way, a multiprocessor 32 to 48 KB of them. Where the many are
// contiguous along k, the four are of four lines, so that each element of the few that comes from shared memory meets four of them;
// where they lie across k, they are four rows of memory of the same lines. A chunk of the few is in shared memory as the type that
// sums are kept in, whatever they are and however they lie: brought by asynchronous copies, or all at once and converted, while the
// large operand's next loads are under way. Sums meet by shuffles, then in shared memory, then from block to block, always in the
// same order. Lines that do not begin on 16 bytes are read by the aligned pieces that they lie in and shifted into place.
#pragma once

#include "common/dependent_launch.cuh"
#include "common/last_to_come.cuh"
#include "common/unaligned.cuh"
#include "gemm/gemv/gemv_few.cuh"

namespace gpuopt {

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
  uint32_t p, many_tile, few_tile;
  int32_t slice;
  const T *next;  // this thread's next load
  int left;       // of k, there
  int lines;      // of this thread that there are
  Acc acc[kLines][kFew] = {};

 public:
  // Few lines that read the same many are neighbours, then parts of k.
  __device__ __forceinline__ GemvBlock(const Gemv<Acc> &gemv, Acc *memory) : g(gemv), shared(memory) {
    uint32_t rest = blockIdx.x;
    const auto few_tiles = static_cast<uint32_t>(g.few_tiles), slices = static_cast<uint32_t>(g.slices);
    const auto many_tiles = static_cast<uint32_t>(g.many_tiles);
    few_tile = rest % few_tiles;
    rest /= few_tiles;
    slice = static_cast<int32_t>(rest % slices);
    rest /= slices;
    many_tile = rest % many_tiles;
    p = rest / many_tiles;
    const int64_t mine = first_many() + group * kLines;
    lines = static_cast<int>(max(min(g.many_lines - mine, int64_t{kLines}), int64_t{0}));
    left = span() - phase * kDepth;
    next = static_cast<const T *>(g.many) + p * g.many_batch + (lines == 0 ? 0 : mine) * g.many_line +
           (begin() + phase * kDepth) * g.many_k;
  }

  __device__ __forceinline__ void run() {
    Pieces pieces;
    load(pieces);
    const int all = span();
#pragma unroll 1
    for (int k = 0; k < all; k += g.chunk) {
      if (k != 0) __syncthreads();  // the chunk before has been read
      const int steps = min(g.chunk, all - k), vectors = (steps + stride - 1) / stride * (stride / kVector);
      gemv_stage_few<T, kFew, kAlong>(g, p, first_few(), begin() + k, all - k, vectors, shared);
      __syncthreads();
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
  __device__ __forceinline__ int64_t begin() const { return slice * g.slice_k; }
  __device__ __forceinline__ int span() const { return static_cast<int>(min(g.k - begin(), g.slice_k)); }
  __device__ __forceinline__ int64_t first_many() const { return int64_t{many_tile} * block_lines(); }
  __device__ __forceinline__ int first_few() const { return static_cast<int>(few_tile) * kFew; }

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

  __device__ __forceinline__ void load(Pieces &pieces) {
    // Along k, beyond the last line it is read once more: those sums are dropped.
    const auto step = [&](int i) { return !kAlong ? g.many_k : i + 1 < lines ? g.many_line : int64_t{0}; };
    const T *from = next;
    if (g.aligned && left >= kDepth && (kAlong || lines == kLines)) {
#pragma unroll
      for (int i = 0; i < kGemvPieces; from += step(i++)) pieces[i] = load_bits<T, kVector>(from);
    } else {
      const int rest = min(max(left, 0), kDepth);
#pragma unroll
      for (int i = 0; i < kGemvPieces; from += step(i++))
        pieces[i] = load_some(from, (kAlong ? rest : i < rest ? lines : 0) * static_cast<int>(sizeof(T)));
    }
    next += stride * g.many_k;
    left -= stride;
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
          const Quad y = *reinterpret_cast<const Quad *>(shared + f * g.chunk +
                                                         gemv_few_place<T, Acc, kAlong>(g.chunk, k / kVector, q));
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
      const int64_t line = first_many() + o % block_lines(), of_few = first_few() + o / block_lines();
      if (line < g.many_lines && of_few < g.few_lines) gemv_put(g, p, line, of_few, x);
    };
    const int threads = static_cast<int>(blockDim.x);
    if (g.slices == 1) {
      for (int o = thread; o < count; o += threads) put(o, sum(o));
      return;
    }
    const int64_t tile = (p * g.many_tiles + many_tile) * g.few_tiles + few_tile;
    Acc *const parts = g.parts + tile * g.slices * count;
    for (int o = thread; o < count; o += threads) parts[slice * count + o] = sum(o);
    if (!is_last_to_come(g.tickets + tile, static_cast<uint32_t>(g.slices))) return;
    for (int o = thread; o < count; o += threads) {
      Acc x = 0;
#pragma unroll 4
      for (int s = 0; s < g.slices; ++s) x = multiply_add(__ldcg(parts + s * count + o), Acc(1), x);
      put(o, x);
    }
  }
};

template <class T, class Acc, int kFew, bool kAlong>
__global__ void __launch_bounds__(gemv_threads(kFew, sizeof(T)), 1)
    gemm_gemv_kernel(const __grid_constant__ Gemv<Acc> g) {
#if __CUDA_ARCH__ >= 800
  extern __shared__ __align__(16) char gemv_shared[];
  wait_for_stream();
  GemvBlock<T, Acc, kFew, kAlong>(g, reinterpret_cast<Acc *>(gemv_shared)).run();
#endif
}

}  // namespace gpuopt
