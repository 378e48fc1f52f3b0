// Random data, and what the result should be: norm(x) * W + b in double precision from the rounded inputs, with a
// bound on the error of the fused product.
#ifndef NORM_LINEAR_REFERENCE_HPP
#define NORM_LINEAR_REFERENCE_HPP

#include <cmath>
#include <cstring>
#include <random>

#include "norm_linear.hpp"

inline double value_of(float x) { return static_cast<double>(x); }
inline double value_of(gpuopt::bf16 x) {
  const std::uint32_t bits = static_cast<std::uint32_t>(x.bits) << 16;
  float wide;
  std::memcpy(&wide, &bits, sizeof wide);
  return static_cast<double>(wide);
}
inline void round_to(float x, float *out) { *out = x; }
inline void round_to(float x, gpuopt::bf16 *out) {  // to nearest even; x is finite
  std::uint32_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  out->bits = static_cast<std::uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

// The relative error of one rounding.
template <class T>
constexpr double kRoundoff = sizeof(T) == 4 ? 0x1p-24 : 0x1p-9;

template <class T>
std::vector<T> normal_values(std::mt19937_64 &random, std::size_t count, double mean, double deviation) {
  std::normal_distribution<double> normal(mean, deviation);
  std::vector<T> values(count);
  for (T &v : values) round_to(static_cast<float>(normal(random)), &v);
  return values;
}

template <class T>
struct layer {
  std::int32_t norm;
  std::size_t rows, k, n;
  std::vector<T> x, weight;
  std::vector<float> gamma, beta, bias;
  double eps = 1e-5;

  layer(std::int32_t norm_kind, std::size_t row_count, std::size_t depth, std::size_t cols, double mean)
      : norm(norm_kind), rows(row_count), k(depth), n(cols) {
    std::mt19937_64 random(1);
    x = normal_values<T>(random, rows * k, mean, 1);
    weight = normal_values<T>(random, k * n, 0, 1);
    gamma = normal_values<float>(random, k, 1, 0.5);
    beta = normal_values<float>(random, k, 0, 1);
    bias = normal_values<float>(random, n, 0, 1);
  }
};

struct expected {
  std::vector<double> y, bound;
};

// operand_roundoff: of x and W' as the product reads them (2^-11 each for TF32, 0 where it reads them as they are).
//
// With u = 2^-24, c = sqrt(k) (rounding errors add up like a random walk), w the roundoff of the
// weight's and the result's type, all sums over k:
//   rstd_i * (c u + 2 operand_roundoff) * (sum |x_ik W'_kj| + mean|x_i| * sum |W'_kj|)    the product, and mean * s
//   rstd_i * w * sum |(x_ik - mean_i) W'_kj|                                              W' was rounded
//   c u * mean(x_i^2) * rstd_i^2 * |y_ij - b'_j|                                          the variance as a difference
//   c u * sum |beta_k W_kj| + (u + w) |y_ij|                                              b', and the result
template <class T>
expected expect(const layer<T> &l, double operand_roundoff) {
  const std::size_t count = l.rows * l.n;
  expected e = {std::vector<double>(count), std::vector<double>(count)};
  const double u = 0x1p-24, c = std::sqrt(static_cast<double>(l.k)), w = kRoundoff<T>;
  const bool centred = l.norm == GPUOPT_NORM_LAYERNORM;
  for (std::size_t i = 0; i < l.rows; ++i) {
    double sum = 0, magnitude = 0, squares = 0, centred_squares = 0;
    for (std::size_t k = 0; k < l.k; ++k) {
      const double x = value_of(l.x[i * l.k + k]);
      sum += x, magnitude += std::fabs(x), squares += x * x;
    }
    const double of_each = 1 / static_cast<double>(l.k), mean = centred ? sum * of_each : 0;
    for (std::size_t k = 0; k < l.k; ++k) centred_squares += std::pow(value_of(l.x[i * l.k + k]) - mean, 2);
    const double rstd = 1 / std::sqrt(centred_squares * of_each + l.eps);
    for (std::size_t j = 0; j < l.n; ++j) {
      double product = 0, products = 0, centred_products = 0, weights = 0, shift = l.bias[j], shifts = 0;
      for (std::size_t k = 0; k < l.k; ++k) {
        const double x = value_of(l.x[i * l.k + k]), plain = value_of(l.weight[k * l.n + j]);
        const double folded = plain * value_of(l.gamma[k]), beta = value_of(l.beta[k]);
        product += (x - mean) * folded;
        products += std::fabs(x * folded);
        centred_products += std::fabs((x - mean) * folded);
        weights += std::fabs(folded);
        shift += beta * plain;
        shifts += std::fabs(beta * plain);
      }
      const double scaled = rstd * product, y = scaled + shift;
      if (!centred) weights = 0;
      e.y[i * l.n + j] = y;
      e.bound[i * l.n + j] =
          rstd * ((c * u + 2 * operand_roundoff) * (products + magnitude * of_each * weights) + w * centred_products) +
          c * u * squares * of_each * rstd * rstd * std::fabs(scaled) + c * u * shifts + (u + w) * std::fabs(y);
    }
  }
  return e;
}

#endif
