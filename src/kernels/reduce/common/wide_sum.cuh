// MEAN and NRM2 of integers: sums of 192 bits, which are exact for as many squares of i64, each at most 2^126, as memory
// can hold.
#pragma once

#include "reduce/common/ops.cuh"

namespace gpuopt {

// Two's complement.
struct WideInteger {
  uint64_t low, middle, high;
};

__device__ __forceinline__ WideInteger operator+(const WideInteger &a, const WideInteger &b) {
  WideInteger sum;
  asm("add.cc.u64 %0, %3, %6;\n\t"
      "addc.cc.u64 %1, %4, %7;\n\t"
      "addc.u64 %2, %5, %8;"
      : "=l"(sum.low), "=l"(sum.middle), "=l"(sum.high)
      : "l"(a.low), "l"(a.middle), "l"(a.high), "l"(b.low), "l"(b.middle), "l"(b.high));
  return sum;
}

static_assert(sizeof(WideInteger) == kWideBytes, "of a partial");

__device__ __forceinline__ WideInteger shuffle_across(const WideInteger &x, int by) {
  return {__shfl_xor_sync(~0u, x.low, by), __shfl_xor_sync(~0u, x.middle, by), __shfl_xor_sync(~0u, x.high, by)};
}
__device__ __forceinline__ WideInteger shuffle_down(const WideInteger &x, int by) {
  return {__shfl_down_sync(~0u, x.low, by), __shfl_down_sync(~0u, x.middle, by), __shfl_down_sync(~0u, x.high, by)};
}

// x and its square.
__device__ __forceinline__ WideInteger wide_of(int64_t x) {
  const auto sign = static_cast<uint64_t>(x >> 63);
  return {static_cast<uint64_t>(x), sign, sign};
}
__device__ __forceinline__ WideInteger wide_square_of(int64_t x) {
  const auto bits = static_cast<uint64_t>(x);
  return {bits * bits, static_cast<uint64_t>(__mul64hi(x, x)), 0};
}
__device__ __forceinline__ WideInteger wide_square_of(int32_t x) {
  return {static_cast<uint64_t>(int64_t{x} * x), 0, 0};
}

// Rounded once.
__device__ __forceinline__ double number_of(WideInteger x) {
  const bool negative = x.high >> 63 != 0;
  if (negative) x = WideInteger{~x.low, ~x.middle, ~x.high} + WideInteger{1, 0, 0};
  // The 64 bits from the highest on, the last of which also stands for all below them, times a power of two.
  int power = 128;
#pragma unroll
  for (int word = 0; word < 2; ++word) {
    if (x.high != 0) continue;
    x = {0, x.low, x.middle};
    power -= 64;
  }
  const int zeros = x.high == 0 ? 0 : __clzll(static_cast<int64_t>(x.high));
  if (zeros > 0) {
    x.high = x.high << zeros | x.middle >> (64 - zeros);
    x.middle <<= zeros;
  }
  const uint64_t leading = x.high | (x.middle != 0 || x.low != 0 ? 1 : 0);
  const double scale = __longlong_as_double(int64_t{1023 + power - zeros} << 52), magnitude = __ull2double_rn(leading);
  return (negative ? -magnitude : magnitude) * scale;
}

// Exact, and rounded once when it has become a float: number() is a double.
template <class C>
struct WideSum {
  using Computed = C;
  static constexpr bool kReadsY = false;
  using Partial = WideInteger;
  using Second = WideSum<C>;
  OpState state;

  __device__ static Partial identity() { return {0, 0, 0}; }
  template <class T>
  __device__ Partial term(T value) const {
    return state.map == kSquare ? wide_square_of(value) : wide_of(value);
  }
  __device__ Partial map(C value, C, int64_t) const { return term(value); }
  __device__ static Partial combine(const Partial &a, const Partial &b) { return a + b; }
  __device__ double number(const Partial &x) const { return number_of(x); }
};

}  // namespace gpuopt
