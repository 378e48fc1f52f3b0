// The truth of norms: each row in long double by its formula, and how far fp32 (fp64) arithmetic may stray from it.
//
// Errors are followed through the formula to first order, with the sums' class of error_class.h: h = x + residual is
// rounded once; the mean carries the sum's error; the centred squares carry twice h - mean's; what rstd carries is half of
// that relative to the variance. exp(d) carries the error of d absolutely, and 16 units in the last place of its own.
#include <algorithm>
#include <cmath>

#include "error_class.h"
#include "truth_ops.h"

namespace gpuopt_check {
namespace {

constexpr double kFunction = 16;

struct Row {
  std::vector<double> h;  // exact sums of x and residual
  double unit = 0;
  bool rounded = false;  // h is rounded
  double h_error(size_t j) const { return rounded ? unit * std::fabs(h[j]) : 0; }
};

// The two numbers that normalise the row, with their absolute errors.
struct Statistics {
  double first = 0, first_error = 0, second = 0, second_error = 0;
  // first is also origin + distance, which tells it apart from elements far from 0 where a double does not.
  double origin = 0;
  long double distance = 0;
  double difference(double h) const { return double((static_cast<long double>(h) - origin) - distance); }
};

Statistics moments(const Problem &p, const Row &row) {
  const double n = double(row.h.size()), u = row.unit;
  Statistics s;
  const bool centred = p.variant == GPUOPT_NORM_LAYERNORM;
  if (centred) s.origin = row.h[0];
  long double total = 0;
  Sum sum, squares;
  double h_error = 0;
  for (size_t j = 0; j < row.h.size(); ++j) {
    total += static_cast<long double>(row.h[j]) - s.origin;
    sum.magnitude += std::fabs(row.h[j]);
    h_error = std::max(h_error, row.h_error(j));
  }
  const int64_t count = int64_t(row.h.size());
  if (centred) s.distance = total / static_cast<long double>(count);
  long double square_total = 0;
  double worst = 0;
  Sum differences;  // from an element of the row, which may be the farthest from the mean
  for (double h : row.h) {
    const double d = s.difference(h);
    square_total += static_cast<long double>(d) * d;
    worst = std::max(worst, std::fabs(d));
    differences.magnitude += std::fabs(d);
  }
  if (centred) {
    differences.magnitude += n * worst;
    s.first = double(s.origin + s.distance);
    s.first_error = sum_error(u, count, sum) / n + 3 * u * std::fabs(s.first);
    if (p.mean_by_spread) s.first_error = std::min(s.first_error, sum_error(u, count, differences) / n + 3 * u * worst);
    s.first_error += h_error;
  }
  const double variance = double(square_total / static_cast<long double>(row.h.size()));
  squares.value = squares.magnitude = double(square_total);
  const double d_error = s.first_error + h_error + u * worst;
  const double variance_error =
      sum_error(u, count, squares) / n + 2 * std::sqrt(variance) * d_error + d_error * d_error;
  s.second = 1 / std::sqrt(variance + p.eps);
  const double relative = 0.5 * variance_error / (variance + p.eps) + 8 * u;
  // Where the variance drowns in its error and eps does not carry it, rstd may be anything.
  s.second_error = relative < 0.25 ? s.second * relative * 1.5 : HUGE_VAL;
  return s;
}

Statistics softmax_sums(const Row &row) {
  Statistics s;
  s.first = s.origin = *std::max_element(row.h.begin(), row.h.end());
  long double total = 0;
  double error = 0, h_error = 0;
  for (size_t j = 0; j < row.h.size(); ++j) h_error = std::max(h_error, std::isfinite(row.h[j]) ? row.h_error(j) : 0);
  Sum sum;
  for (double h : row.h) {
    const double d = h - s.first, e = std::exp(d);
    total += static_cast<long double>(e);
    if (e > 0) error += e * (2 * h_error + row.unit * (4 * std::fabs(d) + kFunction));
  }
  sum.value = sum.magnitude = double(total);
  s.first_error = h_error;
  s.second = sum.value;
  s.second_error = error + sum_error(row.unit, int64_t(row.h.size()), sum);
  return s;
}

Range normalised(const Problem &p, const Row &row, const Statistics &s, size_t j, const Arithmetic &t) {
  const double d = s.difference(row.h[j]), u = row.unit;
  const double d_error = s.first_error + row.h_error(j) + u * std::fabs(d);
  if (p.variant == GPUOPT_NORM_LAYERNORM || p.variant == GPUOPT_NORM_RMSNORM) {
    if (!std::isfinite(s.second_error)) return anything();
    const double y = d * s.second;
    const double error = d_error * (s.second + s.second_error) + std::fabs(d) * s.second_error + 4 * u * std::fabs(y);
    return widened(around(y, error), 0, 0, t);
  }
  if (std::isinf(d)) return exactly(p.variant == GPUOPT_NORM_SOFTMAX ? 0 : d);
  const double relative = s.second_error / s.second;
  if (p.variant == GPUOPT_NORM_LOG_SOFTMAX) {
    const double logarithm = std::log(s.second);
    return around(d - logarithm, 2 * d_error + 2 * relative + u * (std::fabs(d) + kFunction * (logarithm + 1)));
  }
  const double y = std::exp(d) / s.second;
  return widened(exactly(y), 2 * d_error + u * (4 * std::fabs(d) + 2 * kFunction) + 2 * relative, t.far_tail, t);
}

// gamma and beta, as MUL and ADD stages do.
Range weighted(const Problem &p, Range y, int64_t m, int64_t j, const Arithmetic &t) {
  const Tensor &gamma = p.t[GPUOPT_OPERAND_GAMMA], &beta = p.t[GPUOPT_OPERAND_BETA];
  if (gamma.present()) {
    const double g = p.decoded(gamma, m, 0, j);
    y = widened(times(y, g, g), 4 * t.unit, 0, t);
  }
  if (beta.present()) {
    const double b = p.decoded(beta, m, 0, j);
    gpuopt_stage add = gpuopt_act(GPUOPT_STAGE_ADD, b, 0);
    y = apply_stage(t, add, y, 0, 0);
  }
  return y;
}

Range statistic(double value, double error, const Arithmetic &t) {
  if (!std::isfinite(error)) return anything();
  return widened(around(value, error), t.unit, 0, t);
}

}  // namespace

void norm_truth(const Problem &p, double max_steps, Truth *truth) {
  add_outputs(p, GPUOPT_OPERAND_OUT, truth);
  const ChainTruth chain(p, truth);
  const Arithmetic &t = chain.arithmetic();
  const bool softmax = p.variant == GPUOPT_NORM_SOFTMAX || p.variant == GPUOPT_NORM_LOG_SOFTMAX;
  const Tensor &x = p.t[GPUOPT_OPERAND_X], &residual = p.t[GPUOPT_OPERAND_RESIDUAL];
  Output sums, statistics;
  sums.tensor = &p.t[GPUOPT_OPERAND_SUM];
  statistics.tensor = &p.t[GPUOPT_OPERAND_STATISTICS];
  truth->rows = sampled_rows(x.rows, kStepsOfElement * double(x.rows) * double(x.cols) * double(p.batch), max_steps);
  for (int64_t m = 0; m < p.batch; ++m)
    for (int64_t i : truth->rows) {
      Row row;
      row.unit = t.unit;
      row.rounded = residual.present();
      bool strange = false;  // NaN or an infinity that is no -inf of a softmax
      double greatest = -HUGE_VAL;
      for (int64_t j = 0; j < x.cols; ++j) {
        const double h = p.decoded(x, m, i, j) + (residual.present() ? p.decoded(residual, m, i, j) : 0);
        row.h.push_back(h);
        greatest = std::fmax(greatest, h);
        strange = strange || std::isnan(h) || (std::isinf(h) && !(softmax && h < 0));
      }
      strange = strange || !std::isfinite(greatest);
      const Statistics s = strange ? Statistics() : softmax ? softmax_sums(row) : moments(p, row);
      for (int64_t j = 0; j < x.cols; ++j) {
        const Range y = strange ? anything() : normalised(p, row, s, size_t(j), t);
        chain.apply(strange ? y : weighted(p, y, m, j, t), m, i, j, 1);
        const double h = row.h[size_t(j)];
        if (sums.tensor->present()) sums.ranges.push_back(widened(around(h, row.h_error(size_t(j))), 0, 0, t));
      }
      if (statistics.tensor->present() && x.cols > 0) {
        statistics.ranges.push_back(strange ? anything() : statistic(s.first, s.first_error, t));
        statistics.ranges.push_back(strange ? anything() : statistic(s.second, s.second_error, t));
      }
    }
  if (sums.tensor->present()) truth->outputs.push_back(sums);
  if (statistics.tensor->present() && x.cols > 0) truth->outputs.push_back(statistics);
}

}  // namespace gpuopt_check
