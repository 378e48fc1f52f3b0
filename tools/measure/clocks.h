// What a GPU runs at right now, and what holds its clocks back, by NVML, which belongs to the driver and is loaded by name when it
// is first asked. Nothing here changes a setting.
#pragma once
#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <thread>

namespace gpuopt_measure {

// 0 where the machine does not tell.
struct Clocks {
  unsigned sm_mhz = 0, memory_mhz = 0, celsius = 0, watts = 0;
  uint64_t held_back = 0;  // bits of NVML's clock event reasons
};
Clocks read_clocks(const std::string &pci_bus_id);
std::string driver_version();  // "580.159.04", or ""

// "power cap, heat": what holds clocks back; "" where nothing does. That a GPU idles is no such thing.
std::string held_back_text(uint64_t reasons);

// What happened to the clocks while something ran: looks every now and then, on a thread of its own, until it is stopped.
class ClockWatch {
 public:
  struct Seen {
    unsigned least_sm_mhz = 0, most_sm_mhz = 0, celsius = 0, watts = 0;  // the highest; 0: not known
    uint64_t held_back = 0;                                              // all reasons that were seen
  };
  explicit ClockWatch(std::function<Clocks()> read);
  ~ClockWatch();
  ClockWatch(const ClockWatch &) = delete;
  ClockWatch &operator=(const ClockWatch &) = delete;
  Seen stop();

 private:
  void look();
  std::function<Clocks()> read_;
  Seen seen_;
  std::atomic<bool> stopped_{false};
  std::thread thread_;
};

}  // namespace gpuopt_measure
