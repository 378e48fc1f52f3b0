// What a device can do at most, measured here and now: the rates of its memories and of its arithmetic units, and how long one
// access takes. For `gpuopt roofline`. Tensor cores are not among them: what they reach is known of products only.
#pragma once
#include <string>
#include <vector>

#include "timing.h"

namespace gpuopt_bench {

struct Rate {
  std::string name;    // "copy", "read", "L2", "shared memory", "fp32 FMA", "fp64 FMA"
  bool flops = false;  // TFLOP/s, else GB/s
  double value = 0;
  std::string method;  // the contender or kernel that it is the rate of
};
// Copy and read as the suite `copy` measures them, cold, by the fastest of the same contenders; the others by kernels that do
// nothing else. Throws CudaError, Refused.
std::vector<Rate> measure_rates(Session &session);

struct Latency {
  std::string name;  // "shared memory", "L1", "L2", "memory"
  double clocks = 0, ns = 0;
};
// Of one load that waits for the one before it.
std::vector<Latency> measure_latencies(Session &session);

// Threads of a block by cudaOccupancyMaxPotentialBlockSize, of a __global__ function by its address; 0: CUDA does not tell.
int recommended_threads(const void *entry, size_t dynamic_smem);

}  // namespace gpuopt_bench
