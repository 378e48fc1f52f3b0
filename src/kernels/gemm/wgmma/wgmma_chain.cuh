// Chains (wgmma_chain.h) on a wgmma tile's sums, in the registers of a warpgroup, before they are stored.
#pragma once

#include "common/fast_gelu.cuh"
#include "gemm/wgmma/wgmma_store.cuh"

namespace gpuopt {

// Scale and shift of each column of a tile, into shared memory, by a warpgroup; a barrier of its later they are seen.
template <class Tile>
__device__ __forceinline__ void wgmma_load_lines(const WgmmaChain &chain, float2 *lines, int32_t p, int32_t col,
                                                 int32_t n) {
#pragma unroll 1
  for (int32_t j = static_cast<int32_t>(threadIdx.x) % 128; j < Tile::kN; j += 128) {
    float2 line = {chain.scale, chain.shift};
    if (chain.vector_dtype != 0 && col + j < n) {
      with_wgmma_result<Tile>(chain.vector_dtype, [&](auto tag) {
        using V = typename decltype(tag)::type;
        const float v =
            chain.value * widen<float>(static_cast<const V *>(chain.vector)[p * chain.vector_batch + col + j]);
        (chain.scales ? line.x : line.y) = v;
      });
    }
    lines[j] = line;
  }
}

// Results of 64 rows and N columns from (row, col) on, whose lines those are: x[4 * j ...] as the sums lie. The sums stay as they
// are, since ptxas lets no two wgmmas run at once whose registers anything else has written.
template <class Tile, int kCount>
__device__ __forceinline__ void wgmma_apply_chain(WgmmaThread thread, const WgmmaChain &chain,
                                                  const WgmmaStore::Scalars &s, const float2 *lines, const float *sums,
                                                  float (&x)[kCount], int32_t p, int32_t row, int32_t col, int32_t m,
                                                  int32_t n) {
  const int32_t i = row + thread.warp * 16 + thread.lane / 4, j = thread.lane % 4 * 2;
  const float factor = chain.matrix_is_c ? s.beta : chain.factor;
  const bool has_matrix = Tile::kMatrices && chain.matrix_dtype != 0 && !(chain.matrix_is_c && factor == 0);
  float a[kCount] = {};
  if (has_matrix) {
    with_wgmma_result<Tile>(chain.matrix_dtype, [&](auto tag) {
      using V = typename decltype(tag)::type;
      const V *const from =
          static_cast<const V *>(chain.matrix) + p * chain.matrix_batch + i * chain.matrix_pitch + col + j;
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const int32_t cols = i + half * 8 < m ? n - col - j : 0;
#pragma unroll
        for (int e = 0; e < kCount / 4; ++e) {
          Pack<V, 2> pair = {};
          if (e * 8 < cols) pair = *reinterpret_cast<const Pack<V, 2> *>(from + half * 8 * chain.matrix_pitch + e * 8);
          a[e * 4 + half * 2] = widen<float>(pair.v[0]);
          a[e * 4 + half * 2 + 1] = widen<float>(pair.v[1]);
        }
      }
    });
  }
#pragma unroll
  for (int e = 0; e < kCount; ++e) x[e] = sums[e] * s.alpha;
  if (has_matrix && chain.matrix_first) {
#pragma unroll
    for (int e = 0; e < kCount; ++e) x[e] += factor * a[e];
  }
#pragma unroll
  for (int e = 0; e < kCount; e += 4) {
    const float4 line = *reinterpret_cast<const float4 *>(lines + e * 2 + j);
    x[e] = x[e] * line.x + line.y;
    x[e + 1] = x[e + 1] * line.z + line.w;
    x[e + 2] = x[e + 2] * line.x + line.y;
    x[e + 3] = x[e + 3] * line.z + line.w;
  }
  const auto each = [&](auto &&f) {
#pragma unroll
    for (int e = 0; e < kCount; ++e) x[e] = f(x[e]);
  };
  if (chain.bounded) each([&](float v) { return fast::min_nan(fast::max_nan(v, chain.low), chain.high); });
  if (chain.act == GPUOPT_STAGE_GELU)
    each([](float v) { return fast::gelu(v); });
  else if (chain.act == GPUOPT_STAGE_GELU_TANH)
    each([](float v) { return fast::gelu_tanh(v); });
  else if (chain.act == GPUOPT_STAGE_SILU)
    each([](float v) { return fast::silu(v); });
  if (has_matrix && !chain.matrix_first) {
    if (chain.matrix_op == GPUOPT_STAGE_ADD) {
#pragma unroll
      for (int e = 0; e < kCount; ++e) x[e] += factor * a[e];
    } else {
#pragma unroll
      for (int e = 0; e < kCount; ++e) x[e] *= factor * a[e];
    }
  }
}

}  // namespace gpuopt
