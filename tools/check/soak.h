// A long run of many threads, each with handles and a stream of its own: random calls of all ops, some of them captured,
// each of which must give the bits that one thread alone got, while no memory grows.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "spec.h"

namespace gpuopt_check {

struct SoakOptions {
  int32_t device = 0;  // GPUOPT_DEVICE_*, or an ordinal
  double seconds = 60;
  int threads = 16;
  uint64_t seed = 1;
  int64_t problems = 60;  // of each op
  Size size = Size::small;
};

struct SoakReport {
  int64_t problems = 0;  // of which the threads choose
  int64_t calls = 0, captured = 0;
  // Captures of the measured time whose graph owned memory, and the heap that CUDA itself keeps of each such graph (measured on
  // graphs of plain CUDA): no growth of ours.
  int64_t owning = 0;
  double kept_by_cuda = 0;
  // In use when every thread had made every call once, and at the end.
  int64_t host_bytes[2] = {0, 0}, device_bytes[2] = {0, 0};
  std::vector<std::string> failures;
};

SoakReport soak(const SoakOptions &options);

}  // namespace gpuopt_check
