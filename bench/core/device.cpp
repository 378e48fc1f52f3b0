// Clocks come from NVML, which belongs to the driver: it is loaded by name, and its few functions are declared here as its
// documentation gives them, so that no header of it is needed.
#include "device.h"

#include <cuda_runtime_api.h>
#include <dlfcn.h>

#include "error.h"

namespace gpuopt_bench {
namespace {

class Nvml {
 public:
  Nvml() {
    library_ = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library_ == nullptr) return;
    const auto init = find<int (*)()>("nvmlInit_v2");
    by_pci_ = find<decltype(by_pci_)>("nvmlDeviceGetHandleByPciBusId_v2");
    clock_ = find<decltype(clock_)>("nvmlDeviceGetClockInfo");
    temperature_ = find<decltype(temperature_)>("nvmlDeviceGetTemperature");
    power_ = find<decltype(power_)>("nvmlDeviceGetPowerUsage");
    driver_ = find<decltype(driver_)>("nvmlSystemGetDriverVersion");
    usable_ = init != nullptr && by_pci_ != nullptr && init() == 0;
  }

  Clocks clocks(const std::string &pci_bus_id) const {
    Clocks now;
    void *device = nullptr;
    if (!usable_ || by_pci_(pci_bus_id.c_str(), &device) != 0) return now;
    constexpr int kSm = 1, kMemory = 2, kGpuTemperature = 0;
    if (clock_ != nullptr) {
      if (clock_(device, kSm, &now.sm_mhz) != 0) now.sm_mhz = 0;
      if (clock_(device, kMemory, &now.memory_mhz) != 0) now.memory_mhz = 0;
    }
    if (temperature_ != nullptr && temperature_(device, kGpuTemperature, &now.celsius) != 0) now.celsius = 0;
    unsigned milliwatts = 0;
    if (power_ != nullptr && power_(device, &milliwatts) == 0) now.watts = milliwatts / 1000;
    return now;
  }

  std::string driver() const {
    char text[96] = "";
    return usable_ && driver_ != nullptr && driver_(text, sizeof text) == 0 ? text : "";
  }

 private:
  template <class Function>
  Function find(const char *name) const {
    return reinterpret_cast<Function>(dlsym(library_, name));
  }

  void *library_ = nullptr;
  bool usable_ = false;
  int (*by_pci_)(const char *, void **) = nullptr;
  int (*clock_)(void *, int, unsigned *) = nullptr;
  int (*temperature_)(void *, int, unsigned *) = nullptr;
  int (*power_)(void *, unsigned *) = nullptr;
  int (*driver_)(char *, unsigned) = nullptr;
};

const Nvml &nvml() {
  static const Nvml instance;
  return instance;
}

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
  d.driver = nvml().driver();
  if (d.driver.empty()) d.driver = "CUDA " + version_text(d.driver_version);
  return d;
}

Clocks read_clocks(const DeviceInfo &device) { return nvml().clocks(device.pci_bus_id); }

}  // namespace gpuopt_bench
