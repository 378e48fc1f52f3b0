// 16-bit results to lines of D that begin anywhere.
//
// Each warp stores its own 16 rows of a panel, a lane a vector of 16 bytes as D has them: it lies in two neighbouring ones of the
// panel, or of it and the one before, which stays in the other place until then. So only where a tile begins and ends are there
// elements that make no whole vector, no more than a lane has one of.
#pragma once

#include "common/shift_words.cuh"
#include "gemm/wgmma/wgmma_panels.cuh"
#include "gemm/wgmma/wgmma_results.h"

namespace gpuopt {

// A warp's lines of 64 rows of a tile, from (row, first) of matrix p on.
template <class Tile>
class WgmmaLines {
 public:
  __device__ __forceinline__ WgmmaLines(const WgmmaStore &store, WgmmaThread thread, int32_t p, int32_t row,
                                        int32_t first, int32_t m)
      : mine_(thread.lane % kInLine),
        begin_(thread.warp * 16 + thread.lane / kInLine),
        end_(m - row),
        step_(kRows * store.d_pitch),
        to_(static_cast<uint16_t *>(store.d) + p * store.d_batch + (row + begin_) * store.d_pitch + first) {}

  // Whole vectors of the panel whose first column is `col` of the tile, of which so many exist.
  __device__ __forceinline__ void store_vectors(const WgmmaPanels<Tile> &panels, int32_t col, int32_t exist) const {
    const uint32_t panel = panels.address();
#pragma unroll
    for (int s = 0; s < kSteps; s += kAtOnce) {
      uint32_t w[kAtOnce][8];
#pragma unroll
      for (int i = 0; i < kAtOnce; ++i) {  // rows beyond D are read for nothing
        const int r = begin_ + (s + i) * kRows;
        load_shared_vector(mine_ == 0 ? chunk(panels.address_before(), r, kInLine - 1) : chunk(panel, r, mine_ - 1),
                           w[i]);
        load_shared_vector(chunk(panel, r, mine_), w[i] + 4);
      }
#pragma unroll
      for (int i = 0; i < kAtOnce; ++i) {
        const int r = begin_ + (s + i) * kRows, lead = lead_of(s + i);
        if (r >= end_) break;
        uint16_t *const line = to_ + (s + i) * step_ + col;
        shift_words<4, 4, true>(w[i], static_cast<uint32_t>(lead * 2));
        if ((col != 0 || mine_ != 0) && lead + mine_ * kVector <= exist)
          store_words<4>(__cvta_generic_to_global(line + lead + (mine_ - 1) * kVector), w[i]);
        if (col == 0 && mine_ < min(lead, exist)) line[mine_] = element(panels, r, mine_);
      }
    }
  }
  // Behind the last of them, of a panel of which up to 64 columns exist: up to eight elements, which may begin in the panel before.
  __device__ __forceinline__ void store_rest(const WgmmaPanels<Tile> &panels, int32_t col, int32_t exist) const {
#pragma unroll 1
    for (int s = 0; s < kSteps; ++s) {
      const int r = begin_ + s * kRows, lead = lead_of(s);
      if (r >= end_) break;
      const int whole = lead + min((exist - lead) / kVector, kInLine - 1) * kVector;  // what store_vectors() came to
      const int e = (lead <= exist ? whole : col == 0 ? 0 : lead - kVector) + mine_;
      if (e < exist) to_[s * step_ + col + e] = element(panels, r, e);
    }
  }

 private:
  static constexpr int kVector = 8, kInLine = 64 / kVector, kRows = 32 / kInLine, kSteps = 16 / kRows;
  static constexpr int kAtOnce = Tile::kFull ? 1 : kSteps;  // rows of a lane's, as registers are left

  static __device__ __forceinline__ uint32_t chunk(uint32_t panel, int r, int c) {
    return panel + static_cast<uint32_t>(r * 128 + (c ^ (r & 7)) * 16);
  }
  // Elements of a line before its first whole vector.
  __device__ __forceinline__ int lead_of(int step) const {
    const auto address = reinterpret_cast<uintptr_t>(to_ + step * step_);
    return static_cast<int>((kVector - address / 2 % kVector) % kVector);
  }
  static __device__ __forceinline__ uint16_t element(const WgmmaPanels<Tile> &panels, int r, int e) {
    const int in_panel = e & 63;
    return load_shared_16bit(chunk(e < 0 ? panels.address_before() : panels.address(), r, in_panel / kVector) +
                             static_cast<uint32_t>(in_panel % kVector) * 2);
  }

  int mine_, begin_;
  int32_t end_;
  int64_t step_;
  uint16_t *to_;
};

// Whether results are sums times alpha and go by such lines. (Said in the kernel, it costs registers.)
__device__ __forceinline__ bool wgmma_goes_by_lines(const WgmmaStore &store) {
  return !store.by_panels && !store.chained && store.c == nullptr && store.dtype != GPUOPT_F32;
}
// A warpgroup's rows of them: that alone, so that little code runs.
template <class T, class Tile>
__device__ __forceinline__ void wgmma_finish_lines(const WgmmaStore &store, WgmmaPanels<Tile> &panels,
                                                   const float (&sums)[Tile::kBlocks][Tile::kSums], int32_t p,
                                                   int32_t row, int32_t first, int32_t m, int32_t n) {
  const float alpha = store.scalars().alpha;
#pragma unroll
  for (int block = 0; block < Tile::kBlocks; ++block) {
    if (row + block * 64 >= m) break;
    const WgmmaLines<Tile> lines(store, panels.thread(), p, row + block * 64, first, m);
    int i = 0;
#pragma unroll
    for (; i < Tile::kN / 64; ++i) {
      const int32_t exist = n - first - i * 64;
      __syncwarp();  // the rows of a panel are those of one warp, which has read them now, or written them
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        float x[16];
#pragma unroll
        for (int e = 0; e < 16; ++e) x[e] = sums[block][i * 32 + half * 16 + e] * alpha;
        wgmma_write_half<T>(panels.thread(), panels.address(), half, x);
      }
      __syncwarp();
      lines.store_vectors(panels, i * 64, exist);
      if (exist <= 64) break;
      panels.turn();
    }
    lines.store_rest(panels, i * 64, n - first - i * 64);
    panels.turn();
  }
}

}  // namespace gpuopt
