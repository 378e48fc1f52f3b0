// The end of a wgmma tile: sums in the registers of a warpgroup to D.
//
// Panels of 64 rows by 128 bytes go through shared memory, swizzled. Where D's rows lie on 16 bytes and are whole ones of
// 16, and C is not read here, the tensor memory accelerator stores them and leaves out what lies beyond D: one panel is written
// while the one before is still being read. Else they are panels of fp32, of which a warp stores a row at a time, wherever
// that begins, and adds C's. All but alpha and beta (stages, D's scale, a C unlike D) is common/gemm_finish.h's, to which
// plain sums go as fp32, or int32.
#pragma once

#include <cuda.h>

#include <cuda/ptx>

#include "common/element.cuh"
#include "gemm/common/add_c.cuh"
#include "gemm/wgmma/wgmma_results.h"
#include "gemm/wgmma/wgmma_tile.cuh"

namespace gpuopt {

// A thread's sums x[4 * j ...] of 64 rows: columns 8 * j + 2 * (lane % 4) and the next, of row 16 * warp + lane / 4, then
// of the eighth row below.

struct WgmmaThread {
  int lane, warp;  // of its warpgroup
};

// Exact sums leave as they are: a factor is gemm_finish's.
__device__ __forceinline__ float wgmma_scaled(float x, float alpha) { return x * alpha; }
__device__ __forceinline__ int32_t wgmma_scaled(int32_t x, float) { return x; }

// Of sums of scaled parts, by a power of two for each row and column; in two steps, as their product may be no fp32 number.
template <int kCount>
__device__ __forceinline__ void wgmma_unscale(WgmmaThread thread, const WgmmaScaling &scaling, const float *sums,
                                              float (&x)[kCount], int32_t p, int32_t row, int32_t col, int32_t m,
                                              int32_t n) {
  const int32_t upper = row + thread.warp * 16 + thread.lane / 4, lower = upper + 8, first = col + thread.lane % 4 * 2;
  const int32_t *const of_rows = scaling.rows + p * scaling.rows_batch, *const of_cols =
                                                                            scaling.cols + p * scaling.cols_batch;
  const int32_t row_exponent[2] = {upper < m ? of_rows[upper] : 0, lower < m ? of_rows[lower] : 0};
#pragma unroll
  for (int e = 0; e < kCount; e += 4) {
#pragma unroll
    for (int right = 0; right < 2; ++right) {
      const int32_t j = first + e * 2 + right, col_exponent = j < n ? of_cols[j] : 0;
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const int32_t exponent = row_exponent[half] + col_exponent, part = exponent >> 1;
        x[e + half * 2 + right] =
            sums[e + half * 2 + right] * wgmma_power_of_two(part) * wgmma_power_of_two(exponent - part);
      }
    }
  }
}

// 32 columns of 16 bits, the left or right half of a panel.
template <class T>
__device__ __forceinline__ void wgmma_write_half(WgmmaThread thread, uint32_t panel, int half, const float *x) {
  const int row = thread.warp * 16 + thread.lane % 16;
#pragma unroll
  for (int j = 0; j < 2; ++j) {  // 16 columns
    uint32_t word[4];
#pragma unroll
    for (int e = 0; e < 4; ++e) {  // upper rows, lower rows, of the left eight columns, then of the right
      Pack<T, 2> pair;
      pair.v[0] = narrow<T>(x[j * 8 + e * 2]);
      pair.v[1] = narrow<T>(x[j * 8 + e * 2 + 1]);
      memcpy(&word[e], &pair, 4);
    }
    const uint32_t chunk = static_cast<uint32_t>((half * 4 + 2 * j + thread.lane / 16) ^ (row & 7));
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(
                     panel + static_cast<uint32_t>(row * 128) + chunk * 16),
                 "r"(word[0]), "r"(word[1]), "r"(word[2]), "r"(word[3])
                 : "memory");
  }
}
// 32 columns of fp32 or int32.
template <class Sum>
__device__ __forceinline__ void wgmma_write_words(WgmmaThread thread, uint32_t panel, const Sum *x) {
  const int lane = thread.lane, warp = thread.warp;
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const int row = warp * 16 + lane / 4 + half * 8;
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      const uint32_t chunk = static_cast<uint32_t>((2 * j + lane % 4 / 2) ^ (row & 7));
      uint32_t word[2];
      memcpy(word, &x[j * 4 + half * 2], 8);
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

  // At a tile's beginning: what follows from the thread's place is worked out again for each, rather than kept.
  __device__ __forceinline__ void begin() {
    uint32_t thread;
    asm volatile("mov.u32 %0, %%tid.x;" : "=r"(thread));
    thread_ = {static_cast<int>(thread % 32), static_cast<int>(thread % 128 / 32)};
  }
  __device__ __forceinline__ WgmmaThread thread() const { return thread_; }
  // The shared address of a panel to fill ...
  __device__ __forceinline__ uint32_t open() const {
    if (threadIdx.x % 128 == 0) cuda::ptx::cp_async_bulk_wait_group_read(cuda::ptx::n32_t<Tile::kPanels - 1>{});
    barrier_sync(barrier_, 128);
    return address();
  }
  __device__ __forceinline__ uint32_t address() const {
    return static_cast<uint32_t>(__cvta_generic_to_shared(mine_ + next_ * Tile::kPanelBytes));
  }
  // ... which then goes to (row, col) of matrix p.
  __device__ __forceinline__ void close(const CUtensorMap &map, int32_t col, int32_t row, int32_t p) {
    namespace ptx = cuda::ptx;
    ptx::fence_proxy_async(ptx::space_shared);
    barrier_sync(barrier_, 128);
    if (threadIdx.x % 128 == 0) {
      ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, &map, {col, row, p},
                                mine_ + next_ * Tile::kPanelBytes);
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
  WgmmaThread thread_ = {0, 0};
};

// A row of 32 columns a warp and turn, wherever D lies; four rows' sums are on their way at once.
template <class Tile, class T, class Sum>
__device__ __forceinline__ void wgmma_store_lines(const WgmmaStore &store, float beta, WgmmaPanels<Tile> &panels,
                                                  const Sum *x, int32_t p, int32_t row, int32_t col, int32_t m,
                                                  int32_t n) {
  const int lane = panels.thread().lane, warp = panels.thread().warp;
  const int32_t rows = m - row;
  const bool reads_c = store.c != nullptr && beta != 0;
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
                      if constexpr (cuda::std::is_same_v<Sum, int32_t>) {
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

// Results of 64 rows and 32 columns, the left or right half of 64 columns.
template <class Tile, class T, class Sum>
__device__ __forceinline__ void wgmma_store_as(const WgmmaStore &store, const CUtensorMap &map,
                                               WgmmaPanels<Tile> &panels, float beta, const Sum *x, int half, int32_t p,
                                               int32_t row, int32_t col, int32_t m, int32_t n) {
  if constexpr (sizeof(T) == 2) {
    if (store.by_panels) {
      wgmma_write_half<T>(panels.thread(), half == 0 ? panels.open() : panels.address(), half, x);
      if (half == 1) panels.close(map, col - 32, row, p);
      return;
    }
  }
  if (col >= n) return;
  if (sizeof(T) == 4 && store.by_panels) {
    wgmma_write_words(panels.thread(), panels.open(), x);
    panels.close(map, col, row, p);
  } else {
    wgmma_store_lines<Tile, T>(store, beta, panels, x, p, row, col, m, n);
  }
}

template <class Tile>
__device__ __forceinline__ void wgmma_store(const WgmmaStore &store, const CUtensorMap &map, WgmmaPanels<Tile> &panels,
                                            float beta, const typename Tile::Sum *x, int half, int32_t p, int32_t row,
                                            int32_t col, int32_t m, int32_t n) {
  using A = typename Tile::A;
  if constexpr (cuda::std::is_same_v<typename Tile::Sum, int32_t>) {
    wgmma_store_as<Tile, int32_t>(store, map, panels, beta, x, half, p, row, col, m, n);
  } else {
    if (store.dtype == GPUOPT_F32)
      return wgmma_store_as<Tile, float>(store, map, panels, beta, x, half, p, row, col, m, n);
    // Of 16-bit operands D has their type, of fp8 ones either.
    if constexpr (sizeof(A) == 2) {
      wgmma_store_as<Tile, A>(store, map, panels, beta, x, half, p, row, col, m, n);
    } else if constexpr (sizeof(A) == 1) {
      if (store.dtype == GPUOPT_F16)
        wgmma_store_as<Tile, __half>(store, map, panels, beta, x, half, p, row, col, m, n);
      else
        wgmma_store_as<Tile, __nv_bfloat16>(store, map, panels, beta, x, half, p, row, col, m, n);
    }
  }
}

}  // namespace gpuopt
