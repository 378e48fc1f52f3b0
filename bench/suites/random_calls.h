// Random problems of an operation, as people have them: log-uniform extents, half of them odd, every type and layout,
// batches, paddings, stages; about a microsecond to a millisecond of a fast GPU each, and at most 1 GB. No CUDA.
#pragma once
#include "gpuopt_call/call.h"

namespace gpuopt_bench {

// The index-th of a seed: a function of these three numbers alone, so that two builds measure the same problems.
gpuopt_call::Call random_call(int32_t op, uint64_t seed, uint64_t index);

}  // namespace gpuopt_bench
