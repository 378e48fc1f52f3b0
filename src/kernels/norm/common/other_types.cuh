// Rows whose weights are wider than their elements, fp32, or whose results are narrower, e4m3 (narrow_results.cuh).
#pragma once

#include "norm/common/narrow_results.cuh"
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

}  // namespace gpuopt
