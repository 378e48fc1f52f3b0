// The polynomial behind GELU on the device (common/normal_tail.h), without a GPU: what a stage may lose by it.
#include "common/normal_tail.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "float_bits.h"
#include "worst.h"

namespace {

using gpuopt_test::bits_of;
using gpuopt_test::float_of;
using gpuopt_test::note;

}  // namespace

TEST_CASE("normal_tail: GELU by it loses less than half of what a stage may, on floats from 2^-20 to its end") {
  double worst = 0, worst_tail = 0;
  for (uint32_t bits = bits_of(0x1p-20f); bits <= bits_of(gpuopt::kTailEnd); bits += 61) {
    const float a = float_of(bits);
    const double exact = std::erfc(static_cast<double>(a) * 0.70710678118654752440) / 2,
                 by_power = std::exp2(static_cast<double>(gpuopt::tail_exponent(a)));
    note(&worst_tail, std::fabs(by_power - exact));
    for (const double off : {-0x1p-22, 0x1p-22}) {  // ex2.approx is within 2 units in the last place
      const auto t = static_cast<float>(by_power * (1 + off));
      for (const float x : {a, -a}) {
        const double y = std::fma(-a, t, std::max(x, 0.0f)), gelu = x < 0 ? -a * exact : a * (1 - exact);
        note(&worst, std::fabs(y - gelu) / (16 * 0x1p-24 * (std::fabs(gelu) + a)));
      }
    }
  }
  CHECK(worst < 0.45);
  CHECK(worst_tail < 4.5e-7);
}
