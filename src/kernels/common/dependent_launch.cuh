// Programmatic dependent launch: from compute capability 9.0 on a kernel may be launched while what precedes it in the
// stream still runs; its blocks come up, find their work, then wait until that has finished. On older devices, and in builds
// without code for 9.0 or newer, all of this is nothing.
#pragma once

#include "common/launch.h"
#include "common/wait_for_stream.cuh"

namespace gpuopt {

// Whether the device runs code that waits. A build for older architectures only reaches a device of 9.0 by their PTX,
// in which wait_for_predecessors() is nothing. Static, as files of another class of architectures have another answer.
static inline bool has_waiting_code(int cc) {
#ifdef __CUDA_ARCH_LIST__
  constexpr int kArchs[] = {__CUDA_ARCH_LIST__};
  for (const int arch : kArchs) {
    if (arch >= 900 && arch <= 10 * cc) return true;
  }
  return false;
#else
  return cc >= 90;
#endif
}

// For the launch of a kernel that waits for its predecessors.
static inline LaunchAttributes early_launch(const gpuopt_problem &problem) {
  return {has_waiting_code(problem.device->cc), 0};
}

}  // namespace gpuopt
