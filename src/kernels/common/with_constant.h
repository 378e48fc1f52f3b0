// From what a problem says to template arguments, on the host.
#pragma once

#include <type_traits>

#include "common/dtypes.cuh"

namespace gpuopt {

// f(integral_constant<int, value>{}) for the one of the values that it is; the last where it is none of them.
template <int kFirst, int... kOthers, class F>
auto with_constant(int value, F &&f) {
  if constexpr (sizeof...(kOthers) > 0) {
    if (value != kFirst) return with_constant<kOthers...>(value, f);
  }
  return f(std::integral_constant<int, kFirst>{});
}

// f(Type<T>{}) for the one of the types that dtype names, likewise.
template <class First, class... Others, class F>
auto with_one_of(int32_t dtype, F &&f) {
  if constexpr (sizeof...(Others) > 0) {
    if (dtype != dtype_of<First>) return with_one_of<Others...>(dtype, f);
  }
  return f(Type<First>{});
}

}  // namespace gpuopt
