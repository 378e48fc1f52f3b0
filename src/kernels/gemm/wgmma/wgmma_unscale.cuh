// Sums of products of scaled parts (f32_split.h).
#pragma once

#include "gemm/common/f32_split_scaling.cuh"
#include "gemm/wgmma/wgmma_panels.cuh"

namespace gpuopt {

// Of sums of scaled parts, by a power of two for each row and column.
template <int kCount>
__device__ __forceinline__ void wgmma_unscale(WgmmaThread thread, const F32SplitScaling &scaling, const float *sums,
                                              float (&x)[kCount], int32_t p, int32_t row, int32_t col, int32_t m,
                                              int32_t n) {
  const int32_t upper = row + thread.warp * 16 + thread.lane / 4, lower = upper + 8, first = col + thread.lane % 4 * 2;
  const int32_t *const of_rows = scaling.rows + p * scaling.rows_batch, *const of_cols =
                                                                            scaling.cols + p * scaling.cols_batch;
  const int32_t row_exponent[2] = {upper < m ? of_rows[upper] : 0, lower < m ? of_rows[lower] : 0};
#pragma unroll
  for (int e = 0; e < kCount; e += 4) {
#pragma unroll
    for (int right = 0; right < 2; ++right) {
      const int32_t j = first + e * 2 + right, col_exponent = j < n ? of_cols[j] : 0;
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        x[e + half * 2 + right] = f32_split_unscaled(sums[e + half * 2 + right], row_exponent[half] + col_exponent);
      }
    }
  }
}

}  // namespace gpuopt
