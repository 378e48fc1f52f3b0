// The end of a wgmma tile: sums in the registers of a warpgroup to D.
//
// Panels of 64 rows by 128 bytes go through shared memory, swizzled. Where D's rows lie on 16 bytes and are whole ones of
// 16, and C is not read, the tensor memory accelerator stores them and leaves out what lies beyond D: one panel is written
// while the one before is still being read. Else they are panels of fp32, of which a warp stores a row at a time, wherever
// that begins, and adds C's. All but alpha and beta (stages, D's scale, a C unlike D) is common/gemm_finish.h's, to which
// plain sums go as fp32, or int32.
#pragma once

#include <cuda.h>

#include <cuda/ptx>

#include "common/element.cuh"
#include "gemm/wgmma/wgmma_results.h"
#include "gemm/wgmma/wgmma_tile.cuh"

namespace gpuopt {

// A thread's sums x[4 * j ...] of 64 rows: columns 8 * j + 2 * (lane % 4) and the next, of row 16 * warp + lane / 4, then
// of the eighth row below.

// Exact sums leave as they are: a factor is gemm_finish's.
__device__ __forceinline__ float wgmma_scaled(float x, float alpha) { return x * alpha; }
__device__ __forceinline__ int32_t wgmma_scaled(int32_t x, float) { return x; }

// One panel: 64 columns of 16 bits.
template <class T>
__device__ __forceinline__ void wgmma_write_panel(uint32_t panel, const float *x, float alpha) {
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) % 128 / 32;
  const int row = warp * 16 + lane % 16;
#pragma unroll
  for (int j = 0; j < 4; ++j) {  // 16 columns
    uint32_t word[4];
#pragma unroll
    for (int e = 0; e < 4; ++e) {  // upper rows, lower rows, of the left eight columns, then of the right
      Pack<T, 2> pair;
      pair.v[0] = narrow<T>(x[j * 8 + e * 2] * alpha);
      pair.v[1] = narrow<T>(x[j * 8 + e * 2 + 1] * alpha);
      memcpy(&word[e], &pair, 4);
    }
    const uint32_t chunk = static_cast<uint32_t>((2 * j + lane / 16) ^ (row & 7));
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(
                     panel + static_cast<uint32_t>(row * 128) + chunk * 16),
                 "r"(word[0]), "r"(word[1]), "r"(word[2]), "r"(word[3])
                 : "memory");
  }
}
// 32 columns of fp32 or int32.
template <class Sum>
__device__ __forceinline__ void wgmma_write_words(uint32_t panel, const Sum *x, float alpha) {
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) % 128 / 32;
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const int row = warp * 16 + lane / 4 + half * 8;
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      const uint32_t chunk = static_cast<uint32_t>((2 * j + lane % 4 / 2) ^ (row & 7));
      const Sum left = wgmma_scaled(x[j * 4 + half * 2], alpha), right = wgmma_scaled(x[j * 4 + half * 2 + 1], alpha);
      uint32_t word[2];
      memcpy(&word[0], &left, 4);
      memcpy(&word[1], &right, 4);
      asm volatile("st.shared.v2.b32 [%0], {%1, %2};" ::"r"(panel + static_cast<uint32_t>(row * 128) + chunk * 16 +
                                                            static_cast<uint32_t>(lane % 2 * 8)),
                   "r"(word[0]), "r"(word[1])
                   : "memory");
    }
  }
}

// Panels of one warpgroup on their way out.
template <class Tile>
class WgmmaPanels {
 public:
  __device__ __forceinline__ WgmmaPanels(char *shared, int group)
      : mine_(shared + group * (Tile::kPanels * Tile::kPanelBytes)), barrier_(kStoreBarrier + group) {}

  // write(address) fills a panel; it goes to (row, col) of matrix p.
  template <class F>
  __device__ __forceinline__ void put(const CUtensorMap &map, int32_t col, int32_t row, int32_t p, F &&write) {
    namespace ptx = cuda::ptx;
    const bool leads = threadIdx.x % 128 == 0;
    if (leads) ptx::cp_async_bulk_wait_group_read(ptx::n32_t<Tile::kPanels - 1>{});
    barrier_sync(barrier_, 128);
    char *const panel = mine_ + next_ * Tile::kPanelBytes;
    write(static_cast<uint32_t>(__cvta_generic_to_shared(panel)));
    ptx::fence_proxy_async(ptx::space_shared);
    barrier_sync(barrier_, 128);
    if (leads) {
      ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, &map, {col, row, p}, panel);
      ptx::cp_async_bulk_commit_group();
    }
    next_ = (next_ + 1) % Tile::kPanels;
  }
  // read(panel) takes what write(address) filled.
  template <class Write, class Read>
  __device__ __forceinline__ void pass(Write &&write, Read &&read) {
    const char *const panel = mine_ + next_ * Tile::kPanelBytes;
    write(static_cast<uint32_t>(__cvta_generic_to_shared(panel)));
    barrier_sync(barrier_, 128);
    read(panel);
    next_ = (next_ + 1) % Tile::kPanels;  // whose readers have all been at this barrier
  }
  // Before the block ends.
  __device__ __forceinline__ void drain() const {
    if (threadIdx.x % 128 == 0) cuda::ptx::cp_async_bulk_wait_group_read(cuda::ptx::n32_t<0>{});
  }

 private:
  char *mine_;
  int barrier_, next_ = 0;
};

// A row of 32 columns a warp and turn, wherever D lies; four rows' sums are on their way at once.
template <class Tile, class T>
__device__ __forceinline__ void wgmma_store_lines(const WgmmaStore &store, const WgmmaStore::Scalars &s,
                                                  WgmmaPanels<Tile> &panels, const typename Tile::Sum (&x)[Tile::kSums],
                                                  int32_t p, int32_t row, int32_t col, int32_t m, int32_t n) {
  using Sum = typename Tile::Sum;
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) % 128 / 32;
  const int32_t rows = m - row;
  T *const to = static_cast<T *>(store.d) + p * store.d_batch + (row + warp) * store.d_pitch + col + lane;
  const bool reads_c = store.c != nullptr && s.beta != 0;
  const T *const from = static_cast<const T *>(store.c) + p * store.c_batch + (row + warp) * store.c_pitch + col + lane;
#pragma unroll
  for (int i = 0; i < Tile::kN / 32; ++i) {
    if (col + i * 32 >= n) return;
    panels.pass([&](uint32_t panel) { wgmma_write_words(panel, x + i * 16, s.alpha); },
                [&](const char *panel) {
                  if (col + i * 32 + lane >= n) return;
                  T *line = to + i * 32;
                  const T *c_line = from + i * 32;
#pragma unroll 1
                  for (int first = warp; first < 64 && first < rows; first += 16) {
                    Sum value[4];
#pragma unroll
                    for (int e = 0; e < 4; ++e)
                      value[e] = *reinterpret_cast<const Sum *>(
                          panel + (first + e * 4) * 128 + ((lane / 4) ^ ((warp + e * 4) & 7)) * 16 + lane % 4 * 4);
#pragma unroll
                    for (int e = 0; e < 4; ++e) {
                      if (first + e * 4 < rows) {
                        if constexpr (cuda::std::is_same_v<Sum, int32_t>) {
                          *line = value[e];
                        } else {
                          if (reads_c) value[e] += s.beta * widen<float>(*c_line);
                          *line = narrow<T>(value[e]);
                        }
                      }
                      line += 4 * store.d_pitch;
                      c_line += 4 * store.c_pitch;
                    }
                  }
                });
  }
}

template <class Tile, class T>
__device__ __forceinline__ void wgmma_store_as(const WgmmaStore &store, const CUtensorMap &map,
                                               WgmmaPanels<Tile> &panels, const typename Tile::Sum (&x)[Tile::kSums],
                                               int32_t p, int32_t row, int32_t col, int32_t m, int32_t n) {
  const WgmmaStore::Scalars s = store.scalars();
  if (!store.by_panels) return wgmma_store_lines<Tile, T>(store, s, panels, x, p, row, col, m, n);
  constexpr int kColumns = 128 / sizeof(T);
#pragma unroll
  for (int i = 0; i < Tile::kN / kColumns; ++i) {
    if (col + i * kColumns >= n) return;
    panels.put(map, col + i * kColumns, row, p, [&](uint32_t panel) {
      if constexpr (sizeof(T) == 4)
        wgmma_write_words(panel, x + i * 16, s.alpha);
      else
        wgmma_write_panel<T>(panel, x + i * 32, s.alpha);
    });
  }
}

// The 64 rows from `row` on.
template <class Tile>
__device__ __forceinline__ void wgmma_store(const WgmmaStore &store, const CUtensorMap &map, WgmmaPanels<Tile> &panels,
                                            const typename Tile::Sum (&x)[Tile::kSums], int32_t p, int32_t row,
                                            int32_t col, int32_t m, int32_t n) {
  using A = typename Tile::A;
  if constexpr (cuda::std::is_same_v<typename Tile::Sum, int32_t>) {
    wgmma_store_as<Tile, int32_t>(store, map, panels, x, p, row, col, m, n);
  } else {
    if (store.dtype == GPUOPT_F32) return wgmma_store_as<Tile, float>(store, map, panels, x, p, row, col, m, n);
    // Of 16-bit operands D has their type, of fp8 ones either.
    if constexpr (sizeof(A) == 2) {
      wgmma_store_as<Tile, A>(store, map, panels, x, p, row, col, m, n);
    } else if constexpr (sizeof(A) == 1) {
      if (store.dtype == GPUOPT_F16)
        wgmma_store_as<Tile, __half>(store, map, panels, x, p, row, col, m, n);
      else
        wgmma_store_as<Tile, __nv_bfloat16>(store, map, panels, x, p, row, col, m, n);
    }
  }
}

}  // namespace gpuopt
