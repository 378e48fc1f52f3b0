// log2 of the normal distribution's tail, (1 - erf(a / sqrt 2)) / 2, for the device (fast_math.cuh) and for tests: so close to
// a parabola that a short polynomial does. Fitted so that the greatest error of the tail, relative to 1 + tail, is the least.
#pragma once

namespace gpuopt {
constexpr float kTailEnd = 15.0f;
constexpr float tail_exponent(float a) {  // 0 <= a <= kTailEnd
  float exponent = a * -0.000515508291f + 0.00736730592f;
  exponent = exponent * a - 0.052498389f;
  exponent = exponent * a - 0.459307551f;
  exponent = exponent * a - 1.15107501f;
  return exponent * a - 1.00000119f;
}
}  // namespace gpuopt
