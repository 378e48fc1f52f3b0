// What this machine's CPU can do at most: copying, reading, multiplying and adding, by so many threads at once.
#pragma once
#include <vector>

#include "gpuopt_roofline/roofline.h"

namespace gpuopt_roofline {

// "copy", "read", "fp32 FMA", "fp64 FMA"; seconds of each, roughly.
std::vector<Ceiling> measure_cpu(int threads, double seconds);

}  // namespace gpuopt_roofline
