// The end of a wgmma tile: sums in the registers of a warpgroup to D.
//
// Panels of 64 rows by 128 bytes go through shared memory, swizzled. Where D's rows lie on 16 bytes and are whole ones of 16, and
// C is not read here (wgmma_fold.cuh brings most), the tensor memory accelerator stores them and leaves out what lies beyond D: one
// panel is written while the one before is still being read. Else 16-bit results without C go by lines (wgmma_lines.cuh); others are
// panels of fp32, of which a warp stores a row at a time, and adds C's. Exact sums: wgmma_exact.cuh. All but alpha and beta (stages,
// D's scale, a C unlike D) is common/gemm_finish.h's, to which plain sums go.
#pragma once

#include "gemm/common/add_c.cuh"
#include "gemm/wgmma/wgmma_lines.cuh"
#include "gemm/wgmma/wgmma_results.h"

namespace gpuopt {

// A row of 32 columns a warp and turn, wherever D lies; four rows' sums are on their way at once.
template <class Tile, class T>
__device__ __forceinline__ void wgmma_store_lines(const WgmmaStore &store, float beta, WgmmaPanels<Tile> &panels,
                                                  const float *x, int32_t p, int32_t row, int32_t col, int32_t m,
                                                  int32_t n) {
  const int lane = panels.thread().lane, warp = panels.thread().warp;
  const int32_t rows = m - row;
  const bool reads_c = !Tile::kFull && store.c != nullptr && beta != 0;
  wgmma_write_words(panels.thread(), panels.address(), x);
  panels.take([&](const char *panel) {
    if (col + lane >= n) return;
    T *line = static_cast<T *>(store.d) + p * store.d_batch + (row + warp) * store.d_pitch + col + lane;
    const T *c_line = static_cast<const T *>(store.c) + p * store.c_batch + (row + warp) * store.c_pitch + col + lane;
#pragma unroll 1
    for (int first = warp; first < 64 && first < rows; first += 16) {
      float value[4];
#pragma unroll
      for (int e = 0; e < 4; ++e)
        value[e] = *reinterpret_cast<const float *>(panel + (first + e * 4) * 128 +
                                                    ((lane / 4) ^ ((warp + e * 4) & 7)) * 16 + lane % 4 * 4);
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        if (first + e * 4 < rows) {
          if (reads_c) value[e] = add_c(value[e], beta, widen<float>(*c_line));
          *line = narrow<T>(value[e]);
        }
        line += 4 * store.d_pitch;
        c_line += 4 * store.c_pitch;
      }
    }
  });
}

// A panel's way out by the accelerator; but where its last columns are another tile's, each warp stores its 16 rows by vectors.
template <class T, class Tile>
__device__ __forceinline__ void wgmma_close(const WgmmaStore &store, const CUtensorMap &map, WgmmaPanels<Tile> &panels,
                                            int32_t p, int32_t row, int32_t col, int32_t m, int32_t n,
                                            bool leaves_first = false) {
  constexpr int32_t kColumns = 128 / sizeof(T);
  if (!Tile::kNarrows || col + kColumns <= n || n == store.n) return panels.close(map, col, row, p, leaves_first);
  __syncwarp();
  const WgmmaThread thread = panels.thread_again();
  const int chunk = thread.lane % 8, first = thread.warp * 16 + thread.lane / 8;
  if (chunk * 16 < (n - col) * static_cast<int>(sizeof(T))) {
    T *to = static_cast<T *>(store.d) + p * store.d_batch + (row + first) * store.d_pitch + col;
#pragma unroll 1
    for (int r = first; r < thread.warp * 16 + 16 && row + r < m; r += 4, to += 4 * store.d_pitch) {
      uint32_t w[4];
      load_shared_vector(panels.address() + static_cast<uint32_t>(r * 128 + (chunk ^ (r & 7)) * 16), w);
      store_words<4>(__cvta_generic_to_global(reinterpret_cast<char *>(to) + chunk * 16), w);
    }
  }
  panels.pass_by();
}

// f(Type<T>{}) of a result's type: fp32, of 16-bit operands theirs, of fp8 ones either of 16 bits.
template <class Tile, class F>
__device__ __forceinline__ void with_wgmma_result(int32_t dtype, F &&f) {
  using A = typename Tile::A;
  if (dtype == GPUOPT_F32) return f(Type<float>());
  if constexpr (sizeof(A) == 2) {
    f(Type<A>());
  } else if constexpr (sizeof(A) == 1) {
    if (dtype == GPUOPT_F16)
      f(Type<__half>());
    else
      f(Type<__nv_bfloat16>());
  }
}

// Results of 64 rows and 32 columns, the left or right half of 64 columns, of a tile from column `first` on.
template <class Tile>
__device__ __forceinline__ void wgmma_store(const WgmmaStore &store, const CUtensorMap &map, WgmmaPanels<Tile> &panels,
                                            float beta, const typename Tile::Sum *x, int half, int32_t p, int32_t row,
                                            int32_t col, int32_t first, int32_t m, int32_t n) {
  with_wgmma_result<Tile>(store.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (sizeof(T) == 2) {
      if (store.by_panels) {
        wgmma_write_half<T>(panels.thread(), half == 0 ? panels.open() : panels.address(), half, x);
        if (half == 0) return;
        return wgmma_close<T>(store, map, panels, p, row, col - 32, m, n);
      }
      // Of chains without a matrix: beside one there are no registers for this.
      if (Tile::kChains && !Tile::kMatrices) {
        __syncwarp();  // the rows of a panel are those of one warp, which has read them now, or written them
        wgmma_write_half<T>(panels.thread(), panels.address(), half, x);
        if (half == 0) return;
        panels.meet();  // not its warps alone: all have read their chain's lines now, which the next tile loads
        const WgmmaLines<Tile> lines(store, panels.thread_again(), p, row, first, m);
        const int32_t exist = n - col + 32;
        lines.store_vectors(panels, col - 32 - first, exist);
        if (col + 32 >= min(first + Tile::kN, n)) lines.store_rest(panels, col - 32 - first, min(exist, 64));
        return panels.turn();
      }
    }
    if (col >= n) return;
    if (sizeof(T) == 4 && store.by_panels) {
      wgmma_write_words(panels.thread(), panels.open(), x);
      wgmma_close<T>(store, map, panels, p, row, col, m, n);
    } else {
      wgmma_store_lines<Tile, T>(store, beta, panels, x, p, row, col, m, n);
    }
  });
}

}  // namespace gpuopt
