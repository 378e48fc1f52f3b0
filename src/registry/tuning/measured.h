// Problems of which the times of kernels were measured, as points: how far two of them lie from each other, and the problem
// that a key speaks of, for kernels to predict.
#pragma once
#include <cstdint>

#include "gpuopt/kernel.h"
#include "tuning/tune_key.h"

namespace gpuopt {

struct TunePoint {
  float extent[4];  // log2 of m, n, k and batch
  uint8_t op, compute, variant, axis;
  uint8_t type[4], place[4];  // of the first operands: types that kernels treat alike are one; layout and alignment
  uint8_t stages;             // whether there are any
  uint8_t unused;
  uint16_t device;
};

TunePoint point_of(const TuneKey &key, uint32_t device);

// The square of their distance; infinite between problems that tell nothing of each other.
float distance2(const TunePoint &a, const TunePoint &b);

// The problem of an exact key, on the device of another and within the usual workspace. Its operands lie nowhere, and lines that do
// not follow each other are as near as their alignment allows.
gpuopt_problem problem_of_key(const TuneKey &key, const gpuopt_problem &other);

}  // namespace gpuopt
