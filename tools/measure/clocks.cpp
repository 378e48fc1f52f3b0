// The few functions of NVML are declared here as its documentation gives them, so that no header of it is needed.
#include "clocks.h"

#include <dlfcn.h>

#include <algorithm>
#include <chrono>

namespace gpuopt_measure {
namespace {

constexpr std::chrono::milliseconds kBetweenLooks(20);

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
    // Named so since NVML 12; the older name is still there.
    reasons_ = find<decltype(reasons_)>("nvmlDeviceGetCurrentClocksEventReasons");
    if (reasons_ == nullptr) reasons_ = find<decltype(reasons_)>("nvmlDeviceGetCurrentClocksThrottleReasons");
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
    unsigned long long reasons = 0;
    if (reasons_ != nullptr && reasons_(device, &reasons) == 0) now.held_back = reasons;
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
  int (*reasons_)(void *, unsigned long long *) = nullptr;
  int (*driver_)(char *, unsigned) = nullptr;
};

const Nvml &nvml() {
  static const Nvml instance;
  return instance;
}

struct Reason {
  uint64_t bits;
  const char *text;
};
constexpr Reason kReasons[] = {{0x2, "clocks set by an application"},
                               {0x4, "power cap"},
                               {0x8, "hardware slowdown"},
                               {0x10, "sync boost"},
                               {0x20 | 0x40, "heat"},
                               {0x80, "power brake"},
                               {0x100, "display clocks"}};

}  // namespace

Clocks read_clocks(const std::string &pci_bus_id) { return nvml().clocks(pci_bus_id); }
std::string driver_version() { return nvml().driver(); }

std::string held_back_text(uint64_t reasons) {
  std::string text;
  for (const Reason &r : kReasons)
    if (reasons & r.bits) text += (text.empty() ? "" : ", ") + std::string(r.text);
  return text;
}

ClockWatch::ClockWatch(std::function<Clocks()> read) : read_(std::move(read)) {
  look();
  if (seen_.most_sm_mhz == 0) return;
  thread_ = std::thread([this] {
    while (!stopped_) {
      std::this_thread::sleep_for(kBetweenLooks);
      look();
    }
  });
}

ClockWatch::~ClockWatch() { stop(); }

ClockWatch::Seen ClockWatch::stop() {
  stopped_ = true;
  if (thread_.joinable()) thread_.join();
  return seen_;
}

void ClockWatch::look() {
  const Clocks now = read_();
  if (now.sm_mhz == 0) return;
  if (seen_.least_sm_mhz == 0 || now.sm_mhz < seen_.least_sm_mhz) seen_.least_sm_mhz = now.sm_mhz;
  seen_.most_sm_mhz = std::max(seen_.most_sm_mhz, now.sm_mhz);
  seen_.celsius = std::max(seen_.celsius, now.celsius);
  seen_.watts = std::max(seen_.watts, now.watts);
  seen_.held_back |= now.held_back;
}

}  // namespace gpuopt_measure
