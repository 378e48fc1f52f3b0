// What the fp32 rungs of the ladder share around their main loops: parameters, the plain store, launch and descriptor.
//
// A rung computes sums of one tile of D in registers and stores alpha * sum + beta * C. Calls that ask for more
// (stages, scales, a C of another layout or type) get the same kernel with scratch memory as its D, and finish_gemm()
// behind it.
#ifndef GPUOPT_KERNELS_GEMM_PLAIN_GEMM_CUH
#define GPUOPT_KERNELS_GEMM_PLAIN_GEMM_CUH

#include "common/gemm_finish.h"
#include "common/launch.h"
#include "common/simt_gemm.cuh"

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

template <class D>
struct PlainGemm {
  int64_t m, n, k;
  View a, b;
  bool quads_a, quads_b;  // every row (or column) of A, of B starts on a multiple of 16 bytes
  TileSpace tiles;
  PlainOutput<D> out;
};

inline bool has_aligned_lines(const gpuopt_operand &operand) {
  return operand.align >= 16 && operand.ld_align >= 16 && operand.stride_align >= 16;
}

// Sums to partials (packed, unscaled) where that is not NULL, else the plain result to D.
template <class D>
PlainGemm<D> make_plain_gemm(const gpuopt_problem &problem, const TileSpace &tiles, D *partials) {
  const gpuopt_operand &a = problem.operand[GPUOPT_OPERAND_A], &b = problem.operand[GPUOPT_OPERAND_B];
  PlainGemm<D> gemm = {
      problem.m, problem.n, problem.k, matrix_view(a), matrix_view(b), has_aligned_lines(a), has_aligned_lines(b),
      tiles,     {}};
  PlainOutput<D> &out = gemm.out;
  if (partials != nullptr) {
    out.d = partials;
    out.d_ld = problem.n;
    out.d_stride = problem.m * problem.n;
    out.alpha = 1;
    return gemm;
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
  return gemm;
}

inline void plain_gemm_workspace(const gpuopt_problem *problem, size_t *scratch, size_t *zeroed) {
  *scratch = is_plain_gemm(*problem) ? 0 : gemm_partials_bytes(*problem, 1, sizeof(float));
  *zeroed = 0;
}

// The descriptor's functions for a Rung with kName, kTileM, kTileN, kStripe (tile rows), kThreads, kDynamicSmem, kSpeed
// and kernel(), a __global__ function of one PlainGemm<float>.
template <class Rung>
struct PlainGemmLaunch {
  static gpuopt_status prepare(const gpuopt_problem *problem, const gpuopt_launch *launch) {
    const gpuopt_status status = load_kernel(launch, Rung::kName, Rung::kernel(), Rung::kDynamicSmem);
    return status != GPUOPT_OK || is_plain_gemm(*problem) ? status : load_finish_gemm<float>(launch);
  }

  static gpuopt_status launch(const gpuopt_problem *problem, const gpuopt_launch *launch) {
    const bool plain = is_plain_gemm(*problem);
    float *partials = plain ? nullptr : static_cast<float *>(launch->scratch);
    const TileSpace tiles(problem->m, problem->n, problem->batch, Rung::kTileM, Rung::kTileN, Rung::kStripe);
    const gpuopt_status status = launch_kernel(launch, Rung::kName, tiles.blocks(), Rung::kThreads, Rung::kDynamicSmem,
                                               Rung::kernel(), make_plain_gemm<float>(*problem, tiles, partials));
    return status != GPUOPT_OK || plain ? status : finish_gemm<float>(*problem, launch, partials, 1);
  }

  static double predict_us(const gpuopt_problem *problem) {
    const double finish_us = is_plain_gemm(*problem) ? 0 : finish_gemm_us(*problem, 1, sizeof(float));
    return simt_gemm_us(*problem, Rung::kSpeed) + finish_us;
  }
};

inline constexpr gpuopt_signature kPlainGemmF32 = {{GPUOPT_F32, GPUOPT_F32, GPUOPT_F32, GPUOPT_F32},
                                                   GPUOPT_COMPUTE_F32};

// The descriptor of a teaching rung: fp32, everything else that a gemm call may ask.
template <class Rung>
constexpr gpuopt_kernel plain_gemm_kernel(const gpuopt_resource *resource) {
  gpuopt_kernel kernel = simt_gemm_kernel(Rung::kName, Rung::kSummary);
  kernel.flags = GPUOPT_KERNEL_TEACHING;
  kernel.signatures = &kPlainGemmF32;
  kernel.signature_count = 1;
  kernel.predict_us = PlainGemmLaunch<Rung>::predict_us;
  kernel.workspace = plain_gemm_workspace;
  kernel.prepare = PlainGemmLaunch<Rung>::prepare;
  kernel.launch = PlainGemmLaunch<Rung>::launch;
  kernel.resources = resource;
  kernel.resource_count = 1;
  return kernel;
}

}  // namespace gpuopt

#endif
