#include "memory.h"

#include <algorithm>
#include <string>
#include <utility>

#include "error.h"
#include "gpuopt/gpuopt.h"

namespace gpuopt_bench {

DeviceMemory::DeviceMemory(size_t bytes) : bytes_(bytes) {
  const cudaError_t code = cudaMalloc(&data_, std::max<size_t>(bytes, 256));
  if (code == cudaErrorMemoryAllocation) {
    cudaGetLastError();  // not sticky: the next row may be smaller
    throw Refused("the device has no room for " + std::to_string(bytes >> 20) + " MiB");
  }
  BENCH_CUDA(code);
}

DeviceMemory::~DeviceMemory() { cudaFree(data_); }

DeviceMemory::DeviceMemory(DeviceMemory &&other) noexcept { *this = std::move(other); }

DeviceMemory &DeviceMemory::operator=(DeviceMemory &&other) noexcept {
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

OperandSets::OperandSets(const std::vector<OperandShape> &shapes, int sets, cudaStream_t stream) : sets_(sets) {
  for (size_t i = 0; i < shapes.size(); ++i) {
    const int64_t element = gpuopt_dtype_size(shapes[i].dtype);
    const int64_t bytes = shapes[i].count * element;
    bytes_per_set_ += bytes;
    stride_.push_back((static_cast<size_t>(bytes) + 255) & ~size_t{255});
    memory_.emplace_back(stride_[i] * static_cast<size_t>(sets));
    fill_normal(memory_[i].data(), shapes[i].dtype, static_cast<int64_t>(memory_[i].bytes()) / element, 0x5eed + i,
                stream);
  }
  BENCH_CUDA(cudaStreamSynchronize(stream));
}

}  // namespace gpuopt_bench
