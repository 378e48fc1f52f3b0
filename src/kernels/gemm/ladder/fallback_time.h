// What the predictions of gemm_naive and gemm_tiled_32, the fallbacks for every type, share.
#pragma once

#include "gemm/common/figures.h"
#include "gemm/common/gemm_demand.h"
#include "gemm/ladder/figures.h"

namespace gpuopt {

struct LadderTypeFactors {
  double fp8, half, f64, i8;
};
struct LadderFactors {
  double clocks, wait;
};

inline LadderFactors ladder_type_factors(const gpuopt_problem &problem, const LadderTypeFactors &clocks,
                                         const LadderTypeFactors &wait) {
  const int32_t cc = problem.device->cc;
  const GemmCommonFigures &g = gemm_common_figures;
  switch (problem.operand[GPUOPT_OPERAND_A].m.dtype) {
    case GPUOPT_F64: {
      const bool full_rate = cc == 80 || cc == 90 || cc == 100;
      return {full_rate ? clocks.f64 : gemm_ladder_figures.tiled_32_flops_per_clock / g.simt_f64_flops_per_clock,
              wait.f64};
    }
    case GPUOPT_E4M3:
    case GPUOPT_E5M2:
      return {clocks.fp8 * (cc >= 89 ? 1 : g.simt_fp8_factor / g.simt_fp8_bits_factor), wait.fp8};
    case GPUOPT_F32:
      return {1, 1};
    case GPUOPT_I8:
      return {clocks.i8, wait.i8};
    default:
      return {clocks.half, wait.half};
  }
}

}  // namespace gpuopt

// A fallback's clocks against fp32's, {multiplying, waiting}.
#define GPUOPT_LADDER_TYPE_FACTORS(rung, problem)                                                                \
  gpuopt::ladder_type_factors(                                                                                   \
      problem,                                                                                                   \
      {gpuopt::gemm_ladder_figures.rung##_fp8_factor, gpuopt::gemm_ladder_figures.rung##_16bit_factor,           \
       gpuopt::gemm_ladder_figures.rung##_f64_factor, gpuopt::gemm_ladder_figures.rung##_i8_factor},             \
      {gpuopt::gemm_ladder_figures.rung##_fp8_wait_factor, gpuopt::gemm_ladder_figures.rung##_16bit_wait_factor, \
       gpuopt::gemm_ladder_figures.rung##_f64_wait_factor, gpuopt::gemm_ladder_figures.rung##_i8_wait_factor})
