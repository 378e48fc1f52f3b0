// Results that are narrower than the elements, e4m3.
#pragma once

#include "common/bits.cuh"

namespace gpuopt {

// K elements of e4m3, which begin at a whole access or anywhere.
template <bool kAny, int K>
__device__ __forceinline__ void store_e4m3(__nv_fp8_e4m3 *to, const float (&h)[K]) {
  if constexpr (K > 1) {
    if (!kAny || reinterpret_cast<uintptr_t>(to) % K == 0) {
      Bits<__nv_fp8_e4m3, K> bits = {};
      if constexpr (kHasFp8) {
#pragma unroll
        for (int e = 0; e < K; e += 2)  // two are one instruction
          bits.w[e / 4] |=
              static_cast<uint32_t>(__nv_cvt_float2_to_fp8x2(make_float2(h[e], h[e + 1]), __NV_SATFINITE, __NV_E4M3))
              << (e % 4 * 8);
      } else {
        bits = narrow_bits<__nv_fp8_e4m3>(h);
      }
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
