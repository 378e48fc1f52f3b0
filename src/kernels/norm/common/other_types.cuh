// Rows whose weights are wider than their elements, fp32, or whose results are narrower, e4m3.
#pragma once

#include "norm/common/unaligned.cuh"

namespace gpuopt {

// Of weights in fp32, K from anywhere.
template <bool kAny, int K>
__device__ __forceinline__ void load_wide(const float *from, float (&a)[K]) {
#pragma unroll
  for (int e = 0; e < K; e += 4) {
    const Bits<float, 4> bits =
        !kAny || elements_before(from) == 0 ? load_bits<float, 4>(from + e) : load_unaligned<float, 4>(from + e);
#pragma unroll
    for (int w = 0; w < 4; ++w) a[e + w] = element_of(bits, w);
  }
}

// K elements of e4m3, which begin at a whole access or anywhere.
template <bool kAny, int K>
__device__ __forceinline__ void store_e4m3(__nv_fp8_e4m3 *to, const float (&h)[K]) {
  if constexpr (K > 1) {
    if (!kAny || reinterpret_cast<uintptr_t>(to) % K == 0) {
      Bits<__nv_fp8_e4m3, K> bits = {};
#pragma unroll
      for (int e = 0; e < K; e += 2)  // two are one instruction
        bits.w[e / 4] |=
            static_cast<uint32_t>(__nv_cvt_float2_to_fp8x2(make_float2(h[e], h[e + 1]), __NV_SATFINITE, __NV_E4M3))
            << (e % 4 * 8);
      store_bits(to, bits);
      return;
    }
  }
  if constexpr (kAny || K == 1) {
#pragma unroll
    for (int e = 0; e < K; ++e) to[e] = narrow<__nv_fp8_e4m3>(h[e]);
  }
}

}  // namespace gpuopt
