#include "chain.h"

#include <cmath>

#include "views.h"

namespace gpuopt {
namespace cpu {
namespace {

constexpr double kSqrtHalf = 0.70710678118654752440;
constexpr double kSqrt2OverPi = 0.79788456080286535588;
constexpr double kOneOverSqrt2Pi = 0.39894228040143267794;

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

/* The normal distribution function, (1 + erf(x / sqrt 2)) / 2. The form with erfc keeps its digits for
 * negative x. */
double normal_cdf(double x) { return 0.5 * std::erfc(-x * kSqrtHalf); }

/* (1 + tanh u) / 2 is sigmoid(2 u), which does not cancel for negative u. */
double gelu_tanh(double x) { return x * sigmoid(2 * kSqrt2OverPi * (x + 0.044715 * x * x * x)); }

double gelu_derivative(double a) { return normal_cdf(a) + a * kOneOverSqrt2Pi * std::exp(-0.5 * a * a); }

/* s + a s (1 - s) with 1 - s = sigmoid(-a). */
double silu_derivative(double a) { return sigmoid(a) * (1 + a * sigmoid(-a)); }

double clamp(double x, double least, double greatest) {
  const double raised = x < least ? least : x; /* a NaN x fails both comparisons and stays */
  return raised > greatest ? greatest : raised;
}

/* v of ADD, SUB and MUL. */
double stage_operand(const gpuopt_problem_stage &stage, int64_t i, int64_t j, int64_t p) {
  switch (stage.form) {
    case GPUOPT_PER_ROW:
      return stage.value[0] * load_at(view_of(stage.a), i, 0, p);
    case GPUOPT_PER_COL:
      return stage.value[0] * load_at(view_of(stage.a), j, 0, p);
    case GPUOPT_MATRIX:
      return stage.value[0] * load_at(view_of(stage.a), i, j, p);
    default:
      return stage.value[0];
  }
}

}  // namespace

double apply_stage(const gpuopt_problem_stage &stage, double x, int64_t i, int64_t j, int64_t p) {
  switch (stage.kind) {
    case GPUOPT_STAGE_RELU:
      return x <= 0 ? 0.0 : x;
    case GPUOPT_STAGE_LEAKY_RELU:
      return x < 0 ? stage.value[0] * x : x;
    case GPUOPT_STAGE_GELU:
      return x * normal_cdf(x);
    case GPUOPT_STAGE_GELU_TANH:
      return gelu_tanh(x);
    case GPUOPT_STAGE_SILU:
      return x / (1 + std::exp(-x));
    case GPUOPT_STAGE_SIGMOID:
      return sigmoid(x);
    case GPUOPT_STAGE_TANH:
      return std::tanh(x);
    case GPUOPT_STAGE_CLAMP:
      return clamp(x, stage.value[0], stage.value[1]);
    case GPUOPT_STAGE_EXP:
      return std::exp(x);
    case GPUOPT_STAGE_LOG:
      return std::log(x);
    case GPUOPT_STAGE_SQRT:
      return std::sqrt(x);
    case GPUOPT_STAGE_SQUARE:
      return x * x;
    case GPUOPT_STAGE_ABS:
      return std::fabs(x);
    case GPUOPT_STAGE_NEG:
      return -x;
    case GPUOPT_STAGE_RECIPROCAL:
      return 1 / x;
    case GPUOPT_STAGE_STEP:
      return x > 0 ? 1.0 : 0.0;
    case GPUOPT_STAGE_ADD:
      return x + stage_operand(stage, i, j, p);
    case GPUOPT_STAGE_SUB:
      return x - stage_operand(stage, i, j, p);
    case GPUOPT_STAGE_MUL:
      return x * stage_operand(stage, i, j, p);
    case GPUOPT_STAGE_ADD_OUTER:
      return x + stage.value[0] * load_at(view_of(stage.a), i, 0, p) * load_at(view_of(stage.b), j, 0, p);
    case GPUOPT_STAGE_STORE:
      store_at(view_of(stage.a), i, j, p, x);
      return x;
    case GPUOPT_STAGE_RELU_GRAD:
      return load_at(view_of(stage.a), i, j, p) > 0 ? x : 0.0;
    case GPUOPT_STAGE_GELU_GRAD:
      return x * gelu_derivative(load_at(view_of(stage.a), i, j, p));
    case GPUOPT_STAGE_SILU_GRAD:
      return x * silu_derivative(load_at(view_of(stage.a), i, j, p));
    default:
      return x;
  }
}

double apply_chain(const gpuopt_problem &problem, double x, int64_t i, int64_t j, int64_t p) {
  for (int32_t s = 0; s < problem.stage_count; ++s) x = apply_stage(problem.stage[s], x, i, j, p);
  return x;
}

}  // namespace cpu
}  // namespace gpuopt
