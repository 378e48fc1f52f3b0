#include "values.h"

#include <cfloat>
#include <cmath>
#include <cstring>
#include <limits>

namespace gpuopt_check {
namespace {

struct Format {  // a float of at most 16 bits
  int exponent_bits, fraction_bits;
  double largest;
  bool infinity;    // the top exponent holds infinity and NaN; if not, it holds numbers and one NaN
  bool saturating;  // when rounding
  int bias() const { return (1 << (exponent_bits - 1)) - 1; }
  int least_exponent() const { return 1 - bias(); }
};

const Format *small_format(gpuopt_dtype type) {
  static constexpr Format f16 = {5, 10, 65504, true, false};
  static constexpr Format bf16 = {8, 7, 3.3895313892515355e38, true, false};
  static constexpr Format e4m3 = {4, 3, 448, false, true};
  static constexpr Format e5m2 = {5, 2, 57344, true, true};
  switch (type) {
    case GPUOPT_F16:
      return &f16;
    case GPUOPT_BF16:
      return &bf16;
    case GPUOPT_E4M3:
      return &e4m3;
    case GPUOPT_E5M2:
      return &e5m2;
    default:
      return nullptr;
  }
}

// 2^exponent, a normal number; the library's ldexp and ilogb are many times slower.
double power_of_two(int exponent) {
  const uint64_t bits = uint64_t(exponent + 1023) << 52;
  double x;
  std::memcpy(&x, &bits, sizeof x);
  return x;
}

// Of a finite number; -1023 for subnormals and zero.
int exponent_of(double x) {
  uint64_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  return int(bits >> 52 & 0x7ff) - 1023;
}

double decode_small(const Format &f, uint32_t bits) {
  const uint32_t exponent = bits >> f.fraction_bits & ((1u << f.exponent_bits) - 1);
  const uint32_t fraction = bits & ((1u << f.fraction_bits) - 1);
  const double sign = bits >> (f.exponent_bits + f.fraction_bits) & 1 ? -1 : 1;
  const bool top = exponent == (1u << f.exponent_bits) - 1;
  if (top && f.infinity) return fraction ? std::nan("") : sign * HUGE_VAL;
  if (top && fraction == (1u << f.fraction_bits) - 1) return std::nan("");
  if (exponent == 0) return sign * fraction * power_of_two(f.least_exponent() - f.fraction_bits);
  return sign * ((1u << f.fraction_bits) + fraction) * power_of_two(int(exponent) - f.bias() - f.fraction_bits);
}

double round_small(const Format &f, double x) {
  if (std::isnan(x)) return x;
  const double overflow = std::copysign(f.saturating ? f.largest : HUGE_VAL, x);
  if (std::isinf(x)) return overflow;
  if (x == 0) return x;
  const int exponent = exponent_of(x) < f.least_exponent() ? f.least_exponent() : exponent_of(x);
  const int step = exponent - f.fraction_bits;
  const double rounded = std::nearbyint(x * power_of_two(-step)) * power_of_two(step);
  return std::fabs(rounded) > f.largest ? overflow : rounded;
}

uint32_t encode_small(const Format &f, double rounded) {  // rounded is a value of the format
  const uint32_t sign = uint32_t(std::signbit(rounded)) << (f.exponent_bits + f.fraction_bits);
  const uint32_t top = ((1u << f.exponent_bits) - 1) << f.fraction_bits;
  if (std::isnan(rounded)) return f.infinity ? top | 1u << (f.fraction_bits - 1) : top | ((1u << f.fraction_bits) - 1);
  if (std::isinf(rounded)) return sign | top;
  if (rounded == 0) return sign;
  const int exponent = exponent_of(rounded);
  const double size = std::fabs(rounded);
  if (exponent < f.least_exponent()) return sign | uint32_t(size * power_of_two(f.fraction_bits - f.least_exponent()));
  const uint32_t significand = uint32_t(size * power_of_two(f.fraction_bits - exponent));
  return sign | uint32_t(exponent + f.bias()) << f.fraction_bits | (significand & ((1u << f.fraction_bits) - 1));
}

void integer_limits(gpuopt_dtype type, int64_t *least, int64_t *most) {
  *least = type == GPUOPT_I8 ? -128 : type == GPUOPT_U8 ? 0 : type == GPUOPT_I32 ? INT32_MIN : INT64_MIN;
  *most = type == GPUOPT_I8 ? 127 : type == GPUOPT_U8 ? 255 : type == GPUOPT_I32 ? INT32_MAX : INT64_MAX;
}

int64_t round_integer(gpuopt_dtype type, double x) {
  int64_t least, most;
  integer_limits(type, &least, &most);
  if (std::isnan(x)) return 0;
  const double r = std::nearbyint(x);
  return r <= double(least) ? least : r >= double(most) ? most : int64_t(r);
}

template <class T>
T load(const void *p) {
  T v;
  std::memcpy(&v, p, sizeof v);
  return v;
}

}  // namespace

bool is_integer(gpuopt_dtype t) { return t == GPUOPT_I8 || t == GPUOPT_U8 || t == GPUOPT_I32 || t == GPUOPT_I64; }
bool is_fp8(gpuopt_dtype t) { return t == GPUOPT_E4M3 || t == GPUOPT_E5M2; }
bool is_float(gpuopt_dtype t) { return t == GPUOPT_F32 || t == GPUOPT_F64 || small_format(t) != nullptr; }
bool has_infinity(gpuopt_dtype t) { return is_float(t) && t != GPUOPT_E4M3; }

double largest_finite(gpuopt_dtype t) {
  if (const Format *f = small_format(t)) return f->largest;
  if (t == GPUOPT_F32) return double(FLT_MAX);
  if (t == GPUOPT_F64) return DBL_MAX;
  int64_t least, most;
  integer_limits(t, &least, &most);
  return double(most);
}

double decode(gpuopt_dtype t, const void *p) {
  switch (t) {
    case GPUOPT_F32:
      return double(load<float>(p));
    case GPUOPT_F64:
      return load<double>(p);
    case GPUOPT_F16:
    case GPUOPT_BF16:
      return decode_small(*small_format(t), load<uint16_t>(p));
    case GPUOPT_E4M3:
    case GPUOPT_E5M2:
      return decode_small(*small_format(t), load<uint8_t>(p));
    default:
      return double(decode_integer(t, p));
  }
}

int64_t decode_integer(gpuopt_dtype t, const void *p) {
  switch (t) {
    case GPUOPT_I8:
      return load<int8_t>(p);
    case GPUOPT_U8:
      return load<uint8_t>(p);
    case GPUOPT_I32:
      return load<int32_t>(p);
    case GPUOPT_I64:
      return load<int64_t>(p);
    default:
      return 0;
  }
}

double round_to(gpuopt_dtype t, double x) {
  if (const Format *f = small_format(t)) return round_small(*f, x);
  if (t == GPUOPT_F32) return double(static_cast<float>(x));
  if (t == GPUOPT_F64) return x;
  return double(round_integer(t, x));
}

void encode(gpuopt_dtype t, double x, void *p) {
  if (const Format *f = small_format(t)) {
    const uint32_t bits = encode_small(*f, round_small(*f, x));
    const uint16_t wide = uint16_t(bits);
    const uint8_t narrow = uint8_t(bits);
    std::memcpy(p, gpuopt_dtype_size(t) == 2 ? static_cast<const void *>(&wide) : &narrow,
                size_t(gpuopt_dtype_size(t)));
  } else if (t == GPUOPT_F32) {
    const float v = static_cast<float>(x);
    std::memcpy(p, &v, sizeof v);
  } else if (t == GPUOPT_F64) {
    std::memcpy(p, &x, sizeof x);
  } else {
    encode_integer(t, round_integer(t, x), p);
  }
}

void encode_integer(gpuopt_dtype t, int64_t x, void *p) {
  int64_t least, most;
  integer_limits(t, &least, &most);
  x = x < least ? least : x > most ? most : x;
  std::memcpy(p, &x, size_t(gpuopt_dtype_size(t)));  // little endian, two's complement: both supported machines
}

}  // namespace gpuopt_check
