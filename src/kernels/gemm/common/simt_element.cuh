// One element of a product by one thread, straight from global memory.
#pragma once

#include "gemm/common/simt_gemm.cuh"

namespace gpuopt {

// Dot product of a row of A and a column of B, given by their first elements and steps.
template <class Acc, class A, class B>
__device__ __forceinline__ Acc dot(const A *a, int64_t step_a, const B *b, int64_t step_b, int64_t k) {
  Acc acc = 0;
#pragma unroll 4
  for (int64_t s = 0; s < k; ++s) acc = multiply_add(widen<Acc>(a[s * step_a]), widen<Acc>(b[s * step_b]), acc);
  return acc;
}

// Row i of A times column j of B, both of matrix p.
template <class Acc>
__device__ __forceinline__ void simt_element(const View &a, const View &b, int64_t k, int64_t p, int64_t i, int64_t j,
                                             Acc (&acc)[1]) {
  acc[0] = 0;
  with_gemm_dtype<Acc>(a.dtype, [&](auto tag_a) {
    with_gemm_dtype<Acc>(b.dtype, [&](auto tag_b) {
      using A = typename decltype(tag_a)::type;
      using B = typename decltype(tag_b)::type;
      if constexpr (std::is_same_v<A, B> || (sizeof(A) == 1 && sizeof(B) == 1)) {
        acc[0] = dot<Acc>(static_cast<const A *>(a.data) + a.offset(p, i, 0), a.col_step,
                          static_cast<const B *>(b.data) + b.offset(p, 0, j), b.row_step, k);
      }
    });
  });
}
template <class Acc>
__device__ __forceinline__ void simt_element(const SimtGemm<Acc> &gemm, int64_t p, int64_t i, int64_t j,
                                             Acc (&acc)[1]) {
  simt_element(gemm.a, gemm.b, gemm.k, p, i, j, acc);
}

// The same of fp8 with scales of blocks: sums of 128 of k, each by its two scales.
__device__ __forceinline__ void simt_element(const SimtBlocks &blocks, int64_t p, int64_t i, int64_t j,
                                             float (&acc)[1]) {
  const SimtGemm<float> &gemm = blocks.gemm;
  const auto part = [&](auto tag_a, auto tag_b, int64_t first, int64_t count) {
    using A = typename decltype(tag_a)::type;
    using B = typename decltype(tag_b)::type;
    return dot<float>(static_cast<const A *>(gemm.a.data) + gemm.a.offset(p, i, first), gemm.a.col_step,
                      static_cast<const B *>(gemm.b.data) + gemm.b.offset(p, first, j), gemm.b.row_step, count);
  };
  const auto parts = [&](auto tag_a, auto tag_b) {
    float sum = 0;
    for (int64_t first = 0; first < gemm.k; first += 128) {
      const float scale_a = scale_at(blocks.a, p, i, first), scale_b = scale_at(blocks.b, p, first, j);
      sum += part(tag_a, tag_b, first, min(gemm.k - first, int64_t{128})) * (scale_a * scale_b);
    }
    return sum;
  };
  const auto with_fp8 = [](int32_t dtype, auto &&f) {
    if (dtype == GPUOPT_E4M3)
      f(Type<__nv_fp8_e4m3>{});
    else
      f(Type<__nv_fp8_e5m2>{});
  };
  with_fp8(gemm.a.dtype,
           [&](auto tag_a) { with_fp8(gemm.b.dtype, [&](auto tag_b) { acc[0] = parts(tag_a, tag_b); }); });
}

}  // namespace gpuopt
