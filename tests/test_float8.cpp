// fp8 on devices before 8.9 (common/element.cuh): the same operations on the host, against the CPU kernels' conversions and the
// toolkit's.
#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>

#include "common/convert.h"
#include "common/element.cuh"
#include "float_bits.h"

namespace {

using gpuopt_test::bits_of;
using gpuopt_test::float_of;

// Every exponent and every fraction of seven bits, with what below them decides how they are rounded. Of three bits and a rest
// that is none, half, or beside them, any fraction of fp8 is a case as well.
template <class F>
void for_each_rounding(F &&f) {
  for (uint32_t upper = 0; upper < 0x10000; ++upper)
    for (const uint32_t lower : {0u, 1u, 0x7fffu, 0x8000u, 0x8001u, 0xffffu}) f(upper << 16 | lower);
}

template <class T>
void check_fp8(float (*cpu_widen)(uint8_t), uint8_t (*cpu_narrow)(float)) {
  for (int pattern = 0; pattern < 256; ++pattern) {
    const auto x = static_cast<uint8_t>(pattern);
    const float have = gpuopt::emulated_widen<T>(x), want = cpu_widen(x);
    CAPTURE(pattern);
    CHECK(std::isnan(have) == std::isnan(want));
    if (!std::isnan(want)) CHECK(bits_of(have) == bits_of(want));
  }
  int wrong = 0;
  for_each_rounding([&](uint32_t bits) {
    const float x = float_of(bits);
    const uint8_t have = gpuopt::emulated_narrow<T>(x);
    wrong += have != __nv_cvt_float_to_fp8(x, __NV_SATFINITE, gpuopt::kFp8Kind<T>);
    wrong += std::isnan(x) ? have != 0x7f : have != cpu_narrow(x);
  });
  CHECK(wrong == 0);
}

}  // namespace

TEST_CASE("float8: fp8 without instructions for it is what the CPU kernels and the toolkit make of it") {
  SUBCASE("e4m3") { check_fp8<__nv_fp8_e4m3>(gpuopt::cpu::e4m3_to_float, gpuopt::cpu::float_to_e4m3); }
  SUBCASE("e5m2") { check_fp8<__nv_fp8_e5m2>(gpuopt::cpu::e5m2_to_float, gpuopt::cpu::float_to_e5m2); }
}
