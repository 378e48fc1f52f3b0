// The copy ceiling: the faster of cudaMemcpyAsync and our own copy kernels, measured like any contender. "Percent of copy"
// is against it, for the same bytes in the same mode.
#pragma once
#include <cuda_runtime_api.h>

#include <cstddef>
#include <string>
#include <vector>

#include "timing.h"

namespace gpuopt_bench {

struct CopyShape {
  std::string name;  // method and size: "vec16_256x4": 256 threads, 4 loads of 16 bytes each in flight
  void (*launch)(void *dst, const void *src, size_t bytes, cudaStream_t stream);  // both 16-byte aligned
};

// The shapes this device can run.
const std::vector<CopyShape> &copy_shapes(const DeviceInfo &device);
// The fastest of them for this many bytes, found by a short measurement once per power of two and remembered.
const CopyShape &best_copy_shape(Session &session, size_t bytes);

// Two contenders, cudaMemcpyAsync and the best shape, that copy `bytes` from operand src to operand dst of the sets.
std::vector<Contender> copy_contenders(Session &session, const OperandSets &sets, size_t src, size_t dst, size_t bytes);

}  // namespace gpuopt_bench
