// One problem for each kernel that runs on a GPU: the one it is for, as far as its descriptor and its predictions tell.
// Problems are made of what the descriptors of an op declare (types, layouts, reductions, axes, stages) and of the op's
// usual extents, the usual types and sizes first; the library explains each, on any machine. A kernel's problem is, of the
// first types where it is chosen or comes near that, the one where its prediction stands out most; a kernel that comes near
// nowhere, or predicts nothing, as the teaching kernels, has the first problem that it can run.
#pragma once
#include <string>
#include <vector>

#include "gpuopt/kernel.h"

namespace gpuopt_bench {

struct Representative {
  const gpuopt_kernel *kernel;
  std::string problem;  // "<suite> <shape as --shape takes it>"; empty: there is none
  double share = 0;     // the least predicted time of the others over its own: from 1 on it is chosen; 0: no prediction
  std::string reason;   // where there is none: why the last one of its types was refused
};

// Every GPU kernel of the registry, by op, on a device of these facts. The handle may be a CPU's.
std::vector<Representative> representatives(gpuopt_handle *handle, const gpuopt_device_facts &device);

// A problem, "gemm 64x64x64:f32", as the call that the rows of its suites name (gpuopt_call/text.h).
std::string call_text(const std::string &problem);

}  // namespace gpuopt_bench
