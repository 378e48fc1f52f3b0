/* Conversions between double and every data type (src/cpu/common/convert.h): all patterns of the small
 * floats, and rounding checked against a search for the nearest value that knows nothing of the encoder. */
#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "../src/cpu/common/convert.h"

using namespace gpuopt::cpu;

namespace {

struct Format {
  const char *name;
  int32_t dtype;
  int bits, exponent_bits, fraction_bits;
  bool ieee, saturates;
};
const Format kFormats[] = {{"f16", GPUOPT_F16, 16, 5, 10, true, false},
                           {"bf16", GPUOPT_BF16, 16, 8, 7, true, false},
                           {"e4m3", GPUOPT_E4M3, 8, 4, 3, false, true},
                           {"e5m2", GPUOPT_E5M2, 8, 5, 2, true, true}};

/* The value of a pattern by the textbook formula. */
double textbook(const Format &f, uint32_t pattern) {
  const uint32_t fraction = pattern % (1u << f.fraction_bits);
  const int exponent = int(pattern >> f.fraction_bits) % (1 << f.exponent_bits);
  const int top = (1 << f.exponent_bits) - 1, bias = (1 << (f.exponent_bits - 1)) - 1;
  const double sign = pattern >> (f.bits - 1) ? -1.0 : 1.0;
  if (f.ieee && exponent == top) return fraction ? std::nan("") : sign * INFINITY;
  if (!f.ieee && exponent == top && fraction == (1u << f.fraction_bits) - 1) return std::nan("");
  if (exponent == 0) return sign * std::ldexp(double(fraction), 1 - bias - f.fraction_bits);
  return sign * std::ldexp(1 + std::ldexp(double(fraction), -f.fraction_bits), exponent - bias);
}

uint32_t stored(const Format &f, double value) {
  uint16_t two = 0;
  uint8_t one = 0;
  if (f.bits == 16) {
    store(&two, f.dtype, 0, value);
    return two;
  }
  store(&one, f.dtype, 0, value);
  return one;
}

double loaded(const Format &f, uint32_t pattern) {
  const uint16_t two = uint16_t(pattern);
  const uint8_t one = uint8_t(pattern);
  return f.bits == 16 ? load(&two, f.dtype, 0) : load(&one, f.dtype, 0);
}

bool same(double x, double y) {
  return (std::isnan(x) && std::isnan(y)) || (x == y && std::signbit(x) == std::signbit(y));
}

/* Non-negative finite values in order; their pattern is their place. */
std::vector<double> finite_values(const Format &f) {
  std::vector<double> values;
  for (uint32_t pattern = 0; pattern < 1u << (f.bits - 1); ++pattern) {
    const double value = textbook(f, pattern);
    if (!std::isfinite(value)) break;
    values.push_back(value);
  }
  return values;
}

/* Where a non-negative finite x must go, found by looking at its two neighbours. */
uint32_t nearest_pattern(const Format &f, const std::vector<double> &values, double x) {
  const double last = values.back(), step = last - values[values.size() - 2];
  if (x >= last + step / 2) return uint32_t(f.saturates ? values.size() - 1 : values.size());
  if (x >= last) return uint32_t(values.size() - 1);
  size_t low = 0, high = values.size() - 1;
  while (high - low > 1) {
    const size_t middle = (low + high) / 2;
    (values[middle] <= x ? low : high) = middle;
  }
  const double to_low = x - values[low], to_high = values[high] - x; /* exact where it matters: near the middle */
  if (to_low != to_high) return uint32_t(to_low < to_high ? low : high);
  return uint32_t(low % 2 == 0 ? low : high);
}

}  // namespace

TEST_CASE("convert: every pattern of the small floats loads as the textbook says and round-trips") {
  for (const Format &f : kFormats) {
    CAPTURE(f.name);
    int wrong = 0;
    for (uint32_t pattern = 0; pattern < 1u << f.bits; ++pattern) {
      const double value = textbook(f, pattern);
      if (!same(loaded(f, pattern), value)) ++wrong;
      if (std::isnan(value)) {
        if (!std::isnan(textbook(f, stored(f, loaded(f, pattern))))) ++wrong;
      } else if (std::isfinite(value) || !f.saturates) {
        if (stored(f, value) != pattern) ++wrong;
      }
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("convert: stores round to nearest even once, on ties, beside ties and anywhere") {
  for (const Format &f : kFormats) {
    CAPTURE(f.name);
    const std::vector<double> values = finite_values(f);
    const uint32_t minus = 1u << (f.bits - 1);
    int wrong = 0;
    const auto check = [&](double x) {
      const uint32_t expected = nearest_pattern(f, values, x);
      if (stored(f, x) != expected || stored(f, -x) != (expected | minus)) ++wrong;
    };
    for (size_t i = 0; i + 1 < values.size(); ++i) {
      const double tie = (values[i] + values[i + 1]) / 2;
      check(tie);
      check(std::nextafter(tie, 0)); /* float would round these two onto the tie first */
      check(std::nextafter(tie, INFINITY));
      check(values[i] + (tie - values[i]) * 0.3);
    }
    std::mt19937_64 random(7);
    std::uniform_real_distribution<double> exponent(-160, 140), fraction(1, 2);
    for (int i = 0; i < 200000; ++i) check(std::ldexp(fraction(random), int(exponent(random))));
    const double last = values.back(), limit = last + (last - values[values.size() - 2]) / 2;
    check(std::nextafter(limit, 0));
    check(limit);
    check(1e300);
    check(std::numeric_limits<double>::denorm_min());
    CHECK(wrong == 0);
  }
}

TEST_CASE("convert: infinities, NaN and the largest values") {
  CHECK(textbook(kFormats[0], 0x7bff) == 65504);
  CHECK(textbook(kFormats[2], 0x7e) == 448);
  CHECK(textbook(kFormats[3], 0x7b) == 57344);
  CHECK(stored(kFormats[0], INFINITY) == 0x7c00);
  CHECK(stored(kFormats[0], 65520) == 0x7c00);
  CHECK(stored(kFormats[0], std::nextafter(65520, 0)) == 0x7bff);
  CHECK(stored(kFormats[1], -INFINITY) == 0xff80);
  CHECK(stored(kFormats[2], INFINITY) == 0x7e);
  CHECK(stored(kFormats[2], -1e9) == 0xfe);
  CHECK(stored(kFormats[3], INFINITY) == 0x7b);
  CHECK(stored(kFormats[3], -1e9) == 0xfb);
  for (const Format &f : kFormats) CHECK(std::isnan(loaded(f, stored(f, std::nan("")))));
  float single = 0;
  store(&single, GPUOPT_F32, 0, 1e39);
  CHECK(single == INFINITY);
  store(&single, GPUOPT_F32, 0, 1 + 0x1p-24);
  CHECK(single == 1);
}

TEST_CASE("convert: the float functions agree with the double ones") {
  for (uint32_t pattern = 0; pattern < 0x10000; ++pattern) {
    const uint16_t p = uint16_t(pattern);
    if (!same(f16_to_float(p), textbook(kFormats[0], p)) || !same(bf16_to_float(p), textbook(kFormats[1], p))) FAIL(p);
    if (std::isnan(f16_to_float(p)) || std::isnan(bf16_to_float(p))) continue;
    if (float_to_f16(f16_to_float(p)) != p || float_to_bf16(bf16_to_float(p)) != p) FAIL(p);
  }
  for (uint32_t pattern = 0; pattern < 0x100; ++pattern) {
    const uint8_t p = uint8_t(pattern);
    if (!same(e4m3_to_float(p), textbook(kFormats[2], p)) || !same(e5m2_to_float(p), textbook(kFormats[3], p))) FAIL(p);
    if (!std::isnan(e4m3_to_float(p)) && float_to_e4m3(e4m3_to_float(p)) != p) FAIL(p);
    if (std::isfinite(e5m2_to_float(p)) && float_to_e5m2(e5m2_to_float(p)) != p) FAIL(p);
  }
}

#ifdef __FLT16_MANT_DIG__
TEST_CASE("convert: f16 agrees with the compiler's own") {
  std::mt19937_64 random(11);
  std::uniform_real_distribution<double> exponent(-30, 18), fraction(-2, 2);
  for (int i = 0; i < 500000; ++i) {
    const double x = std::ldexp(fraction(random), int(exponent(random)));
    const _Float16 half = _Float16(x);
    uint16_t pattern;
    memcpy(&pattern, &half, sizeof pattern);
    if (stored(kFormats[0], x) != pattern) FAIL(x);
  }
}
#endif

TEST_CASE("convert: integers round to nearest even and saturate, NaN gives 0") {
  const auto as = [](int32_t dtype, double value) {
    int64_t cell = 0;
    store(&cell, dtype, 0, value);
    return load_i64(&cell, dtype, 0);
  };
  for (const int32_t dtype : {GPUOPT_I8, GPUOPT_U8, GPUOPT_I32, GPUOPT_I64}) {
    CAPTURE(dtype);
    CHECK(as(dtype, 0.5) == 0);
    CHECK(as(dtype, 1.5) == 2);
    CHECK(as(dtype, 2.5) == 2);
    CHECK(as(dtype, 2.51) == 3);
    CHECK(as(dtype, std::nan("")) == 0);
  }
  CHECK(as(GPUOPT_I8, -2.5) == -2);
  CHECK(as(GPUOPT_I8, 127.4) == 127);
  CHECK(as(GPUOPT_I8, 128) == 127);
  CHECK(as(GPUOPT_I8, -INFINITY) == -128);
  CHECK(as(GPUOPT_U8, -0.7) == 0);
  CHECK(as(GPUOPT_U8, 254.5) == 254);
  CHECK(as(GPUOPT_U8, INFINITY) == 255);
  CHECK(as(GPUOPT_I32, 2147483646.5) == 2147483646);
  CHECK(as(GPUOPT_I32, 2147483647.5) == INT32_MAX);
  CHECK(as(GPUOPT_I32, -1e10) == INT32_MIN);
  CHECK(as(GPUOPT_I64, 0x1p63) == INT64_MAX);
  CHECK(as(GPUOPT_I64, -0x1p63) == INT64_MIN);
  CHECK(as(GPUOPT_I64, -0x1.8p63) == INT64_MIN);
  CHECK(as(GPUOPT_I64, 0x1p62) == INT64_C(1) << 62);
  int64_t exact = 0;
  store_i64(&exact, GPUOPT_I64, 0, (INT64_C(1) << 53) + 1);
  CHECK(load_i64(&exact, GPUOPT_I64, 0) == 9007199254740993);
  store_i64(&exact, GPUOPT_I8, 0, 300);
  CHECK(load_i64(&exact, GPUOPT_I8, 0) == 127);
}
