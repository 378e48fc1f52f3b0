// Panels of 64 rows by 128 bytes, swizzled, through which the sums of a warpgroup leave for D.
#pragma once

#include "common/element.cuh"
#include "gemm/wgmma/wgmma_tile.cuh"

namespace gpuopt {

// A thread's sums x[4 * j ...] of 64 rows: columns 8 * j + 2 * (lane % 4) and the next, of row 16 * warp + lane / 4, then
// of the eighth row below.
struct WgmmaThread {
  int lane, warp;  // of its warpgroup
};

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

__device__ __forceinline__ void load_shared_vector(uint32_t from, uint32_t *words) {
  asm volatile("ld.shared.v4.b32 {%0, %1, %2, %3}, [%4];"
               : "=r"(words[0]), "=r"(words[1]), "=r"(words[2]), "=r"(words[3])
               : "r"(from)
               : "memory");
}
__device__ __forceinline__ uint16_t load_shared_16bit(uint32_t from) {
  uint16_t bits;
  asm volatile("ld.shared.b16 %0, [%1];" : "=h"(bits) : "r"(from) : "memory");
  return bits;
}

// Panels of one warpgroup on their way out.
template <class Tile>
class WgmmaPanels {
 public:
  __device__ __forceinline__ WgmmaPanels(char *shared, int group)
      : mine_(shared + group * (Tile::kPanels * Tile::kPanelBytes)), barrier_(kStoreBarrier + group) {}

  // What follows from the thread's place is worked out again, rather than kept: at a tile's beginning for each.
  static __device__ __forceinline__ WgmmaThread thread_again() {
    uint32_t thread;
    asm volatile("mov.u32 %0, %%tid.x;" : "=r"(thread));
    return {static_cast<int>(thread % 32), static_cast<int>(thread % 128 / 32)};
  }
  __device__ __forceinline__ void begin() { thread_ = thread_again(); }
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
  // Of the panel before it; and on to the next.
  __device__ __forceinline__ uint32_t address_before() const {
    return static_cast<uint32_t>(__cvta_generic_to_shared(mine_ + (next_ ^ 1) * Tile::kPanelBytes));
  }
  __device__ __forceinline__ void turn() { next_ ^= 1; }
  __device__ __forceinline__ void meet() const { barrier_sync(barrier_, 128); }
  // ... which then goes to (row, col) of matrix p. leaves_first: its lines leave L2 before others.
  __device__ __forceinline__ void close(const CUtensorMap &map, int32_t col, int32_t row, int32_t p,
                                        bool leaves_first = false) {
    cuda::ptx::fence_proxy_async(cuda::ptx::space_shared);
    barrier_sync(barrier_, 128);
    if (threadIdx.x % 128 == 0) {
      asm volatile(
          "{\n.reg .b64 first, policy;\n.reg .pred p;\nsetp.ne.b32 p, %5, 0;\n"
          "createpolicy.fractional.L2::evict_first.b64 first, 1.0;\n"
          "createpolicy.fractional.L2::evict_normal.b64 policy, 1.0;\n@p mov.b64 policy, first;\n"
          "cp.async.bulk.tensor.3d.global.shared::cta.tile.bulk_group.L2::cache_hint [%0, {%1, %2, %3}], [%4], "
          "policy;\n}" ::"l"(&map),
          "r"(col), "r"(row), "r"(p), "r"(address()), "r"(static_cast<int>(leaves_first))
          : "memory");
      cuda::ptx::cp_async_bulk_commit_group();
    }
    next_ = (next_ + 1) % Tile::kPanels;
  }
  // ... or was taken by its own warps, among others that the accelerator reads: a group of none stands for it.
  __device__ __forceinline__ void pass_by() {
    if (threadIdx.x % 128 == 0) cuda::ptx::cp_async_bulk_commit_group();
    turn();
  }
  // ... or is taken by read(panel), where the accelerator reads none.
  template <class Read>
  __device__ __forceinline__ void take(Read &&read) {
    barrier_sync(barrier_, 128);
    read(mine_ + next_ * Tile::kPanelBytes);
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

}  // namespace gpuopt
