/* The reduce reference, below the API: every variant, axis and class of type, and the rules for NaN, ties and
 * nothing at all, on problems filled by hand. */
#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "normal_form.h"

extern "C" const gpuopt_kernel_span gpuopt_kernels_reduce_cpu_reference;

namespace {

const double kNaN = std::nan("");

template <class T>
struct Type;
template <>
struct Type<float> {
  static constexpr int32_t id = GPUOPT_F32;
};
template <>
struct Type<double> {
  static constexpr int32_t id = GPUOPT_F64;
};
template <>
struct Type<int8_t> {
  static constexpr int32_t id = GPUOPT_I8;
};
template <>
struct Type<uint8_t> {
  static constexpr int32_t id = GPUOPT_U8;
};
template <>
struct Type<int32_t> {
  static constexpr int32_t id = GPUOPT_I32;
};
template <>
struct Type<int64_t> {
  static constexpr int32_t id = GPUOPT_I64;
};

template <class T>
gpuopt_operand operand(const T *data, int64_t rows, int64_t cols, int64_t ld) {
  gpuopt_operand o = {};
  o.m = gpuopt_mat_ld(data, rows, cols, ld, Type<T>::id);
  o.m.batch_stride = rows * ld;
  return o;
}

template <class T>
gpuopt_problem problem(int32_t variant, int32_t axis, const T *x, int64_t rows, int64_t cols, int64_t ld) {
  gpuopt_problem p = {};
  p.struct_size = sizeof p;
  p.op = GPUOPT_OP_REDUCE;
  p.variant = variant;
  p.axis = axis;
  p.compute = GPUOPT_COMPUTE_F64;
  p.m = rows;
  p.n = cols;
  p.batch = 1;
  p.operand[GPUOPT_OPERAND_X] = operand(x, rows, cols, ld);
  return p;
}

gpuopt_status launch(const gpuopt_problem &p) { return normal_form::launch(gpuopt_kernels_reduce_cpu_reference, p); }

template <class Out>
std::vector<Out> run(gpuopt_problem p) {
  const int64_t count = p.axis == GPUOPT_EACH_ROW ? p.m : p.axis == GPUOPT_EACH_COL ? p.n : 1;
  std::vector<Out> out(size_t(count * p.batch));
  p.operand[GPUOPT_OPERAND_OUT] = operand(out.data(), count, 1, 1);
  REQUIRE(launch(p) == GPUOPT_OK);
  return out;
}

template <class Out, class T>
Out reduce(int32_t variant, const std::vector<T> &x) {
  return run<Out>(problem(variant, GPUOPT_ALL, x.data(), 1, int64_t(x.size()), int64_t(x.size())))[0];
}

}  // namespace

TEST_CASE("reduce: every variant over every axis, padded") {
  const std::vector<double> x = {3, -1, 2, 99, -4, 5, -1, 99}; /* 2 x 3, ld 4 */
  const std::vector<double> y = {1, 2, 2, -3, 10, 1};          /* 2 x 3, column-major */
  struct Case {
    int32_t variant;
    std::vector<double> rows, cols, all;
  };
  const double third = 1.0 / 3;
  const Case cases[] = {
      {GPUOPT_REDUCE_SUM, {4, 0}, {-1, 4, 1}, {4}},
      {GPUOPT_REDUCE_MEAN, {4 * third, 0}, {-0.5, 2, 0.5}, {4.0 / 6}},
      {GPUOPT_REDUCE_MIN, {-1, -4}, {-4, -1, -1}, {-4}},
      {GPUOPT_REDUCE_MAX, {3, 5}, {3, 5, 2}, {5}},
      {GPUOPT_REDUCE_PROD, {-6, 20}, {-12, -5, -2}, {-120}},
      {GPUOPT_REDUCE_SUMSQ, {14, 42}, {25, 26, 5}, {56}},
      {GPUOPT_REDUCE_NRM2, {std::sqrt(14.0), std::sqrt(42.0)}, {5, std::sqrt(26.0), std::sqrt(5.0)}, {std::sqrt(56.0)}},
      {GPUOPT_REDUCE_ASUM, {6, 10}, {7, 6, 3}, {16}},
      {GPUOPT_REDUCE_ARGMIN, {1, 0}, {1, 0, 1}, {3}},
      {GPUOPT_REDUCE_ARGMAX, {0, 1}, {0, 1, 0}, {4}},
      {GPUOPT_REDUCE_DOT, {21, -24}, {-5, -17, 19}, {-3}},
  };
  CHECK(sizeof(cases) / sizeof(cases[0]) == GPUOPT_REDUCE_COUNT_ - 1);
  for (const Case &c : cases)
    for (const int32_t axis : {GPUOPT_EACH_ROW, GPUOPT_EACH_COL, GPUOPT_ALL}) {
      CAPTURE(c.variant);
      CAPTURE(axis);
      gpuopt_problem p = problem(c.variant, axis, x.data(), 2, 3, 4);
      p.operand[GPUOPT_OPERAND_Y] = operand(y.data(), 2, 3, 2);
      p.operand[GPUOPT_OPERAND_Y].m.layout = GPUOPT_COL;
      const std::vector<double> &want = axis == GPUOPT_EACH_ROW ? c.rows : axis == GPUOPT_EACH_COL ? c.cols : c.all;
      if (c.variant == GPUOPT_REDUCE_ARGMIN || c.variant == GPUOPT_REDUCE_ARGMAX)
        CHECK(run<int64_t>(p) == std::vector<int64_t>(want.begin(), want.end()));
      else
        CHECK(run<double>(p) == want);
    }
}

TEST_CASE("reduce: batch, a strided output, the value beside the index") {
  const float x[] = {1, 2, 5, 4, -1, -2, -5, -4}; /* two 2 x 2 matrices */
  int64_t out[8] = {9, 9, 9, 9, 9, 9, 9, 9};
  float value[4] = {};
  gpuopt_problem p = problem(GPUOPT_REDUCE_ARGMAX, GPUOPT_EACH_ROW, x, 2, 2, 2);
  p.batch = 2;
  p.operand[GPUOPT_OPERAND_OUT] = operand(out, 2, 1, 2);
  p.operand[GPUOPT_OPERAND_VALUE] = operand(value, 2, 1, 1);
  REQUIRE(launch(p) == GPUOPT_OK);
  CHECK(std::vector<int64_t>(out, out + 8) == std::vector<int64_t>{1, 9, 0, 9, 0, 9, 1, 9});
  CHECK(std::vector<float>(value, value + 4) == std::vector<float>{2, 5, -1, -4});
}

TEST_CASE("reduce: the first of equals, -0 equal to +0, in row and in column order") {
  CHECK(reduce<int64_t>(GPUOPT_REDUCE_ARGMIN, std::vector<float>{2, 0.0f, -0.0f, 0}) == 1);
  CHECK(reduce<int64_t>(GPUOPT_REDUCE_ARGMAX, std::vector<float>{-2, -0.0f, 0.0f}) == 1);
  const std::vector<float> x = {1, 7, 2, 7, 0, 0}; /* 2 x 3: sevens at (0,1) and (1,0) */
  gpuopt_problem p = problem(GPUOPT_REDUCE_ARGMAX, GPUOPT_ALL, x.data(), 2, 3, 3);
  CHECK(run<int64_t>(p)[0] == 1);
  p.features = GPUOPT_FEATURE_COLUMN_INDEX; /* down the columns: 1 7 7 0 2 0 */
  CHECK(run<int64_t>(p)[0] == 1);
  const std::vector<float> z = {1, 2, 7, 7, 0, 0}; /* sevens at (0,2) and (1,0) */
  p = problem(GPUOPT_REDUCE_ARGMAX, GPUOPT_ALL, z.data(), 2, 3, 3);
  CHECK(run<int64_t>(p)[0] == 2);
  p.features = GPUOPT_FEATURE_COLUMN_INDEX; /* down the columns: 1 7 2 0 7 0 */
  CHECK(run<int64_t>(p)[0] == 1);
}

TEST_CASE("reduce: NaN wins, the first one, infinities survive the compensated sum") {
  const std::vector<float> x = {1, NAN, 3, NAN, -INFINITY};
  CHECK(reduce<int64_t>(GPUOPT_REDUCE_ARGMIN, x) == 1);
  CHECK(reduce<int64_t>(GPUOPT_REDUCE_ARGMAX, x) == 1);
  for (const int32_t variant : {GPUOPT_REDUCE_MIN, GPUOPT_REDUCE_MAX, GPUOPT_REDUCE_SUM, GPUOPT_REDUCE_MEAN,
                                GPUOPT_REDUCE_PROD, GPUOPT_REDUCE_SUMSQ, GPUOPT_REDUCE_NRM2, GPUOPT_REDUCE_ASUM})
    CHECK(std::isnan(reduce<float>(variant, x)));
  CHECK(reduce<int64_t>(GPUOPT_REDUCE_ARGMAX, std::vector<double>{kNaN, 5}) == 0);
  const std::vector<double> infinite = {1, INFINITY, 2};
  CHECK(reduce<double>(GPUOPT_REDUCE_SUM, infinite) == INFINITY);
  CHECK(reduce<double>(GPUOPT_REDUCE_MAX, infinite) == INFINITY);
  CHECK(reduce<double>(GPUOPT_REDUCE_MIN, std::vector<double>{INFINITY, INFINITY}) == INFINITY);
  CHECK(std::isnan(reduce<double>(GPUOPT_REDUCE_SUM, std::vector<double>{INFINITY, 1, -INFINITY})));
}

TEST_CASE("reduce: nothing to reduce") {
  for (const int32_t axis : {GPUOPT_EACH_ROW, GPUOPT_ALL}) {
    const auto empty = [&](int32_t variant) {
      return run<float>(problem(variant, axis, static_cast<const float *>(nullptr), 2, 0, 0));
    };
    const std::vector<float> zeros(axis == GPUOPT_ALL ? 1 : 2, 0.0f), ones(zeros.size(), 1.0f);
    for (const int32_t variant :
         {GPUOPT_REDUCE_SUM, GPUOPT_REDUCE_SUMSQ, GPUOPT_REDUCE_NRM2, GPUOPT_REDUCE_ASUM, GPUOPT_REDUCE_DOT})
      CHECK(empty(variant) == zeros);
    CHECK(empty(GPUOPT_REDUCE_PROD) == ones);
    for (const float mean : empty(GPUOPT_REDUCE_MEAN)) CHECK(std::isnan(mean));
    for (const int32_t variant : {GPUOPT_REDUCE_MIN, GPUOPT_REDUCE_MAX, GPUOPT_REDUCE_ARGMIN, GPUOPT_REDUCE_ARGMAX})
      CHECK(launch(problem(variant, axis, static_cast<const float *>(nullptr), 2, 0, 0)) == GPUOPT_INVALID_ARGUMENT);
  }
  CHECK(std::isnan(
      run<float>(problem(GPUOPT_REDUCE_MEAN, GPUOPT_ALL, static_cast<const int32_t *>(nullptr), 0, 3, 3))[0]));
  CHECK(run<int64_t>(problem(GPUOPT_REDUCE_PROD, GPUOPT_EACH_COL, static_cast<const int32_t *>(nullptr), 0, 2, 2)) ==
        std::vector<int64_t>{1, 1});
  /* No outputs, so nothing is wrong. */
  CHECK(launch(problem(GPUOPT_REDUCE_MAX, GPUOPT_EACH_COL, static_cast<const float *>(nullptr), 2, 0, 0)) == GPUOPT_OK);
}

TEST_CASE("reduce: integers are exact and wrap") {
  const int64_t big = INT64_C(1) << 53;
  CHECK(reduce<int64_t>(GPUOPT_REDUCE_ARGMAX, std::vector<int64_t>{big, big + 1, big}) == 1);
  CHECK(reduce<int64_t>(GPUOPT_REDUCE_MAX, std::vector<int64_t>{big, big + 1, -big}) == big + 1);
  CHECK(reduce<int64_t>(GPUOPT_REDUCE_MIN, std::vector<int64_t>{-big, -big - 1}) == -big - 1);
  CHECK(reduce<int64_t>(GPUOPT_REDUCE_SUM, std::vector<int64_t>{big, 1, 1, 1}) == big + 3);
  CHECK(reduce<int64_t>(GPUOPT_REDUCE_SUM, std::vector<int64_t>{INT64_MAX, 2}) == INT64_MIN + 1);
  CHECK(reduce<int64_t>(GPUOPT_REDUCE_ASUM, std::vector<int64_t>{INT64_MIN, 1}) == INT64_MIN + 1);
  CHECK(reduce<int64_t>(GPUOPT_REDUCE_PROD, std::vector<int64_t>{INT64_MAX, 2}) == -2);
  CHECK(reduce<int64_t>(GPUOPT_REDUCE_SUMSQ, std::vector<int32_t>{INT32_MIN, 3}) == (INT64_C(1) << 62) + 9);
  CHECK(reduce<int64_t>(GPUOPT_REDUCE_SUM, std::vector<uint8_t>(1000, 255)) == 255000);
  CHECK(reduce<int64_t>(GPUOPT_REDUCE_PROD, std::vector<int8_t>{-128, 127, -3}) == 48768);
  CHECK(reduce<int8_t>(GPUOPT_REDUCE_MIN, std::vector<int8_t>{3, -128, 127}) == -128);
  CHECK(reduce<int64_t>(GPUOPT_REDUCE_MAX, std::vector<uint8_t>{3, 200}) == 200);
  CHECK(reduce<double>(GPUOPT_REDUCE_MEAN, std::vector<int32_t>{1, 2, 4, 6}) == 3.25);
  CHECK(reduce<float>(GPUOPT_REDUCE_NRM2, std::vector<int8_t>{3, -4}) == 5);
  gpuopt_problem p = {};
  const std::vector<int32_t> x = {INT32_MAX, -2}, y = {INT32_MAX, 5};
  p = problem(GPUOPT_REDUCE_DOT, GPUOPT_ALL, x.data(), 1, 2, 2);
  p.operand[GPUOPT_OPERAND_Y] = operand(y.data(), 1, 2, 2);
  CHECK(run<int64_t>(p)[0] == int64_t(INT32_MAX) * INT32_MAX - 10);
}

TEST_CASE("reduce: MEAN and NRM2 of integers whose sums leave 64 bits") {
  CHECK(reduce<double>(GPUOPT_REDUCE_MEAN, std::vector<int64_t>{INT64_MAX, INT64_MAX, INT64_MAX}) == 0x1p63);
  CHECK(reduce<double>(GPUOPT_REDUCE_MEAN, std::vector<int64_t>(1000, INT64_MIN)) == -0x1p63);
  CHECK(reduce<double>(GPUOPT_REDUCE_MEAN, std::vector<int64_t>{INT64_MAX, INT64_MAX, -INT64_MAX, -INT64_MAX, 4}) ==
        0.8);
  CHECK(reduce<float>(GPUOPT_REDUCE_MEAN, std::vector<int64_t>{INT64_MIN, INT64_MIN}) == -0x1p63f);
  CHECK(reduce<double>(GPUOPT_REDUCE_NRM2, std::vector<int32_t>(4, INT32_MIN)) == 0x1p32);
  CHECK(reduce<double>(GPUOPT_REDUCE_NRM2, std::vector<int32_t>(1 << 16, INT32_MIN)) == 0x1p39);
  CHECK(reduce<double>(GPUOPT_REDUCE_NRM2, std::vector<int64_t>{INT64_MIN}) == 0x1p63);
  CHECK(reduce<double>(GPUOPT_REDUCE_NRM2, std::vector<int64_t>(1 << 16, INT64_MIN)) == 0x1p71); /* 2^142 in all */
  CHECK(reduce<float>(GPUOPT_REDUCE_NRM2, std::vector<int64_t>{3000000000, -4000000000}) == 5e9f);
}

TEST_CASE("reduce: a product keeps its exponent apart, and zeros, infinities and NaN decide alone") {
  std::vector<double> x;
  for (int i = 0; i < 60; ++i) x.push_back(1.25e300); /* beyond the range of long double on the way */
  for (int i = 0; i < 60; ++i) x.push_back(0.8e-300);
  x.push_back(-3);
  CHECK(reduce<double>(GPUOPT_REDUCE_PROD, x) == doctest::Approx(-3).epsilon(1e-13));
  CHECK(reduce<double>(GPUOPT_REDUCE_PROD, std::vector<double>{0x1p-1074, 0x1p1000, 0x1p74}) == 1);
  CHECK(reduce<double>(GPUOPT_REDUCE_PROD, std::vector<double>{1e300, 1e300}) == HUGE_VAL);
  CHECK(reduce<double>(GPUOPT_REDUCE_PROD, std::vector<double>{-1e300, 1e300}) == -HUGE_VAL);
  CHECK(reduce<double>(GPUOPT_REDUCE_PROD, std::vector<double>{1e300, 1e300, -HUGE_VAL}) == -HUGE_VAL);
  const double zero = reduce<double>(GPUOPT_REDUCE_PROD, std::vector<double>{1e300, 1e300, -5, 0});
  CHECK((zero == 0 && std::signbit(zero)));
  CHECK(std::isnan(reduce<double>(GPUOPT_REDUCE_PROD, std::vector<double>{0, 2, HUGE_VAL})));
  CHECK(std::isnan(reduce<double>(GPUOPT_REDUCE_PROD, std::vector<double>{2, kNaN})));
}

TEST_CASE("reduce: sums keep what plain double drops") {
  CHECK(reduce<double>(GPUOPT_REDUCE_SUM, std::vector<double>{1e16, 1, -1e16, 1}) == 2);
  CHECK(reduce<double>(GPUOPT_REDUCE_SUM, std::vector<double>{1, 1e100, 1, -1e100}) == 2);
  std::vector<double> x(1000000, 0.1);
  CHECK(reduce<double>(GPUOPT_REDUCE_SUM, x) == 100000.00000000000555); /* 10^6 times the double next to 0.1 */
  CHECK(reduce<double>(GPUOPT_REDUCE_PROD, std::vector<double>{1e200, 1e200, 1e-200, 1e-200}) ==
        doctest::Approx(1).epsilon(1e-15));
}
