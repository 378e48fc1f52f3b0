// Device memory of a benchmark: operands in several equal sets, so that calls can rotate through more bytes than the L2
// cache holds, filled with random normal data (never zeros or small integers: they run faster than real data).
#pragma once
#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "device.h"
#include "set_rotation.h"

namespace gpuopt_bench {

class DeviceMemory {
 public:
  DeviceMemory() = default;
  explicit DeviceMemory(size_t bytes);  // throws Refused when the device has not that much left
  ~DeviceMemory();
  DeviceMemory(DeviceMemory &&other) noexcept;
  DeviceMemory &operator=(DeviceMemory &&other) noexcept;
  DeviceMemory(const DeviceMemory &) = delete;
  DeviceMemory &operator=(const DeviceMemory &) = delete;
  void *data() const { return data_; }
  size_t bytes() const { return bytes_; }

 private:
  void *data_ = nullptr;
  size_t bytes_ = 0;
};

// Random normal values (mean 0, deviation 1; integers: deviation 20, rounded and saturated; b128: random bits) in count
// elements of a GPUOPT_* data type, as a function of the seed.
void fill_normal(void *data, int32_t dtype, int64_t count, uint64_t seed, cudaStream_t stream);

struct OperandShape {
  int32_t dtype;
  int64_t count;  // elements
};

class OperandSets {
 public:
  // Allocates and fills `sets` copies of these operands, each 256-byte aligned. Throws Refused when they do not fit.
  OperandSets(const std::vector<OperandShape> &shapes, int sets, cudaStream_t stream);
  int sets() const { return sets_; }
  size_t operands() const { return memory_.size(); }
  int64_t bytes_per_set() const { return bytes_per_set_; }
  void *at(size_t operand, int set) const {
    return static_cast<char *>(memory_[operand].data()) + static_cast<size_t>(set) * stride_[operand];
  }

 private:
  int sets_;
  int64_t bytes_per_set_ = 0;
  std::vector<DeviceMemory> memory_;
  std::vector<size_t> stride_;
};

inline int sets_past_l2(const DeviceInfo &device, int64_t bytes_per_set) {
  return sets_past_l2(static_cast<int64_t>(device.l2_bytes), bytes_per_set);
}

}  // namespace gpuopt_bench
