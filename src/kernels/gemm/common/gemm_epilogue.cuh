// The end of every gemm kernel: D = round(stages(alpha * acc + beta * C)), on a run of accumulators in
// registers.
//
// acc may be float, double or int32_t; C is the type of alpha, beta and the chain: float, or double where the
// compute type is F64 or I32. Scales of fp8 operands join alpha and beta; D's multiplies the value before its
// rounding.
#pragma once

#include "../common/block_scales.h"
#include "common/chain.cuh"
#include "gemm/common/add_c.cuh"

namespace gpuopt {

template <class C>
struct GemmEpilogue {
  C alpha, beta;
  const C *alpha_ptr, *beta_ptr;  // NULL: by value
  const float *scale_a, *scale_b, *scale_c, *scale_d;
  View c, d;        // c.dtype 0: never read
  bool no_product;  // k = 0: even an infinite alpha adds nothing
  Chain<C> chain;
};

template <class C>
GemmEpilogue<C> make_gemm_epilogue(const gpuopt_problem &problem) {
  // Those of blocks are in the sums.
  const auto scale = [&](int operand) { return whole_scale(problem.operand[operand].m); };
  const bool reads_c = (problem.features & GPUOPT_FEATURE_BETA) != 0;
  return {static_cast<C>(problem.alpha),
          static_cast<C>(problem.beta),
          static_cast<const C *>(problem.alpha_ptr),
          static_cast<const C *>(problem.beta_ptr),
          scale(GPUOPT_OPERAND_A),
          scale(GPUOPT_OPERAND_B),
          reads_c ? scale(GPUOPT_OPERAND_C) : nullptr,
          scale(GPUOPT_OPERAND_D),
          reads_c ? matrix_view(problem.operand[GPUOPT_OPERAND_C]) : View{},
          matrix_view(problem.operand[GPUOPT_OPERAND_D]),
          problem.k == 0,
          make_chain<C>(problem)};
}

// c, d, no_product: in place of the epilogue's own, where each product has others.
template <class C, class Acc, int N>
__device__ __forceinline__ void gemm_epilogue(const GemmEpilogue<C> &epilogue, const View &c_view, const View &d_view,
                                              bool no_product, const Run &run, const Acc (&acc)[N]) {
  C alpha = epilogue.alpha_ptr != nullptr ? *epilogue.alpha_ptr : epilogue.alpha;
  if (epilogue.scale_a != nullptr) alpha *= static_cast<C>(*epilogue.scale_a);
  if (epilogue.scale_b != nullptr) alpha *= static_cast<C>(*epilogue.scale_b);
  C x[N];
#pragma unroll
  for (int e = 0; e < N; ++e) x[e] = no_product ? C(0) : alpha * static_cast<C>(acc[e]);

  if (c_view.dtype != 0) {
    C beta = epilogue.beta_ptr != nullptr ? *epilogue.beta_ptr : epilogue.beta;
    if (beta != C(0)) {  // a zero read through the pointer must not read C either
      if (epilogue.scale_c != nullptr) beta *= static_cast<C>(*epilogue.scale_c);
      C c[N];
      load_run(c_view, run, c);
#pragma unroll
      for (int e = 0; e < N; ++e) x[e] = add_c(x[e], beta, c[e]);
    }
  }

  apply_chain(epilogue.chain, run, x);

  if (epilogue.scale_d != nullptr) {
    const C scale = static_cast<C>(*epilogue.scale_d);
#pragma unroll
    for (int e = 0; e < N; ++e) x[e] *= scale;
  }
  store_run(d_view, run, x);
}
template <class C, class Acc, int N>
__device__ __forceinline__ void gemm_epilogue(const GemmEpilogue<C> &epilogue, const Run &run, const Acc (&acc)[N]) {
  gemm_epilogue(epilogue, epilogue.c, epilogue.d, epilogue.no_product, run, acc);
}

}  // namespace gpuopt
