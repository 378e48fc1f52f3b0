// `gpuopt list --occupancy`: what each entry function of the CUDA kernels uses of a multiprocessor.
#pragma once
#include <string>

#include "gpuopt/gpuopt.h"
#include "json.h"

namespace gpuopt_cli {

struct OccupancyOptions {
  int op = 0;                // GPUOPT_OP_*; 0: all
  std::string kernel = "*";  // globs
  std::string pretend;       // "": this machine's GPU, else sm_90
  bool markdown = false, json = false;
};

// The device that is spoken of where pretend names it or is "": this machine's GPU, else sm_90. Throws CLI::ValidationError.
gpuopt_device_facts occupancy_device(const std::string &pretend);

// What keeps one more block out, GPUOPT_LIMIT_*: "shared memory".
const char *limiter_text(int32_t limiter);
Json resources_json(const gpuopt_occupancy &occupancy);  // what an entry function uses

// Returns an exit code. Entry functions without machine code for the device are named with the reason.
int list_occupancy(const OccupancyOptions &options);

}  // namespace gpuopt_cli
