/* Reductions of blocks that fit the caches, compiled once per instruction set. */
#pragma once

#include <stdint.h>

namespace gpuopt {
namespace cpu {

/* What is summed: x, x * x, |x| or x * y. */
enum ReduceTerm { kTermValue, kTermSquare, kTermMagnitude, kTermProduct };

template <class T>
struct Extreme {
  T value;
  bool nan; /* a NaN is among the values */
};

template <class T>
struct ReduceFunctions {
  /* Sum of a block's terms, in double over fixed lanes. */
  double (*sum)(ReduceTerm term, const T *x, const T *y, int64_t count);
  /* Sum of (x - centre)^2, likewise. */
  double (*squares_from)(const T *x, double centre, int64_t count);
  /* The least (sign 1) or greatest (sign -1) of count >= 1 values. */
  Extreme<T> (*extreme)(int sign, const T *x, int64_t count);
  /* The first of count values equal to value, or the first NaN if value is one; there is one. */
  int64_t (*find)(const T *x, int64_t count, T value);
  /* sums[j] += the terms of column j, in the order of the rows. */
  void (*sum_columns)(ReduceTerm term, const T *x, int64_t x_ld, const T *y, int64_t y_ld, int64_t rows, int64_t cols,
                      double *sums);
  /* best[j] = the extreme of best[j] and column j, NaN winning and staying. */
  void (*extreme_columns)(int sign, const T *x, int64_t ld, int64_t rows, int64_t cols, T *best);
};

struct ReduceIsa {
  ReduceFunctions<float> f32;
  ReduceFunctions<double> f64;
};

extern const ReduceIsa reduce_baseline, reduce_avx2, reduce_avx512;
const ReduceIsa &reduce_isa(int isa); /* as in gpuopt_device_facts.cpu_isa */

}  // namespace cpu
}  // namespace gpuopt
