// A linear chain behind a norm, with a branch of its own for what it mostly is, around all of a row's vectors.
#pragma once

#include "norm/common/row_linear.cuh"

namespace gpuopt {

// An activation and nothing else, whose results are of x's type; and a chain where it is known whether there is one.
constexpr int32_t kAnyRowAct = -1;
template <int32_t kAct>
struct RowActAlone {};
template <int32_t kAct>
struct RowLinearOf {
  const RowLinear &chain;
};
template <class Chain>
constexpr bool kMayNarrow = !std::is_same_v<Chain, NoChain>;  // results may be e4m3
template <int32_t kAct>
constexpr bool kMayNarrow<RowActAlone<kAct>> = false;
template <class T, bool kAny, int32_t kAct, int K>
__device__ __forceinline__ void apply_chain(const RowActAlone<kAct> &, const RowWork<T> &, int32_t, int32_t, int32_t,
                                            float (&h)[K]) {
  apply_row_act(kAct, h);
}
template <class T, bool kAny, int32_t kAct, int K>
__device__ __forceinline__ void apply_chain(const RowLinearOf<kAct> &known, const RowWork<T> &, int32_t, int32_t,
                                            int32_t, float (&h)[K]) {
  apply_row_step(known.chain.before, h);
  apply_row_act(kAct == kAnyRowAct ? known.chain.act : kAct, h);
  apply_row_step(known.chain.after, h);
}

// f(the chain as one of these), around all vectors of a row, with a branch of its own for the activations that people put
// behind a norm. kAlone: where there is nothing beside such, nothing is asked for between two vectors, and registers are to be
// enough for as many of them at a time as the compiler likes.
template <bool kAlone, class F>
__device__ __forceinline__ void with_row_act(const RowLinear &chain, bool narrows, F &&f) {
  const bool alone = !kAlone || (!chain.before.exists && !chain.after.exists && !narrows);
  const auto known = [&](auto act) {
    constexpr int32_t kAct = decltype(act)::value;
    if constexpr (kAlone)
      f(RowActAlone<kAct>{});
    else
      f(RowLinearOf<kAct>{chain});
  };
  if (chain.act == kNoRowAct)
    f(RowLinearOf<kNoRowAct>{chain});
  else if (alone && chain.act == GPUOPT_STAGE_SILU)
    known(std::integral_constant<int32_t, GPUOPT_STAGE_SILU>{});
  else if (alone && chain.act == GPUOPT_STAGE_GELU)
    known(std::integral_constant<int32_t, GPUOPT_STAGE_GELU>{});
  else
    f(RowLinearOf<kAnyRowAct>{chain});
}

}  // namespace gpuopt
