// A tile's sums in the warptile kernels, once they are complete: how they lie, how slices and blocks that have parts of
// them add these up, and how they become rows of D.
#pragma once

#include "common/last_to_come.cuh"
#include "gemm/warptile/warptile_shape.cuh"

namespace gpuopt {

// Four sums on their way between registers and private memory, neighbours exchanged. 16-byte accesses of this order
// make the compiler put a thread's sums into registers in it, see multiply_quad(). Below sm_80 an FFMA takes two clocks
// to issue, and the banks keep up.
constexpr int kExchanged = GPUOPT_WARPTILE_STAGED ? 0 : 1;
__device__ __forceinline__ float4 pack_sums(const float *x) {
  return make_float4(x[0 ^ kExchanged], x[1 ^ kExchanged], x[2 ^ kExchanged], x[3 ^ kExchanged]);
}
__device__ __forceinline__ void unpack_sums(const float4 &v, float *x) {
  x[0 ^ kExchanged] = v.x, x[1 ^ kExchanged] = v.y, x[2 ^ kExchanged] = v.z, x[3 ^ kExchanged] = v.w;
}

// Adds the slices' sums; then the warps of slice s hold the final rows [s * kRowsKept, (s + 1) * kRowsKept) of each
// thread.
template <class Shape>
__device__ __forceinline__ void exchange_slices(float *shared, int slice, int thread_in_slice, WarptileSums<Shape> &acc,
                                                float (&kept)[Shape::kRowsKept][Shape::kThreadN]) {
  constexpr int kSlices = Shape::kWarpsK, kRows = Shape::kRowsKept, kN = Shape::kThreadN;
  if constexpr (kSlices == 1) {
#pragma unroll
    for (int i = 0; i < kRows; ++i) {
#pragma unroll
      for (int j = 0; j < kN; ++j) kept[i][j] = acc[i][j];
    }
  } else {
    constexpr int kThreadsOfSlice = Shape::kThreads / kSlices, kPacks = kRows * kN / 4;
    float4 *const packs = reinterpret_cast<float4 *>(shared) + thread_in_slice;
    // Pack q of the rows that slice `owner` keeps, from slice `source`.
    const auto place = [&](int source, int owner, int q) {
      return ((source * kSlices + owner) * kPacks + q) * kThreadsOfSlice;
    };
#pragma unroll
    for (int owner = 0; owner < kSlices; ++owner) {
#pragma unroll
      for (int q = 0; q < kPacks; ++q) {
        packs[place(slice, owner, q)] = pack_sums(acc[owner * kRows + q * 4 / kN] + q * 4 % kN);
      }
    }
    __syncthreads();
#pragma unroll
    for (int q = 0; q < kPacks; ++q) {
      float4 sum = packs[place(0, slice, q)];
#pragma unroll
      for (int source = 1; source < kSlices; ++source) {
        const float4 v = packs[place(source, slice, q)];
        sum.x += v.x, sum.y += v.y, sum.z += v.z, sum.w += v.w;
      }
      unpack_sums(sum, kept[q * 4 / kN] + q * 4 % kN);
    }
    __syncthreads();
  }
}

// The part of a tile that a streaming block has computed. True for the block that came last: it has the whole sum now.
template <class Shape>
__device__ __forceinline__ bool join_parts(const Warptile &w, uint32_t tile, uint32_t *shared_word,
                                           float (&kept)[Shape::kRowsKept][Shape::kThreadN]) {
  constexpr int kPacks = Shape::kRowsKept * Shape::kThreadN / 4;
  constexpr int64_t kSlotPacks = Shape::kM * Shape::kN / 4;
  const uint64_t tile_unit = uint64_t{tile} * w.work.k_tiles;
  float4 *const parts = reinterpret_cast<float4 *>(w.parts) + threadIdx.x;
  float4 *const mine = parts + w.work.slot(blockIdx.x, tile_unit) * kSlotPacks;
#pragma unroll
  for (int q = 0; q < kPacks; ++q) {
    __stcg(mine + q * Shape::kThreads, pack_sums(kept[q * 4 / Shape::kThreadN] + q * 4 % Shape::kThreadN));
  }
  const uint32_t first = w.work.block_of(tile_unit), last = w.work.block_of(tile_unit + w.work.k_tiles - 1);
  if (!is_last_to_come(w.tickets + tile, last - first + 1, shared_word)) return false;
#pragma unroll
  for (int i = 0; i < Shape::kRowsKept; ++i) {
#pragma unroll
    for (int j = 0; j < Shape::kThreadN; ++j) kept[i][j] = 0;
  }
#pragma unroll 1
  for (uint32_t block = first; block <= last; ++block) {
    const float4 *const from = parts + w.work.slot(block, tile_unit) * kSlotPacks;
#pragma unroll
    for (int q = 0; q < kPacks; ++q) {
      const float4 v = __ldcg(from + q * Shape::kThreads);
      float *x = kept[q * 4 / Shape::kThreadN] + q * 4 % Shape::kThreadN;
      x[0 ^ kExchanged] += v.x, x[1 ^ kExchanged] += v.y, x[2 ^ kExchanged] += v.z, x[3 ^ kExchanged] += v.w;
    }
  }
  return true;
}

// D = alpha * sums + beta * C for this thread's rows, of which those below rows_left and columns below cols_left exist.
template <class Shape>
__device__ __forceinline__ void store_rows(const Warptile &w, int64_t p, int64_t row, int64_t col, int first_row,
                                           int first_col, int rows_left, int cols_left,
                                           const float (&kept)[Shape::kRowsKept][Shape::kThreadN]) {
  const PlainOutput<float>::Scalars s = w.out.scalars();
  const bool reads_c = w.out.c != nullptr && s.beta != 0;  // a zero read through the pointer must not read C either
  float *const d = w.out.d + p * w.out.d_stride + row * w.out.d_ld + col;
  const float *const c = reads_c ? w.out.c + p * w.out.c_stride + row * w.out.c_ld + col : nullptr;
#pragma unroll
  for (int i = 0; i < Shape::kRowsKept; ++i) {
    const int at_row = first_row + i / 4 * Shape::kLanesM * 4 + i % 4;
    if (at_row >= rows_left) continue;
#pragma unroll
    for (int j = 0; j < Shape::kThreadN; j += 4) {
      const int at_col = first_col + j / 4 * Shape::kLanesN * 4;
      float x[4];
#pragma unroll
      for (int e = 0; e < 4; ++e) x[e] = s.alpha * kept[i][j + e];
      float *const to = d + at_row * w.out.d_ld + at_col;
      const float *const from = c + at_row * w.out.c_ld + at_col;
      if (w.packed && at_col + 3 < cols_left) {
        if (reads_c) {
          const float4 v = *reinterpret_cast<const float4 *>(from);
          x[0] = fmaf(s.beta, v.x, x[0]), x[1] = fmaf(s.beta, v.y, x[1]);
          x[2] = fmaf(s.beta, v.z, x[2]), x[3] = fmaf(s.beta, v.w, x[3]);
        }
        *reinterpret_cast<float4 *>(to) = make_float4(x[0], x[1], x[2], x[3]);
      } else {
#pragma unroll
        for (int e = 0; e < 4; ++e) {
          if (at_col + e < cols_left) to[e] = reads_c ? fmaf(s.beta, from[e], x[e]) : x[e];
        }
      }
    }
  }
}

}  // namespace gpuopt
