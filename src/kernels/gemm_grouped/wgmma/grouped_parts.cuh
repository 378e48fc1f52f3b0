// What blocks do alike with tiles of groups and of lists: ask for their stages, and hand sums on that leave by lines.
#pragma once

#include "common/run.cuh"
#include "gemm/wgmma/wgmma_panels.cuh"

namespace gpuopt {

// Shared memory as the swizzle wants it.
__device__ __forceinline__ char *grouped_shared() {
  extern __shared__ char wgmma_shared[];
  return wgmma_shared + (1024 - static_cast<uint32_t>(__cvta_generic_to_shared(wgmma_shared)) % 1024) % 1024;
}

// A stage of a tile from (row, col) on, of a product that ends at (end, n): of A the rows that either warpgroup multiplies, of B,
// the p-th matrix, the panels of 64 columns that exist.
template <class Tile, bool kAlongB>
__device__ __forceinline__ void grouped_copy(const CUtensorMap &map_a, const CUtensorMap &map_b, WgmmaRing<Tile> &ring,
                                             int32_t row, int32_t end, int32_t col, int32_t n, int32_t depth,
                                             int32_t p) {
  constexpr int kHalf = Tile::kGroupRows;
  const bool lower = row + kHalf < end;
  const int32_t panels = min(Tile::kN / 64, (n - col + 63) / 64);
  ring.fill(((lower ? 2 * kHalf : kHalf) + panels * 64) * 128, [&] {
    wgmma_copy<true, kHalf>(map_a, ring.stage(), ring.full(), row, depth, 0);
    if (lower) wgmma_copy<true, kHalf>(map_a, ring.stage() + kHalf * 128, ring.full(), row + kHalf, depth, 0);
    for (int32_t i = 0; i < panels; ++i)
      wgmma_copy<kAlongB, 64>(map_b, ring.stage() + Tile::kM * 128 + i * static_cast<int32_t>(kWgmmaPanelBytes),
                              ring.full(), col + i * 64, depth, p);
  });
}

// 64 rows of a tile, times alpha, by panels to the columns from `first` on that exist: whole ones by the tensor memory accelerator,
// else to part(panel, col). words: D has 32 bits.
template <class Tile, class Part>
__device__ __forceinline__ void grouped_store_panels(const CUtensorMap &map, WgmmaPanels<Tile> &panels,
                                                     const float (&sums)[Tile::kSums], float alpha, bool words,
                                                     int32_t row, int32_t first, int32_t n, bool whole, Part &&part) {
  using A = std::conditional_t<sizeof(typename Tile::A) == 2, typename Tile::A, __nv_bfloat16>;  // D's, of 16 bits
#pragma unroll
  for (int i = 0; i < Tile::kSums / 16; ++i) {
    const int32_t col = first + (words ? i : i / 2 * 2) * 32;  // the panel's
    if (col >= n) return;
    float x[16];
#pragma unroll
    for (int e = 0; e < 16; ++e) x[e] = sums[i * 16 + e] * alpha;
    const uint32_t panel = whole && (words || i % 2 == 0) ? panels.open() : panels.address();
    if (words)
      wgmma_write_words(panels.thread(), panel, x);
    else
      wgmma_write_half<A>(panels.thread(), panel, i % 2, x);
    if (!words && i % 2 == 0) continue;
    if (whole)
      panels.close(map, col, row, 0);
    else
      panels.take([&](const char *filled) { part(filled, col); });
  }
}

// 32 columns of 64 rows, of which those before `end` and n exist: a row of them a warp and turn, each sum to store(run, sum).
template <class Tile, class Store>
__device__ __forceinline__ void grouped_store_lines(WgmmaPanels<Tile> &panels, const float *x, int32_t p, int32_t row,
                                                    int32_t end, int32_t col, int32_t n, Store &&store) {
  const int lane = panels.thread().lane, warp = panels.thread().warp;
  wgmma_write_words(panels.thread(), panels.address(), x);
  panels.take([&](const char *panel) {
    if (col + lane >= n) return;
#pragma unroll 1
    for (int i = warp; i < 64 && row + i < end; i += 4) {
      float sum[1] = {*reinterpret_cast<const float *>(panel + i * 128 + ((lane / 4) ^ (i & 7)) * 16 + lane % 4 * 4)};
      store(Run{p, row + i, col + lane, 0, 0, 1}, sum);
    }
  });
}

}  // namespace gpuopt
