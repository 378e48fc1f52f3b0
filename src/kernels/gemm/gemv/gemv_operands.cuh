// What a matrix by vector kernel is told, and how a sum becomes a result.
#pragma once

#include "gemm/common/accumulator.cuh"
#include "gemm/gemv/gemv_plan.h"

namespace gpuopt {

template <class Acc>
struct Gemv {
  using Scalar = EpilogueType<Acc>;
  // Operands by their lines along k: steps of elements from line to line, and along one.
  const void *many, *few;
  int64_t many_line, many_k, many_batch, few_line, few_k, few_batch;
  int64_t many_lines, few_lines, k, slice_k;
  int64_t many_tiles, few_tiles;
  int32_t few_dtype, phases, groups, slices, chunk;
  bool aligned;  // all 16-byte pieces of the many
  bool raw;      // results are plain sums
  // Results, by lines.
  void *d;
  const void *c;
  int64_t d_many, d_few, d_batch, c_many, c_few, c_batch;
  int32_t d_dtype;
  Scalar alpha, beta;
  const Scalar *alpha_ptr, *beta_ptr;
  // Of tiles that several blocks share.
  Acc *parts;
  uint32_t *tickets;
};

template <class Acc>
__device__ __forceinline__ void gemv_put(const Gemv<Acc> &g, int64_t p, int64_t many, int64_t few, Acc sum) {
  using Scalar = EpilogueType<Acc>;
  const int64_t at = p * g.d_batch + many * g.d_many + few * g.d_few;
  if (g.raw) {
    static_cast<Acc *>(g.d)[at] = sum;
    return;
  }
  Scalar x = (g.alpha_ptr != nullptr ? *g.alpha_ptr : g.alpha) * static_cast<Scalar>(sum);
  if (g.c != nullptr) {
    const Scalar beta = g.beta_ptr != nullptr ? *g.beta_ptr : g.beta;
    if (beta != Scalar(0))
      x += beta * load_element<Scalar>(g.c, p * g.c_batch + many * g.c_many + few * g.c_few, g.d_dtype);
  }
  store_element<Scalar>(g.d, at, g.d_dtype, x);
}

}  // namespace gpuopt
