/* Every data type to and from double, exactly as the library rounds.
 *
 * Loads are exact. Stores round once, to nearest even, straight from the double (going through float would
 * round twice). What does not fit: f32, f16, bf16   infinity e4m3, e5m2       saturate to +-448 and +-57344,
 * infinities too; NaN stays NaN integers         saturate; NaN gives 0 fp8 is OCP fp8: e4m3fn has no infinity
 * and one NaN pattern a sign, e5m2 is shaped like IEEE.
 *
 * All functions have internal linkage: the files compiled for one instruction set use them too, and a shared
 * inline copy could end up with instructions that the machine lacks.
 */
#pragma once

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "gpuopt/gpuopt.h"

namespace gpuopt {
namespace cpu {

/* A binary floating-point format of at most 16 bits: sign, exponent, fraction. */
struct SmallFloat {
  int exponent_bits, fraction_bits;
  bool ieee;        /* the top exponent holds infinity and NaN; if not, only all ones is NaN */
  bool saturates;   /* on overflow: the largest finite value in place of infinity */
  uint32_t largest; /* pattern of the largest finite value */
  uint32_t quiet_nan;
};

constexpr SmallFloat kF16 = {5, 10, true, false, 0x7bff, 0x7e00};
constexpr SmallFloat kBF16 = {8, 7, true, false, 0x7f7f, 0x7fc0};
constexpr SmallFloat kE4M3 = {4, 3, false, true, 0x7e, 0x7f};
constexpr SmallFloat kE5M2 = {5, 2, true, true, 0x7b, 0x7e};

static inline double double_from_bits(uint64_t bits) {
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static inline uint64_t bits_of_double(double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

/* The exact value of a pattern. */
static inline double decode(const SmallFloat &format, uint32_t pattern) {
  const int exponent_ones = (1 << format.exponent_bits) - 1, bias = exponent_ones >> 1;
  const uint32_t fraction_ones = (1u << format.fraction_bits) - 1;
  const int exponent = int(pattern >> format.fraction_bits) & exponent_ones;
  const uint32_t fraction = pattern & fraction_ones;
  const uint64_t sign = uint64_t(pattern >> (format.exponent_bits + format.fraction_bits) & 1) << 63;
  if (exponent == exponent_ones && (format.ieee || fraction == fraction_ones)) {
    const uint64_t payload = format.ieee ? uint64_t(fraction) << (52 - format.fraction_bits) : uint64_t(1) << 51;
    return double_from_bits(sign | 0x7ff0000000000000u | payload);
  }
  if (exponent == 0) { /* subnormal: the fraction counts steps of the least value, which double holds with ease */
    const double step = double_from_bits(uint64_t(1023 + 1 - bias - format.fraction_bits) << 52);
    return sign ? -(double(fraction) * step) : double(fraction) * step;
  }
  return double_from_bits(sign | uint64_t(exponent - bias + 1023) << 52 |
                          uint64_t(fraction) << (52 - format.fraction_bits));
}

/* The pattern nearest to value, ties to the even pattern. */
static inline uint32_t encode(const SmallFloat &format, double value) {
  const uint64_t bits = bits_of_double(value);
  const uint32_t sign = uint32_t(bits >> 63) << (format.exponent_bits + format.fraction_bits);
  const uint64_t magnitude = bits & 0x7fffffffffffffffu;
  if (magnitude > 0x7ff0000000000000u) return sign | format.quiet_nan;
  const uint32_t overflow = sign | (format.saturates ? format.largest : format.largest + 1);
  if (magnitude == 0x7ff0000000000000u) return overflow;

  const int least_exponent = 2 - (1 << (format.exponent_bits - 1)); /* of a normal number */
  const int exponent = int(magnitude >> 52) - 1023;
  const uint64_t significand = (magnitude & 0x000fffffffffffffu) | 0x0010000000000000u;
  const int below = exponent < least_exponent ? least_exponent - exponent : 0;
  const int shift = 52 - format.fraction_bits + below;
  if (shift > 53) return sign; /* under half of the least value; double's own subnormals and 0 are far below it */
  uint64_t kept = significand >> shift;
  const uint64_t lost = significand & ((uint64_t(1) << shift) - 1), half = uint64_t(1) << (shift - 1);
  if (lost > half || (lost == half && (kept & 1))) ++kept;
  /* A normal number's leading one adds 1 to the exponent field, and so does a carry out of the fraction. */
  const uint64_t field = below ? 0 : uint64_t(exponent - least_exponent) << format.fraction_bits;
  const uint64_t pattern = field + kept;
  return pattern > format.largest ? overflow : sign | uint32_t(pattern);
}

static inline float f16_to_float(uint16_t pattern) { return float(decode(kF16, pattern)); }
static inline float bf16_to_float(uint16_t pattern) { return float(decode(kBF16, pattern)); }
static inline float e4m3_to_float(uint8_t pattern) { return float(decode(kE4M3, pattern)); }
static inline float e5m2_to_float(uint8_t pattern) { return float(decode(kE5M2, pattern)); }
static inline uint16_t float_to_f16(float value) { return uint16_t(encode(kF16, value)); }
static inline uint16_t float_to_bf16(float value) { return uint16_t(encode(kBF16, value)); }
static inline uint8_t float_to_e4m3(float value) { return uint8_t(encode(kE4M3, value)); }
static inline uint8_t float_to_e5m2(float value) { return uint8_t(encode(kE5M2, value)); }

static inline int64_t dtype_size(int32_t dtype) {
  switch (dtype) {
#define GPUOPT_X_(name, value, bytes, text, cls, what) \
  case GPUOPT_##name:                                  \
    return bytes;
    GPUOPT_DTYPE_TABLE(GPUOPT_X_)
#undef GPUOPT_X_
    default:
      return 0;
  }
}

static inline bool is_integer(int32_t dtype) {
  return dtype == GPUOPT_I8 || dtype == GPUOPT_U8 || dtype == GPUOPT_I32 || dtype == GPUOPT_I64;
}

/* Nearest even; saturates to [least, greatest]; NaN gives 0. */
static inline int64_t round_to_integer(double value, int64_t least, int64_t greatest) {
  if (value != value) return 0;
  const double rounded = nearbyint(value);
  if (rounded <= double(least)) return least;
  if (rounded >= double(greatest)) return greatest; /* double(INT64_MAX) is 2^63, the first value that does not fit */
  return int64_t(rounded);
}

/* dtype, not the compiler's idea of the array, says which of these branches can be reached. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Warray-bounds"
#pragma GCC diagnostic ignored "-Wstringop-overflow"
#endif

/* Element index of an array of dtype. A 64-bit integer beyond 2^53 is rounded; load_i64 is exact. */
static inline double load(const void *data, int32_t dtype, int64_t index) {
  switch (dtype) {
    case GPUOPT_F32:
      return static_cast<const float *>(data)[index];
    case GPUOPT_F64:
      return static_cast<const double *>(data)[index];
    case GPUOPT_F16:
      return decode(kF16, static_cast<const uint16_t *>(data)[index]);
    case GPUOPT_BF16:
      return decode(kBF16, static_cast<const uint16_t *>(data)[index]);
    case GPUOPT_E4M3:
      return decode(kE4M3, static_cast<const uint8_t *>(data)[index]);
    case GPUOPT_E5M2:
      return decode(kE5M2, static_cast<const uint8_t *>(data)[index]);
    case GPUOPT_I8:
      return static_cast<const int8_t *>(data)[index];
    case GPUOPT_U8:
      return static_cast<const uint8_t *>(data)[index];
    case GPUOPT_I32:
      return static_cast<const int32_t *>(data)[index];
    case GPUOPT_I64:
      return double(static_cast<const int64_t *>(data)[index]);
    default:
      return 0;
  }
}

static inline void store(void *data, int32_t dtype, int64_t index, double value) {
  switch (dtype) {
    case GPUOPT_F32:
      static_cast<float *>(data)[index] = float(value);
      return;
    case GPUOPT_F64:
      static_cast<double *>(data)[index] = value;
      return;
    case GPUOPT_F16:
      static_cast<uint16_t *>(data)[index] = uint16_t(encode(kF16, value));
      return;
    case GPUOPT_BF16:
      static_cast<uint16_t *>(data)[index] = uint16_t(encode(kBF16, value));
      return;
    case GPUOPT_E4M3:
      static_cast<uint8_t *>(data)[index] = uint8_t(encode(kE4M3, value));
      return;
    case GPUOPT_E5M2:
      static_cast<uint8_t *>(data)[index] = uint8_t(encode(kE5M2, value));
      return;
    case GPUOPT_I8:
      static_cast<int8_t *>(data)[index] = int8_t(round_to_integer(value, -128, 127));
      return;
    case GPUOPT_U8:
      static_cast<uint8_t *>(data)[index] = uint8_t(round_to_integer(value, 0, 255));
      return;
    case GPUOPT_I32:
      static_cast<int32_t *>(data)[index] = int32_t(round_to_integer(value, INT32_MIN, INT32_MAX));
      return;
    case GPUOPT_I64:
      static_cast<int64_t *>(data)[index] = round_to_integer(value, INT64_MIN, INT64_MAX);
      return;
    default:
      return;
  }
}

/* The same for integer types without a detour through double. */
static inline int64_t load_i64(const void *data, int32_t dtype, int64_t index) {
  return dtype == GPUOPT_I64 ? static_cast<const int64_t *>(data)[index] : int64_t(load(data, dtype, index));
}

static inline void store_i64(void *data, int32_t dtype, int64_t index, int64_t value) {
  if (dtype == GPUOPT_I64)
    static_cast<int64_t *>(data)[index] = value;
  else
    store(data, dtype, index, double(value));
}

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif

}  // namespace cpu
}  // namespace gpuopt
