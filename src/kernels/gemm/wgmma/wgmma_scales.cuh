// Scales of blocks in the promoting loop: what each 128 of k is multiplied by when it is added to the sums.
//
// A thread has two rows of each 64 and columns of one block of B, so a step takes as many factors as it has rows, the same in the
// four threads of a row: each of them asks for one, a whole step before it is used, and hands it to the others. L1 keeps what lies
// beside: eight steps of a row.
#pragma once

#include "gemm/wgmma/wgmma_block_scales.h"

namespace gpuopt {

// What has no scales reads this one.
static __device__ const float wgmma_no_scale = 1;

// Of a warpgroup's part of a tile: kBlocks times 64 rows and up to 128 columns of one block of B.
template <int kBlocks>
class WgmmaScales {
 public:
  // Of m rows the part's begin at `row`, its columns at `col`.
  __device__ __forceinline__ WgmmaScales(const WgmmaBlockScales &from, int32_t p, int32_t row, int32_t col, int32_t m)
      : from_(from) {
    const auto thread = static_cast<int32_t>(threadIdx.x % 128);
    const int32_t mine = thread % (2 * kBlocks);  // of the factors
    const int32_t its_row = row + mine / 2 * 64 + mine % 2 * 8 + thread / 32 * 16 + thread % 32 / 4;
    a_ = from.a + (p * from.a_batch + (min(its_row, m - 1) >> from.a_shift) * from.a_row);
    b_ = from.b + (p * from.b_batch + (col >> 7) * from.b_col);
    if (from.a == nullptr) a_ = &wgmma_no_scale;
    if (from.b == nullptr) b_ = &wgmma_no_scale;
    load(true);
  }
  // While a step's products of the block-th 64 rows are under way; more: of k, behind the step.
  __device__ __forceinline__ void begin(int block, bool more) {
    if (block == 0) {
      mine_ = of_a_ * of_b_;
      a_ = next(a_, from_.a_depth);
      b_ = next(b_, from_.b_depth);
      load(more);
    }
#pragma unroll
    for (int i = 0; i < 2; ++i) factor_[i] = __shfl_sync(0xffffffff, mine_, block * 2 + i, 4);
  }
  // The j-th of a thread's sums of 64 rows.
  __device__ __forceinline__ float add(float sum, float x, int j) const { return fmaf(factor_[j / 2 % 2], x, sum); }

 private:
  static_assert(kBlocks <= 2, "a thread asks for one");

  static __device__ __forceinline__ const float *next(const float *scale, int64_t bytes) {
    return reinterpret_cast<const float *>(reinterpret_cast<const char *>(scale) + bytes);
  }
  // Only where there is more: a predicate costs nothing. Steps that are selected are constants to be loaded and waited for, between
  // a stage's products.
  __device__ __forceinline__ void load(bool more) {
    asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %4, 0;\n@p ld.global.f32 %0, [%2];\n@p ld.global.f32 %1, [%3];\n}"
                 : "+f"(of_a_), "+f"(of_b_)
                 : "l"(a_), "l"(b_), "r"(static_cast<int>(more)));
  }

  const WgmmaBlockScales &from_;
  const float *a_, *b_;  // a thread's next ones
  float of_a_ = 0, of_b_ = 0, mine_, factor_[2];
};

}  // namespace gpuopt
