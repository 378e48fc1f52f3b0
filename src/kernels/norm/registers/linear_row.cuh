// A row in packed vectors, its norm, and then a linear chain (row_linear.cuh) in place of interpreted stages: what
// norm_warp_row and norm_block_row do with such chains.
#pragma once

#include "norm/common/row_linear.cuh"
#include "norm/common/row_part.cuh"

namespace gpuopt {

template <class T, int kNorm, int V>
__device__ __forceinline__ void store_linear_row(const RowWork<T> &work, const RowLinear &chain, const RowFactors &row,
                                                 const RowPart<T, V> &part, int32_t p, int32_t i) {
  constexpr int K = RowPart<T, V>::K;
  constexpr bool kLayer = kNorm == GPUOPT_NORM_LAYERNORM;
  T *const out = start_of_result<T>(work.out, p, i);
  const T *const gammas = start_of_weights<T>(work.gamma, p), *const betas = start_of_weights<T>(work.beta, p);
  uint32_t offset = part.rank * 16;
  const bool has_gamma = work.gamma.dtype != 0, has_beta = work.beta.dtype != 0;
  const int32_t act = chain.act;
  Bits<T, K> gamma, beta;  // absent ones are never loaded and stay as they are
#pragma unroll
  for (int w = 0; w < Bits<T, K>::kWords; ++w) {
    gamma.w[w] = neutral_word<T>(true);
    beta.w[w] = neutral_word<T>(false);
  }
#pragma unroll
  for (int v = 0; v < V; ++v, offset += part.size * 16) {
    if (!part.has(v)) continue;
    if (has_gamma) gamma = load_bits<T, K>(behind(gammas, offset));
    if (kLayer && has_beta) beta = load_bits<T, K>(behind(betas, offset));
    float h[K], factor[K], move[K];
    widen_bits(part.bits[v], h);
    widen_bits(gamma, factor);
    if constexpr (kLayer) widen_bits(beta, move);
#pragma unroll
    for (int e = 0; e < K; ++e) {
      h[e] = normalised<kNorm>(row, h[e]) * factor[e];
      if constexpr (kLayer) h[e] += move[e];
    }
    if (!kLayer && has_beta) add(h, load_bits<T, K>(behind(betas, offset)));  // rare
    apply_row_step(chain.before, h);
    apply_row_act(act, h);
    apply_row_step(chain.after, h);
    store_bits(behind(out, offset), narrow_bits<T>(h));
  }
}

// exists: whether there is such a row; where not, a row that exists is read and nothing is written.
template <class T, int kNorm, int V, class Group>
__device__ __forceinline__ void norm_linear_row(const RowWork<T> &work, const RowLinear &chain, Group &group, int32_t p,
                                                int32_t i, bool exists) {
  RowPart<T, V> part;
  part.vectors = work.cols / RowPart<T, V>::K;
  part.rank = group.rank();
  part.size = group.size();
  part.load(start_of_row<T>(work.x, p, i));
  const auto n = static_cast<float>(work.cols);
  const Moments m = group.template join<kNorm, false>(part.template moments<kNorm>(), n);
  const RowFactors row = factors_of<kNorm>(work, m, n);
  if (!exists) return;
  if (work.statistics.dtype != 0 && part.rank == 0) store_statistics(work, p, i, row);
  stay_packed(part.bits);
  store_linear_row<T, kNorm>(work, chain, row, part, p, i);
}

}  // namespace gpuopt
