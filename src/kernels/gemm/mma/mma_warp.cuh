// What a warp of an mma.sync kernel holds: its sums, its fragments, and where they lie in the tile.
#pragma once

#include "gemm/mma/mma_shared_tile.cuh"
#include "gemm/mma/mma_store.cuh"

namespace gpuopt {

template <class TypeA, class TypeB, int M, int N, int KBytes, int WarpsM, int WarpsN, int Stages, int Blocks,
          bool Staged = false, int Slices = 1, bool Parts = false>
struct MmaTile {
  using A = TypeA;
  using B = TypeB;
  using Sum = MmaSum<A>;
  static constexpr int kM = M, kN = N, kKBytes = KBytes, kDepth = KBytes / static_cast<int>(sizeof(A));
  static constexpr int kWarpsM = WarpsM, kWarpsN = WarpsN;
  // Warps at the same place of the tile share the steps of k: each of kSlices groups takes every kSlices-th.
  static constexpr int kSlices = Slices, kSliceThreads = 32 * WarpsM * WarpsN, kThreads = kSliceThreads * Slices;
  static constexpr int kWarpM = M / WarpsM, kWarpN = N / WarpsN;
  static constexpr int kRuns = M * N / 4 / kThreads;  // of four sums, that a thread stores
  static constexpr bool kParts = Parts;               // fp32 operands come in two f16 parts each (mma_parts.cuh)
  static constexpr int kSteps = Parts ? KBytes / 64 * (kWarpM / 16) : KBytes / 32;  // of a stage
  static constexpr int kStages = Stages;
  static constexpr int kBlocks = Blocks;   // an SM must have registers for
  static constexpr bool kStaged = Staged;  // through registers: any alignment, any architecture; else by cp.async
  static constexpr int kLeastArch = Staged || kMmaLeastArch<A> > 800 ? kMmaLeastArch<A> : 800;
  // Small tiles may be split over a cluster, which needs an inbox beside the stages; of large ones there are enough.
  static constexpr bool kClusters = M * N <= 64 * 64 && !Parts;
  static constexpr int kStageBytes = (M + N) * KBytes;
  static constexpr int kInbox = kStageBytes * Stages, kBarrier = kInbox + (kClusters ? M * N * 4 : 0);
  static constexpr int kShared = kBarrier + (kClusters ? 16 : 0);
  static_assert(kThreads * kWarpN / 8 * 16 <= kInbox, "runs of a block row wait in the stages");
  static_assert(!Parts || (KBytes == 128 && std::is_same_v<A, __half>), "a line of parts");
};

// An operand as rows of contiguous bytes.
struct MmaOperand {
  const char *data;
  int64_t pitch, batch_step;  // bytes
};

struct MmaGemm {
  MmaOperand a, b;
  MmaStore store;
  int32_t m, n, k, batch;
  int32_t tiles_m, tiles_n;
  int32_t splits;   // parts of k, each a block
  int32_t cluster;  // the parts of a tile are a cluster of 2^cluster blocks and add up; 0: each is a slice of its own
};

// Fragments of one step of k of a warp.
template <class Tile>
struct MmaFragments {
  uint32_t a[Tile::kWarpM / 16][4], b[Tile::kWarpN / 16][4];
};

// What a warp computes with: its sums and where its fragments begin.
template <class Tile, bool kAlongA, bool kAlongB>
struct MmaWarp {
  using SharedA = SharedTile<typename Tile::A, false, kAlongA, Tile::kM, Tile::kKBytes>;
  using SharedB = SharedTile<typename Tile::B, true, kAlongB, Tile::kN, Tile::kKBytes>;
  using Sum = typename Tile::Sum;
  using Fragments = MmaFragments<Tile>;
  static constexpr int kBlocksM = Tile::kWarpM / 16, kBlocksN = Tile::kWarpN / 16;
  // fp8 products are summed in the tensor core over one stage at most (128 of k), then in fp32.
  static constexpr bool kPromotes = kIsFp8<typename Tile::A>;

  Sum sum[kBlocksM][2 * kBlocksN][4];
  Sum part[kPromotes ? kBlocksM : 1][kPromotes ? 2 * kBlocksN : 1][4];
  uint32_t lane_a, lane_b;

  __device__ MmaWarp(int lane, int index, int slice = 0)
      : lane_a(SharedA::lane_offset(lane, index % Tile::kWarpsM * Tile::kWarpM)),
        lane_b(SharedB::lane_offset(lane, index / Tile::kWarpsM * Tile::kWarpN) + SharedA::kBytes) {
    if constexpr (Tile::kSlices > 1) {
      lane_a = SharedA::step_on(lane_a, slice);
      lane_b = SharedB::step_on(lane_b, slice);
    }
#pragma unroll
    for (int i = 0; i < kBlocksM; ++i) {
#pragma unroll
      for (int j = 0; j < 2 * kBlocksN; ++j) {
#pragma unroll
        for (int e = 0; e < 4; ++e) sum[i][j][e] = 0;
      }
    }
  }

  __device__ __forceinline__ void load_a(uint32_t (&a)[4], uint32_t stage, int step, int i) const {
    SharedA::read(a, stage, lane_a, i, step);
  }
  __device__ __forceinline__ void load_b(uint32_t (&b)[4], uint32_t stage, int step, int j) const {
    SharedB::read(b, stage, lane_b, j, step);
  }
  __device__ __forceinline__ void load(Fragments &f, uint32_t stage, int step) const {
#pragma unroll
    for (int i = 0; i < kBlocksM; ++i) load_a(f.a[i], stage, step, i);
#pragma unroll
    for (int j = 0; j < kBlocksN; ++j) load_b(f.b[j], stage, step, j);
  }

  __device__ __forceinline__ void multiply(const Fragments &f, int step) {
    const bool first = step == 0, last = step == Tile::kSteps / Tile::kSlices - 1;
#pragma unroll
    for (int i = 0; i < kBlocksM; ++i) {
#pragma unroll
      for (int j = 0; j < kBlocksN; ++j) multiply_block(f.a[i], f.b[j], i, j, first, last);
    }
  }
  // The 16 x 16 sums of block (i, pair).
  __device__ __forceinline__ void multiply_block(const uint32_t (&a)[4], const uint32_t (&b)[4], int i, int pair,
                                                 bool first, bool last) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int j = 2 * pair + half;
      if constexpr (!kPromotes) {
        mma_sync<typename Tile::A, typename Tile::B>(sum[i][j], a, b[2 * half], b[2 * half + 1], sum[i][j]);
      } else {
        float zero[4] = {};
        mma_sync<typename Tile::A, typename Tile::B>(part[i][j], a, b[2 * half], b[2 * half + 1],
                                                     first ? zero : part[i][j]);
        if (last) {
#pragma unroll
          for (int e = 0; e < 4; ++e) sum[i][j][e] += part[i][j][e];
        }
      }
    }
  }

  // Run of four neighbours of a row: fragment row half `half` of block (i, pair), for this lane. Its place: place().
  __device__ __forceinline__ void run(Sum (&x)[4], int lane, int i, int pair, int half) const {
    const Sum(&even)[4] = sum[i][2 * pair], (&odd)[4] = sum[i][2 * pair + 1];
    if constexpr (SharedB::kBytePairs) {  // columns of the two products alternate
#pragma unroll
      for (int e = 0; e < 2; ++e) x[2 * e] = even[2 * half + e], x[2 * e + 1] = odd[2 * half + e];
    } else {  // lanes 2i and 2i + 1 have two columns each of both: one takes the left four, the other the right
      const bool right = lane % 2 != 0;
#pragma unroll
      for (int e = 0; e < 2; ++e) {
        const Sum mine = right ? odd[2 * half + e] : even[2 * half + e];
        const Sum other = __shfl_xor_sync(0xffffffffu, right ? even[2 * half + e] : odd[2 * half + e], 1);
        x[e] = right ? other : mine;
        x[2 + e] = right ? mine : other;
      }
    }
  }
  // Row and first column, in the tile, of the run of a thread.
  __device__ static __forceinline__ void place(int thread, int i, int pair, int half, int32_t *row, int32_t *col) {
    const int lane = thread % 32, index = thread % Tile::kSliceThreads / 32, r = lane / 4, c = lane % 4;
    if constexpr (Tile::kSlices > 1) i += thread / Tile::kSliceThreads * (kBlocksM / Tile::kSlices);
    *row = index % Tile::kWarpsM * Tile::kWarpM + i * 16 + SharedA::fragment_row(r, half);
    *col = index / Tile::kWarpsM * Tile::kWarpN + pair * 16 + (SharedB::kBytePairs ? c * 4 : c / 2 * 4 + c % 2 * 8);
  }
};

// f(i, run) for each run of each row of blocks of a warp.
template <int kRows, int kOfRow, class F>
__device__ __forceinline__ void for_each_run(F f) {
#pragma unroll
  for (int i = 0; i < kRows; ++i) {
#pragma unroll
    for (int run = 0; run < kOfRow; ++run) f(i, run);
  }
}

}  // namespace gpuopt
