// Products by wgmma: warp-specialised, persistent.
//
// Idea and data movement. The tensor cores of Hopper reach their rate only when both operands lie in shared memory and a
// warpgroup asks for 64 rows times a whole tile's columns at once. So one thread of a third warpgroup only asks the tensor memory
// accelerator for tiles, as far ahead as the ring has stages; two warpgroups only wait for a stage, ask for its products, and wait
// for those of the stage before, which is free then. Blocks stay and take tile after tile, so the ring never empties between two.
#pragma once

#include "common/wait_for_stream.cuh"
#include "gemm/wgmma/wgmma_entry.h"
#include "gemm/wgmma/wgmma_place.cuh"
#include "gemm/wgmma/wgmma_store.cuh"

namespace gpuopt {

// Of tiles that have chains: wgmma_chain.cuh.
template <class Tile>
__device__ __forceinline__ void wgmma_load_lines(const WgmmaChain &chain, float2 *lines, int32_t p, int32_t col,
                                                 int32_t n);
template <class Tile, int kCount>
__device__ __forceinline__ void wgmma_apply_chain(WgmmaThread thread, const WgmmaChain &chain,
                                                  const WgmmaStore::Scalars &s, const float2 *lines, const float *sums,
                                                  float (&x)[kCount], int32_t p, int32_t row, int32_t col, int32_t m,
                                                  int32_t n);

// Of tiles whose operands come in parts: wgmma_unscale.cuh.
template <int kCount>
__device__ __forceinline__ void wgmma_unscale(WgmmaThread thread, const F32SplitScaling &scaling, const float *sums,
                                              float (&x)[kCount], int32_t p, int32_t row, int32_t col, int32_t m,
                                              int32_t n);

// B's part of a stage, of which so many columns exist; of a pair this block's part for both.
template <class Tile, bool kAlongK>
__device__ __forceinline__ void wgmma_copy_b(const CUtensorMap &map, char *to, uint64_t *full, int32_t col,
                                             int32_t depth, int32_t p, int32_t existing, int32_t box, bool paired) {
  constexpr int kFirst = kAlongK && Tile::kN <= 128 ? Tile::kN / 2 : (Tile::kN + 64) / 128 * 64;  // whole boxes
  constexpr int kBox = kAlongK ? wgmma_box(Tile::kN, Tile::kN) : 64, kHalf = kAlongK ? wgmma_box(Tile::kN, kFirst) : 64;
  if (kAlongK && Tile::kNarrows && !paired) {
    // Two boxes of half a tile's columns, whatever they are.
    const auto copy = [&](int32_t at) {
      cuda::ptx::cp_async_bulk_tensor(cuda::ptx::space_cluster, cuda::ptx::space_global, to + at * 128, &map,
                                      {depth, col + at, p}, full);
    };
    copy(0);
    if (box < existing) copy(box);
    return;
  }
  if (__builtin_expect(!paired, 1)) return wgmma_copy<kAlongK, Tile::kN, kBox>(map, to, full, col, depth, p, existing);
  if (pair_rank() == 0) return wgmma_copy<kAlongK, kFirst, kHalf>(map, to, full, col, depth, p, existing, true);
  wgmma_copy<kAlongK, Tile::kN - kFirst, kHalf>(map, to + kFirst * 128, full, col + kFirst, depth, p, existing - kFirst,
                                                true);
}

// A warpgroup's part of a tile, of which so many rows and columns exist, no more than kColumns.
template <class Tile, bool kAlongA, bool kAlongB, int kColumns = Tile::kN>
__device__ __forceinline__ void wgmma_multiply(typename Tile::Sum (&sums)[Tile::kBlocks][Tile::kSums],
                                               WgmmaRing<Tile> &ring, int32_t stages, uint32_t offset, int32_t rows,
                                               int32_t cols) {
  constexpr WgmmaWidths kWidths = wgmma_widths(Tile::kN, Tile::kNarrows, kAlongB);
  constexpr int kNext = kColumns - kWidths.step;
  constexpr bool kLast = kNext < kWidths.least;
  if constexpr (!kLast) {
    if (cols <= kNext) return wgmma_multiply<Tile, kAlongA, kAlongB, kNext>(sums, ring, stages, offset, rows, cols);
  }
  if (!Tile::kFull && kLast && cols <= Tile::kNarrow) {
    wgmma_adding_loop<Tile>(sums, ring, stages, offset, [&](bool adds, auto &to, WgmmaFrom from) {
      wgmma_stage<Tile, kAlongA, kAlongB, Tile::kBlocks, Tile::kNarrow>(to, from, adds);
    });
  } else if (!Tile::kFull && Tile::kBlocks == 2 && rows <= 64) {
    wgmma_adding_loop<Tile>(sums, ring, stages, offset, [&](bool adds, auto &to, WgmmaFrom from) {
      wgmma_stage<Tile, kAlongA, kAlongB, 1, Tile::kN>(to, from, adds);
    });
  } else {
    wgmma_adding_loop<Tile>(sums, ring, stages, offset, [&](bool adds, auto &to, WgmmaFrom from) {
      wgmma_stage<Tile, kAlongA, kAlongB, Tile::kBlocks, kColumns>(to, from, adds);
    });
  }
}

// What the end of a tile wants to know, by warps that have nothing else to do while operands are on their way.
__device__ __forceinline__ void wgmma_touch(const CUtensorMap &map, const WgmmaStore &store) {
  asm volatile("prefetch.tensormap [%0];" ::"l"(&map), "r"(store.dtype), "f"(store.alpha), "l"(store.scale_b),
               "r"(store.fold.dtype)
               : "memory");
}

// A warpgroup's rows where results are sums times alpha and go by panels: what most calls want, all together.
template <class Tile>
__device__ __forceinline__ void wgmma_finish_plain(const WgmmaStore &store, const CUtensorMap &map,
                                                   WgmmaPanels<Tile> &panels,
                                                   const typename Tile::Sum (&sums)[Tile::kBlocks][Tile::kSums],
                                                   int32_t p, int32_t row, int32_t col, int32_t m, int32_t n) {
  const float alpha = store.scalars().alpha;
  with_wgmma_result<Tile>(store.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    constexpr int kColumns = 128 / sizeof(T);
#pragma unroll
    for (int block = 0; block < Tile::kBlocks; ++block) {
      if (row + block * 64 >= m) break;
#pragma unroll
      for (int i = 0; i < Tile::kN / kColumns; ++i) {
        if (col + i * kColumns >= n) break;
        typename Tile::Sum x[kColumns / 2];
#pragma unroll
        for (int e = 0; e < kColumns / 2; ++e) x[e] = sums[block][i * (kColumns / 2) + e] * alpha;
        const uint32_t panel = panels.open();
        if constexpr (sizeof(T) == 2) {
          wgmma_write_half<T>(panels.thread(), panel, 0, x);
          wgmma_write_half<T>(panels.thread(), panel, 1, x + 16);
        } else {
          wgmma_write_words(panels.thread(), panel, x);
        }
        wgmma_close<T>(store, map, panels, p, row + block * 64, col + i * kColumns, m, n, store.leaves_first);
      }
    }
  });
}

template <class Tile>
struct WgmmaFoldTile;
template <class Tile>
class WgmmaFold;
struct WgmmaNoFold {
  __device__ WgmmaNoFold(const void *, int) {}
};
template <class Tile>
using WgmmaFoldOf = std::conditional_t<Tile::kFolds, WgmmaFold<Tile>, WgmmaNoFold>;
// Whether there is a matrix, and its stages: none where it is C and not to be read. All threads of a launch find the same.
template <class Tile>
__device__ __forceinline__ bool wgmma_folds(const WgmmaStore &store, float beta) {
  return Tile::kFolds && store.fold.dtype != 0 && !(store.fold.is_c && beta == 0);
}
template <class Tile>
__device__ __forceinline__ int32_t wgmma_fold_stages(const WgmmaStore &store) {
  if constexpr (Tile::kFolds) {
    using Shape = typename WgmmaFold<Tile>::Shape;
    if (wgmma_folds<Tile>(store, store.scalars().beta)) return Shape::stages(store.fold.dtype == GPUOPT_F32);
  }
  return 0;
}

// The block-th 64 rows of a warpgroup's, from `row` on, kChunk sums of a thread at a time.
template <class Tile>
__device__ __forceinline__ void wgmma_finish(const WgmmaStore &store, const CUtensorMap &map, WgmmaPanels<Tile> &panels,
                                             const WgmmaStore::Scalars &s, const float2 *lines,
                                             const typename Tile::Sum (&sums)[Tile::kSums], WgmmaFoldOf<Tile> &fold,
                                             int block, int32_t p, int32_t row, int32_t first, int32_t m, int32_t n) {
  constexpr int kChunk = Tile::kChunk, kHalves = kChunk / 16;
  const bool folds = wgmma_folds<Tile>(store, s.beta);
#pragma unroll
  for (int i = 0; i < Tile::kSums / kChunk; ++i) {
    const int32_t col = first + i * kChunk * 2;
    if (i * kHalves % 2 == 0 && col >= n) {
      if constexpr (Tile::kFolds)
        if (folds) fold.pass(store.fold.dtype == GPUOPT_F32, block, i * kHalves);
      return;
    }
    typename Tile::Sum results[kChunk];
    if (Tile::kChains && store.chained) {
      if constexpr (Tile::kChains)
        wgmma_apply_chain<Tile>(panels.thread(), store.chain, s, lines + i * kChunk * 2, sums + i * kChunk, results, p,
                                row, col, m, n);
    } else {
      if constexpr (Tile::kSplit) {
        wgmma_unscale<kChunk>(panels.thread(), store.scaling, sums + i * kChunk, results, p, row, col, m, n);
#pragma unroll
        for (int e = 0; e < kChunk; ++e) results[e] *= s.alpha;
      } else {
#pragma unroll
        for (int e = 0; e < kChunk; ++e) results[e] = sums[i * kChunk + e] * s.alpha;
      }
      if constexpr (Tile::kFolds) {
        if (folds) fold.add(store.fold.dtype, s.beta, block, i * kHalves, results);
      }
    }
#pragma unroll
    for (int half = 0; half < kHalves; ++half)
      wgmma_store(store, map, panels, Tile::kChains && store.chained ? 0 : s.beta, results + half * 16,
                  (i * kHalves + half) % 2, p, row, col + half * 32, first, m, n);
  }
}

template <class Tile, bool kAlongA, bool kAlongB>
__global__ void __launch_bounds__(Tile::kThreads, 1)
    gemm_wgmma_kernel(const __grid_constant__ CUtensorMap map_a, const __grid_constant__ CUtensorMap map_b,
                      const __grid_constant__ CUtensorMap map_fold, const __grid_constant__ CUtensorMap map_d,
                      const __grid_constant__ WgmmaGemm gemm, const __grid_constant__ WgmmaStore store) {
#if __CUDA_ARCH__ >= 900
  extern __shared__ char wgmma_shared[];
  char *const shared =
      wgmma_shared + (1024 - static_cast<uint32_t>(__cvta_generic_to_shared(wgmma_shared)) % 1024) % 1024;
  WgmmaRing<Tile> ring(shared, shared + Tile::kBarriers, gemm.paired);
  const int group = __shfl_sync(0xffffffffu, static_cast<int>(threadIdx.x) / 128, 0);
  const uint32_t units = static_cast<uint32_t>(gemm.units);
  if (threadIdx.x == 0) {
    asm volatile("prefetch.tensormap [%0];" ::"l"(&map_a) : "memory");
    asm volatile("prefetch.tensormap [%0];" ::"l"(&map_b) : "memory");
    ring.init();
  }
  gemm.paired ? pair_sync() : __syncthreads();
  allow_successor();
  if constexpr (Tile::kSplit) {
    wait_for_predecessors();
    if (*store.scaling.path != kF32SplitByParts) return;  // all blocks, before anything has begun
  }
  const auto all_stages = [&] { return gemm.stages + wgmma_fold_stages<Tile>(store); };
  if (group == Tile::kGroups) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(Tile::kCopyRegisters));
    if (threadIdx.x >= Tile::kMathThreads + 32) {
      if constexpr (Tile::kCopyRegisters > 24) wgmma_touch(map_d, store);  // which would spill
      return;
    }
    for (uint32_t round = 0;; ++round) {
      const uint32_t unit = wgmma_unit<Tile>(gemm, round);
      if (unit >= units) return;
      const WgmmaPlace<Tile> at(gemm, unit);
      if (round == 0) wait_for_predecessors();  // when the place of the first tile is known
      const int32_t rows = gemm.m - at.row, cols = wgmma_columns<Tile>(gemm, at.col);
      constexpr int kBoxA = kAlongA ? wgmma_box(Tile::kN, Tile::kM) : 64;
      const int32_t box_b = kAlongB ? gemm.box_b : 64;
      const int32_t bytes = (wgmma_boxed(rows, Tile::kM, kBoxA) + wgmma_boxed(cols, Tile::kN, box_b)) * 128;
      const auto fold = [&](auto &&f) {
        if constexpr (Tile::kFolds)
          if (wgmma_fold_stages<Tile>(store) != 0)
            f(WgmmaFoldTile<Tile>{map_fold, store.fold.dtype == GPUOPT_F32, at.row, at.col,
                                  store.fold.batched ? at.p : 0, rows, cols});
      };
      for (int32_t t = 0; t < gemm.stages; ++t) {
        ring.fill(bytes, [&] {
          if (!Tile::kPingPong) fold([&](const auto &c) { c.prefetch(t); });
          wgmma_copy<kAlongA, Tile::kM, kBoxA>(map_a, ring.stage(), ring.full(), at.row, t * Tile::kDepth,
                                               gemm.batched_a ? at.p : 0, rows);
          wgmma_copy_b<Tile, kAlongB>(map_b, ring.stage() + Tile::kM * 128, ring.full(), at.col, t * Tile::kDepth,
                                      gemm.batched_b ? at.p : 0, cols, box_b, gemm.paired);
        });
      }
      fold([&](const auto &c) { c.copy(ring); });
    }
  }
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(Tile::kMathRegisters));
  WgmmaPanels<Tile> panels(shared + Tile::kStageBytes * Tile::kStages, group);
  typename Tile::Sum sums[Tile::kBlocks][Tile::kSums];
  wait_for_predecessors();
  const auto pass_other = [&] { Tile::kPingPong ? ring.advance(all_stages()) : void(); };
  if (group == 1) pass_other();
  for (uint32_t round = Tile::kPingPong ? group : 0;; round += Tile::kPingPong ? 2 : 1) {
    const uint32_t unit = wgmma_unit<Tile>(gemm, round);
    if (unit >= units) break;
    const WgmmaPlace<Tile> at(gemm, unit);
    const int32_t upper = Tile::kPingPong ? 0 : group * Tile::kGroupRows, row = at.row + upper;
    float2 *const lines = reinterpret_cast<float2 *>(shared + Tile::kLines) + (Tile::kChains ? group * Tile::kN : 0);
    if constexpr (Tile::kChains) {
      if (store.chained) wgmma_load_lines<Tile>(store.chain, lines, at.p, at.col, gemm.n);
    }
    const int32_t folded = Tile::kPingPong ? wgmma_fold_stages<Tile>(store) : 0;
    // The first tile of a block is nobody's turn but its own; every other one waits for the main loop before it.
    if (Tile::kPingPong && round != 0) {
      barrier_sync(kTurnBarrier + group, Tile::kMathThreads);
      if (folded != 0) ring.meets = Tile::kStages - folded;
    }
    // A matrix that is not there yet would let the other one take its places' last phase for its own.
    const auto meet = [&] {
      if (ring.meets >= 0) barrier_sync(kMatrixBarrier + group, Tile::kMathThreads);
    };
    const auto hand_over = [&](bool met) {
      if (!met) meet();
      if (!Tile::kPingPong || wgmma_unit<Tile>(gemm, round + 1) >= units) return;
      barrier_arrive(kTurnBarrier + (group ^ 1), Tile::kMathThreads);
      if (folded == 0) return;
      WgmmaRing<Tile> ahead = ring;
      for (int32_t s = folded; s > 0; --s, ahead.advance()) ahead.wait_full();
      barrier_arrive(kMatrixBarrier + (group ^ 1), Tile::kMathThreads);
    };
    if (row >= gemm.m) {
      meet();
      wgmma_pass_over(ring, all_stages());
      hand_over(true);
      pass_other();
      continue;
    }
    const auto offset = static_cast<uint32_t>(upper * 128);
    const int32_t cols = wgmma_columns<Tile>(gemm, at.col);
    if constexpr (!Tile::kPromotes) {
      wgmma_multiply<Tile, kAlongA, kAlongB>(sums, ring, gemm.stages, offset, gemm.m - row, cols);
    } else if constexpr (Tile::kScaled == WgmmaScaled::no) {
      wgmma_promote<Tile, kAlongA, kAlongB>(sums, ring, gemm.stages, offset, gemm.m - row);
    } else if constexpr (Tile::kScaled == WgmmaScaled::by_blocks) {
      wgmma_promote<Tile, kAlongA, kAlongB>(sums, ring, gemm.stages, offset, gemm.m - row,
                                            WgmmaScales<Tile::kBlocks>(store.blocks, at.p, row, at.col, gemm.m));
    } else {
      wgmma_promote<Tile, kAlongA, kAlongB>(sums, ring, gemm.stages, offset, gemm.m - row,
                                            WgmmaColumnScales<Tile>(store.blocks, gemm, at, row, shared, group));
    }
    hand_over(gemm.stages > ring.meets);
    panels.begin();
    if constexpr (Tile::kExact) {
      wgmma_finish_exact(store, map_d, panels, sums, at.p, row, at.col, gemm.m, at.col + cols);
    } else if (__builtin_expect(!Tile::kSplit && store.plain, 1)) {
      wgmma_finish_plain<Tile>(store, map_d, panels, sums, at.p, row, at.col, gemm.m, at.col + cols);
      pass_other();
      continue;
    } else if (sizeof(typename Tile::A) <= 2 && (Tile::kPlainEnds || wgmma_goes_by_lines(store))) {
      with_wgmma_result<Tile>(store.dtype, [&](auto tag) {
        using T = typename decltype(tag)::type;
        if constexpr (sizeof(T) == 2)
          wgmma_finish_lines<T, Tile>(store, panels, sums, at.p, row, at.col, gemm.m, at.col + cols);
      });
    } else {
      const WgmmaStore::Scalars scalars = store.scalars();
      WgmmaFoldOf<Tile> fold(&ring, group);
      if (Tile::kChains && store.chained) barrier_sync(kStoreBarrier + group, 128);  // for the lines
#pragma unroll
      for (int i = 0; i < Tile::kBlocks; ++i) {
        if (row + i * 64 < gemm.m)
          wgmma_finish<Tile>(store, map_d, panels, scalars, lines, sums[i], fold, i, at.p, row + i * 64, at.col, gemm.m,
                             at.col + cols);
        else if constexpr (Tile::kFolds)
          if (wgmma_fold_stages<Tile>(store) != 0) fold.pass(store.fold.dtype == GPUOPT_F32, i, 0);
      }
    }
    pass_other();
  }
  panels.drain();
  if (gemm.paired) pair_sync();  // what the other block copies or frees here is done
#endif
}

}  // namespace gpuopt
