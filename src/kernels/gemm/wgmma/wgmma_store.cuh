// The end of a wgmma tile: sums in the registers of a warpgroup to D.
//
// Panels of 64 rows by 128 bytes go through shared memory, swizzled. Where D's rows lie on 16 bytes and are whole ones
// of 16, and C is not read here (wgmma_fold.cuh brings most), the tensor memory accelerator stores them and leaves out
// what lies beyond D: one panel is written while the one before is still being read. Else, of 16-bit results without C,
// each warp stores its rows by vectors, wherever they begin; others are panels of fp32, of which a warp stores a row at
// a time, and adds C's. All but alpha and beta (stages, D's scale, a C unlike D) is common/gemm_finish.h's, to which
// plain sums go as fp32, or int32.
#pragma once

#include "common/shift_words.cuh"
#include "gemm/common/add_c.cuh"
#include "gemm/wgmma/wgmma_panels.cuh"
#include "gemm/wgmma/wgmma_results.h"

namespace gpuopt {

// Exact sums leave as they are: a factor is gemm_finish's.
__device__ __forceinline__ float wgmma_scaled(float x, float alpha) { return x * alpha; }
__device__ __forceinline__ int32_t wgmma_scaled(int32_t x, float) { return x; }

// A row of 32 columns a warp and turn, wherever D lies; four rows' sums are on their way at once.
template <class Tile, class T, class Sum>
__device__ __forceinline__ void wgmma_store_lines(const WgmmaStore &store, float beta, WgmmaPanels<Tile> &panels,
                                                  const Sum *x, int32_t p, int32_t row, int32_t col, int32_t m,
                                                  int32_t n) {
  const int lane = panels.thread().lane, warp = panels.thread().warp;
  const int32_t rows = m - row;
  const bool reads_c = !Tile::kFull && store.c != nullptr && beta != 0;
  panels.pass([&](uint32_t panel) { wgmma_write_words(panels.thread(), panel, x); },
              [&](const char *panel) {
                if (col + lane >= n) return;
                T *line = static_cast<T *>(store.d) + p * store.d_batch + (row + warp) * store.d_pitch + col + lane;
                const T *c_line =
                    static_cast<const T *>(store.c) + p * store.c_batch + (row + warp) * store.c_pitch + col + lane;
#pragma unroll 1
                for (int first = warp; first < 64 && first < rows; first += 16) {
                  Sum value[4];
#pragma unroll
                  for (int e = 0; e < 4; ++e)
                    value[e] = *reinterpret_cast<const Sum *>(panel + (first + e * 4) * 128 +
                                                              ((lane / 4) ^ ((warp + e * 4) & 7)) * 16 + lane % 4 * 4);
#pragma unroll
                  for (int e = 0; e < 4; ++e) {
                    if (first + e * 4 < rows) {
                      if constexpr (std::is_same_v<Sum, int32_t>) {
                        *line = value[e];
                      } else {
                        if (reads_c) value[e] = add_c(value[e], beta, widen<float>(*c_line));
                        *line = narrow<T>(value[e]);
                      }
                    }
                    line += 4 * store.d_pitch;
                    c_line += 4 * store.c_pitch;
                  }
                }
              });
}

// A panel of 16-bit results, wherever lines of D begin: each warp takes its own 16 rows, four at a time, a lane a vector of D,
// which lies in two neighbouring ones of the panel, or of it and the one before, which stays in the other place until then. So
// only where a tile begins and ends are there elements that make no whole vector: a lane has one of them.
template <class Tile>
__device__ __forceinline__ void wgmma_store_shifted(const WgmmaStore &store, const WgmmaPanels<Tile> &panels, int32_t p,
                                                    int32_t row, int32_t col, int32_t m, int32_t n, bool begins,
                                                    bool ends) {
  constexpr int kVector = 8, kInLine = 64 / kVector, kRows = 32 / kInLine, kAtOnce = Tile::kFull ? 1 : 2;
  const WgmmaThread thread = panels.thread_again();
  const int mine = thread.lane % kInLine, first = thread.warp * 16 + thread.lane / kInLine;
  const uint32_t panel = panels.address(), before = panels.address_before();
  uint16_t *to = static_cast<uint16_t *>(store.d) + p * store.d_batch + (row + first) * store.d_pitch + col;
  const int end = min(thread.warp * 16 + 16, m - row), exist = n - col;
  const auto chunk = [](int r, int c) { return static_cast<uint32_t>(r * 128 + (c ^ (r & 7)) * 16); };
#pragma unroll 1
  for (int r = first; r < end; r += kAtOnce * kRows, to += kAtOnce * kRows * store.d_pitch) {
    uint32_t w[kAtOnce][8];
    // Elements of a line before its first whole vector here; what is eight before it the panel before left.
    int lead[kAtOnce];
#pragma unroll
    for (int i = 0; i < kAtOnce; ++i) {
      const int at = r + i * kRows;  // of 16 rows of a warp: those beyond D are read for nothing
      const auto address = reinterpret_cast<uintptr_t>(to + i * kRows * store.d_pitch);
      lead[i] = static_cast<int>((kVector - address / 2 % kVector) % kVector);
      load_shared_vector(mine == 0 ? before + chunk(at, kInLine - 1) : panel + chunk(at, mine - 1), w[i]);
      load_shared_vector(panel + chunk(at, mine), w[i] + 4);
    }
#pragma unroll
    for (int i = 0; i < kAtOnce; ++i) {
      if (r + i * kRows >= end) break;
      uint16_t *const line = to + i * kRows * store.d_pitch;
      const auto element = [&](int e) {
        const int in_panel = e & 63;
        const uint32_t at = (e < 0 ? before : panel) + chunk(r + i * kRows, in_panel / kVector);
        return load_shared_16bit(at + static_cast<uint32_t>(in_panel % kVector) * 2);
      };
      if (begins && mine < min(lead[i], exist)) line[mine] = element(mine);
      if (exist < 64) {
#pragma unroll 1
        for (int e = lead[i] - (begins ? 0 : kVector) + mine; e < exist; e += kVector) line[e] = element(e);
        continue;
      }
      shift_words<4, 4, true>(w[i], static_cast<uint32_t>(lead[i] * 2));
      if (!begins || mine != 0) store_words<4>(__cvta_generic_to_global(line + lead[i] + (mine - 1) * kVector), w[i]);
      if (ends && mine < kVector - lead[i])
        line[64 - kVector + lead[i] + mine] = element(64 - kVector + lead[i] + mine);
    }
  }
}

// A panel's way out by the accelerator, which leaves out what lies beyond D; but where its last columns are another tile's, each
// warp stores its 16 rows by vectors.
template <class T, class Tile>
__device__ __forceinline__ void wgmma_close(const WgmmaStore &store, const CUtensorMap &map, WgmmaPanels<Tile> &panels,
                                            int32_t p, int32_t row, int32_t col, int32_t m, int32_t n) {
  constexpr int32_t kColumns = 128 / sizeof(T);
  if (!Tile::kNarrows || col + kColumns <= n || n == store.n) return panels.close(map, col, row, p);
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

// Results of 64 rows and 32 columns, the left or right half of 64 columns, of a tile from column `first` on.
template <class Tile, class T, class Sum>
__device__ __forceinline__ void wgmma_store_as(const WgmmaStore &store, const CUtensorMap &map,
                                               WgmmaPanels<Tile> &panels, float beta, const Sum *x, int half, int32_t p,
                                               int32_t row, int32_t col, int32_t first, int32_t m, int32_t n) {
  if constexpr (sizeof(T) == 2) {
    if (store.by_panels) {
      wgmma_write_half<T>(panels.thread(), half == 0 ? panels.open() : panels.address(), half, x);
      if (half == 0) return;
      return wgmma_close<T>(store, map, panels, p, row, col - 32, m, n);
    }
    // Where a tile has matrices in chains, there are no registers for this beside them.
    if (!Tile::kMatrices && (Tile::kFull || store.c == nullptr || beta == 0)) {
      __syncwarp();  // the rows of a panel are those of one warp, which has read them now, or written them
      wgmma_write_half<T>(panels.thread(), panels.address(), half, x);
      if (half == 0) return;
      __syncwarp();
      wgmma_store_shifted(store, panels, p, row, col - 32, m, n, col - 32 == first,
                          col + 32 >= min(first + Tile::kN, n));
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
}

// f(Type<T>{}) of D's type: fp32, of 16-bit operands theirs, of fp8 ones either of 16 bits; of exact sums int32.
template <class Tile, class F>
__device__ __forceinline__ void with_wgmma_result(int32_t dtype, F &&f) {
  using A = typename Tile::A;
  if constexpr (std::is_same_v<typename Tile::Sum, int32_t>) {
    f(Type<int32_t>());
  } else {
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
}

template <class Tile>
__device__ __forceinline__ void wgmma_store(const WgmmaStore &store, const CUtensorMap &map, WgmmaPanels<Tile> &panels,
                                            float beta, const typename Tile::Sum *x, int half, int32_t p, int32_t row,
                                            int32_t col, int32_t first, int32_t m, int32_t n) {
  with_wgmma_result<Tile>(store.dtype, [&](auto tag) {
    wgmma_store_as<Tile, typename decltype(tag)::type>(store, map, panels, beta, x, half, p, row, col, first, m, n);
  });
}

}  // namespace gpuopt
