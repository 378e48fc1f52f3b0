// Measures the rooflines of this machine: that of its GPU, where there is one, and that of its CPU.
#pragma once
#include <string>
#include <vector>

#include "gpuopt_roofline/roofline.h"

namespace gpuopt_cli {

struct RooflineOptions {
  std::string device = "auto";
  std::string problem, kernel;  // points of this call and of kernels that match these globs, in place of the usual ones
  bool ncu = true;              // count the ladder's traffic, where ncu is there
};

// The GPU's first. Throws std::runtime_error, CLI::ValidationError.
std::vector<gpuopt_roofline::Roofline> measure_rooflines(const RooflineOptions &options);

// The ceilings of a GPU's memories and CUDA cores: roofline_device.cpp; in a build without the benchmarks' timer there are none.
std::vector<gpuopt_roofline::Ceiling> device_ceilings(int32_t ordinal);

void print_roofline(const gpuopt_roofline::Roofline &roofline);

}  // namespace gpuopt_cli
