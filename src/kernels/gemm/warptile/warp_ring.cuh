// The fp32 product for D of about two tiles a multiprocessor: warps that share nothing until their sums are complete.
//
// Idea and data movement. A block owns a tile of 64 x 64 of D; its kWarpsK warps take turns at every 8 steps of k, and
// two blocks fill an SM. Warps that share a ring (warptile.cuh) wait for each other at every stage, then all issue the
// copies of the next one at once, and the reads of fragments queue up behind them. So here each warp has a ring of its
// own, of 64 + 64 lines' 8 steps of k a stage, which it fills and reads alone: no barrier of the block in the loop, and
// the copies spread over the steps, about one a 128 multiply-adds. Fragments, order of the multiply-adds and sums are those of warptile.cuh, and
// so are the exchange of sums between warps and the store.
#pragma once

#include "gemm/warptile/warptile_fragments.cuh"
#include "gemm/warptile/warptile_sums.cuh"

namespace gpuopt {

// The way of one operand into a warp's ring: 8 steps of k by 64 of x a stage, as [k][x].
//   kBytes 16  x contiguous, lines and base on 16 bytes, whole lines readable up to a multiple of 4; a copy is two
//              steps of k.
//   kBytes 4   any layout; a copy is 8 steps of k of 4 neighbours along x, whole sectors where k is contiguous. The
//              pitch spreads it over all 32 banks.
// x beyond the operand is an element of it again, whose sums are never stored; k beyond the end is written as zeros.
template <int kBytes>
class WarpRingCopy {
 public:
  static constexpr int kExtent = 64, kSteps = 8, kPitch = kExtent + 4;
  static constexpr int kCopies = kSteps * kExtent * 4 / (32 * kBytes);
  static constexpr uint32_t kStageBytes = kSteps * kPitch * 4;

  // base: element (x = 0, k = 0) of the warp's strip; left: x that exist from there on, at least 1; k_of_tile: steps
  // of k from one stage to the next.
  __device__ __forceinline__ void begin(uint32_t ring, const float *base, int64_t ld, bool along_k, int32_t left,
                                        int k_of_tile) {
    const int lane = threadIdx.x % 32;
    const int64_t k_step = along_k ? 1 : ld;
    if constexpr (kBytes == 16) {
      const int x = lane % 16 * 4;
      k_ = lane / 16;
      from_ = reinterpret_cast<const char *>(base + k_ * ld + min(x, (left + 3) / 4 * 4 - 4));
#pragma unroll
      for (int c = 0; c < kCopies; ++c) offset_[c] = static_cast<uint32_t>(c * 2) * static_cast<uint32_t>(ld * 4);
      to_ = ring + static_cast<uint32_t>(k_ * kPitch + x) * 4;
    } else {
      const int x = lane / 8;
      k_ = lane % 8;
      from_ = reinterpret_cast<const char *>(base + k_ * k_step);
      const uint32_t x_step = along_k ? static_cast<uint32_t>(ld * 4) : 4;
#pragma unroll
      for (int c = 0; c < kCopies; ++c) offset_[c] = static_cast<uint32_t>(min(x + c * 4, left - 1)) * x_step;
      to_ = ring + static_cast<uint32_t>(k_ * kPitch + x) * 4;
    }
    tile_step_ = k_step * k_of_tile * 4;
  }

  // Copy c of a stage of which k_left steps of k exist, none where it is not positive.
  __device__ __forceinline__ void issue(uint32_t stage, int k_left, int c) const {
    const bool valid = k_ + (kBytes == 16 ? c * 2 : 0) < k_left;
    copy_async<kBytes>(to_ + stage + static_cast<uint32_t>(c * (kBytes == 16 ? 2 * kPitch : 4) * 4), from_ + offset_[c],
                       valid);
  }
  __device__ __forceinline__ void advance() { from_ += tile_step_; }

 private:
  const char *from_;
  int64_t tile_step_;
  uint32_t offset_[kCopies];
  uint32_t to_;
  int k_;
};

// Tiles of 64 x 64 by kWarpsK warps. The copies of a stage go in kParts parts, each in a step of k of its own.
template <int kWarpsK_, int kStages_, int kParts_>
struct WarpRingShape : WarpTileShape<64, 64, 8, 1, 1, kWarpsK_, 4, kStages_, 2> {
  using Base = WarpTileShape<64, 64, 8, 1, 1, kWarpsK_, 4, kStages_, 2>;
  static constexpr int kStageBytes = 2 * WarpRingCopy<16>::kStageBytes, kRingBytes = kStages_ * kStageBytes;
  static constexpr int kParts = kParts_;
  static constexpr int smem_bytes(int stages) {
    const int rings = kWarpsK_ * stages * kStageBytes, exchange = 4 * Base::kExchangeFloats;
    return rings > exchange ? rings : exchange;
  }
};

// acc += the product of a warp's stages: `tiles` of them, beginning with k_left steps of k.
template <class Shape, class CopyA, class CopyB>
__device__ __forceinline__ void multiply_warp_ring(const char *shared, uint32_t ring, CopyA &copy_a, CopyB &copy_b,
                                                   int tiles, int k_left, int row, int col, WarptileSums<Shape> &acc) {
  constexpr int kM = Shape::kThreadM, kN = Shape::kThreadN, kSteps = Shape::kDepthOfWarp, kStages = Shape::kStages;
  constexpr uint32_t kStageBytes = Shape::kStageBytes, kRingBytes = Shape::kRingBytes;
  constexpr uint32_t kOfB = CopyA::kStageBytes;
  constexpr int kCopies = CopyA::kCopies + CopyB::kCopies, kParts = Shape::kParts;
  static_assert(kParts < kSteps, "the last step commits");
  const auto issue = [&](uint32_t stage, int part) {
#pragma unroll
    for (int c = part * kCopies / kParts; c < (part + 1) * kCopies / kParts; ++c) {
      if (c < CopyA::kCopies) copy_a.issue(stage, k_left, c);
      if (c >= CopyA::kCopies) copy_b.issue(stage, k_left, c - CopyA::kCopies);
    }
  };
  const auto advance = [&] {
    copy_a.advance();
    copy_b.advance();
    k_left -= Shape::kDepth;
  };
#pragma unroll 1
  for (uint32_t stage = 0; stage < (kStages - 1) * kStageBytes; stage += kStageBytes) {
#pragma unroll
    for (int part = 0; part < kParts; ++part) issue(stage, part);
    advance();
    __pipeline_commit();
  }

  float a[kM], b[2][kN];
  const WarptileFragments<Shape, CopyA::kPitch, CopyB::kPitch> fragments(shared, ring + static_cast<uint32_t>(row) * 4,
                                                                         ring + static_cast<uint32_t>(col) * 4 + kOfB);

  __pipeline_wait_prior(kStages - 2);
  __syncwarp();
  uint32_t write = (kStages - 1) * kStageBytes, read = 0;
#pragma unroll
  for (int q = 0; q < kM / 4; ++q) fragments.load_a(0, read, q, a);
  fragments.load_b(0, read, b[0]);

#pragma unroll 1
  for (int t = tiles; t > 0; --t) {
#pragma unroll
    for (int step = 0; step < kSteps; ++step) {
      if (step == kSteps - 1) {
        __pipeline_commit();
        __pipeline_wait_prior(kStages - 2);
        __syncwarp();  // the next stage is there for all lanes, and all have read what the copies will write over
        read = read + kStageBytes == kRingBytes ? 0 : read + kStageBytes;
        write = write + kStageBytes == kRingBytes ? 0 : write + kStageBytes;
      }
      const int next = step == kSteps - 1 ? 0 : step + 1;
      fragments.load_b(next, read, b[(step + 1) % 2]);
      if (step < kParts) issue(write, step);
#pragma unroll
      for (int q = 0; q < kM / 4; ++q) {
        multiply_quad<Shape>(q * 4, a, b[step % 2], acc);
        fragments.load_a(next, read, q, a);  // this quad is done with
      }
    }
    advance();
  }
  __pipeline_wait_prior(0);
  __syncthreads();  // all rings are done with
}

// join_parts() for a tile of few parts: those of up to four blocks are under way at once, for nothing else is left that
// would hide the way from L2. A part that is not there is added as zeros.
template <class Shape>
__device__ __forceinline__ bool join_few_parts(const Warptile &w, uint32_t tile,
                                               float (&kept)[Shape::kRowsKept][Shape::kThreadN]) {
  constexpr int kN = Shape::kThreadN, kPacks = Shape::kRowsKept * kN / 4, kAtOnce = 4;
  constexpr int64_t kSlotPacks = Shape::kM * Shape::kN / 4;
  const uint64_t tile_unit = uint64_t{tile} * w.work.k_tiles;
  float4 *const parts = reinterpret_cast<float4 *>(w.parts) + threadIdx.x;
  float4 *const mine = parts + w.work.slot(blockIdx.x, tile_unit) * kSlotPacks;
#pragma unroll
  for (int q = 0; q < kPacks; ++q) __stcg(mine + q * Shape::kThreads, pack_sums(kept[q * 4 / kN] + q * 4 % kN));
  const uint32_t first = w.work.block_of(tile_unit), last = w.work.block_of(tile_unit + w.work.k_tiles - 1);
  if (!is_last_to_come(w.tickets + tile, last - first + 1)) return false;
#pragma unroll
  for (int q = 0; q < kPacks; ++q) {
#pragma unroll
    for (int e = 0; e < 4; ++e) kept[q * 4 / kN][q * 4 % kN + e] = 0;
  }
#pragma unroll 1
  for (uint32_t block = first; block <= last; block += kAtOnce) {
    float4 v[kAtOnce][kPacks];
#pragma unroll
    for (int b = 0; b < kAtOnce; ++b) {
      const bool there = block + b <= last;
      const float4 *const from = parts + w.work.slot(there ? block + b : block, tile_unit) * kSlotPacks;
#pragma unroll
      for (int q = 0; q < kPacks; ++q) v[b][q] = there ? __ldcg(from + q * Shape::kThreads) : float4{};
    }
#pragma unroll
    for (int b = 0; b < kAtOnce; ++b) {
#pragma unroll
      for (int q = 0; q < kPacks; ++q) {
        float part[4];
        unpack_sums(v[b][q], part);
#pragma unroll
        for (int e = 0; e < 4; ++e) kept[q * 4 / kN][q * 4 % kN + e] += part[e];
      }
    }
  }
  return true;
}

// Two blocks fit an SM at the most registers a thread can have; asked for two the compiler orders the loop otherwise.
template <class Shape, int kBytesA, int kBytesB>
__global__ void __launch_bounds__(Shape::kThreads, 1)
    gemm_warptile_warp_ring_kernel([[maybe_unused]] const __grid_constant__ Warptile w) {
#if __CUDA_ARCH__ >= 900
  extern __shared__ float4 warptile_shared[];
  float *const shared = reinterpret_cast<float *>(warptile_shared);
  const int lane = threadIdx.x % 32, group = threadIdx.x / 32;
  const int row_in_warp = warptile_lane_row<Shape::kLanesM>(lane) * 4;
  const int col_in_warp = warptile_lane_col<Shape::kLanesM>(lane) * 4;
  const uint32_t ring = static_cast<uint32_t>(group) * Shape::kRingBytes;
  const uint32_t ring_address = static_cast<uint32_t>(__cvta_generic_to_shared(shared)) + ring;

  const bool streams = blockIdx.x < w.work.stream_blocks;
  const uint64_t k_tiles = w.work.k_tiles;
  uint64_t unit =
      streams ? w.work.first_unit(blockIdx.x) : (w.work.streamed + blockIdx.x - w.work.stream_blocks) * k_tiles;
  const uint64_t end = streams ? w.work.first_unit(blockIdx.x + 1) : unit + k_tiles;

  while (unit < end) {
    const uint32_t index = static_cast<uint32_t>(unit / k_tiles);
    const uint32_t first = static_cast<uint32_t>(unit - index * k_tiles);  // units of this tile: [first, first + count)
    const uint64_t left_of_tile = k_tiles - first;
    const uint32_t count = static_cast<uint32_t>(end - unit < left_of_tile ? end - unit : left_of_tile);
    unit += count;
    const WarptileWork::Tile tile = w.work.tile(index);
    const int64_t row = int64_t{tile.row} * Shape::kM, col = int64_t{tile.col} * Shape::kN;
    const int64_t first_k = int64_t{first} * Shape::kDepth;
    const int rows_left = static_cast<int>(min(w.m - row, int64_t{Shape::kM}));
    const int cols_left = static_cast<int>(min(w.n - col, int64_t{Shape::kN}));
    // Of this warp, and of the segment: both may lie beyond the end of k.
    const int64_t k = min(first_k + group * Shape::kDepthOfWarp, max(w.k - 1, int64_t{0}));
    const int k_left =
        static_cast<int>(min(int64_t{count} * Shape::kDepth, w.k - first_k)) - group * Shape::kDepthOfWarp;

    WarpRingCopy<kBytesA> copy_a;
    WarpRingCopy<kBytesB> copy_b;
    const bool a_along_k = kBytesA == 4 && w.a.along_k, b_along_k = kBytesB == 4 && w.b.along_k;
    copy_a.begin(ring_address, w.a.data + tile.p * w.a.batch_step + (a_along_k ? row * w.a.ld + k : k * w.a.ld + row),
                 w.a.ld, a_along_k, rows_left, Shape::kDepth);
    copy_b.begin(ring_address + WarpRingCopy<kBytesA>::kStageBytes,
                 w.b.data + tile.p * w.b.batch_step + (b_along_k ? col * w.b.ld + k : k * w.b.ld + col), w.b.ld,
                 b_along_k, cols_left, Shape::kDepth);

    WarptileSums<Shape> acc = {};
    multiply_warp_ring<Shape>(reinterpret_cast<const char *>(shared), ring, copy_a, copy_b, static_cast<int>(count),
                              k_left, row_in_warp, col_in_warp, acc);
    float kept[Shape::kRowsKept][Shape::kThreadN];
    exchange_slices<Shape>(shared, group, lane, acc, kept);
    if (count < k_tiles && !join_few_parts<Shape>(w, index, kept)) continue;
    const int first_row = row_in_warp + group * (Shape::kRowsKept / 4) * Shape::kLanesM * 4;
    store_rows<Shape>(w, tile.p, row, col, first_row, col_in_warp, rows_left, cols_left, kept);
  }
#endif
}

}  // namespace gpuopt
