// gemm_f16_acc32: half-precision operands, products and sums in fp32 on CUDA cores.
//
// Idea and data movement: gemm_vec4 with A and B in half precision: eight elements to a 16-byte access, so global
// traffic halves. They become fp32 on their way into shared memory, 16 conversions a thread for 1,024 multiply-adds;
// converted after shared memory instead, every step of k would convert 16 elements for 64 multiply-adds. A product of
// two halves is exact in fp32, so the result differs from an fp32 gemm of the same operands by nothing but D's
// rounding. What it does not do is compute faster than fp32: that takes tensor cores (or half-precision sums, which
// lose accuracy with k).
//
// Needs: f16 A and B, f16 or f32 C and D. Where lines of A or B do not start on multiples of 16 bytes, that operand
// is read element by element. Counterparts: gemm_vec4, gemm_wmma_f16.
// Prediction: gemm_vec4's, for halving the traffic does not help a kernel that waits for issue slots.
// arch class: teaching

#include "gemm/ladder/figures.h"
#include "gemm/ladder/quad_reader.cuh"

namespace gpuopt {

template <class D>
__global__ void __launch_bounds__(kQuadThreads, 2) gemm_f16_acc32_kernel(const __grid_constant__ PlainGemm<D> gemm) {
  __shared__ alignas(16) QuadPanel panel_a, panel_b;
  quad_product<__half>(gemm, panel_a, panel_b);
}

namespace {

constexpr char kName[] = "gemm_f16_acc32";

template <class D>
gpuopt_status launch_as(const gpuopt_problem &problem, const gpuopt_launch *launch, D *partials) {
  const TileSpace tiles(problem.m, problem.n, problem.batch, kQuadTile, kQuadTile, 8);
  return launch_kernel(launch, kName, tiles.blocks(), kQuadThreads, 0, gemm_f16_acc32_kernel<D>,
                       make_plain_gemm<D>(problem, tiles, partials));
}

bool stores_halves(const gpuopt_problem &problem) {
  return is_plain_gemm(problem) && problem.operand[GPUOPT_OPERAND_D].m.dtype == GPUOPT_F16;
}

gpuopt_status prepare(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  if (stores_halves(*problem)) return load_kernel(launch, kName, gemm_f16_acc32_kernel<__half>);
  const gpuopt_status status = load_kernel(launch, kName, gemm_f16_acc32_kernel<float>);
  return status != GPUOPT_OK || is_plain_gemm(*problem) ? status : load_finish_gemm<float>(launch);
}

gpuopt_status launch(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  if (stores_halves(*problem)) return launch_as<__half>(*problem, launch, nullptr);
  float *const partials = is_plain_gemm(*problem) ? nullptr : static_cast<float *>(launch->scratch);
  const gpuopt_status status = launch_as<float>(*problem, launch, partials);
  return status != GPUOPT_OK || partials == nullptr ? status : finish_gemm<float>(*problem, launch, partials, 1);
}

double predict_us(const gpuopt_problem *problem) {
  const double finish_us = is_plain_gemm(*problem) ? 0 : finish_gemm_us(*problem, 1, sizeof(float));
  const GemmLadderFigures &g = gemm_ladder_figures;
  return simt_gemm_us(*problem, {kQuadTile, kQuadTile, 2, g.f16_acc32_flops_per_clock, g.f16_acc32_clocks_per_k}) +
         finish_us;
}

constexpr gpuopt_signature kSignatures[] = {
    {{GPUOPT_F16, GPUOPT_F16, GPUOPT_F16, GPUOPT_F16}, GPUOPT_COMPUTE_F32},
    {{GPUOPT_F16, GPUOPT_F16, GPUOPT_F32, GPUOPT_F32}, GPUOPT_COMPUTE_F32},
};

constexpr gpuopt_kernel make_kernel() {
  gpuopt_kernel kernel = gemm_descriptor(kName, "half operands, fp32 products and sums on CUDA cores");
  kernel.flags = GPUOPT_KERNEL_TEACHING;
  set_signatures(kernel, kSignatures);
  kernel.workspace = plain_gemm_workspace;
  set_functions(kernel, predict_us, prepare, launch,
                kResourcesOf<kQuadThreads, 0, gemm_f16_acc32_kernel<__half>, gemm_f16_acc32_kernel<float>>);
  return kernel;
}
constexpr gpuopt_kernel kKernels[] = {make_kernel()};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
