// The truth of reductions: floats in long double with an error class, integers and indices exactly.
#include <algorithm>
#include <cmath>

#include "error_class.h"
#include "truth_ops.h"
#include "values.h"

namespace gpuopt_check {
namespace {

struct Line {  // the elements that one output reduces, in the order of their index
  int64_t matrix, i0, i1, j0, j1;
  int64_t count() const { return (i1 - i0) * (j1 - j0); }
};

Line line_of(const Problem &p, int64_t matrix, int64_t i, int64_t j) {
  const int64_t rows = p.t[0].rows, cols = p.t[0].cols;
  Line l = {matrix, 0, rows, 0, cols};
  if (p.axis == GPUOPT_EACH_ROW) l.i0 = i, l.i1 = i + 1;
  if (p.axis == GPUOPT_EACH_COL) l.j0 = j, l.j1 = j + 1;
  return l;
}

template <class Function>
void along(const Line &l, Function &&fn) {
  for (int64_t i = l.i0; i < l.i1; ++i)
    for (int64_t j = l.j0; j < l.j1; ++j) fn(i, j);
}

int64_t integer_at(const Problem &p, const Tensor &t, int64_t m, int64_t i, int64_t j) {
  return decode_integer(t.dtype, p.image.data() + t.at(m, i, j));
}

// Modulo 2^64, as the header says.
int64_t integer_total(const Problem &p, const Line &l) {
  uint64_t total = p.variant == GPUOPT_REDUCE_PROD ? 1 : 0;
  along(l, [&](int64_t i, int64_t j) {
    const uint64_t x = uint64_t(integer_at(p, p.t[0], l.matrix, i, j));
    switch (p.variant) {
      case GPUOPT_REDUCE_PROD:
        total *= x;
        break;
      case GPUOPT_REDUCE_SUMSQ:
        total += x * x;
        break;
      case GPUOPT_REDUCE_ASUM:
        total += int64_t(x) < 0 ? 0 - x : x;
        break;
      case GPUOPT_REDUCE_DOT:
        total += x * uint64_t(integer_at(p, p.t[1], l.matrix, i, j));
        break;
      default:
        total += x;
    }
  });
  return int64_t(total);
}

// MEAN and NRM2, whose sums are exact before they become a float.
double integer_quotient(const Problem &p, const Line &l) {
  __extension__ typedef __int128 Wide;
  Wide total = 0;
  long double squares = 0;  // no two of them cancel
  along(l, [&](int64_t i, int64_t j) {
    const int64_t x = integer_at(p, p.t[0], l.matrix, i, j);
    total += x;
    squares += static_cast<long double>(x) * static_cast<long double>(x);
  });
  return p.variant == GPUOPT_REDUCE_NRM2 ? std::sqrt(double(squares)) : double(total) / double(l.count());
}

// Rounding an integer to a float may take two steps: int64 to double, double to the output.
Range rounded_quotient(double x, gpuopt_dtype out) {
  const double unit = out == GPUOPT_F64 ? 0x1p-53 : 0x1p-24;
  return std::isfinite(x) ? around(x, 2 * unit * std::fabs(x)) : exactly(x);
}

double unit_of(const Problem &p) { return p.t[0].dtype == GPUOPT_F64 ? 0x1p-53 : 0x1p-24; }

Range float_product(const Problem &p, const Line &l) {
  long double product = 1;
  along(l, [&](int64_t i, int64_t j) { product *= static_cast<long double>(p.decoded(p.t[0], l.matrix, i, j)); });
  const double x = double(product);
  if (!std::isfinite(x)) return exactly(x);
  if (l.count() == 0) return exactly(1);
  // Near the smallest numbers of the type that factors are multiplied in, what is lost is no share of the product.
  const double least = p.t[0].dtype == GPUOPT_F64 ? 0x1p-1021 : 0x1p-125;
  return around(x, product_error(unit_of(p), l.count()) * std::fabs(x) + least);
}

Range float_total(const Problem &p, const Line &l) {
  if (p.variant == GPUOPT_REDUCE_PROD) return float_product(p, l);
  long double total = 0;
  Sum sum;
  along(l, [&](int64_t i, int64_t j) {
    const long double x = static_cast<long double>(p.decoded(p.t[0], l.matrix, i, j));
    long double term = x;
    if (p.variant == GPUOPT_REDUCE_SUMSQ || p.variant == GPUOPT_REDUCE_NRM2) term = x * x;
    if (p.variant == GPUOPT_REDUCE_ASUM) term = std::fabs(x);
    if (p.variant == GPUOPT_REDUCE_DOT) term = x * static_cast<long double>(p.decoded(p.t[1], l.matrix, i, j));
    total += term;
    sum.magnitude += double(std::fabs(term));
  });
  sum.value = double(total);
  const int64_t n = l.count();
  const double unit = unit_of(p), error = sum_error(unit, n, sum);
  if (p.variant == GPUOPT_REDUCE_MEAN) {
    if (n == 0) return exactly(std::nan(""));
    const double mean = double(total / static_cast<long double>(n));
    return around(mean, error / double(n) + 3 * unit * std::fabs(mean));
  }
  Range r = around(sum.value, error);
  if (p.variant == GPUOPT_REDUCE_NRM2 && r.number) {
    r.lo = std::sqrt(std::fmax(r.lo, 0)) * (1 - 4 * unit);
    r.hi = std::sqrt(r.hi) * (1 + 4 * unit);
  }
  return r;
}

struct Extreme {
  int64_t index = -1, integer = 0;
  double value = 0;
};

Extreme find_extreme(const Problem &p, const Line &l) {
  const bool greatest = p.variant == GPUOPT_REDUCE_MAX || p.variant == GPUOPT_REDUCE_ARGMAX;
  const bool integers = is_integer(p.t[0].dtype);
  Extreme best;
  int64_t index = 0;
  along(l, [&](int64_t i, int64_t j) {
    const int64_t n = integers ? integer_at(p, p.t[0], l.matrix, i, j) : 0;
    const double x = integers ? 0 : p.decoded(p.t[0], l.matrix, i, j);
    bool beats = best.index < 0;
    if (!beats && integers) beats = greatest ? n > best.integer : n < best.integer;
    if (!beats && !integers)
      beats = !std::isnan(best.value) && (std::isnan(x) || (greatest ? x > best.value : x < best.value));
    if (beats) best.index = index, best.integer = n, best.value = x;
    ++index;
  });
  return best;
}

}  // namespace

void reduce_truth(const Problem &p, double max_steps, Truth *truth) {
  const bool integers = is_integer(p.t[0].dtype);
  const bool index = p.variant == GPUOPT_REDUCE_ARGMIN || p.variant == GPUOPT_REDUCE_ARGMAX;
  const bool extreme = index || p.variant == GPUOPT_REDUCE_MIN || p.variant == GPUOPT_REDUCE_MAX;
  const bool quotient = p.variant == GPUOPT_REDUCE_MEAN || p.variant == GPUOPT_REDUCE_NRM2;
  Output out, value;
  out.tensor = &p.t[GPUOPT_OPERAND_OUT];
  out.exact = index || (integers && !quotient);
  value.tensor = &p.t[GPUOPT_OPERAND_VALUE];
  value.exact = integers;
  truth->rows = sampled_rows(out.tensor->rows, kStepsOfElement * double(p.rows()) * double(p.cols()) * double(p.batch),
                             max_steps);
  for (int64_t m = 0; m < p.batch; ++m)
    for (int64_t i : truth->rows)
      for (int64_t j = 0; j < out.tensor->cols; ++j) {
        const Line l = line_of(p, m, i, j);
        if (extreme) {
          const Extreme e = find_extreme(p, l);
          if (index)
            out.integers.push_back(e.index);
          else if (integers)
            out.integers.push_back(e.integer);
          else
            out.ranges.push_back(exactly(e.value));
          if (integers)
            value.integers.push_back(e.integer);
          else
            value.ranges.push_back(exactly(e.value));
        } else if (!integers) {
          out.ranges.push_back(float_total(p, l));
        } else if (!quotient) {
          out.integers.push_back(integer_total(p, l));
        } else {
          out.ranges.push_back(rounded_quotient(integer_quotient(p, l), out.tensor->dtype));
        }
      }
  truth->outputs.push_back(out);
  if (value.tensor->present()) truth->outputs.push_back(value);
}

}  // namespace gpuopt_check
