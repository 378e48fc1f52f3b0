// Which rows of a matrix begin alike.
#pragma once

#include "gpuopt/kernel.h"

namespace gpuopt {

// How many rows lie between one and the next that begins alike, a power of two: in units of a vector's elements.
inline int32_t alike_period(const gpuopt_operand &operand, int32_t elements) {
  int32_t period = elements;
  while (period > 1 && operand.m.ld * (period / 2) % elements == 0) period /= 2;
  return period;
}

}  // namespace gpuopt
