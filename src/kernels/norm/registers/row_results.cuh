// What becomes of a row's elements after the norm, and where they go.
#pragma once

#include "norm/common/other_types.cuh"
#include "norm/common/row_linear.cuh"
#include "norm/common/row_stages.cuh"

namespace gpuopt {

// What becomes of a norm's values: nothing (NoChain), a linear chain, or the work's stages, interpreted a vector at a time.
struct Interpreted {};
template <class T, bool kAny, class Chain, int K>
__device__ __forceinline__ void apply_chain(const Chain &chain, const RowWork<T> &work, int32_t p, int32_t i,
                                            int32_t at, float (&h)[K]) {
  if constexpr (std::is_same_v<Chain, RowLinear>) {
    apply_row_step(chain.before, h);
    apply_row_act(chain.act, h);
    apply_row_step(chain.after, h);
  } else if constexpr (std::is_same_v<Chain, Interpreted>) {
    apply_row_stages(work.stages, h, [&](const View &view, float(&a)[K]) {
      const T *const from = start_of_row<T>(view, p, i) + at;
      if constexpr (K == 1)
        a[0] = widen<float>(*from);
      else
        widen_bits(load_vector<!kAny, T, K>(from), a);
    });
  }
}
// K elements of a row of out, from `at` on, T or, with stages, e4m3. Rows are cut where vectors of T begin in out.
template <class T, class Chain, bool kAny, int K>
__device__ __forceinline__ void store_result(const View &out, int32_t p, int32_t i, int32_t at, const float (&h)[K]) {
  if (!std::is_same_v<Chain, NoChain> && out.dtype == GPUOPT_E4M3) {
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
