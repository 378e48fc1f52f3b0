// A matrix that joins a tile's sums (C, or a residual that is the only stage) and comes like an operand.
//
// Behind a tile's stages of k its part of the matrix goes through the same ring, as panels of 64 rows by 128 bytes like D's: it is
// asked for while the last products run, so that nothing waits for it at their end, and takes no shared memory of its own.
// A stage has panels of each warpgroup that shares the tile in turn, 64 rows after 64 rows. The matrix may be D: it is read first.
#pragma once

#include "gemm/wgmma/wgmma_store.cuh"

namespace gpuopt {

// 32 columns of 16 bits, the left or right half of a panel, as wgmma_write_half wrote them.
template <class T>
__device__ __forceinline__ void wgmma_read_half(WgmmaThread thread, uint32_t panel, int half, float *x) {
  const int row = thread.warp * 16 + thread.lane % 16;
#pragma unroll
  for (int j = 0; j < 2; ++j) {
    uint32_t word[4];
    const uint32_t chunk = static_cast<uint32_t>((half * 4 + 2 * j + thread.lane / 16) ^ (row & 7));
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(word[0]), "=r"(word[1]), "=r"(word[2]), "=r"(word[3])
                 : "r"(panel + static_cast<uint32_t>(row * 128) + chunk * 16)
                 : "memory");
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      Pack<T, 2> pair;
      memcpy(&pair, &word[e], 4);
      x[j * 8 + e * 2] = widen<float>(pair.v[0]);
      x[j * 8 + e * 2 + 1] = widen<float>(pair.v[1]);
    }
  }
}
// 32 columns of fp32, as wgmma_write_words wrote them.
__device__ __forceinline__ void wgmma_read_words(WgmmaThread thread, uint32_t panel, float *x) {
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const int row = thread.warp * 16 + thread.lane / 4 + half * 8;
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      const uint32_t chunk = static_cast<uint32_t>((2 * j + thread.lane % 4 / 2) ^ (row & 7));
      asm volatile(
          "ld.shared.v2.f32 {%0, %1}, [%2];"
          : "=f"(x[j * 4 + half * 2]), "=f"(x[j * 4 + half * 2 + 1])
          : "r"(panel + static_cast<uint32_t>(row * 128) + chunk * 16 + static_cast<uint32_t>(thread.lane % 2 * 8))
          : "memory");
    }
  }
}

// What a matrix takes of the ring.
template <class Tile>
struct WgmmaFoldShape {
  static constexpr int kGroups = Tile::kSharers;
  static constexpr int kInStage = Tile::kStageBytes / (Tile::kPanelBytes * kGroups);  // of a warpgroup
  static constexpr int across(bool words) { return Tile::kN / (words ? 32 : 64); }
  static constexpr int panels(bool words) { return Tile::kBlocks * across(words); }
  static constexpr int stages(bool words) { return (panels(words) + kInStage - 1) / kInStage; }
  static_assert(kInStage > 0 && Tile::kN % 64 == 0, "whole panels");
};
// A tile's part as the copying thread sees it, of which so many rows and columns exist; panels beyond them are left out.
template <class Tile>
struct WgmmaFoldTile {
  using Shape = WgmmaFoldShape<Tile>;
  const CUtensorMap &map;
  bool words;
  int32_t row, col, p, rows, cols;

  // f(down, right) of the panel that the place-th place is for, counted through all stages.
  template <class F>
  __device__ __forceinline__ void at(int32_t place, F &&f) const {
    const int32_t across = words ? Shape::across(true) : Shape::across(false);
    const int32_t panel = place / Shape::kGroups, block = panel / across;
    const int32_t down = (place % Shape::kGroups * Tile::kBlocks + block) * 64;
    const int32_t right = (panel - block * across) * (words ? 32 : 64);
    if (block < Tile::kBlocks && down < rows && right < cols) f(down, right);
  }
  // Has a panel brought to L2, one beside each of the first stages of k: at the end all blocks would read memory at once.
  __device__ __forceinline__ void prefetch(int32_t place) const {
    if (place < Shape::panels(true) * Shape::kGroups)
      at(place, [&](int32_t down, int32_t right) {
        asm volatile("cp.async.bulk.prefetch.tensor.3d.L2.global.tile [%0, {%1, %2, %3}];" ::"l"(&map),
                     "r"(col + right), "r"(row + down), "r"(p)
                     : "memory");
      });
  }
  __device__ __forceinline__ void copy(WgmmaRing<Tile> &ring) const {
    namespace ptx = cuda::ptx;
    constexpr int kPlaces = Shape::kInStage * Shape::kGroups;
#pragma unroll 1
    for (int32_t s = 0; s < (words ? Shape::stages(true) : Shape::stages(false)); ++s) {
      const auto each = [&](auto &&f) {
#pragma unroll 1
        for (int32_t i = 0; i < kPlaces; ++i)
          at(s * kPlaces + i, [&](int32_t down, int32_t right) { f(i, down, right); });
      };
      int32_t count = 0;
      each([&](int32_t, int32_t, int32_t) { ++count; });
      ring.fill(count * Tile::kPanelBytes, [&] {
        each([&](int32_t i, int32_t down, int32_t right) {
          ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, ring.stage() + i * Tile::kPanelBytes, &map,
                                    {col + right, row + down, p}, ring.full());
        });
      });
    }
  }
};

// A warpgroup's way through its panels of a tile, one after the other.
template <class Tile>
class WgmmaFold {
 public:
  using Shape = WgmmaFoldShape<Tile>;
  __device__ __forceinline__ WgmmaFold(WgmmaRing<Tile> *ring, int group) : ring_(*ring), group_(group) {}

  // x + beta * C, sums of a thread from the of_32-th 32 columns of the block-th 64 rows on.
  template <int kCount>
  __device__ __forceinline__ void add(int32_t dtype, float beta, int block, int of_32, float (&x)[kCount]) {
    with_wgmma_result<Tile>(dtype, [&](auto tag) {
#pragma unroll
      for (int i = 0; i < kCount; i += 16) {
        float c[16];
        read<typename decltype(tag)::type>(block, of_32 + i / 16, c);
#pragma unroll
        for (int e = 0; e < 16; ++e) x[i + e] = add_c(x[i + e], beta, c[e]);
      }
    });
  }
  // Past the rest of the block-th 64 rows, which lies beyond the matrix.
  __device__ __forceinline__ void pass(bool words, int block, int of_32) {
#pragma unroll 1
    for (int left = words ? passed(true, block, of_32) : passed(false, block, of_32); left > 0; --left) release();
  }

 private:
  // What joins 16 sums of a thread: 32 columns.
  template <class T>
  __device__ __forceinline__ void read(int block, int of_32, float (&x)[16]) {
    constexpr bool kWords = sizeof(T) == 4;
    const int number = panel(kWords, block, of_32), of_stage = number % Shape::kInStage;
    if (of_stage == 0 && number != 0 && (kWords || of_32 % 2 == 0)) release();
    ring_.wait_full();
    const uint32_t from =
        static_cast<uint32_t>(__cvta_generic_to_shared(ring_.stage())) +
        static_cast<uint32_t>((of_stage * Shape::kGroups + (Tile::kPingPong ? 0 : group_)) * Tile::kPanelBytes);
    // The place of the thread is worked out again, for want of registers.
    if constexpr (kWords)
      wgmma_read_words(WgmmaPanels<Tile>::thread_again(), from, x);
    else
      wgmma_read_half<T>(WgmmaPanels<Tile>::thread_again(), from, of_32 % 2, x);
    if (block == Tile::kBlocks - 1 && of_32 == Tile::kN / 32 - 1) release();  // for the next tile's stages
  }
  static constexpr __device__ int panel(bool words, int block, int of_32) {
    return block * Shape::across(words) + (words ? of_32 : of_32 / 2);
  }
  // Stages whose last panel is passed; the last of a tile's behind it, others where the next one begins.
  static constexpr __device__ int passed(bool words, int block, int of_32) {
    int count = block == Tile::kBlocks - 1 ? 1 : 0;
    for (int number = panel(words, block, of_32); number < panel(words, block + 1, 0); ++number)
      if (number != 0 && number % Shape::kInStage == 0) ++count;
    return count;
  }
  __device__ __forceinline__ void release() {
    ring_.wait_full();
    barrier_sync(kStoreBarrier + group_, 128);  // all four warps have read what they take, or seen that it is there
    ring_.free_stage(ring_.index());
    ring_.advance();
  }

  WgmmaRing<Tile> &ring_;
  int group_;
};

}  // namespace gpuopt
