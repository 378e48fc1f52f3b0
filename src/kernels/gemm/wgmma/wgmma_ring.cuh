// The ring of stages between the thread that asks for tiles and the warpgroups that multiply them, and their main loops.
#pragma once

#include <cuda.h>

#include <cuda/ptx>

#include "gemm/wgmma/wgmma_instruction.cuh"

namespace gpuopt {

// Barriers of some warps of a block, by number; 0 is __syncthreads()'s.
enum { kStoreBarrier = 1, kTurnBarrier = 4, kMatrixBarrier = 6 };  // one for each warpgroup, of up to three, two, two
__device__ __forceinline__ void barrier_sync(int number, int threads) {
  asm volatile("bar.sync %0, %1;" ::"r"(number), "r"(threads) : "memory");
}
__device__ __forceinline__ void barrier_arrive(int number, int threads) {
  asm volatile("bar.arrive %0, %1;" ::"r"(number), "r"(threads) : "memory");
}
// One thread of a warp, which ptxas knows to be one: it puts no loop over threads around an instruction of the accelerator.
__device__ __forceinline__ bool elect_one() {
  uint32_t elected;
  asm volatile("{\n.reg .pred p;\nelect.sync _|p, 0xffffffff;\nselp.u32 %0, 1, 0, p;\n}" : "=r"(elected));
  return elected != 0;
}
// At the barrier in this place of either block. Nothing is handed over: the cluster's scope would fence the whole device.
__device__ __forceinline__ void pair_arrive(const uint64_t *barrier, uint32_t rank) {
  asm volatile(
      "{\n.reg .b32 there;\nmapa.shared::cluster.u32 there, %0, %1;\n"
      "mbarrier.arrive.shared::cluster.b64 _, [there];\n}" ::"r"(
          static_cast<uint32_t>(__cvta_generic_to_shared(barrier))),
      "r"(rank)
      : "memory");
}

struct WgmmaStages {
  int count, bytes, a_bytes;
};
// So many stages as the tile says, or, where it says 0, what a launch says; a step is then one stage. Both sides of the
// ring go round by themselves; readers are the warpgroups that share a stage, by one thread each, in both blocks of a pair.
template <class Tile>
class WgmmaRing {
 public:
  __device__ __forceinline__ WgmmaRing(char *stages, char *barriers, bool paired, WgmmaStages of = {})
      : stages_(stages), full_(reinterpret_cast<uint64_t *>(barriers)), paired_(paired), of_(of) {}
  int32_t meets = -1;  // in turns, the step that comes to the place of the other one's matrix, which must be there
  // By one thread, before a barrier of the block or pair.
  __device__ __forceinline__ void init() const {
    for (int s = 0; s < count(); ++s) {
      cuda::ptx::mbarrier_init(full_ + s, 1);
      cuda::ptx::mbarrier_init(full_ + count() + s, Tile::kSharers * (paired_ ? 2 : 1));
    }
    cuda::ptx::fence_mbarrier_init(cuda::ptx::sem_release, cuda::ptx::scope_cluster);
  }
  __device__ __forceinline__ char *stage() const { return stages_ + index_ * (kOwn ? Tile::kStageBytes : of_.bytes); }
  __device__ __forceinline__ int a_bytes() const { return kOwn ? Tile::kM * 128 : of_.a_bytes; }
  __device__ __forceinline__ uint64_t *full() const { return full_ + index_; }
  __device__ __forceinline__ int index() const { return index_; }
  __device__ __forceinline__ bool is_full() const {
    return cuda::ptx::mbarrier_test_wait_parity(full_ + index_, phase_);  // try_wait would wait a while for it
  }
  __device__ __forceinline__ void wait_full() const { wait(full_ + index_, phase_); }
  // By all lanes of the copying warp: waits for the readers; one lane then expects so many bytes and asks for them by copy().
  template <class Copy>
  __device__ __forceinline__ void fill(int bytes, Copy &&copy) {
    namespace ptx = cuda::ptx;
    wait(full_ + count() + index_, phase_ ^ 1);
    if (elect_one()) {
      ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, full_ + index_, bytes);
      copy();
    }
    __syncwarp();
    advance();
  }
  __device__ __forceinline__ void free_stage(int index) const {
    const uint32_t thread = threadIdx.x % 128;
    if (paired_) {
      if (thread < 2) pair_arrive(full_ + count() + index, thread);
    } else if (thread == 0) {
      cuda::ptx::mbarrier_arrive(full_ + count() + index);
    }
  }
  __device__ __forceinline__ void advance() {
    if (++index_ != count()) return;
    phase_ ^= 1;
    index_ = 0;
  }
  __device__ __forceinline__ void advance(int32_t by) {
    static_assert(Tile::kStages != 0, "a step is one stage");
    index_ += by;
    phase_ ^= static_cast<uint32_t>(index_ / Tile::kStages) & 1;
    index_ %= Tile::kStages;
  }

 private:
  static constexpr bool kOwn = Tile::kStages != 0;
  __device__ __forceinline__ int count() const { return kOwn ? Tile::kStages : of_.count; }
  static __device__ __forceinline__ void wait(uint64_t *barrier, uint32_t phase) {
    while (!cuda::ptx::mbarrier_try_wait_parity(barrier, phase)) {
    }
  }
  char *stages_;
  uint64_t *full_;  // then the empty ones
  bool paired_;
  WgmmaStages of_;
  int index_ = 0;
  uint32_t phase_ = 0;
};

// A tile of which all is the other warpgroup's or block's. One warp gives its share of the stages back: nothing else here would
// keep the four from running ahead of each other by more than a barrier's two phases tell apart.
template <class Tile>
__device__ __forceinline__ void wgmma_pass_over(WgmmaRing<Tile> &ring, int32_t stages) {
  if (threadIdx.x % 128 < 32) {
    for (int32_t t = 0; t < stages; ++t) {
      ring.wait_full();
      __syncwarp();
      ring.free_stage(ring.index());
      ring.advance();
    }
  } else {
    ring.advance(stages);
  }
  barrier_sync(kStoreBarrier + static_cast<int>(threadIdx.x) / 128, 128);
}

// Boxes of one operand's part of a stage: kExtent of m or n from `extent` on, of which so many exist, 128 bytes of k
// from `depth` on. What lies beyond the matrix costs the accelerator no less, so boxes that are all beyond it are left
// out. both: into both blocks of a pair.
template <bool kAlongK, int kExtent, int kBox = kAlongK ? kExtent : 64>
__device__ __forceinline__ void wgmma_copy(const CUtensorMap &map, char *to, uint64_t *full, int32_t extent,
                                           int32_t depth, int32_t p, int32_t existing = kExtent, bool both = false) {
  namespace ptx = cuda::ptx;
  static_assert(kExtent % kBox == 0 && (kAlongK || kBox == 64), "whole panels");
#pragma unroll
  for (int i = 0; i < kExtent / kBox; ++i) {
    if (i * kBox >= existing) return;
    char *const box = to + i * kBox * 128;
    const int32_t first = kAlongK ? depth : extent + i * kBox, second = kAlongK ? extent + i * kBox : depth;
    if (both)
      ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, box, &map, {first, second, p}, full, 3);
    else
      ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, box, &map, {first, second, p}, full);
  }
}

// Where a warpgroup's operands begin in a stage, in units of 16 bytes.
struct WgmmaFrom {
  uint32_t a, b;
};
// Its rows of A begin so many bytes into A's part, whether those are lines or panels: 64 of them are 8 KB either way. All threads
// of a warp have the same; said by way of a reduction, ptxas knows it, and works descriptors out in the warp's registers.
template <class Tile>
__device__ __forceinline__ WgmmaFrom wgmma_from(const WgmmaRing<Tile> &ring, uint32_t offset) {
  const auto stage = static_cast<uint32_t>(__cvta_generic_to_shared(ring.stage()));
  return {__reduce_or_sync(0xffffffff, wgmma_address(stage + offset)),
          __reduce_or_sync(0xffffffff, wgmma_address(stage + static_cast<uint32_t>(ring.a_bytes())))};
}

// The products of one stage: 64 kBlocks rows by kColumns.
template <class Tile, bool kAlongA, bool kAlongB, int kBlocks, int kColumns, int kArray>
__device__ __forceinline__ void wgmma_stage(typename Tile::Sum (&sums)[kArray][Tile::kSums], WgmmaFrom from,
                                            bool adds) {
  const auto multiply = [&](auto a, auto b, int step_a, int step_b, bool adds_here) {
#pragma unroll
    for (int i = 0; i < kBlocks; ++i)
      wgmma<decltype(a), decltype(b), !kAlongA, !kAlongB, kColumns / 2>(
          sums[i], wgmma_descriptor<kAlongA>(from.a + static_cast<uint32_t>(i) * (kWgmmaPanelBytes / 16), step_a),
          wgmma_descriptor<kAlongB>(from.b, step_b), adds_here);
  };
  wgmma_fence();
  if constexpr (Tile::kSplit) {
    // Low by high, high by low, high by high: what is small comes first, while the sums are.
#pragma unroll
    for (int product = 0; product < 3; ++product) {
#pragma unroll
      for (int step = 0; step < 2; ++step)
        multiply(__half(), __half(), step + (product == 0 ? 2 : 0), step + (product == 1 ? 2 : 0),
                 adds || product != 0 || step != 0);
    }
  } else {
#pragma unroll
    for (int step = 0; step < 4; ++step) {
      multiply(typename Tile::A(), typename Tile::B(), step, step, adds || step != 0);
    }
  }
  wgmma_commit();
}

// The products of `stages` stages, one of them always under way. stage(adds, sums, from) asks for one, of a warpgroup's rows.
template <class Tile, class Stage>
__device__ __forceinline__ void wgmma_adding_loop(typename Tile::Sum (&sums)[Tile::kBlocks][Tile::kSums],
                                                  WgmmaRing<Tile> &ring, int32_t stages, uint32_t offset,
                                                  Stage &&stage) {
  int before = 0, t = 0;
  const auto next = [&](bool adds) {
    const WgmmaFrom from = wgmma_from(ring, offset);
    if (Tile::kPingPong && t == ring.meets)
      barrier_sync(kMatrixBarrier + static_cast<int>(threadIdx.x) / 128, Tile::kMathThreads);
    ring.wait_full();
    stage(adds, sums, from);
  };
  if constexpr (Tile::kFull) {
    // The first apart: that it does not read the sums of the tile before, whose registers its end takes, is then known to ptxas.
    next(false);
    before = ring.index();
    ring.advance();
    t = 1;
  }
#pragma unroll 1
  for (; t < stages; ++t) {
    next(Tile::kFull || t != 0);
    wgmma_wait<1>();
    if (Tile::kFull || t > 0) ring.free_stage(before);
    before = ring.index();
    ring.advance();
  }
  wgmma_wait<0>();
  ring.free_stage(before);
}

// Of tiles that promote: wgmma_promoting.cuh; and have scales of blocks: wgmma_scales.cuh.
template <class Tile, bool kAlongA, bool kAlongB, class... Scales>
__device__ __forceinline__ void wgmma_promote(float (&sums)[Tile::kBlocks][Tile::kSums], WgmmaRing<Tile> &ring,
                                              int32_t stages, uint32_t offset, int32_t rows, Scales &&...scales);
template <int kBlocks>
class WgmmaScales;
template <class Tile>
class WgmmaColumnScales;

}  // namespace gpuopt
