// The truth of a reduction; truth.cpp has the other ops.
#pragma once
#include "truth.h"

namespace gpuopt_check {
void reduce_truth(const Problem &problem, Truth *truth);
}
