// One element of a product by one thread, straight from global memory.
#pragma once

#include "gemm/common/simt_gemm.cuh"

namespace gpuopt {

template <class T>
constexpr bool kIsFp8 = cuda::std::is_same_v<T, __nv_fp8_e4m3> || cuda::std::is_same_v<T, __nv_fp8_e5m2>;

// Dot product of a row of A and a column of B, given by their first elements and steps.
template <class Acc, class A, class B>
__device__ __forceinline__ Acc dot(const A *a, int64_t step_a, const B *b, int64_t step_b, int64_t k) {
  Acc acc = 0;
#pragma unroll 4
  for (int64_t s = 0; s < k; ++s) acc = multiply_add(widen<Acc>(a[s * step_a]), widen<Acc>(b[s * step_b]), acc);
  return acc;
}

// The same of fp8 with scales of blocks: sums of 128 of k, each by its two scales.
template <class A, class B>
__device__ __forceinline__ float dot_of_blocks(const SimtGemm<float> &gemm, int64_t p, int64_t i, int64_t j, const A *a,
                                               const B *b) {
  const BlockScales &of_a = gemm.scales_a, &of_b = gemm.scales_b;
  float sum = 0;
  for (int64_t first = 0; first < gemm.k; first += 128) {
    const int64_t end = min(gemm.k, first + 128);
    const float part = dot<float>(a + first * gemm.a.col_step, gemm.a.col_step, b + first * gemm.b.row_step,
                                  gemm.b.row_step, end - first);
    const float scale_a = of_a.data != nullptr ? of_a.data[of_a.offset(p, i, first)] : 1;
    const float scale_b = of_b.data != nullptr ? of_b.data[of_b.offset(p, first, j)] : 1;
    sum += part * (scale_a * scale_b);
  }
  return sum;
}

// Row i of A times column j of B, both of matrix p.
template <class Acc>
__device__ __forceinline__ void simt_element(const SimtGemm<Acc> &gemm, int64_t p, int64_t i, int64_t j,
                                             Acc (&acc)[1]) {
  acc[0] = 0;
  with_gemm_dtype<Acc>(gemm.a.dtype, [&](auto tag_a) {
    with_gemm_dtype<Acc>(gemm.b.dtype, [&](auto tag_b) {
      using A = typename decltype(tag_a)::type;
      using B = typename decltype(tag_b)::type;
      if constexpr (cuda::std::is_same_v<A, B> || (sizeof(A) == 1 && sizeof(B) == 1)) {
        const A *const a = static_cast<const A *>(gemm.a.data) + gemm.a.offset(p, i, 0);
        const B *const b = static_cast<const B *>(gemm.b.data) + gemm.b.offset(p, 0, j);
        if constexpr (cuda::std::is_same_v<Acc, float> && kIsFp8<A> && kIsFp8<B>) {
          if (gemm.scales_a.data != nullptr || gemm.scales_b.data != nullptr) {
            acc[0] = dot_of_blocks(gemm, p, i, j, a, b);
            return;
          }
        }
        acc[0] = dot<Acc>(a, gemm.a.col_step, b, gemm.b.row_step, gemm.k);
      }
    });
  });
}

}  // namespace gpuopt
