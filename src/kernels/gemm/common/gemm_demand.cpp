#include "gemm/common/gemm_demand.h"

#include <algorithm>
#include <cmath>

#include "gemm/common/figures.h"

namespace gpuopt {

double operand_bytes(const gpuopt_problem &problem, const gpuopt_operand &operand) {
  const gpuopt_matrix &x = operand.m;
  const double copies = problem.batch > 1 && x.batch_stride == 0 ? 1 : static_cast<double>(problem.batch);
  return copies * static_cast<double>(x.rows) * static_cast<double>(x.cols) *
         static_cast<double>(gpuopt_dtype_size(x.dtype));
}

namespace {

// Of a stage, against tanh and erf.
double functions_of(int32_t stage) {
  switch (stage) {
    case GPUOPT_STAGE_GELU:
    case GPUOPT_STAGE_GELU_TANH:
    case GPUOPT_STAGE_GELU_GRAD:
    case GPUOPT_STAGE_TANH:
      return 1;
    case GPUOPT_STAGE_SIGMOID:
    case GPUOPT_STAGE_SILU:
    case GPUOPT_STAGE_SILU_GRAD:
    case GPUOPT_STAGE_EXP:
    case GPUOPT_STAGE_LOG:
    case GPUOPT_STAGE_SQRT:
      return gemm_common_figures.element_exp_share;
    default:
      return 0;
  }
}

}  // namespace

double gemm_functions(const gpuopt_problem &p) {
  double functions = 0;
  for (int32_t i = 0; i < p.stage_count; ++i) functions += functions_of(p.stage[i].kind);
  return functions;
}

GemmDemand gemm_demand(const gpuopt_problem &p) {
  const GemmCommonFigures &g = gemm_common_figures;
  const bool reads_c = (p.features & GPUOPT_FEATURE_BETA) != 0;
  const bool wide = p.compute == GPUOPT_COMPUTE_F64 || p.compute == GPUOPT_COMPUTE_I32;  // an epilogue in fp64
  GemmDemand x = {};
  x.a_bytes = operand_bytes(p, p.operand[GPUOPT_OPERAND_A]);
  x.b_bytes = operand_bytes(p, p.operand[GPUOPT_OPERAND_B]);
  x.d_bytes = operand_bytes(p, p.operand[GPUOPT_OPERAND_D]);
  x.c_bytes = reads_c ? operand_bytes(p, p.operand[GPUOPT_OPERAND_C]) : 0;
  x.elements = static_cast<double>(p.m) * static_cast<double>(p.n) * static_cast<double>(p.batch);
  x.epilogue_clocks = g.element_clocks + (reads_c ? g.element_c_clocks : 0) + (wide ? g.element_f64_clocks : 0);
  for (int32_t i = 0; i < p.stage_count; ++i) {
    const gpuopt_problem_stage &stage = p.stage[i];
    x.epilogue_clocks += g.element_stage_clocks;
    if (stage.a.m.dtype != 0) {
      x.epilogue_clocks += g.element_operand_clocks;
      x.stage_bytes += operand_bytes(p, stage.a);
    }
    x.epilogue_clocks +=
        functions_of(stage.kind) * g.element_function_clocks * (wide ? g.element_f64_function_factor : 1);
  }
  return x;
}

double powered_us(double at_peak_us) {
  const GemmCommonFigures &g = gemm_common_figures;
  return at_peak_us * (1 + g.power_factor * at_peak_us / (at_peak_us + g.power_us));
}

double overlapped_us(double a, double b, double c, double sharpness) {
  const double most = std::max({a, b, c}), least = std::min({a, b, c}), middle = a + b + c - most - least;
  if (most <= 0) return 0;
  const auto part = [&](double us) { return us > 0 ? std::pow(us / most, sharpness) : 0; };
  return most * std::pow(1 + part(middle) + part(least), 1 / sharpness);
}

}  // namespace gpuopt
