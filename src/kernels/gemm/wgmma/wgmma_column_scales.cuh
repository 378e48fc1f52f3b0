// Scales of blocks where each column of B has one: a warpgroup's threads copy one each to shared memory, and 64 of them a row's,
// three steps before they are used, for L1 has no room for the lines of so many rows and columns. A thread takes those of its two
// rows and 32 columns while products are under way.
#pragma once

#include <cuda_pipeline_primitives.h>

#include "gemm/wgmma/wgmma_place.cuh"

namespace gpuopt {

template <class Tile>
class WgmmaColumnScales {
 public:
  // Of a tile, a warpgroup's part of which begins at `row`.
  __device__ __forceinline__ WgmmaColumnScales(const WgmmaBlockScales &from, const WgmmaGemm &gemm,
                                               const WgmmaPlace<Tile> &at, int32_t row, char *shared, int group)
      : from_(from), left_(gemm.stages), barrier_(kStoreBarrier + group) {
    static_assert(Tile::kGroupRows == 64 && Tile::kN == 128 && kSteps * kOfStep * 4 <= Tile::kLineBytes, "a part's");
    const auto thread = static_cast<int32_t>(threadIdx.x % 128);
    mine_ = reinterpret_cast<float *>(shared + Tile::kLines + group * Tile::kLineBytes);
    const int32_t its_row = min(row + thread % 64, gemm.m - 1), its_col = min(at.col + thread, gemm.n - 1);
    a_ = reinterpret_cast<const char *>(from.a + at.p * from.a_batch + (its_row >> from.a_shift) * from.a_row);
    b_ = reinterpret_cast<const char *>(from.b + at.p * from.b_batch + its_col * from.b_col);
    barrier_sync(barrier_, 128);  // those of the tile before have been read
#pragma unroll
    for (int place = 0; place + 1 < kSteps; ++place) copy(place);
  }
  // While a step's products are under way.
  __device__ __forceinline__ void begin(int, bool) {
    __pipeline_wait_prior(kSteps - 2);
    barrier_sync(barrier_, 128);  // all threads' parts are there, and those of the step before have been read
    const int thread = static_cast<int>(threadIdx.x % 128), row = thread / 32 * 16 + thread % 32 / 4;
    const float *const step = mine_ + place_ * kOfStep, *const columns = step + thread % 4 * kOfLane;
#pragma unroll
    for (int i = 0; i < 32; i += 4) memcpy(of_columns_ + i, __builtin_assume_aligned(columns + i, 16), 16);
    for (int i = 0; i < 2; ++i) of_rows_[i] = from_.a == nullptr ? 1 : step[4 * kOfLane + row + i * 8];
    copy((place_ + kSteps - 1) % kSteps);
    place_ = (place_ + 1) % kSteps;
  }
  // The j-th of a thread's sums. The product of two scales is normal; that of one of them and x need not be.
  __device__ __forceinline__ float add(float sum, float x, int j) const {
    return fmaf(of_rows_[j / 2 % 2] * of_columns_[j / 4 * 2 + j % 2], x, sum);
  }

 private:
  // Of a step, those of 128 columns, the four threads' of a row each in banks of their own, then of 64 rows.
  static constexpr int kSteps = 4, kOfLane = 32 + 4, kOfStep = 4 * kOfLane + 64;

  // The scales of the next stage, if there is one, to this place.
  __device__ __forceinline__ void copy(int place) {
    const int thread = static_cast<int>(threadIdx.x % 128);
    float *const step = mine_ + place * kOfStep;
    if (left_-- > 0) {
      __pipeline_memcpy_async(step + (thread / 2 % 4 * kOfLane + thread / 8 * 2 + thread % 2), b_, 4);
      if (thread < 64 && from_.a != nullptr) __pipeline_memcpy_async(step + 4 * kOfLane + thread, a_, 4);
    }
    __pipeline_commit();
    a_ += from_.a_depth, b_ += from_.b_depth;
  }

  const WgmmaBlockScales &from_;
  const char *a_, *b_;  // a thread's next ones
  float *mine_;
  int32_t left_;
  int barrier_, place_ = 0;
  float of_columns_[32], of_rows_[2];
};

}  // namespace gpuopt
