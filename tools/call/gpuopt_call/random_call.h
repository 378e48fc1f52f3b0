// Random problems of an operation, as people have them: log-uniform extents, half of them odd, every type and layout,
// batches, paddings, stages; about a microsecond to a millisecond of a fast GPU each, and at most 1 GB. No CUDA.
#pragma once
#include "gpuopt_call/call.h"

namespace gpuopt_call {

// The index-th of a seed: a function of these numbers alone, so that two builds measure the same problems. Members of an index
// are a family, as an application has them: the call of member 0 with extents a little more or less, and of the same alignment.
Call random_call(int32_t op, uint64_t seed, uint64_t index, uint64_t member = 0);

}  // namespace gpuopt_call
