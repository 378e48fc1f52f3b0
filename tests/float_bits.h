// A float and its pattern.
#pragma once
#include <cstdint>
#include <cstring>

namespace gpuopt_test {

inline float float_of(uint32_t bits) {
  float x;
  std::memcpy(&x, &bits, sizeof x);
  return x;
}
inline uint32_t bits_of(float x) {
  uint32_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  return bits;
}

}  // namespace gpuopt_test
