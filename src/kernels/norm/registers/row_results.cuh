// What becomes of a row's elements after the norm, and where they go; weights in fp32.
#pragma once

#include "norm/common/row_linear.cuh"
#include "norm/common/row_stages.cuh"
#include "norm/common/row_work.cuh"
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

// What becomes of a norm's values: nothing (NoChain), a linear chain, or the work's stages, interpreted a vector at a time.
struct Interpreted {};
template <class T, bool kAny, class Chain, int K>
__device__ __forceinline__ void apply_chain(const Chain &chain, const RowWork<T> &work, int32_t p, int32_t i,
                                            int32_t at, float (&h)[K]) {
  if constexpr (cuda::std::is_same_v<Chain, RowLinear>) {
    apply_row_step(chain.before, h);
    apply_row_act(chain.act, h);
    apply_row_step(chain.after, h);
  } else if constexpr (cuda::std::is_same_v<Chain, Interpreted>) {
    apply_row_stages(work.stages, h, [&](const View &view, float(&a)[K]) {
      const T *const from = start_of_row<T>(view, p, i) + at;
      if constexpr (K == 1)
        a[0] = widen<float>(*from);
      else
        widen_bits(load_vector<!kAny, T, K>(from), a);
    });
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
// K elements of a row of out, from `at` on, T or, with stages, e4m3. Rows are cut where vectors of T begin in out.
template <class T, class Chain, bool kAny, int K>
__device__ __forceinline__ void store_result(const View &out, int32_t p, int32_t i, int32_t at, const float (&h)[K]) {
  if (!cuda::std::is_same_v<Chain, NoChain> && out.dtype == GPUOPT_E4M3) {
    store_e4m3<kAny>(start_of_result<__nv_fp8_e4m3>(out, p, i) + at, h);
  } else {
    T *const to = start_of_result<T>(out, p, i) + at;
    if constexpr (K > 1)
      store_bits(to, narrow_bits<T>(h));
    else
      *to = narrow<T>(h[0]);
  }
}

}  // namespace gpuopt
