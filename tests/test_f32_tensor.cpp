// fp32 numbers as two f16 parts (gemm/common/f32_split_fits.h), without a GPU: what the parts keep of them, and when that is
// enough for a sum of products.
#include "gemm/common/f32_split_fits.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "worst.h"

using namespace gpuopt;

namespace {

// The nearest f16, ties to even: 11 bits, and no step below 2^-24.
double to_f16(double x) {
  int exponent = 0;
  std::frexp(x, &exponent);
  const double step = std::ldexp(1.0, std::max(exponent - 11, -24));
  return std::nearbyint(x / step) * step;
}
int exponent_of(double x) { return x == 0 ? 0 : std::ilogb(x); }  // of a line of zeros any will do

struct Parts {
  double high, low;
};
// Of an element of a line whose largest has this exponent.
Parts parts_of(double x, int largest) {
  const double scaled = std::ldexp(x, 14 - largest), high = to_f16(scaled);
  return {high, to_f16(scaled - high)};
}
double joined(const Parts &p, int largest) { return std::ldexp(p.high + p.low, largest - 14); }

struct Line {
  std::vector<float> x;
  int largest;
  F32SplitFacts facts;
};
Line line_of(std::vector<float> x) {
  float largest = 0;
  for (const float e : x) largest = std::max(largest, std::fabs(e));
  Line line = {std::move(x), exponent_of(largest), {}};
  uint32_t within[2] = {0, 0};
  for (const float e : line.x) {
    if (e == 0) continue;
    const int depth = line.largest - exponent_of(e);
    if (depth > kF32SplitSmall) ++line.facts.small;
    for (int level = 0; level < 2; ++level) within[level] += depth <= f32_split_level(level) ? 1 : 0;
  }
  for (int level = 0; level < 2; ++level) {
    line.facts.all[level] = static_cast<uint32_t>(line.x.size()) - within[level];
    if (line.facts.small != 0) line.facts.uneven[level] = line.facts.all[level];
  }
  return line;
}

// Of a sum of products by parts, |error| / sum of |a * b|, without what adding up loses.
double error_of(const Line &a, const Line &b) {
  double sum = 0, truth = 0, magnitude = 0;
  for (size_t i = 0; i < a.x.size(); ++i) {
    const Parts p = parts_of(static_cast<double>(a.x[i]), a.largest),
                q = parts_of(static_cast<double>(b.x[i]), b.largest);
    sum += p.high * q.high + p.high * q.low + p.low * q.high;
    truth += static_cast<double>(a.x[i]) * static_cast<double>(b.x[i]);
    magnitude += std::fabs(static_cast<double>(a.x[i]) * static_cast<double>(b.x[i]));
  }
  return magnitude == 0 ? std::fabs(sum) : std::fabs(std::ldexp(sum, a.largest + b.largest - 28) - truth) / magnitude;
}

template <class Draw>
Line drawn(int64_t k, Draw &&draw) {
  std::vector<float> x(static_cast<size_t>(k));
  for (int64_t i = 0; i < k; ++i) x[static_cast<size_t>(i)] = draw(i);
  return line_of(std::move(x));
}

}  // namespace

TEST_CASE("f32_tensor: two parts are as near as they are said to be") {
  std::mt19937 engine(5);
  std::uniform_real_distribution<double> fraction(1, 2);
  for (const int largest : {-100, 0, 100}) {
    for (int depth = 0; depth <= 40; ++depth) {
      double most = 0;
      for (int i = 0; i < 2000; ++i) {
        const auto x = static_cast<double>(static_cast<float>(std::ldexp(fraction(engine), largest - depth)));
        gpuopt_test::note(&most, std::fabs(joined(parts_of(x, largest), largest) - x));
      }
      const double relative = std::ldexp(1.0, largest - depth - 23), absolute = std::ldexp(1.0, largest - 39);
      CAPTURE(depth);
      CHECK(most <= (depth <= kF32SplitSmall ? relative : absolute));
      if (depth > kF32SplitSmall && depth < 39) CHECK(most > relative);  // what makes it small
    }
  }
}

TEST_CASE("f32_tensor: what fits keeps a few roundings of fp32, of every line of A with every line of B") {
  std::mt19937 engine(7);
  std::normal_distribution<float> normal;
  std::uniform_real_distribution<float> uniform;
  const auto any = [&](int64_t) { return normal(engine); };
  for (const int64_t k : {1, 2, 3, 16, 200, 4096}) {
    const Line lines[] = {
        drawn(k, any),
        drawn(k, [&](int64_t) { return std::max(normal(engine), 0.0f); }),                          // half of them zero
        drawn(k, [&](int64_t i) { return (i % 512 == 3 ? 1000 : 1) * normal(engine); }),            // outliers
        drawn(k, [&](int64_t) { return uniform(engine); }),                                         // of one sign
        drawn(k, [&](int64_t i) { return std::ldexp(normal(engine), static_cast<int>(i % 40)); }),  // graded
        drawn(k, [&](int64_t i) { return std::ldexp(normal(engine), -static_cast<int>(i % 40)); }),  // the other way
        drawn(k, [&](int64_t i) { return i == 1 ? 1.0f : 0.0f; }),                                   // one of them
        drawn(k, [&](int64_t i) { return i % 2 == 0 ? normal(engine) : 1e-12f * normal(engine); }),
        drawn(k, [&](int64_t i) { return i % 2 != 0 ? normal(engine) : 1e-12f * normal(engine); })};
    for (const Line &a : lines) {
      for (const Line &b : lines) {
        // Twice 2^-23 of the parts, 2^-22 of what is left out, and 2^-25.
        if (f32_split_fits(a.facts, b.facts, k)) CHECK(error_of(a, b) <= 0x1p-23 * 2 + 0x1p-22 + 0x1p-25);
      }
    }
  }
}

TEST_CASE("f32_tensor: what fits and what does not") {
  constexpr int64_t k = 4096;
  std::mt19937 engine(9);
  std::normal_distribution<float> normal;
  const auto fits = [](const Line &a, const Line &b) { return f32_split_fits(a.facts, b.facts, k); };
  const Line plain = drawn(k, [&](int64_t) { return normal(engine); });
  const Line outliers = drawn(k, [&](int64_t i) { return (i % 512 == 3 ? 300 : 1) * normal(engine); });
  const Line relu = drawn(k, [&](int64_t) { return std::max(normal(engine), 0.0f); });
  const Line one = drawn(k, [](int64_t i) { return i == 1 ? 1.0f : 0.0f; });
  const Line small = drawn(k, [&](int64_t i) { return i == 1 ? 1e-20f : normal(engine); });
  const Line up = drawn(k, [&](int64_t i) { return std::ldexp(normal(engine), static_cast<int>(i * 60 / k)); });
  const Line down = drawn(k, [&](int64_t i) { return std::ldexp(normal(engine), -static_cast<int>(i * 60 / k)); });
  CHECK(fits(plain, plain));
  CHECK(fits(outliers, plain));
  CHECK(fits(relu, plain));
  CHECK(fits(one, one));  // no small element at all
  CHECK(fits(small, plain));
  CHECK_FALSE(fits(small, one));  // which may choose the small one
  CHECK_FALSE(fits(up, down));
  CHECK(error_of(up, down) > 0x1p-22);  // and rightly so
  Line bad = plain;
  bad.facts.bad = 1;
  CHECK_FALSE(fits(bad, plain));
  CHECK_FALSE(fits(plain, bad));
}
