// The end of a wgmma tile: sums in the registers of a warpgroup to D.
//
// Where D's rows lie on 16 bytes and are whole ones of 16, and C is not read, panels of 64 rows by 128 bytes go through shared memory, swizzled,
// and are stored by the tensor memory accelerator, which leaves out what lies beyond D: one panel is written while the
// one before is still being read. Else each thread stores its pairs of neighbours itself. All but alpha and beta (stages,
// D's scale, a C unlike D) is common/gemm_finish.h's, to which plain sums go as fp32.
#pragma once

#include <cuda.h>

#include <cuda/ptx>

#include "common/element.cuh"
#include "gemm/wgmma/wgmma_tile.cuh"

namespace gpuopt {

struct WgmmaStore {
  void *d;
  const void *c;  // NULL: not read
  int64_t d_pitch, c_pitch, d_batch, c_batch;
  float alpha, beta;
  const float *alpha_ptr, *beta_ptr, *scale_a, *scale_b;
  int32_t dtype;  // of d and c
  bool by_panels;

  struct Scalars {
    float alpha, beta;
  };
  __device__ __forceinline__ Scalars scalars() const {
    Scalars s = {alpha, beta};
    if (alpha_ptr != nullptr) s.alpha = *alpha_ptr;
    if (beta_ptr != nullptr) s.beta = *beta_ptr;
    if (scale_a != nullptr) s.alpha *= *scale_a;
    if (scale_b != nullptr) s.alpha *= *scale_b;
    return s;
  }
};

// A thread's sums x[4 * j ...] of 64 rows: columns 8 * j + 2 * (lane % 4) and the next, of row 16 * warp + lane / 4, then
// of the eighth row below.

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
// 32 columns of fp32.
__device__ __forceinline__ void wgmma_write_panel_f32(uint32_t panel, const float *x, float alpha) {
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) % 128 / 32;
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const int row = warp * 16 + lane / 4 + half * 8;
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      const uint32_t chunk = static_cast<uint32_t>((2 * j + lane % 4 / 2) ^ (row & 7));
      asm volatile("st.shared.v2.f32 [%0], {%1, %2};" ::"r"(panel + static_cast<uint32_t>(row * 128) + chunk * 16 +
                                                            static_cast<uint32_t>(lane % 2 * 8)),
                   "f"(x[j * 4 + half * 2] * alpha), "f"(x[j * 4 + half * 2 + 1] * alpha)
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
  // Before the block ends.
  __device__ __forceinline__ void drain() const {
    if (threadIdx.x % 128 == 0) cuda::ptx::cp_async_bulk_wait_group_read(cuda::ptx::n32_t<0>{});
  }

 private:
  char *mine_;
  int barrier_, next_ = 0;
};

// Each thread its own pairs, wherever they lie.
template <class Tile, class T>
__device__ __forceinline__ void wgmma_store_pairs(const WgmmaStore &store, const WgmmaStore::Scalars &s,
                                                  const float (&x)[Tile::kSums], int32_t p, int32_t row, int32_t col,
                                                  int32_t m, int32_t n) {
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) % 128 / 32;
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const int32_t i = row + warp * 16 + lane / 4 + half * 8;
    if (i >= m) continue;
    T *const to = static_cast<T *>(store.d) + p * store.d_batch + i * store.d_pitch;
    const T *const from =
        store.c == nullptr ? nullptr : static_cast<const T *>(store.c) + p * store.c_batch + i * store.c_pitch;
#pragma unroll
    for (int j = 0; j < Tile::kN / 8; ++j) {
#pragma unroll
      for (int e = 0; e < 2; ++e) {
        const int32_t at = col + j * 8 + lane % 4 * 2 + e;
        if (at >= n) continue;
        float value = x[j * 4 + half * 2 + e] * s.alpha;
        if (from != nullptr && s.beta != 0) value += s.beta * widen<float>(from[at]);
        to[at] = narrow<T>(value);
      }
    }
  }
}

// The 64 rows from `row` on.
template <class Tile>
__device__ __forceinline__ void wgmma_store(const WgmmaStore &store, const CUtensorMap &map, WgmmaPanels<Tile> &panels,
                                            const float (&x)[Tile::kSums], int32_t p, int32_t row, int32_t col,
                                            int32_t m, int32_t n) {
  using T = typename Tile::T;
  const WgmmaStore::Scalars s = store.scalars();
  if (!store.by_panels) {
    if (store.dtype == GPUOPT_F32) return wgmma_store_pairs<Tile, float>(store, s, x, p, row, col, m, n);
    return wgmma_store_pairs<Tile, T>(store, s, x, p, row, col, m, n);
  }
  if (store.dtype == GPUOPT_F32) {
#pragma unroll
    for (int i = 0; i < Tile::kN / 32; ++i) {
      panels.put(map, col + i * 32, row, p, [&](uint32_t panel) { wgmma_write_panel_f32(panel, x + i * 16, s.alpha); });
    }
    return;
  }
#pragma unroll
  for (int i = 0; i < Tile::kN / 64; ++i) {
    panels.put(map, col + i * 64, row, p, [&](uint32_t panel) { wgmma_write_panel<T>(panel, x + i * 32, s.alpha); });
  }
}

}  // namespace gpuopt
