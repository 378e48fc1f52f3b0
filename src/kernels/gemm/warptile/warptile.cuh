// The full fp32 matrix product on CUDA cores: block, warp and thread tiles.
//
// Idea and data movement. A block owns a kM x kN tile of D, a warp a part of it, a thread up to 16 x 8 sums in
// registers. Tiles of A and B of kDepth steps of k pass through a ring of kStages buffers in shared memory, both as
// [k][x] whatever the layout (warptile_copy.cuh), filled by cp.async kStages - 1 tiles ahead. A step of k costs a
// thread (kThreadM + kThreadN) / 4 float4 reads of shared memory for kThreadM * kThreadN multiply-adds: 6 for 128, so
// that about nine in ten issue slots are FFMA. B's part of the next step is read before the multiply-adds of this
// one, A's quad by quad as each quad is done with, across the barrier too. Lanes are numbered so that neighbours 2
// apart share what they read of B and neighbours 1 apart what they read of A: then a float4 read of a warp takes two
// wavefronts and not four.
// With kWarpsK > 1 groups of warps share one tile of D and take turns at the steps of k (slices), for small D; their
// sums are added through shared memory.
#pragma once

#include <type_traits>

#include "common/dependent_launch.cuh"
#include "gemm/warptile/warptile_copy.cuh"
#include "gemm/warptile/warptile_fragments.cuh"
#include "gemm/warptile/warptile_sums.cuh"

namespace gpuopt {

// Of a tile's copies, see TileCopy. Staged, a part is read from global memory in one step of k and stored in the next.
template <class Shape, int kBytes, bool kEndless>
constexpr int warptile_parts = GPUOPT_WARPTILE_STAGED ? Shape::kDepthOfWarp - 1
                               : !kEndless            ? 1
                               : kBytes == 16         ? Shape::kParts16
                                                      : Shape::kParts4;
template <class Shape, int kExtent, int kBytes, bool kEndless>
using WarptileCopy =
    TileCopy<kExtent, Shape::kDepth, Shape::kThreads, kBytes, warptile_parts<Shape, kBytes, kEndless>, kEndless>;

// The step of k in which a part is issued. Asynchronous parts go evenly over all steps but the last, B's between A's:
// of many copies in a row, fragments would wait behind them in the queue to shared memory.
constexpr int warptile_step_of_part(int part, int parts, int steps, bool between) {
  if (GPUOPT_WARPTILE_STAGED || parts == 1) return part;
  return (2 * part + (between ? 1 : 0)) * (steps - 1) / (2 * parts);
}

// acc += the product of one segment of `tiles` tiles of k, the last of which has last_depth steps.
template <class Shape, class CopyA, class CopyB>
__device__ __forceinline__ void multiply_segment(float *shared, CopyA &copy_a, CopyB &copy_b, int tiles, int last_depth,
                                                 int row_in_tile, int col_in_tile, int slice,
                                                 WarptileSums<Shape> &acc) {
  constexpr int kM = Shape::kThreadM, kN = Shape::kThreadN, kSteps = Shape::kDepthOfWarp;
  constexpr int kStages = GPUOPT_WARPTILE_STAGED ? kWarptileStagedStages : Shape::kStages;
  constexpr uint32_t kStageBytes = Shape::kStageFloats * 4, kRingBytes = kStageBytes * kStages;
  constexpr uint32_t kOfB = CopyA::kFloats * 4;
  constexpr int kPartsA = CopyA::kParts, kPartsB = CopyB::kParts;
  char *const ring = reinterpret_cast<char *>(shared);
  const uint32_t ring_address = static_cast<uint32_t>(__cvta_generic_to_shared(ring));
  copy_a.place(ring_address);
  copy_b.place(ring_address + kOfB);

  const auto enter_stage = [&](uint32_t stage) {
    copy_a.enter(stage);
    if constexpr (CopyA::kByExtent && std::is_same_v<CopyA, CopyB>) {
      copy_b.enter(copy_a, kOfB);
    } else {
      copy_b.enter(stage);
    }
  };
  int to_load = tiles;
#pragma unroll
  for (int s = 0; s < kStages - 1; ++s) {
    if constexpr (CopyA::kEndless) enter_stage(s * kStageBytes);
    if (CopyA::kEndless || to_load > 0) {
      const int depth = to_load == 1 ? last_depth : Shape::kDepth;
#pragma unroll
      for (int part = 0; part < kPartsA || part < kPartsB; ++part) {
        if (part < kPartsA) copy_a.issue(s * kStageBytes, depth, part);
        if (part < kPartsB) copy_b.issue(s * kStageBytes, depth, part);
        if (part < kPartsA) copy_a.settle(ring + s * kStageBytes, part);
        if (part < kPartsB) copy_b.settle(ring + s * kStageBytes + kOfB, part);
      }
      copy_a.advance();
      copy_b.advance();
    }
    --to_load;
    __pipeline_commit();
  }

  float a[kM], b[2][kN];
  const WarptileFragments<Shape, CopyA::kPitch, CopyB::kPitch> fragments(
      ring, static_cast<uint32_t>(slice * kSteps * CopyA::kPitch + row_in_tile) * 4,
      static_cast<uint32_t>(slice * kSteps * CopyB::kPitch + col_in_tile) * 4 + kOfB);

  __pipeline_wait_prior(kStages - 2);
  __syncthreads();
  uint32_t write = (kStages - 1) * kStageBytes, read = 0;
#pragma unroll
  for (int q = 0; q < kM / 4; ++q) fragments.load_a(0, read, q, a);
  fragments.load_b(0, read, b[0]);

#pragma unroll 1
  for (int t = tiles; t > 0; --t) {
    if constexpr (CopyA::kEndless) enter_stage(write);
    const bool loads = CopyA::kEndless || t >= kStages;
    const int depth = t == kStages ? last_depth : Shape::kDepth;
#pragma unroll
    for (int step = 0; step < kSteps; ++step) {
      if (GPUOPT_WARPTILE_STAGED && step > 0 && loads) {
        copy_a.settle(ring + write, step - 1);
        copy_b.settle(ring + write + kOfB, step - 1);
      }
      if (step == kSteps - 1) {
        __pipeline_commit();
        __pipeline_wait_prior(kStages - 2);
        __syncthreads();
        read = read + kStageBytes == kRingBytes ? 0 : read + kStageBytes;
        write = write + kStageBytes == kRingBytes ? 0 : write + kStageBytes;
      }
      const int next = step == kSteps - 1 ? 0 : step + 1;
      fragments.load_b(next, read, b[(step + 1) % 2]);
      if (loads) {
#pragma unroll
        for (int part = 0; part < kPartsA || part < kPartsB; ++part) {
          if (part < kPartsA && warptile_step_of_part(part, kPartsA, kSteps, false) == step) {
            copy_a.issue(write, depth, part);
          }
          if (part < kPartsB && warptile_step_of_part(part, kPartsB, kSteps, true) == step) {
            copy_b.issue(write, depth, part);
          }
        }
      }
#pragma unroll
      for (int q = 0; q < kM / 4; ++q) {
        multiply_quad<Shape>(q * 4, a, b[step % 2], acc);
        fragments.load_a(next, read, q, a);  // this quad is done with
      }
    }
    copy_a.advance();
    copy_b.advance();
  }
  __pipeline_wait_prior(0);
  __syncthreads();  // the ring may be written again
}

// What a block of this number does.
template <class Shape, int kBytesA, int kBytesB>
__device__ __forceinline__ void warptile_product(const Warptile &w, uint32_t block) {
  extern __shared__ float4 warptile_shared[];
  float *const shared = reinterpret_cast<float *>(warptile_shared);
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int slice = warp / (Shape::kWarpsM * Shape::kWarpsN), warp_of_slice = warp % (Shape::kWarpsM * Shape::kWarpsN);
  const int row_in_tile =
      warp_of_slice / Shape::kWarpsN * (Shape::kM / Shape::kWarpsM) + warptile_lane_row<Shape::kLanesM>(lane) * 4;
  const int col_in_tile =
      warp_of_slice % Shape::kWarpsN * (Shape::kN / Shape::kWarpsN) + warptile_lane_col<Shape::kLanesM>(lane) * 4;

  const bool streams = block < w.work.stream_blocks;
  const uint64_t k_tiles = w.work.k_tiles;
  uint64_t unit = streams ? w.work.first_unit(block) : (w.work.streamed + block - w.work.stream_blocks) * k_tiles;
  const uint64_t end = streams ? w.work.first_unit(block + 1) : unit + k_tiles;

  while (unit < end) {
    const uint32_t index = static_cast<uint32_t>(unit / k_tiles);
    const uint32_t first = static_cast<uint32_t>(unit - index * k_tiles);  // units of this tile: [first, first + count)
    const uint64_t left_of_tile = k_tiles - first;
    const uint32_t count = static_cast<uint32_t>(end - unit < left_of_tile ? end - unit : left_of_tile);
    unit += count;
    const WarptileWork::Tile tile = w.work.tile(index);
    const int64_t row = int64_t{tile.row} * Shape::kM, col = int64_t{tile.col} * Shape::kN;
    const int64_t k = int64_t{first} * Shape::kDepth;
    const int rows_left = static_cast<int>(min(w.m - row, int64_t{Shape::kM}));
    const int cols_left = static_cast<int>(min(w.n - col, int64_t{Shape::kN}));

    // By 4 bytes both, copies are so many that what they need to be endless has no registers.
    constexpr bool kEndless = Shape::kEndless && (kBytesA == 16 || kBytesB == 16);
    WarptileCopy<Shape, Shape::kM, kBytesA, kEndless> copy_a;
    WarptileCopy<Shape, Shape::kN, kBytesB, kEndless> copy_b;
    const int k_left = static_cast<int>(min(w.k - k, int64_t{count} * Shape::kDepth));
    const bool a_along_k = kBytesA == 4 && w.a.along_k, b_along_k = kBytesB == 4 && w.b.along_k;
    copy_a.begin(w.a.data + tile.p * w.a.batch_step + (a_along_k ? row * w.a.ld + k : k * w.a.ld + row), w.a.ld,
                 a_along_k, rows_left, k_left);
    copy_b.begin(w.b.data + tile.p * w.b.batch_step + (b_along_k ? col * w.b.ld + k : k * w.b.ld + col), w.b.ld,
                 b_along_k, cols_left, k_left);

    WarptileSums<Shape> acc = {};
    const int last_depth = static_cast<int>(min(w.k - k - int64_t{count - 1} * Shape::kDepth, int64_t{Shape::kDepth}));
    multiply_segment<Shape>(shared, copy_a, copy_b, static_cast<int>(count), last_depth, row_in_tile, col_in_tile,
                            slice, acc);
    float kept[Shape::kRowsKept][Shape::kThreadN];
    exchange_slices<Shape>(shared, slice, threadIdx.x % (Shape::kThreads / Shape::kWarpsK), acc, kept);
    if (count < k_tiles && !join_parts<Shape>(w, index, reinterpret_cast<uint32_t *>(shared), kept)) continue;
    const int first_row = row_in_tile + slice * (Shape::kRowsKept / 4) * Shape::kLanesM * 4;
    store_rows<Shape>(w, tile.p, row, col, first_row, col_in_tile, rows_left, cols_left, kept);
  }
}

template <class Shape, int kBytesA, int kBytesB>
__global__ void __launch_bounds__(Shape::kThreads, Shape::kBlocks)
    gemm_warptile_kernel(const __grid_constant__ Warptile w) {
  wait_for_predecessors();
  warptile_product<Shape, kBytesA, kBytesB>(w, blockIdx.x);
}

// For WarptileInstance.
template <class S>
struct WarptileFunctions {
  using Shape = S;
  template <int kBytesA, int kBytesB>
  static constexpr auto kernel = gemm_warptile_kernel<S, kBytesA, kBytesB>;
};

}  // namespace gpuopt
