// The kernel behind gemm_mma_f32_tensor_*: mma_kernel.cuh's on fp32 operands in two f16 parts each.
//
// Idea and data movement: f32_split.h's launches have left lines of 128 bytes for each 32 of k, high parts, then low ones, and
// whether the sums will be as near to the truth as fp32's. They come through the ring of stages as f16 operands of twice the depth
// would. A step of 16 of k reads the fragments of both parts once and multiplies three times; its sums then leave the tensor core
// for fp32, as those of few products may only stay there (docs/f32-tensor.md). In the end they are multiplied by the powers of two
// that rows and columns were scaled by.
#pragma once

#include "gemm/common/f32_split_scaling.cuh"
#include "gemm/mma/mma_loop.cuh"
#include "gemm/mma/mma_tile_store.cuh"

namespace gpuopt {

// A step is 16 rows of A by 16 of k. Its fragments of A are read one step ahead, those of B, which all rows share, with the first
// of them.
template <class Tile>
class MmaPartsWarp : public MmaWarp<Tile, true, true> {
  using Base = MmaWarp<Tile, true, true>;

 public:
  struct Fragments {
    uint32_t high[4], low[4];
  };
  using Base::Base;
  using Base::kBlocksM, Base::kBlocksN;

  __device__ __forceinline__ void load(Fragments &f, uint32_t stage, int step) {
    const int i = step % kBlocksM, k = step / kBlocksM;
    if (i == 0) {
#pragma unroll
      for (int j = 0; j < kBlocksN; ++j) {
        Base::load_b(high_[k][j], stage, k, j);
        Base::load_b(low_[k][j], stage, kDepths + k, j);
      }
    }
    Base::load_a(f.high, stage, k, i);
    Base::load_a(f.low, stage, kDepths + k, i);
  }
  // Low by high, high by low, high by high: what is small comes first, while the sums are. Then they are added in fp32, rounded.
  __device__ __forceinline__ void multiply(const Fragments &f, int step) {
    const int i = step % kBlocksM, k = step / kBlocksM;
    float part[2 * kBlocksN][4] = {};
#pragma unroll
    for (int product = 0; product < 3; ++product) {
#pragma unroll
      for (int j = 0; j < 2 * kBlocksN; ++j) {
        const uint32_t(&b)[4] = product == 1 ? low_[k][j / 2] : high_[k][j / 2];
        mma_sync<__half, __half>(part[j], product == 0 ? f.low : f.high, b[j % 2 * 2], b[j % 2 * 2 + 1], part[j]);
      }
    }
#pragma unroll
    for (int j = 0; j < 2 * kBlocksN; ++j) {
#pragma unroll
      for (int e = 0; e < 4; ++e) Base::sum[i][j][e] += part[j][e];
    }
  }

 private:
  static constexpr int kDepths = Tile::kKBytes / 64;  // steps of 16 of k, of a stage
  uint32_t high_[kDepths][kBlocksN][4], low_[kDepths][kBlocksN][4];
};

// A tile's sums of matrix p of scaled parts.
struct MmaUnscaled {
  const int32_t *rows, *cols;  // exponents, from the tile's first row and column on
  int32_t rows_left, cols_left;

  __device__ __forceinline__ MmaUnscaled(const F32SplitScaling &scaling, int64_t p, MmaPlace at, int32_t m, int32_t n)
      : rows(scaling.rows + p * scaling.rows_batch + at.row),
        cols(scaling.cols + p * scaling.cols_batch + at.col),
        rows_left(m - at.row),
        cols_left(n - at.col) {}
  __device__ __forceinline__ void operator()(int32_t i, int32_t j, float (&x)[4]) const {
    if (i >= rows_left) return;
    const int32_t of_row = rows[i];
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      if (j + e < cols_left) x[e] = f32_split_unscaled(x[e], of_row + cols[j + e]);
    }
  }
};

// Blocks that an SM shall have registers for: of sm_120, whose shared memory holds fewer, no more than that.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 1200
constexpr int kMmaPartsShared = 100 * 1024;
#else
constexpr int kMmaPartsShared = 164 * 1024;
#endif
template <class Tile>
constexpr int kMmaPartsRoom = kMmaPartsShared / (Tile::kShared + 1024);
template <class Tile>
constexpr int kMmaPartsBlocks = Tile::kBlocks < kMmaPartsRoom<Tile> ? Tile::kBlocks : kMmaPartsRoom<Tile>;

template <class Tile>
__global__ void __launch_bounds__(Tile::kThreads, kMmaPartsBlocks<Tile>)
    gemm_mma_parts_kernel(const __grid_constant__ MmaGemm gemm, const __grid_constant__ F32SplitScaling scaling) {
#if __CUDA_ARCH__ >= 800
  extern __shared__ __align__(1024) unsigned char mma_shared[];
  const uint32_t base = static_cast<uint32_t>(__cvta_generic_to_shared(mma_shared));
  wait_for_stream();
  if (*scaling.path != kF32SplitByParts) return;  // all blocks
  const MmaPlace place = mma_place<Tile>(gemm, blockIdx.x);
  const auto count = static_cast<int32_t>((static_cast<uint32_t>(gemm.k) + Tile::kDepth - 1) / Tile::kDepth);
  for (int32_t p = static_cast<int32_t>(blockIdx.z); p < gemm.batch; p += static_cast<int32_t>(gridDim.z)) {
    MmaPartsWarp<Tile> warp(threadIdx.x % 32, threadIdx.x / 32);
    if (p >= static_cast<int32_t>(gridDim.z)) __syncthreads();  // the last matrix's sums have been read
    mma_main_loop_async<Tile>(gemm, warp, base, p, place.row, place.col, 0, count);
    __syncthreads();  // the stages are free
    mma_store_tile<Tile>(gemm, warp, mma_shared, gemm.store.origin(p, 0, place.row, place.col, gemm.m, gemm.n),
                         MmaUnscaled(scaling, p, place, gemm.m, gemm.n));
  }
#endif
}

}  // namespace gpuopt
