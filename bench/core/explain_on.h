// How explain is asked about a device that is not here.
#pragma once
#include "gpuopt/gpuopt.h"

namespace gpuopt_bench {

// Whatever this build has code for; data in its memory. device outlives the options.
inline gpuopt_explain_options explain_on(const gpuopt_device_facts &device) {
  gpuopt_explain_options o = GPUOPT_EXPLAIN_OPTIONS_INIT;
  o.pretend = &device;
  o.any_build = 1;
  o.space = GPUOPT_SPACE_DEVICE;
  return o;
}

}  // namespace gpuopt_bench
