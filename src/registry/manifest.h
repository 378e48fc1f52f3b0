// The generated list of every built-in kernel file's descriptors.
#pragma once
#include "gpuopt/kernel.h"

namespace gpuopt {
extern const gpuopt_kernel_span *const kManifest[];
extern const size_t kManifestCount;
}  // namespace gpuopt
