// What a measurement is: its mode, the state of the cache, and the times it found. No CUDA: records are read and judged on
// machines without it.
#pragma once
#include <string>

namespace gpuopt_bench {

enum class Mode { single, graph };
enum class Cache { cold, resident };

struct Timing {
  double median_us = 0, p10_us = 0, p90_us = 0;
  int samples = 0;
  int calls = 1;        // per sample
  std::string failure;  // not empty: this contender was not timed, and why
  double noise = 1;     // the median may be off by this share of it (tools/measure/samples.h)
  bool ok() const { return failure.empty(); }
};

}  // namespace gpuopt_bench
