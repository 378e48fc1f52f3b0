#include "range.h"

#include <cfloat>
#include <cmath>
#include <cstdio>

#include "values.h"

namespace gpuopt_check {
namespace {

constexpr double kSqrtHalf = 0.7071067811865476, kTwoOverPiRoot = 0.7978845608028654,
                 kNormalDensity = 0.3989422804014327;

// A transcendental function is within 16 units in the last place of the chain's type.
constexpr double kFunction = 16;

double gelu(double x) { return std::isinf(x) ? (x > 0 ? x : 0) : x / 2 * std::erfc(-x * kSqrtHalf); }
double gelu_tanh(double x) {
  if (std::isinf(x)) return x > 0 ? x : 0;
  return x / 2 * (1 + std::tanh(kTwoOverPiRoot * (x + 0.044715 * x * x * x)));
}
double sigmoid(double x) { return x >= 0 ? 1 / (1 + std::exp(-x)) : std::exp(x) / (1 + std::exp(x)); }
double silu(double x) { return std::isinf(x) ? (x > 0 ? x : 0) : x * sigmoid(x); }
double gelu_slope(double a) {
  if (std::isinf(a)) return a > 0 ? 1 : 0;
  return std::erfc(-a * kSqrtHalf) / 2 + a * kNormalDensity * std::exp(-a * a / 2);
}
double silu_slope(double a) {
  if (std::isinf(a)) return a > 0 ? 1 : 0;
  return sigmoid(a) * (1 + a * (1 - sigmoid(a)));
}

// A function that falls to its least value at bottom and rises after it.
template <class Function>
Range valley(Range x, double bottom, Function f) {
  Range y = spanned(f(x.lo), f(x.hi), x);
  if (x.lo < bottom && bottom < x.hi) y.lo = f(bottom);
  return y;
}

Range joined(Range x, double value) {
  if (!x.number) x.lo = x.hi = value;
  x.lo = std::fmin(x.lo, value);
  x.hi = std::fmax(x.hi, value);
  x.number = true;
  return x;
}

double larger_end(const Range &x) { return std::fmax(std::fabs(x.lo), std::fabs(x.hi)); }

Range clamped(const Arithmetic &t, Range x, double lo, double hi) {  // the bounds are rounded to the chain's type
  const double dl = t.unit * std::fabs(lo), dh = t.unit * std::fabs(hi);
  x.lo = std::fmin(std::fmax(x.lo, lo - dl), hi - dh);
  x.hi = std::fmin(std::fmax(x.hi, lo + dl), hi + dh);
  return x;
}

Range reciprocal(Range x) {
  if (x.lo <= 0 && x.hi >= 0) {  // either zero: infinities of both signs
    Range all = anything();
    all.nan = x.nan;
    return all;
  }
  return spanned(1 / x.lo, 1 / x.hi, x);
}

}  // namespace

Arithmetic arithmetic_f32() { return {0x1p-24, 0x1p-125, 0x1p-80, double(FLT_MAX)}; }
Arithmetic arithmetic_f64() { return {0x1p-53, 0x1p-1021, 0x1p-900, DBL_MAX}; }

Range exactly(double x) {
  Range r;
  if (std::isnan(x)) {
    r.nan = true;
    r.number = false;
  } else {
    r.lo = r.hi = x;
  }
  return r;
}

Range around(double x, double error) {
  if (!std::isfinite(x) || error == 0) return exactly(x);
  if (std::isnan(error)) return anything();
  Range r;
  r.lo = x - error;
  r.hi = x + error;
  return r;
}

Range anything() {
  Range r;
  r.lo = -HUGE_VAL;
  r.hi = HUGE_VAL;
  r.nan = true;
  return r;
}

Range widened(Range x, double relative, double absolute, const Arithmetic &t) {
  if (!x.number) return x;
  if (std::isfinite(x.lo) && (x.lo != 0 || absolute != 0)) x.lo -= relative * std::fabs(x.lo) + absolute + t.tiny;
  if (std::isfinite(x.hi) && (x.hi != 0 || absolute != 0)) x.hi += relative * std::fabs(x.hi) + absolute + t.tiny;
  if (x.hi > t.overflow) x.hi = HUGE_VAL;
  if (x.lo < -t.overflow) x.lo = -HUGE_VAL;
  return x;
}

Range spanned(double y0, double y1, Range x) {
  if (!x.number) return x;
  if (std::isnan(y0) && std::isnan(y1)) return exactly(y0);
  if (std::isnan(y0) || std::isnan(y1)) return anything();
  x.lo = std::fmin(y0, y1);
  x.hi = std::fmax(y0, y1);
  return x;
}

Range times(Range x, double lo, double hi) {
  if (!x.number) return x;
  const double y[4] = {x.lo * lo, x.lo * hi, x.hi * lo, x.hi * hi};
  int nans = 0;
  Range r = x;
  r.lo = HUGE_VAL;
  r.hi = -HUGE_VAL;
  for (double v : y) {
    if (std::isnan(v)) ++nans;
    r.lo = std::fmin(r.lo, v);
    r.hi = std::fmax(r.hi, v);
  }
  if (nans == 4 && x.lo == x.hi) return exactly(y[0]);
  const bool wide = std::isinf(x.lo) || std::isinf(x.hi), holds_zero = x.lo <= 0 && x.hi >= 0;
  const bool zero_by_infinity = (wide && lo <= 0 && hi >= 0) || (holds_zero && (std::isinf(lo) || std::isinf(hi)));
  return nans || zero_by_infinity ? anything() : r;
}

Range apply_stage(const Arithmetic &t, const gpuopt_stage &s, Range x, double a, double b) {
  const double u = t.unit, v0 = s.value[0], v1 = s.value[1];
  const double v = s.form == GPUOPT_SCALAR ? v0 : v0 * a;  // of ADD, SUB, MUL
  const double ulp = kFunction * u;
  if (std::isinf(x.lo) && x.lo < 0 && x.number)  // -inf * 0: the formula gives NaN, the limit is 0
    if (s.kind == GPUOPT_STAGE_GELU || s.kind == GPUOPT_STAGE_GELU_TANH || s.kind == GPUOPT_STAGE_SILU) x.nan = true;
  switch (s.kind) {
    case GPUOPT_STAGE_RELU:
      return spanned(std::fmax(x.lo, 0), std::fmax(x.hi, 0), x);
    case GPUOPT_STAGE_LEAKY_RELU: {
      const auto f = [v0](double y) { return y < 0 ? v0 * y : y; };
      Range y = spanned(f(x.lo), f(x.hi), x);
      if (x.number && x.lo < 0 && x.hi > 0) y = joined(y, 0);
      return widened(y, 2 * u, 0, t);
    }
    case GPUOPT_STAGE_GELU:
      return widened(valley(x, -0.7517915246935645, gelu), ulp, ulp * larger_end(x), t);
    case GPUOPT_STAGE_GELU_TANH:
      return widened(valley(x, -0.7524614220710162, gelu_tanh), ulp, ulp * larger_end(x), t);
    case GPUOPT_STAGE_SILU:
      return widened(valley(x, -1.2784645427610738, silu), ulp + 4 * u * std::fmin(larger_end(x), 1000), t.far_tail, t);
    case GPUOPT_STAGE_SIGMOID:
      return widened(spanned(sigmoid(x.lo), sigmoid(x.hi), x), ulp + 4 * u * std::fmin(larger_end(x), 1000), t.far_tail,
                     t);
    case GPUOPT_STAGE_TANH:
      return widened(spanned(std::tanh(x.lo), std::tanh(x.hi), x), ulp, 4 * u, t);
    case GPUOPT_STAGE_CLAMP:
      return x.number ? clamped(t, x, v0, v1) : x;
    case GPUOPT_STAGE_EXP:
      return widened(spanned(std::exp(x.lo), std::exp(x.hi), x), ulp + 4 * u * std::fmin(larger_end(x), 1000), 0, t);
    case GPUOPT_STAGE_LOG:
      return widened(spanned(std::log(x.lo), std::log(x.hi), x), ulp, 8 * u, t);
    case GPUOPT_STAGE_SQRT:
      return widened(spanned(std::sqrt(x.lo), std::sqrt(x.hi), x), 4 * u, 0, t);
    case GPUOPT_STAGE_SQUARE:
      return widened(valley(x, 0, [](double y) { return y * y; }), 2 * u, 0, t);
    case GPUOPT_STAGE_ABS:
      return valley(x, 0, [](double y) { return std::fabs(y); });
    case GPUOPT_STAGE_NEG:
      return spanned(-x.lo, -x.hi, x);
    case GPUOPT_STAGE_RECIPROCAL:
      return widened(x.number ? reciprocal(x) : x, 4 * u, 0, t);
    case GPUOPT_STAGE_STEP: {
      if (!x.number) return exactly(0);
      Range y = spanned(x.lo > 0, x.hi > 0, x);
      if (x.nan) y = joined(y, 0);
      y.nan = false;
      return y;
    }
    case GPUOPT_STAGE_ADD:
      return widened(spanned(x.lo + v, x.hi + v, x), u, 3 * u * std::fabs(v), t);
    case GPUOPT_STAGE_SUB:
      return widened(spanned(x.lo - v, x.hi - v, x), u, 3 * u * std::fabs(v), t);
    case GPUOPT_STAGE_MUL:
      return widened(times(x, v, v), 4 * u, 0, t);
    case GPUOPT_STAGE_ADD_OUTER: {
      const double w = v0 * a * b;
      return widened(spanned(x.lo + w, x.hi + w, x), u, 6 * u * std::fabs(w), t);
    }
    case GPUOPT_STAGE_STORE:
      return x;
    case GPUOPT_STAGE_RELU_GRAD:
      return a > 0 ? x : exactly(0);
    case GPUOPT_STAGE_GELU_GRAD:
    case GPUOPT_STAGE_SILU_GRAD: {
      const double slope = s.kind == GPUOPT_STAGE_GELU_GRAD ? gelu_slope(a) : silu_slope(a);
      if (std::isnan(slope)) return exactly(slope);
      const double e = ulp * (1 + std::fmin(std::fabs(a), 1000));
      Range y = widened(times(x, slope - e, slope + e), 4 * u, 0, t);
      if (std::isinf(a)) y.nan = true;
      return y;
    }
    default:
      return anything();
  }
}

bool accepts(gpuopt_dtype type, double got, const Range &x) {
  if (is_integer(type) && x.nan) return true;  // what integer a NaN becomes is not said
  if (std::isnan(got)) return x.nan;
  return x.number && round_to(type, x.lo) <= got && got <= round_to(type, x.hi);
}

std::string to_text(gpuopt_dtype type, const Range &x) {
  char text[128];
  if (!x.number) return "NaN";
  std::snprintf(text, sizeof text, "[%.9g, %.9g]%s as %s", x.lo, x.hi, x.nan ? " or NaN" : "", gpuopt_dtype_name(type));
  return text;
}

}  // namespace gpuopt_check
