// What the reductions compute, apart from how they walk the matrix. Six ops serve the eleven variants:
//
//   Sum      SUM, MEAN, SUMSQ, NRM2, ASUM: the sum of x, x^2 or |x|
//   WideSum  MEAN and NRM2 of integers whose sums may leave 64 bits
//   Dot      DOT
//   Product  PROD
//   Extreme  MIN, MAX
//   Arg      ARGMIN, ARGMAX
//
// An op has a Partial, the result of some elements: identity() of none, map() of one, combine() of two.
// Second is the op that combines the partials of different blocks: sums and products of 32-bit partials go on
// in fp64, where they cost nothing. number() turns a partial into a double, or an int64_t where x is of an
// integer type.
//
// Extremes are found among ordered keys: unsigned integers in the order of the values, with NaN first and the
// order reversed for a maximum. The least key is then the answer by the library's rules (NaN propagates, -0
// equals +0), combining is one integer minimum, and an atomic minimum works on it too.
#pragma once

#include <cstring>

#include "common/element.cuh"

namespace gpuopt {

constexpr int kWarp = 32;
constexpr int kLineInFlight = 4;  // 16-byte loads of a thread that reads a line

// Pinned: these numbers are spelled in the mangled names of the kernels.
// 5 and 6: dispatch.cuh.
enum : int { kSum = 0, kDot = 1, kProduct = 2, kExtreme = 3, kArg = 4, kWideSum = 7 };
enum : int32_t { kValue = 0, kSquare = 1, kMagnitude = 2 };

// What an op knows at run time only.
struct OpState {
  int32_t map;   // Sum: kValue, kSquare or kMagnitude
  int32_t most;  // Extreme, Arg: 1: the greatest, 0: the least
};

// The computing type of a data type, as a data type.
__host__ __device__ constexpr int computed_dtype(int dtype) {
  return dtype == GPUOPT_F64                                                                      ? GPUOPT_F64
         : dtype == GPUOPT_I8 || dtype == GPUOPT_U8 || dtype == GPUOPT_I32 || dtype == GPUOPT_I64 ? GPUOPT_I64
                                                                                                  : GPUOPT_F32;
}

// Floats of 16 bits; and the commonest types, for which more is compiled.
__host__ __device__ constexpr bool is_16bit_float(int dtype) { return dtype == GPUOPT_F16 || dtype == GPUOPT_BF16; }
__host__ __device__ constexpr bool is_common_float(int dtype) { return dtype == GPUOPT_F32 || is_16bit_float(dtype); }

// Storage and computing types of a data type.
template <int kDtype>
struct TypesOf;
#define GPUOPT_TYPES_(kDtype, T, C) \
  template <>                       \
  struct TypesOf<kDtype> {          \
    using Stored = T;               \
    using Computed = C;             \
  }
GPUOPT_TYPES_(GPUOPT_F32, float, float);
GPUOPT_TYPES_(GPUOPT_F64, double, double);
GPUOPT_TYPES_(GPUOPT_F16, __half, float);
GPUOPT_TYPES_(GPUOPT_BF16, __nv_bfloat16, float);
GPUOPT_TYPES_(GPUOPT_E4M3, __nv_fp8_e4m3, float);
GPUOPT_TYPES_(GPUOPT_E5M2, __nv_fp8_e5m2, float);
GPUOPT_TYPES_(GPUOPT_I8, int8_t, int64_t);
GPUOPT_TYPES_(GPUOPT_U8, uint8_t, int64_t);
GPUOPT_TYPES_(GPUOPT_I32, int32_t, int64_t);
GPUOPT_TYPES_(GPUOPT_I64, int64_t, int64_t);
#undef GPUOPT_TYPES_

// Integers are summed as unsigned, which wraps; number() makes them signed again.
template <class C>
using Summand = std::conditional_t<std::is_same_v<C, int64_t>, uint64_t, C>;
template <class C>
using Wider = std::conditional_t<std::is_same_v<C, float>, double, C>;

__host__ __device__ inline double number_of(double x) { return x; }
__host__ __device__ inline double number_of(float x) { return x; }
__host__ __device__ inline int64_t number_of(uint64_t x) { return static_cast<int64_t>(x); }

template <class C>
struct Sum {
  using Computed = C;
  static constexpr bool kReadsY = false;
  using Partial = Summand<C>;
  using Second = Sum<Wider<C>>;
  OpState state;

  __host__ __device__ static Partial identity() { return 0; }
  __host__ __device__ Partial map(C value, C, int64_t) const {
    const Partial x = static_cast<Partial>(value);
    if (state.map == kSquare) return x * x;
    if (state.map == kMagnitude) return value < 0 ? -x : x;  // NaN stays NaN
    return x;
  }
  __host__ __device__ static Partial combine(Partial a, Partial b) { return a + b; }
  __host__ __device__ auto number(Partial x) const { return number_of(x); }
};

// Those of MEAN and NRM2 (wide_sum.cuh).
template <class C>
struct WideSum;
constexpr int kWideBytes = 24;  // of a partial
template <class Op>
constexpr bool kIsWideSum = std::is_same_v<Op, WideSum<typename Op::Computed>>;

template <class C>
struct Dot {
  using Computed = C;
  static constexpr bool kReadsY = true;
  using Partial = Summand<C>;
  using Second = Sum<Wider<C>>;
  OpState state;

  __host__ __device__ static Partial identity() { return 0; }
  __host__ __device__ Partial map(C x, C y, int64_t) const { return static_cast<Partial>(x) * static_cast<Partial>(y); }
  __host__ __device__ static Partial combine(Partial a, Partial b) { return a + b; }
};

template <class C>
struct Product {
  using Computed = C;
  static constexpr bool kReadsY = false;
  using Partial = Summand<C>;
  using Second = Product<Wider<C>>;
  OpState state;

  __host__ __device__ static Partial identity() { return 1; }
  __host__ __device__ Partial map(C x, C, int64_t) const { return static_cast<Partial>(x); }
  __host__ __device__ static Partial combine(Partial a, Partial b) { return a * b; }
  __host__ __device__ auto number(Partial x) const { return number_of(x); }
};

// Ordered keys. Of a float: all bits inverted when negative, the sign bit set when not. Keys of numbers then
// lie strictly between 0, which stands for NaN, and ~0, in either order.
template <class C>
using Key = std::conditional_t<sizeof(C) == 4, uint32_t, uint64_t>;

template <class C>
__host__ __device__ __forceinline__ Key<C> to_key(C x, int32_t most) {
  using K = Key<C>;
  constexpr K kSign = K{1} << (sizeof(K) * 8 - 1);
  const K reverse = most ? ~K{0} : K{0};
  if constexpr (std::is_integral_v<C>) {
    return (static_cast<K>(x) ^ kSign) ^ reverse;
  } else {
    const C unsigned_zero = x + C(0);  // -0 + 0 is +0
    K bits;
    memcpy(&bits, &unsigned_zero, sizeof bits);
    const K key = (bits & kSign ? ~bits : bits | kSign) ^ reverse;
    return x != x ? K{0} : key;
  }
}

template <class C>
__host__ __device__ __forceinline__ C from_key(Key<C> key, int32_t most) {
  using K = Key<C>;
  constexpr K kSign = K{1} << (sizeof(K) * 8 - 1);
  const K reverse = most ? ~K{0} : K{0};
  if constexpr (std::is_integral_v<C>) {
    return static_cast<C>((key ^ reverse) ^ kSign);
  } else {
    if (key == 0) return std::numeric_limits<C>::quiet_NaN();
    const K ordered = key ^ reverse, bits = ordered & kSign ? ordered ^ kSign : ~ordered;
    C x;
    memcpy(&x, &bits, sizeof x);
    return x;
  }
}

template <class C>
__host__ __device__ __forceinline__ Wider<C> number_of_key(Key<C> key, int32_t most) {
  return static_cast<Wider<C>>(from_key<C>(key, most));
}

template <class C>
struct Extreme {
  using Computed = C;
  static constexpr bool kReadsY = false;
  using Partial = Key<C>;
  using Second = Extreme<C>;
  OpState state;

  __host__ __device__ static Partial identity() { return ~Partial{0}; }
  __host__ __device__ Partial map(C x, C, int64_t) const { return to_key(x, state.most); }
  __host__ __device__ static Partial combine(Partial a, Partial b) { return b < a ? b : a; }
  __host__ __device__ Wider<C> number(Partial x) const { return number_of_key<C>(x, state.most); }
};

template <class K>
struct KeyAt {
  K key;
  int64_t index;
};

template <class C>
struct Arg {
  using Computed = C;
  static constexpr bool kReadsY = false;
  using Partial = KeyAt<Key<C>>;
  using Second = Arg<C>;
  OpState state;

  __host__ __device__ static Partial identity() { return {~Key<C>{0}, INT64_MAX}; }
  __host__ __device__ Partial map(C x, C, int64_t index) const { return {to_key(x, state.most), index}; }
  __host__ __device__ static Partial combine(Partial a, Partial b) {
    const bool take_b = b.key < a.key || (b.key == a.key && b.index < a.index);
    return take_b ? b : a;
  }
  __host__ __device__ Wider<C> number(Partial x) const { return number_of_key<C>(x.key, state.most); }
};

// Whether an element may be taken twice.
template <class Op>
constexpr bool kIsIdempotent =
    std::is_same_v<Op, Extreme<typename Op::Computed>> || std::is_same_v<Op, Arg<typename Op::Computed>>;

template <int kOp, class C>
using OpOf = std::conditional_t<
    kOp == kSum, Sum<C>,
    std::conditional_t<
        kOp == kWideSum, WideSum<C>,
        std::conditional_t<
            kOp == kDot, Dot<C>,
            std::conditional_t<kOp == kProduct, Product<C>, std::conditional_t<kOp == kExtreme, Extreme<C>, Arg<C>>>>>>;
template <int kOp, int kDtype>
using OpFor = OpOf<kOp, typename TypesOf<kDtype>::Computed>;

}  // namespace gpuopt
