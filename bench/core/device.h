// The device under test: what it is, and the clocks it runs at right now. Nothing here changes a setting.
#pragma once
#include <cstddef>
#include <string>

#include "clocks.h"

namespace gpuopt_bench {

struct DeviceInfo {
  int ordinal = 0;
  std::string name, pci_bus_id, driver;  // driver: "580.159.04", or the CUDA version it supports
  int cc = 0, sm_count = 0;
  size_t l2_bytes = 0, memory_bytes = 0;
  int driver_version = 0, runtime_version = 0;  // as CUDA encodes them
  int max_sm_mhz = 0, max_memory_mhz = 0;
};
DeviceInfo device_info(int ordinal);

using gpuopt_measure::Clocks;
Clocks read_clocks(const DeviceInfo &device);

// 13000: "13.0"
inline std::string version_text(int cuda_version) {
  return std::to_string(cuda_version / 1000) + "." + std::to_string(cuda_version % 1000 / 10);
}

}  // namespace gpuopt_bench
