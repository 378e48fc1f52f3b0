// Helper kernels of the timer and of the suites.
#pragma once
#include <cuda_runtime_api.h>

#include <cstddef>

namespace gpuopt_bench {

// Keeps the stream busy for this many clock cycles, on one thread of one SM.
void launch_spin(long long cycles, cudaStream_t stream);
// Reads bytes of memory once, so that the L2 cache holds nothing else. Reading leaves no dirty lines, whose write-back
// would be charged to the call that is timed next.
void launch_read_once(const void *data, size_t bytes, void *sink, cudaStream_t stream);

// Does nothing: what a launch alone costs.
void launch_empty(cudaStream_t stream);

}  // namespace gpuopt_bench
