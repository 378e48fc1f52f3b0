// Exact sums of integers to D: as they are, or times a factor, in fp64, as int32, fp32 or 8 bits.
//
// Rows of 32 columns, four bytes an element: the tensor memory accelerator stores them (wgmma_store.cuh), or where D's rows do not
// allow that, a warp a row. Results of 8 bits leave four in a word where D's rows begin on four.
#pragma once

#include "gemm/common/exact_result.cuh"
#include "gemm/wgmma/wgmma_store.cuh"

namespace gpuopt {

// Words of 64 rows and 32 columns, of which so many exist, from (row, col) of matrix p on.
template <class T, class Tile>
__device__ __forceinline__ void wgmma_store_exact(const WgmmaStore &store, WgmmaPanels<Tile> &panels, int32_t p,
                                                  int32_t row, int32_t col, int32_t rows, int32_t cols) {
  const WgmmaThread thread = panels.thread();
  T *const to = static_cast<T *>(store.d) + p * store.d_batch + row * store.d_pitch + col;
  const bool runs = sizeof(T) == 1 && (reinterpret_cast<uintptr_t>(to) | static_cast<uint64_t>(store.d_pitch)) % 4 == 0;
  panels.take([&](const char *panel) {
    if (runs) {
      const int chunk = thread.lane % 8;
#pragma unroll
      for (int r = thread.warp * 16 + thread.lane / 8; r < thread.warp * 16 + 16; r += 4) {
        if (r >= rows) break;
        const uint4 w = *reinterpret_cast<const uint4 *>(panel + r * 128 + (chunk ^ (r & 7)) * 16);
        T *const line = to + r * store.d_pitch + chunk * 4;
        const uint32_t x = __byte_perm(__byte_perm(w.x, w.y, 0x40), __byte_perm(w.z, w.w, 0x40), 0x5410);
        if (chunk * 4 + 4 <= cols) {
          *reinterpret_cast<uint32_t *>(line) = x;
        } else {
          for (int e = 0; chunk * 4 + e < cols; ++e) line[e] = static_cast<T>(x >> 8 * e);
        }
      }
      return;
    }
#pragma unroll 4
    for (int r = thread.warp; r < 64; r += 4) {
      if (r >= rows || thread.lane >= cols) break;
      const auto word = *reinterpret_cast<const int32_t *>(panel + r * 128 + ((thread.lane / 4) ^ (r & 7)) * 16 +
                                                           thread.lane % 4 * 4);
      to[r * store.d_pitch + thread.lane] = static_cast<T>(word);
    }
  });
}

// A warpgroup's rows, all of its end.
template <class Tile>
__device__ __forceinline__ void wgmma_finish_exact(const WgmmaStore &store, const CUtensorMap &map,
                                                   WgmmaPanels<Tile> &panels,
                                                   const int32_t (&sums)[Tile::kBlocks][Tile::kSums], int32_t p,
                                                   int32_t row, int32_t col, int32_t m, int32_t n) {
  const double alpha = exact_factor(store);
#pragma unroll
  for (int block = 0; block < Tile::kBlocks; ++block) {
    if (row + block * 64 >= m) break;
#pragma unroll
    for (int i = 0; i < Tile::kN / 32; ++i) {
      if (col + i * 32 >= n) break;
      int32_t x[16];
#pragma unroll
      for (int e = 0; e < 16; ++e) x[e] = sums[block][i * 16 + e];
      exact_words(store.dtype, alpha, x);
      const int32_t at_row = row + block * 64, at_col = col + i * 32;
      wgmma_write_words(panels.thread(), store.by_panels ? panels.open() : panels.address(), x);
      if (store.by_panels)
        wgmma_close<int32_t>(store, map, panels, p, at_row, at_col, m, n, store.leaves_first);
      else if (store.dtype == GPUOPT_I8)
        wgmma_store_exact<int8_t>(store, panels, p, at_row, at_col, m - at_row, n - at_col);
      else
        wgmma_store_exact<int32_t>(store, panels, p, at_row, at_col, m - at_row, n - at_col);
    }
  }
}

}  // namespace gpuopt
