// What makes two devices the same to a tuned entry: all that the times of kernels hang on and that a device tells of itself.
// A GPU: its name (memory and clocks differ between products of one architecture), compute capability and multiprocessors (a
// part of a GPU has fewer). A CPU: its model, the instruction set and the number of threads that kernels use.
#pragma once
#include <string>

#include "gpuopt/gpuopt.h"

namespace gpuopt {

struct DeviceId {
  std::string name;  // the facts' name as one word
  int32_t cc = 0, sm_count = 0;
  int32_t isa = 0, threads = 0;  // of a CPU, whose cc is 0

  std::string text() const;  // "device=NVIDIA_H200 cc=90 sm=132", "device=AMD_EPYC_9654 isa=avx512 threads=16"
};
bool operator==(const DeviceId &a, const DeviceId &b);

DeviceId device_id(const gpuopt_device_facts &facts);

}  // namespace gpuopt
