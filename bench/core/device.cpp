#include "device.h"

#include <cuda_runtime_api.h>

#include "error.h"

namespace gpuopt_bench {
namespace {

int attribute(cudaDeviceAttr which, int ordinal) {
  int value = 0;
  BENCH_CUDA(cudaDeviceGetAttribute(&value, which, ordinal));
  return value;
}

}  // namespace

DeviceInfo device_info(int ordinal) {
  DeviceInfo d;
  cudaDeviceProp properties;
  BENCH_CUDA(cudaGetDeviceProperties(&properties, ordinal));
  char bus[32] = "";
  BENCH_CUDA(cudaDeviceGetPCIBusId(bus, sizeof bus, ordinal));
  BENCH_CUDA(cudaDriverGetVersion(&d.driver_version));
  BENCH_CUDA(cudaRuntimeGetVersion(&d.runtime_version));
  d.ordinal = ordinal;
  d.name = properties.name;
  d.pci_bus_id = bus;
  d.cc = 10 * properties.major + properties.minor;
  d.sm_count = properties.multiProcessorCount;
  d.l2_bytes = static_cast<size_t>(properties.l2CacheSize);
  d.memory_bytes = properties.totalGlobalMem;
  d.max_sm_mhz = attribute(cudaDevAttrClockRate, ordinal) / 1000;
  d.max_memory_mhz = attribute(cudaDevAttrMemoryClockRate, ordinal) / 1000;
  d.driver = gpuopt_measure::driver_version();
  if (d.driver.empty()) d.driver = "CUDA " + version_text(d.driver_version);
  return d;
}

Clocks read_clocks(const DeviceInfo &device) { return gpuopt_measure::read_clocks(device.pci_bus_id); }

}  // namespace gpuopt_bench
