// How many clusters of blocks run at once.
#pragma once

#include <cmath>

#include "gpuopt/kernel.h"

namespace gpuopt {

// of_sm: blocks that a multiprocessor has room for. A cluster of more than two lies within one group of 16 or so multiprocessors,
// which it seldom fills: what cudaOccupancyMaxActiveClusters says of chips of 132.
inline int64_t clusters_at_once(const gpuopt_device_facts &device, int64_t blocks, double of_sm) {
  constexpr double kShare = 0.91, kWideShare = 0.85;  // of up to eight blocks; of more
  const double share = blocks <= 2 ? 1.0 : blocks <= 8 ? kShare : kWideShare;
  const double fit =
      std::floor(share * of_sm * (device.sm_count > 0 ? device.sm_count : 1) / static_cast<double>(blocks));
  return fit < 1 ? 1 : static_cast<int64_t>(fit);
}

}  // namespace gpuopt
