// Scales of blocks in the promoting loop: what each 128 of k is multiplied by when it is added to the sums.
//
// A thread has two rows of each 64, so with one B that all its columns share, a step takes as many factors as it has rows. Those of
// the next step are asked for while this one's are used, and L1 keeps what lies beside them: eight steps of a row.
#pragma once

#include "gemm/wgmma/wgmma_work.h"

namespace gpuopt {

// Of kBlocks times 64 rows and up to 128 columns of one block of B. What has no scales has 1.
template <int kBlocks>
class WgmmaScales {
 public:
  // A warpgroup's part of a tile: `row`, `col` its first, of m rows; `steps` of k.
  __device__ __forceinline__ WgmmaScales(const WgmmaBlockScales &from, int32_t p, int32_t row, int32_t col, int32_t m,
                                         int32_t steps)
      : from_(from), steps_(steps), last_(m - 1 - row), a_(from.a), b_(from.b) {
    if (a_ != nullptr) a_ += p * from.a_batch + (row >> from.a_shift) * from.a_row;
    if (b_ != nullptr) b_ += p * from.b_batch + (col >> 7) * from.b_col;
    load();
  }
  // Around what is added at a step, while its products are under way and after.
  __device__ __forceinline__ void begin() {
#pragma unroll
    for (int i = 0; i < 2 * kBlocks; ++i) factor_[i] *= of_b_;
  }
  __device__ __forceinline__ void end(int32_t step) {
    if (step + 1 < steps_) load();
  }
  __device__ __forceinline__ float add(float sum, float part, int block, int lower) const {
    return fmaf(factor_[block * 2 + lower], part, sum);
  }

 private:
  // Offsets are worked out each time: registers are what the tiles lack. A block of 128 rows holds all of a warpgroup's.
  __device__ __forceinline__ void load() {
    if (a_ == nullptr) {
#pragma unroll
      for (int i = 0; i < 2 * kBlocks; ++i) factor_[i] = 1;
    } else {
      const int32_t mine = static_cast<int32_t>(threadIdx.x % 128 / 32 * 16 + threadIdx.x % 32 / 4);
#pragma unroll
      for (int i = 0; i < 2 * kBlocks; ++i) {
        const int32_t row = from_.a_shift != 0 ? 0 : min(i / 2 * 64 + i % 2 * 8 + mine, last_);
        factor_[i] = __ldg(a_ + row * static_cast<int32_t>(from_.a_row));
      }
      a_ += from_.a_depth;
    }
    if (b_ != nullptr) {
      of_b_ = __ldg(b_);
      b_ += from_.b_depth;
    }
  }

  const WgmmaBlockScales &from_;
  int32_t steps_, last_;  // rows beyond the first that exist
  const float *a_, *b_;
  float of_b_ = 1, factor_[2 * kBlocks];
};

}  // namespace gpuopt
