// The fp64 tensor-core (DMMA) kernel whose operands come by the tensor memory accelerator: one warp asks for boxes, the
// others multiply.
#pragma once

#include <cuda.h>

#include <cuda/ptx>

#include "gemm/common/stage_ring.cuh"
#include "gemm/f64/f64_stream_k.cuh"
#include "gemm/f64/f64_units.cuh"

namespace gpuopt {

// Works told and not yet stored: the asking warp is ahead by no more tiles than there are stages.
constexpr int kF64TmaWorks = 8;

template <int kBM_, int kBN_, int kWM_, int kWN_, int kStages_, int kLagClocks_>
struct F64TmaTile {
  static constexpr int kBM = kBM_, kBN = kBN_, kWM = kWM_, kWN = kWN_, kStages = kStages_;
  static constexpr int kLagClocks = kLagClocks_;            // the second half of the warps starts so much later
  static constexpr int kRows = kWM / 16, kCols = kWN / 16;  // units of a warp
  static constexpr int kMathThreads = kBM / kWM * (kBN / kWN) * 32, kThreads = kMathThreads + 128;
  static constexpr int kRightBytes = kBM * kF64RowBytes;
  static constexpr int kStageBytes = (kBM + kBN) * kF64RowBytes;
  static constexpr int kSharedBytes =
      kStages * (kStageBytes + 2 * 8) + kF64TmaWorks * static_cast<int>(sizeof(F64TmaWork)) + 1024;
};

template <class Tile>
using F64TmaRing = StageRing<Tile::kStages, Tile::kStageBytes, Tile::kMathThreads / 32>;

// Asks for the boxes of one operand's part of a stage: by k one box of all rows, by rows a box a unit.
template <bool kByRows, int kExtent>
__device__ __forceinline__ void copy_f64_boxes(char *to, const CUtensorMap *map, uint64_t *barrier, int row, int k,
                                               int p) {
  namespace ptx = cuda::ptx;
  if constexpr (kByRows) {
#pragma unroll
    for (int u = 0; u < kExtent / 16; ++u) {
      ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, to + u * kF64UnitBytes, map,
                                {row + u * 16, k, p}, barrier);
    }
  } else {
    ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, to, map, {k, row, p}, barrier);
  }
}

template <class Tile, F64Lie kLie, bool kTransposed>
__global__ void __launch_bounds__(Tile::kThreads, 1)
    gemm_f64_dmma_tma_kernel(const __grid_constant__ F64Gemm gemm, const __grid_constant__ CUtensorMap left_map,
                             const __grid_constant__ CUtensorMap right_map) {
#if __CUDA_ARCH__ >= 900
  constexpr int kRows = Tile::kRows, kCols = Tile::kCols;
  extern __shared__ char f64_tma_shared[];
  const auto misaligned = static_cast<uint32_t>(__cvta_generic_to_shared(f64_tma_shared)) % 1024;
  char *const shared = f64_tma_shared + (1024 - misaligned) % 1024;
  char *const barriers = shared + Tile::kStages * Tile::kStageBytes;
  F64TmaRing<Tile> ring(shared, barriers);
  if (threadIdx.x == 0) ring.init_for_tma();
  __syncthreads();
  auto *const works = reinterpret_cast<F64TmaWork *>(barriers + Tile::kStages * 2 * 8);

  if (threadIdx.x >= Tile::kMathThreads) {  // a warpgroup, because registers are handed over by warpgroups
    asm volatile("setmaxnreg.dec.sync.aligned.u32 56;");
    if (threadIdx.x != Tile::kMathThreads) return;
    F64Work work;
    int64_t slot;
    int n = 0;
    for (; f64_work<Tile>(gemm, n, work, slot); ++n) {
      int k = static_cast<int>(work.k_begin);
      const int p = static_cast<int>(work.p), row = static_cast<int>(work.row), col = static_cast<int>(work.col);
      const int left_p = gemm.left.batch_step != 0 ? p : 0, right_p = gemm.right.batch_step != 0 ? p : 0;
      for (int step = 0; step < work.steps; ++step, k += kF64Depth, ring.advance()) {
        ring.wait_empty();
        if (step == 0) {
          works[n % kF64TmaWorks] = {work.steps, kTransposed ? col : row,      kTransposed ? row : col,
                                     p,          static_cast<int>(work.slice), static_cast<int>(slot),
                                     {0, 0}};
        }
        ring.expect();
        copy_f64_boxes<f64_left_by_rows(kLie), Tile::kBM>(ring.stage(), &left_map, ring.full(), row, k, left_p);
        copy_f64_boxes<f64_right_by_rows(kLie), Tile::kBN>(ring.stage() + Tile::kRightBytes, &right_map, ring.full(),
                                                           col, k, right_p);
      }
    }
    ring.wait_empty();
    works[n % kF64TmaWorks].steps = 0;
    cuda::ptx::mbarrier_arrive(ring.full());
    return;
  }

  asm volatile("setmaxnreg.inc.sync.aligned.u32 224;");
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  const int warp_m = warp / (Tile::kBN / Tile::kWN) * Tile::kWM, warp_n = warp % (Tile::kBN / Tile::kWN) * Tile::kWN;
  const F64UnitReader<kLie> reader(lane, warp_m / 16 * kF64UnitBytes, Tile::kRightBytes + warp_n / 16 * kF64UnitBytes);
  double acc[kRows][kCols * 2][4], left[2][8], right[kCols][2][4];
  static_assert(kRows % 2 == 0, "rows take two buffers in turn");
  static_assert(Tile::kStages < kF64TmaWorks, "a work is kept until its sums are stored");

  if (Tile::kLagClocks > 0 && threadIdx.x >= Tile::kMathThreads / 2) {
    for (const int64_t begin = clock64(); clock64() - begin < Tile::kLagClocks;) {
    }
  }
  for (int n = 0;; n = (n + 1) % kF64TmaWorks) {
    ring.wait_full();
    int step = works[n].steps;
    if (step == 0) return;
#pragma unroll
    for (int i = 0; i < kRows; ++i) {
#pragma unroll
      for (int j = 0; j < kCols * 2; ++j) {
#pragma unroll
        for (int e = 0; e < 4; ++e) acc[i][j][e] = 0;
      }
    }
    const char *from = ring.stage(), *next = from;
#pragma unroll
    for (int u = 0; u < kCols; ++u) reader.read_right(from, u, right[u]);
    reader.read_left(from, 0, left[0]);
#pragma unroll 1
    for (; step > 0; --step) {
      const bool more = step > 1;
#pragma unroll
      for (int i = 0; i < kRows; ++i) {
        // Behind the first instruction of a row the next row is read, and behind the last that uses them, columns of
        // the next stage.
        const auto read_on = [&] {
          if (i + 1 < kRows) {
            reader.read_left(from, i + 1, left[(i + 1) % 2]);
            return;
          }
          if (more) {
            F64TmaRing<Tile> following = ring;
            following.advance();
            following.wait_full();
            next = following.stage();
          }
          ring.arrive_empty();  // the stage is read
          if (more) reader.read_left(next, 0, left[0]);
        };
#pragma unroll
        for (int u = 0; u < kCols; ++u) {
          dmma_16x8x16(acc[i][u * 2], left[i % 2], right[u][0]);
          if (u == 0) read_on();
          dmma_16x8x16(acc[i][u * 2 + 1], left[i % 2], right[u][1]);
          if (i + 1 == kRows && more) reader.read_right(next, u, right[u]);
        }
      }
      ring.advance();
      from = next;
    }
    store_f64_units<Tile, kLie, kTransposed>(gemm, works[n], warp_m, warp_n, acc);
  }
#endif
}

}  // namespace gpuopt
