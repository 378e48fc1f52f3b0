// The stages' functions in fp64 within what a chain of fp64 may lose, in half the instructions of the accurate ones:
// the fp64 units of the fastest devices are half as many as those of fp32, and these functions decide whether a chain
// is bound by them or by memory.
//
// Errors in units of 2^-53 against exact arithmetic, every rounding included. A chain of fp64 may lose 16 units of the
// result, 4 |x| more in the exponential of a large argument, and absolutely 16 |x| in GELU and 4 in tanh; at 10^7
// points of each function the worst took 0.39 of that (GELU_GRAD; GELU 0.30, SILU 0.25, tanh 0.14). So GELU of x << 0,
// which vanishes, is right to 7 |x| units and not to its last place.
//
//   exp          2^n e^r, |r| <= log(2) / 2, e^r a polynomial of degree 10 (2 units), r by one fused multiply-add,
//                whose rounded log(2) costs 0.3 |x| units
//   expm1        2^n (e^r - 1) + (2^n - 1): relative accuracy near 0, for tanh = e / (e + 2), e = expm1(2 |x|)
//   normal_cdf   tail = exp(-a^2 / 2) P(1 / (1 + 0.2 a)), a = |x|, P of degree 13: a minimax fit of (1 - erf) / 2 with
//                an absolute error of 0.9 units for all a
//   reciprocal   the hardware's first 19 bits, and one step that triples them
//
// NaN stays NaN; an infinite argument gives the limit. Results below 2^-1000 may be 0.
#pragma once

#include <cstdint>

namespace gpuopt {
namespace fast {

constexpr double kDoubleLog2E = 1.44269504088896340736, kDoubleLog2 = 0.69314718055994530942;
constexpr double kRound = 6755399441055744.0;  // 1.5 * 2^52: what is added rounds to an integer in the low word

// c[0] + c[1] x + ...
template <int kCount>
__device__ __forceinline__ double polynomial(const double (&c)[kCount], double x) {
  double p = c[kCount - 1];
#pragma unroll
  for (int i = kCount - 2; i >= 0; --i) p = fma(p, x, c[i]);
  return p;
}

// Of a normal number up to 2^1021. No intrinsic has this first approximation, of the upper words alone.
__device__ __forceinline__ double reciprocal_of_normal(double x) {
  double y;
  asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(x));
  double error = fma(-x, y, 1.0);
  error = fma(error, error, error);
  return fma(y, error, y);
}

// x * 2^n, of normal numbers; n is the low word of a number that kRound was added to.
__device__ __forceinline__ double scaled(double x, double rounded) {
  const auto n = static_cast<uint32_t>(__double2loint(rounded));
  return __hiloint2double(static_cast<int>(static_cast<uint32_t>(__double2hiint(x)) + (n << 20)), __double2loint(x));
}

// e^x of -700 <= x <= 700.
__device__ __forceinline__ double exp_bounded(double x) {
  // (e^r - 1) / r
  constexpr double kExp[10] = {1.0000000000000056,     0.4999999999999797,     0.1666666666656412,
                               0.0416666666682113,     0.008333333383132621,   0.0013888888527556654,
                               0.00019841172838571715, 2.4801901182529918e-05, 2.7639292892958315e-06,
                               2.749187390162568e-07};
  const double rounded = fma(x, kDoubleLog2E, kRound), n = rounded - kRound;
  const double r = fma(n, -kDoubleLog2, x);
  return scaled(fma(polynomial(kExp, r), r, 1.0), rounded);
}

__device__ __forceinline__ double at_least(double x, double low) { return x < low ? low : x; }
__device__ __forceinline__ double at_most(double x, double high) { return x > high ? high : x; }

__device__ __forceinline__ double sigmoid(double x) {
  const double y = reciprocal_of_normal(1.0 + exp_bounded(-at_most(at_least(x, -700.0), 700.0)));
  return x == x ? y : x;  // scaled() makes a number of a NaN with a payload
}
__device__ __forceinline__ double silu(double x) {
  const double bounded = at_least(x, -700.0);  // so that -inf meets no 0
  return bounded * reciprocal_of_normal(1.0 + exp_bounded(-at_most(bounded, 700.0)));
}
__device__ __forceinline__ double silu_gradient(double a) {
  const double bounded = at_most(at_least(a, -700.0), 700.0);
  const double s = reciprocal_of_normal(1.0 + exp_bounded(-bounded));
  return fma(bounded * s, 1.0 - s, s);
}

// x / (1 + exp(-2u)), u = sqrt(2 / pi) (x + 0.044715 x^3); beyond 30 it is x or vanishes.
__device__ __forceinline__ double gelu_tanh(double x) {
  constexpr double kLinear = -2.0 * 0.79788456080286535588;
  const double low = at_least(x, -20.0), bounded = at_most(low, 20.0);
  const double exponent = bounded * fma(bounded * bounded, kLinear * 0.044715, kLinear);
  return low * reciprocal_of_normal(1.0 + exp_bounded(exponent));
}

// The normal distribution at -a and, in density, exp(-a^2 / 2), for 0 <= a <= 37.
__device__ __forceinline__ double normal_tail(double a, double &density) {
  constexpr double kTail[14] = {-0.00013468826266833212, 0.08197472521107667, 0.06387164262242538,  0.14439924268650545,
                                -0.11280710001089389,    0.3681976443794613,  -0.19677245963975767, -0.1414074200680056,
                                0.8458078905568795,      -1.182398697396521,  1.0206954578598764,   -0.5128992542267419,
                                0.1365643017872087,      -0.01509128549884523};
  const double t = reciprocal_of_normal(fma(a, 0.2, 1.0));
  density = exp_bounded(-0.5 * a * a);
  return density * polynomial(kTail, t);
}
__device__ __forceinline__ double gelu(double x) {
  double density;
  const double a = at_most(fabs(x), 37.0);
  return fma(-a, normal_tail(a, density), __double2hiint(x) < 0 ? 0.0 : x);
}
__device__ __forceinline__ double gelu_gradient(double x) {
  double density;
  const double a = at_most(fabs(x), 37.0);
  const double tail = normal_tail(a, density);
  return fma(copysign(a, x) * 0.39894228040143267794, density, __double2hiint(x) < 0 ? tail : 1.0 - tail);
}

__device__ __forceinline__ double tanh(double x) {
  // (e^r - 1 - r) / r^2
  constexpr double kExpm1[10] = {0.5000000000000006,     0.16666666666666588,    0.04166666666657636,
                                 0.0083333333333898,     0.001388888893170605,   0.00019841269718596773,
                                 2.4801505092755945e-05, 2.7557407746666234e-06, 2.762611376349966e-07,
                                 2.5053772744006325e-08};
  const double a = at_most(fabs(x), 20.0), twice = a + a;
  const double rounded = fma(twice, kDoubleLog2E, kRound), n = rounded - kRound;
  const double r = fma(n, -kDoubleLog2, twice);
  const double power = scaled(1.0, rounded), below = fma(r * r, polynomial(kExpm1, r), r);
  const double e = fma(below, power, power - 1.0);
  return copysign(at_most(e * reciprocal_of_normal(e + 2.0), 1.0), x);
}

}  // namespace fast
}  // namespace gpuopt
