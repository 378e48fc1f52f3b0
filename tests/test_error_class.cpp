// The error classes are asserted from both sides: what must pass passes, and known mistakes fail.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "error_class.h"
#include "range.h"
#include "rng.h"
#include "values.h"

using namespace gpuopt_check;

namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

float tf32_rounded(float x) {
  uint32_t bits;
  std::memcpy(&bits, &x, 4);
  bits += 0xfff + (bits >> 13 & 1);
  bits &= ~0x1fffu;
  std::memcpy(&x, &bits, 4);
  return x;
}
float tf32_truncated(float x) {
  uint32_t bits;
  std::memcpy(&bits, &x, 4);
  bits &= ~0x1fffu;
  std::memcpy(&x, &bits, 4);
  return x;
}
float bf16_of(float x) { return float(round_to(GPUOPT_BF16, double(x))); }
float f16_of(float x) { return float(round_to(GPUOPT_F16, double(x))); }

// One way of summing k products.
using Method = float (*)(const std::vector<float> &, const std::vector<float> &);

float plain(const std::vector<float> &a, const std::vector<float> &b) {
  float s = 0;
  for (size_t i = 0; i < a.size(); ++i) s += a[i] * b[i];
  return s;
}
float in_f16(const std::vector<float> &a, const std::vector<float> &b) {
  float s = 0;
  for (size_t i = 0; i < a.size(); ++i) s = f16_of(s + a[i] * b[i]);
  return s;
}
template <float (*convert)(float)>
float converted(const std::vector<float> &a, const std::vector<float> &b) {
  float s = 0;
  for (size_t i = 0; i < a.size(); ++i) s += convert(a[i]) * convert(b[i]);
  return s;
}
// high * high + high * low + low * high, the low parts rounded to the same type
template <float (*convert)(float)>
float split(const std::vector<float> &a, const std::vector<float> &b) {
  float s = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    const float ah = convert(a[i]), bh = convert(b[i]), al = convert(a[i] - ah), bl = convert(b[i] - bh);
    s += ah * bl;
    s += al * bh;
    s += ah * bh;
  }
  return s;
}
float truncating_steps(const std::vector<float> &a, const std::vector<float> &b) {  // a tensor core, k = 8 at a time
  float s = 0;
  for (size_t i = 0; i < a.size(); i += 8) {
    double step = double(s);
    for (size_t j = i; j < i + 8 && j < a.size(); ++j) step += double(a[j] * b[j]);
    const float nearest = float(step);
    s = std::fabs(double(nearest)) > std::fabs(step) ? std::nextafter(nearest, 0.0f) : nearest;
  }
  return s;
}

// An fp8 tensor core: k = 32 at a time, every term and the running sum cut to 13 fraction bits of the largest of them;
// moved to fp32 after `promoted` steps of 32, or never.
float fp8_steps(const std::vector<float> &a, const std::vector<float> &b, size_t promoted) {
  float total = 0;
  double s = 0;
  for (size_t i = 0, step = 0; i < a.size(); i += 32, ++step) {
    if (promoted && step % promoted == 0) {
      total += float(s);
      s = 0;
    }
    const size_t end = std::min(i + 32, a.size());
    double largest = std::fabs(s);
    for (size_t j = i; j < end; ++j) largest = std::fmax(largest, std::fabs(double(a[j]) * double(b[j])));
    if (largest == 0) continue;
    const double bit = std::ldexp(1.0, std::ilogb(largest) - 13);
    double next = std::trunc(s / bit);
    for (size_t j = i; j < end; ++j) next += std::trunc(double(a[j]) * double(b[j]) / bit);
    s = next * bit;
  }
  return total + float(s);
}
float fp8_promoted(const std::vector<float> &a, const std::vector<float> &b) { return fp8_steps(a, b, 4); }
float fp8_left_alone(const std::vector<float> &a, const std::vector<float> &b) { return fp8_steps(a, b, 0); }

struct Draw {
  bool positive;
  gpuopt_dtype type;
};

// A way of summing, and the class that its sums are held to.
struct Contender {
  Method method;
  int32_t compute;
  gpuopt_dtype output = GPUOPT_F32;
};

// Of each, how many of 2000 sums lie outside the class.
std::vector<int> outside(int64_t k, Draw draw, const std::vector<Contender> &contenders) {
  Rng rng(uint64_t(k) * 77 + (draw.positive ? 1 : 0));
  std::vector<int> count(contenders.size(), 0);
  std::vector<float> a(size_t(k), 0.0f), b(size_t(k), 0.0f);
  for (int trial = 0; trial < 2000; ++trial) {
    Sum sum;
    for (size_t i = 0; i < a.size(); ++i) {
      const auto next = [&] { return float(round_to(draw.type, draw.positive ? rng.uniform() : rng.normal())); };
      a[i] = next();
      b[i] = next();
      const double term = double(a[i]) * double(b[i]);
      sum.value += term;
      sum.magnitude += std::fabs(term);
      sum.root_sum_square += term * term;
    }
    sum.root_sum_square = std::sqrt(sum.root_sum_square);
    for (size_t i = 0; i < contenders.size(); ++i) {
      const Contender &c = contenders[i];
      const double got = round_to(c.output, double(c.method(a, b)));
      if (!accepts(c.output, got, around(sum.value, gemm_error(c.compute, is_fp8(draw.type), k, sum)))) ++count[i];
    }
  }
  return count;
}

constexpr Draw kNormal32 = {false, GPUOPT_F32}, kUniform32 = {true, GPUOPT_F32};
constexpr Draw kNormal16 = {false, GPUOPT_F16}, kUniform16 = {true, GPUOPT_F16};

}  // namespace

TEST_CASE("error class: sums in fp32 pass the fp32 class, tensor-core truncation too") {
  for (int64_t k : {1, 2, 3, 8, 33, 64, 200, 1000, 4096})
    for (Draw draw : {kNormal32, kUniform32}) {
      CAPTURE(k);
      const std::vector<int> wrong = outside(k, draw,
                                             {{plain, GPUOPT_COMPUTE_F32},
                                              {truncating_steps, GPUOPT_COMPUTE_F32},
                                              {split<tf32_rounded>, GPUOPT_COMPUTE_F32_TENSOR},
                                              {converted<tf32_rounded>, GPUOPT_COMPUTE_TF32}});
      for (const int count : wrong) CHECK(count == 0);
    }
}

TEST_CASE("error class: sums in fp16 fail the fp32 class, with fp32 and with fp16 output") {
  for (int64_t k : {16, 64, 200, 1000})
    for (Draw draw : {kNormal16, kUniform16}) {
      CAPTURE(k);
      const std::vector<int> wrong = outside(k, draw,
                                             {{plain, GPUOPT_COMPUTE_F32, GPUOPT_F16},
                                              {in_f16, GPUOPT_COMPUTE_F32},
                                              {in_f16, GPUOPT_COMPUTE_F32, GPUOPT_F16},
                                              {in_f16, GPUOPT_COMPUTE_F16, GPUOPT_F16}});
      CHECK(wrong[0] == 0);
      CHECK(wrong[1] > 500);
      CHECK(wrong[2] > 100);
      CHECK(wrong[3] == 0);
    }
}

TEST_CASE("error class: operands truncated to tf32 fail the TF32 class, rounded ones the fp32 classes") {
  for (int64_t k : {16, 64, 200, 1000})
    for (Draw draw : {kNormal32, kUniform32}) {
      CAPTURE(k);
      const std::vector<int> wrong = outside(k, draw,
                                             {{converted<tf32_truncated>, GPUOPT_COMPUTE_TF32},
                                              {converted<tf32_rounded>, GPUOPT_COMPUTE_F32},
                                              {converted<tf32_rounded>, GPUOPT_COMPUTE_F32_TENSOR}});
      CHECK(wrong[0] > 0);
      CHECK(wrong[1] > 500);
      CHECK(wrong[2] > 500);
    }
}

TEST_CASE("error class: two-part bf16 products are no fp32 accuracy") {
  for (int64_t k : {16, 64})
    for (Draw draw : {kNormal32, kUniform32}) {
      CAPTURE(k);
      const std::vector<int> wrong =
          outside(k, draw, {{split<bf16_of>, GPUOPT_COMPUTE_F32_TENSOR}, {converted<bf16_of>, GPUOPT_COMPUTE_TF32}});
      for (const int count : wrong) CHECK(count > 0);
    }
}

TEST_CASE("error class: fp8 sums moved to fp32 every 128 of k pass, those left in the tensor core fail") {
  for (int64_t k : {1, 32, 100, 512, 4096})
    for (Draw draw : {Draw{false, GPUOPT_E4M3}, Draw{true, GPUOPT_E4M3}, Draw{false, GPUOPT_E5M2}}) {
      CAPTURE(k);
      std::vector<Contender> contenders = {
          {plain, GPUOPT_COMPUTE_F32}, {fp8_promoted, GPUOPT_COMPUTE_F32}, {fp8_left_alone, GPUOPT_COMPUTE_F8_FAST}};
      if (k == 4096) contenders.push_back({fp8_left_alone, GPUOPT_COMPUTE_F32});
      const std::vector<int> wrong = outside(k, draw, contenders);
      for (size_t i = 0; i < 3; ++i) CHECK(wrong[i] == 0);
      if (k == 4096) CHECK(wrong[3] > 0);
    }
}

TEST_CASE("error class: one fp32 accumulator over many uniform values fails the reduce class, 32 pass") {
  const int64_t n = int64_t(1) << 24;
  const auto sum_with = [](size_t accumulators, uint64_t seed, Sum *truth) {
    Rng rng(seed);
    std::vector<float> partial(accumulators, 0.0f);
    *truth = Sum();
    for (int64_t i = 0; i < n; ++i) {
      const float x = float(rng.uniform());
      partial[size_t(i) % accumulators] += x;
      truth->value += double(x);
    }
    truth->magnitude = truth->value;
    float s = 0;
    for (float p : partial) s += p;
    return double(s);
  };
  int single = 0, several = 0;
  for (uint64_t seed = 1; seed <= 4; ++seed) {
    Sum truth;
    const double one = sum_with(1, seed, &truth);
    if (!accepts(GPUOPT_F32, one, around(truth.value, sum_error(0x1p-24, n, truth)))) ++single;
    const double many = sum_with(1024, seed, &truth);
    if (!accepts(GPUOPT_F32, many, around(truth.value, sum_error(0x1p-24, n, truth)))) ++several;
  }
  CHECK(single >= 3);
  CHECK(several == 0);
}

TEST_CASE("values: every pattern of the small types survives a round trip") {
  for (gpuopt_dtype type : {GPUOPT_F16, GPUOPT_BF16, GPUOPT_E4M3, GPUOPT_E5M2}) {
    const uint32_t patterns = gpuopt_dtype_size(type) == 2 ? 65536 : 256;
    for (uint32_t bits = 0; bits < patterns; ++bits) {
      const uint16_t in = uint16_t(bits);
      uint16_t out = 0;
      const double x = decode(type, &in);
      if (std::isnan(x)) continue;
      encode(type, x, &out);
      if (std::isinf(x) && is_fp8(type)) {
        REQUIRE(std::fabs(decode(type, &out)) == largest_finite(type));
      } else {
        REQUIRE(in == out);
      }
    }
  }
}

TEST_CASE("values: rounding is to nearest even, overflows or saturates") {
  CHECK(round_to(GPUOPT_F16, 65519.9) == 65504);
  CHECK(round_to(GPUOPT_F16, 65520) == kInf);
  CHECK(round_to(GPUOPT_F16, 1 + 0x1p-11) == 1);
  CHECK(round_to(GPUOPT_F16, 1 + 3 * 0x1p-11) == 1 + 0x1p-9);
  CHECK(round_to(GPUOPT_F16, 0x1p-25) == 0);
  CHECK(round_to(GPUOPT_F16, 0x1.8p-25) == 0x1p-24);
  CHECK(round_to(GPUOPT_E4M3, 1e9) == 448);
  CHECK(round_to(GPUOPT_E4M3, -kInf) == -448);
  CHECK(round_to(GPUOPT_E5M2, kInf) == 57344);
  CHECK(round_to(GPUOPT_E4M3, 460) == 448);
  CHECK(round_to(GPUOPT_I8, 2.5) == 2);
  CHECK(round_to(GPUOPT_I8, -3.5) == -4);
  CHECK(round_to(GPUOPT_U8, -1) == 0);
  CHECK(round_to(GPUOPT_I32, 1e20) == 2147483647);
}

TEST_CASE("ranges: a jump within the error admits both sides, outside it one") {
  const Arithmetic f32 = arithmetic_f32();
  const gpuopt_stage step = gpuopt_act(GPUOPT_STAGE_STEP, 0, 0);
  const Range near = apply_stage(f32, step, around(1e-9, 1e-8), 0, 0),
              far = apply_stage(f32, step, around(1e-3, 1e-8), 0, 0);
  CHECK(accepts(GPUOPT_F32, 0, near));
  CHECK(accepts(GPUOPT_F32, 1, near));
  CHECK(accepts(GPUOPT_F32, 1, far));
  CHECK_FALSE(accepts(GPUOPT_F32, 0, far));
  CHECK(accepts(GPUOPT_F32, 0, apply_stage(f32, step, exactly(std::nan("")), 0, 0)));
}

TEST_CASE("ranges: NaN and infinity go through the stages as the table says") {
  const Arithmetic f32 = arithmetic_f32();
  const double nan = std::nan("");
  for (int32_t kind = 1; kind < GPUOPT_STAGE_COUNT_; ++kind) {
    if (kind == GPUOPT_STAGE_STEP || kind == GPUOPT_STAGE_RELU_GRAD) continue;
    CAPTURE(kind);
    const Range y = apply_stage(f32, gpuopt_act(kind, 1, 2), exactly(nan), 1, 1);
    CHECK(accepts(GPUOPT_F32, nan, y));
    CHECK_FALSE(accepts(GPUOPT_F32, 0, y));
  }
  const Range log_of_negative = apply_stage(f32, gpuopt_act(GPUOPT_STAGE_LOG, 0, 0), exactly(-1), 0, 0);
  CHECK(accepts(GPUOPT_F32, nan, log_of_negative));
  CHECK_FALSE(accepts(GPUOPT_F32, 0, log_of_negative));
  const Range log_of_zero = apply_stage(f32, gpuopt_act(GPUOPT_STAGE_LOG, 0, 0), exactly(0), 0, 0);
  CHECK(accepts(GPUOPT_F32, -kInf, log_of_zero));
  CHECK_FALSE(accepts(GPUOPT_F32, nan, log_of_zero));
  const Range overflow = apply_stage(f32, gpuopt_act(GPUOPT_STAGE_EXP, 0, 0), exactly(200), 0, 0);
  CHECK(accepts(GPUOPT_F32, kInf, overflow));
  CHECK_FALSE(accepts(GPUOPT_F32, 1e38, overflow));
  const Range difference = apply_stage(f32, gpuopt_act(GPUOPT_STAGE_SUB, kInf, 0), exactly(kInf), 0, 0);
  CHECK(accepts(GPUOPT_F32, nan, difference));
  CHECK_FALSE(accepts(GPUOPT_F32, kInf, difference));
}

TEST_CASE("ranges: fp32 evaluation of every stage stays within its range") {
  const Arithmetic f32 = arithmetic_f32();
  Rng rng(5);
  for (int trial = 0; trial < 20000; ++trial) {
    const float x = float(rng.normal() * 4);
    const auto check = [&](int32_t kind, float got) {
      CAPTURE(kind);
      CAPTURE(x);
      REQUIRE(accepts(GPUOPT_F32, double(got), apply_stage(f32, gpuopt_act(kind, 0.1, 0), exactly(double(x)), 0, 0)));
    };
    check(GPUOPT_STAGE_GELU, x / 2 * (1 + std::erf(x * 0.70710678f)));
    check(GPUOPT_STAGE_GELU_TANH, x / 2 * (1 + std::tanh(0.79788456f * (x + 0.044715f * x * x * x))));
    check(GPUOPT_STAGE_SILU, x / (1 + std::exp(-x)));
    check(GPUOPT_STAGE_SIGMOID, 1 / (1 + std::exp(-x)));
    check(GPUOPT_STAGE_TANH, 1 - 2 / (std::exp(2 * x) + 1));
    check(GPUOPT_STAGE_EXP, std::exp2(x * 1.44269504f));
    check(GPUOPT_STAGE_LEAKY_RELU, x < 0 ? 0.1f * x : x);
    check(GPUOPT_STAGE_RECIPROCAL, 1 / x);
    check(GPUOPT_STAGE_SQUARE, x * x);
  }
}
