// A linear chain with a branch of its own for each activation that people put behind a norm, around all of a row's vectors.
#pragma once

#include "norm/common/row_linear.cuh"

namespace gpuopt {

// The chain where its activation is known: kAct, or kAnyRowAct.
constexpr int32_t kAnyRowAct = -1;
template <int32_t kAct>
struct RowLinearOf {
  const RowLinear &chain;
};
template <class T, bool kAny, int32_t kAct, int K>
__device__ __forceinline__ void apply_chain(const RowLinearOf<kAct> &known, const RowWork<T> &, int32_t, int32_t,
                                            int32_t, float (&h)[K]) {
  apply_row_step(known.chain.before, h);
  apply_row_act(kAct == kAnyRowAct ? known.chain.act : kAct, h);
  apply_row_step(known.chain.after, h);
}

// f(the chain with its activation known), for the activations that people put behind a norm: no branch between two vectors.
template <class F>
__device__ __forceinline__ void with_row_act(const RowLinear &chain, F &&f) {
  if (chain.act == kNoRowAct)
    f(RowLinearOf<kNoRowAct>{chain});
  else if (chain.act == GPUOPT_STAGE_SILU)
    f(RowLinearOf<GPUOPT_STAGE_SILU>{chain});
  else if (chain.act == GPUOPT_STAGE_GELU)
    f(RowLinearOf<GPUOPT_STAGE_GELU>{chain});
  else
    f(RowLinearOf<kAnyRowAct>{chain});
}

}  // namespace gpuopt
