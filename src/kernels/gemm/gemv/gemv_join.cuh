// The end of a block's sums: parts of k that other blocks have are added in order, then results go to D, or plain sums to
// scratch memory for gemm_finish.
#pragma once

#include "common/dependent_launch.cuh"
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
  int32_t few_dtype, lanes, warps_of_k, slices;
  // Results, by lines; raw: plain sums.
  void *d;
  const void *c;
  int64_t d_many, d_few, d_batch, c_many, c_few, c_batch;
  int32_t d_dtype;
  bool raw;
  Scalar alpha, beta;
  const Scalar *alpha_ptr, *beta_ptr;
  // Of tiles that several blocks share.
  Acc *parts;
  uint32_t *tickets;
};

// Which tile, and which part of k, a block has: few lines that read the same many are neighbours, then parts of k.
struct GemvPlace {
  int64_t p, many, few, tile;  // many, few: tiles
  int32_t slice;

  template <class Acc>
  __device__ __forceinline__ explicit GemvPlace(const Gemv<Acc> &g) {
    uint32_t rest = blockIdx.x;
    const auto few_tiles = static_cast<uint32_t>(g.few_tiles), slices = static_cast<uint32_t>(g.slices);
    const auto many_tiles = static_cast<uint32_t>(g.many_tiles);
    few = rest % few_tiles;
    rest /= few_tiles;
    slice = static_cast<int32_t>(rest % slices);
    rest /= slices;
    many = rest % many_tiles;
    p = rest / many_tiles;
    tile = (p * g.many_tiles + many) * g.few_tiles + few;
  }
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

// Every thread of the block; sum(o) is the block's o-th of `count` sums, line(o) and few(o) are its lines in the block's tile.
template <class Acc, class Sum, class Line, class Few>
__device__ __forceinline__ void gemv_join(const Gemv<Acc> &g, const GemvPlace &at, int64_t first_many,
                                          int64_t first_few, int count, Sum &&sum, Line &&line, Few &&few) {
  const auto put = [&](int o, Acc x) {
    const int64_t many = first_many + line(o), of_few = first_few + few(o);
    if (many < g.many_lines && of_few < g.few_lines) gemv_put(g, at.p, many, of_few, x);
  };
  const int thread = static_cast<int>(threadIdx.x);
  if (g.slices == 1) {
    for (int o = thread; o < count; o += kGemvThreads) put(o, sum(o));
    return;
  }
  Acc *const parts = g.parts + at.tile * g.slices * count;
  for (int o = thread; o < count; o += kGemvThreads) parts[at.slice * count + o] = sum(o);
  __threadfence();
  __syncthreads();
  // The block that comes last adds all parts; its ticket wraps to zero for the next call.
  const auto last = static_cast<uint32_t>(g.slices - 1);
  if (__syncthreads_or(thread == 0 && atomicInc(g.tickets + at.tile, last) == last) == 0) return;
  __threadfence();
  for (int o = thread; o < count; o += kGemvThreads) {
    Acc x = 0;
#pragma unroll 4
    for (int slice = 0; slice < g.slices; ++slice) x = multiply_add(__ldcg(parts + slice * count + o), Acc(1), x);
    put(o, x);
  }
}

}  // namespace gpuopt
