// What the fp32 rungs of the ladder share around their main loops: parameters, the plain store, launch and descriptor.
//
// A rung computes sums of one tile of D in registers and stores alpha * sum + beta * C. Calls that ask for more
// (stages, scales, a C of another layout or type) get the same kernel with scratch memory as its D, and finish_gemm()
// behind it.
#pragma once

#include "common/launch.h"
#include "gemm/common/gemm_descriptor.h"
#include "gemm/common/plain_output.cuh"
#include "gemm/common/simt_time.h"
#include "gemm/common/tile_space.cuh"

namespace gpuopt {

template <class D>
struct PlainGemm {
  int64_t m, n, k;
  View a, b;
  bool quads_a, quads_b;  // every row (or column) of A, of B starts on a multiple of 16 bytes
  TileSpace tiles;
  PlainOutput<D> out;
};

template <class D>
PlainGemm<D> make_plain_gemm(const gpuopt_problem &problem, const TileSpace &tiles, D *partials) {
  const gpuopt_operand &a = problem.operand[GPUOPT_OPERAND_A], &b = problem.operand[GPUOPT_OPERAND_B];
  return {problem.m,
          problem.n,
          problem.k,
          matrix_view(a),
          matrix_view(b),
          has_aligned_lines(a),
          has_aligned_lines(b),
          tiles,
          make_plain_output<D>(problem, partials)};
}

// The descriptor's functions for a Rung with kName, kTileM, kTileN, kStripe (tile rows), kThreads, kDynamicSmem,
// speed() and kKernel, a __global__ function of one PlainGemm<float>.
template <class Rung>
struct PlainGemmLaunch {
  static gpuopt_status prepare(const gpuopt_problem *problem, const gpuopt_launch *launch) {
    const gpuopt_status status = load_kernel(launch, Rung::kName, Rung::kKernel, Rung::kDynamicSmem);
    return status != GPUOPT_OK || is_plain_gemm(*problem) ? status : load_finish_gemm<float>(launch);
  }

  static gpuopt_status launch(const gpuopt_problem *problem, const gpuopt_launch *launch) {
    const bool plain = is_plain_gemm(*problem);
    float *partials = plain ? nullptr : static_cast<float *>(launch->scratch);
    const TileSpace tiles(problem->m, problem->n, problem->batch, Rung::kTileM, Rung::kTileN, Rung::kStripe);
    const gpuopt_status status = launch_kernel(launch, Rung::kName, tiles.blocks(), Rung::kThreads, Rung::kDynamicSmem,
                                               Rung::kKernel, make_plain_gemm<float>(*problem, tiles, partials));
    return status != GPUOPT_OK || plain ? status : finish_gemm<float>(*problem, launch, partials, 1);
  }

  static double predict_us(const gpuopt_problem *problem) {
    const double finish_us = is_plain_gemm(*problem) ? 0 : finish_gemm_us(*problem, 1, sizeof(float));
    return simt_gemm_us(*problem, Rung::speed()) + finish_us;
  }
};

// The descriptor of a teaching rung: fp32, everything else that a gemm call may ask. One that predicts has speed().
template <class Rung, bool kPredicts = true>
constexpr gpuopt_kernel plain_gemm_kernel() {
  using Functions = PlainGemmLaunch<Rung>;
  gpuopt_kernel kernel = gemm_descriptor(Rung::kName, Rung::kSummary);
  kernel.flags = GPUOPT_KERNEL_TEACHING;
  set_signatures(kernel, kPlainGemmF32);
  kernel.workspace = plain_gemm_workspace;
  set_functions(kernel, nullptr, Functions::prepare, Functions::launch,
                kResourcesOf<Rung::kThreads, Rung::kDynamicSmem, Rung::kKernel>);
  if constexpr (kPredicts) kernel.predict_us = Functions::predict_us;
  return kernel;
}

}  // namespace gpuopt
