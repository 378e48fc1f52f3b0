/* norm, the reference: every row in double, by the formulas of GPUOPT_NORM_TABLE, rounded once.
 *
 * The idea: a row is read as often as its formula says - greatest or mean, sum, result - and each pass adds the
 * residual anew. sum and out are written in the last pass, each element after it was read, so they may be x or the
 * residual. The mean is summed from the row's first element and kept in two doubles, so that a row far from 0 loses
 * nothing: what counts is how far its elements are from one another.
 *
 * It needs nothing: every type, layout, feature and stage; one thread.
 * Measured: not yet measured. */
#include <cmath>

#include "common/chain.h"
#include "common/compensated_sum.h"
#include "common/reference_kernel.h"
#include "common/views.h"

namespace gpuopt {
namespace cpu {
namespace {

struct Row {
  View x, residual;
  int64_t p, i, n;
  double at(int64_t j) const { return load_at(x, i, j, p) + (residual.dtype ? load_at(residual, i, j, p) : 0); }
};

/* The two numbers that a row is normalised with, which are also its statistics. */
struct Statistics {
  double first, second;
  double first_low; /* what rounding took from first: of a mean */
};

Statistics statistics_of(const gpuopt_problem &q, const Row &row) {
  const double n = double(row.n);
  if (q.variant == GPUOPT_NORM_SOFTMAX || q.variant == GPUOPT_NORM_LOG_SOFTMAX) {
    double greatest = row.at(0);
    CompensatedSum sum;
    for (int64_t j = 1; j < row.n; ++j) {
      const double h = row.at(j);
      greatest = h > greatest || h != h ? h : greatest; /* a NaN stays: nothing is greater */
    }
    for (int64_t j = 0; j < row.n; ++j) sum.add(std::exp(row.at(j) - greatest));
    return {greatest, sum.value(), 0};
  }
  double mean = 0, low = 0;
  if (q.variant == GPUOPT_NORM_LAYERNORM) {
    const double origin = row.at(0);
    CompensatedSum distances;
    for (int64_t j = 0; j < row.n; ++j) distances.add(row.at(j) - origin);
    const double distance = distances.value() / n;
    mean = origin + distance;
    const double moved = mean - origin;
    low = (origin - (mean - moved)) + (distance - moved);
  }
  CompensatedSum squares;
  for (int64_t j = 0; j < row.n; ++j) {
    const double d = (row.at(j) - mean) - low;
    squares.add(d * d);
  }
  return {mean, 1 / std::sqrt(squares.value() / n + q.eps), low};
}

double normalised(const gpuopt_problem &q, const Statistics &s, double h) {
  switch (q.variant) {
    case GPUOPT_NORM_SOFTMAX:
      return std::exp(h - s.first) / s.second;
    case GPUOPT_NORM_LOG_SOFTMAX:
      return h - s.first - std::log(s.second);
    default:
      return ((h - s.first) - s.first_low) * s.second;
  }
}

gpuopt_status launch(const gpuopt_problem *problem, const gpuopt_launch *) {
  const gpuopt_problem &q = *problem;
  const View out = view_of(q.operand[GPUOPT_OPERAND_OUT]), sum = view_of(q.operand[GPUOPT_OPERAND_SUM]);
  const View gamma = view_of(q.extra[GPUOPT_OPERAND_GAMMA - 4]), beta = view_of(q.extra[GPUOPT_OPERAND_BETA - 4]);
  const View statistics = view_of(q.extra[GPUOPT_OPERAND_STATISTICS - 4]);
  Row row = {view_of(q.operand[GPUOPT_OPERAND_X]), view_of(q.operand[GPUOPT_OPERAND_RESIDUAL]), 0, 0, q.n};
  for (row.p = 0; row.p < q.batch; ++row.p)
    for (row.i = 0; row.i < q.m; ++row.i) {
      const Statistics s = statistics_of(q, row);
      for (int64_t j = 0; j < q.n; ++j) {
        const double h = row.at(j);
        double y = normalised(q, s, h);
        if (gamma.dtype) y *= load_at(gamma, j, 0, row.p);
        if (beta.dtype) y += load_at(beta, j, 0, row.p);
        y = apply_chain(q, y, row.i, j, row.p);
        if (sum.dtype) store_at(sum, row.i, j, row.p, h);
        store_at(out, row.i, j, row.p, y);
      }
      if (statistics.dtype) {
        store_at(statistics, row.i, 0, row.p, s.first);
        store_at(statistics, row.i, 1, row.p, s.second);
      }
    }
  return GPUOPT_OK;
}

double predict_us(const gpuopt_problem *problem) {
  const double elements = elements_of(*problem);
  return reference_us(elements * (4 + problem->stage_count), 10);
}

constexpr gpuopt_kernel describe() {
  gpuopt_kernel kernel = host_kernel(GPUOPT_OP_NORM, "norm_cpu_reference",
                                     "CPU: plain double, rounded once; takes every problem; the oracle of the tests",
                                     kAnySignature, predict_us, launch);
  accept_all_stages(kernel);
  kernel.variants = kAllNorms;
  return kernel;
}

constexpr gpuopt_kernel kKernels[] = {describe()};

}  // namespace
}  // namespace cpu
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::cpu::kKernels);
