// Where kernels with sums in registers leave them: D, or scratch memory for finish_gemm().
#pragma once

#include "common/element.cuh"
#include "common/index.cuh"
#include "gemm/common/gemm_finish.h"

namespace gpuopt {

// Where sums go: D = alpha * sum + beta * C, all row-major, C of D's type.
template <class D>
struct PlainOutput {
  D *d;
  const D *c;  // NULL: never read
  int64_t d_ld, d_stride, c_ld, c_stride;
  float alpha, beta;
  const float *alpha_ptr, *beta_ptr;  // NULL: by value

  struct Scalars {
    float alpha, beta;
  };
  __device__ Scalars scalars() const {
    return {alpha_ptr != nullptr ? *alpha_ptr : alpha, beta_ptr != nullptr ? *beta_ptr : beta};
  }

  __device__ void store(const Scalars &s, int64_t p, int64_t i, int64_t j, float sum) const {
    float x = s.alpha * sum;
    if (c != nullptr && s.beta != 0.0f) x += s.beta * widen<float>(c[p * c_stride + i * c_ld + j]);
    d[p * d_stride + i * d_ld + j] = narrow<D>(x);
  }

  // Elements j .. j + 3 of a row of n, in one access where they all exist and lie aligned.
  __device__ void store_quad(const Scalars &s, int64_t p, int64_t i, int64_t j, int64_t n,
                             const float (&sum)[4]) const {
    D *to = d + p * d_stride + i * d_ld + j;
    const bool whole = j + 4 <= n && reinterpret_cast<uintptr_t>(to) % (4 * sizeof(D)) == 0;
    if (whole && (c == nullptr || s.beta == 0.0f)) {
      Pack<D, 4> pack;
#pragma unroll
      for (int e = 0; e < 4; ++e) pack.v[e] = narrow<D>(s.alpha * sum[e]);
      *reinterpret_cast<Pack<D, 4> *>(to) = pack;
    } else {
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        if (j + e < n) store(s, p, i, j + e, sum[e]);
      }
    }
  }
};

inline bool has_aligned_lines(const gpuopt_operand &operand) {
  return operand.align >= 16 && operand.ld_align >= 16 && operand.stride_align >= 16;
}

inline void plain_gemm_workspace(const gpuopt_problem *problem, size_t *scratch, size_t *zeroed) {
  *scratch = is_plain_gemm(*problem) ? 0 : gemm_partials_bytes(*problem, 1, sizeof(float));
  *zeroed = 0;
}

// To partials (packed, unscaled) where that is not NULL, else the plain result to D.
template <class D>
PlainOutput<D> make_plain_output(const gpuopt_problem &problem, D *partials) {
  PlainOutput<D> out = {};
  if (partials != nullptr) {
    out.d = partials;
    out.d_ld = problem.n;
    out.d_stride = problem.m * problem.n;
    out.alpha = 1;
    return out;
  }
  const gpuopt_matrix &d = problem.operand[GPUOPT_OPERAND_D].m;
  out.d = static_cast<D *>(d.data);
  out.d_ld = d.ld;
  out.d_stride = d.batch_stride;
  if (problem.k > 0) {  // without a product even an infinite alpha adds nothing
    out.alpha = static_cast<float>(problem.alpha);
    out.alpha_ptr = static_cast<const float *>(problem.alpha_ptr);
  }
  if ((problem.features & GPUOPT_FEATURE_BETA) != 0) {
    const gpuopt_matrix &c = problem.operand[GPUOPT_OPERAND_C].m;
    out.c = static_cast<const D *>(c.data);
    out.c_ld = c.ld;
    out.c_stride = c.batch_stride;
    out.beta = static_cast<float>(problem.beta);
    out.beta_ptr = static_cast<const float *>(problem.beta_ptr);
  }
  return out;
}

inline constexpr gpuopt_signature kPlainGemmF32[] = {
    {{GPUOPT_F32, GPUOPT_F32, GPUOPT_F32, GPUOPT_F32}, GPUOPT_COMPUTE_F32}};

}  // namespace gpuopt
