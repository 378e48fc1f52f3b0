/* What the descriptors of all CPU kernels have in common. */
#ifndef GPUOPT_CPU_COMMON_HOST_KERNEL_H
#define GPUOPT_CPU_COMMON_HOST_KERNEL_H

#include "gpuopt/kernel.h"

namespace gpuopt {
namespace cpu {

/* Features that are a matter of addresses, which 64-bit indices settle. */
constexpr uint32_t kAddressFeatures = GPUOPT_FEATURE_BATCH | GPUOPT_FEATURE_BROADCAST | GPUOPT_FEATURE_LARGE;

/* A descriptor to which the kernel adds its types, features, variants and functions. */
constexpr gpuopt_kernel host_kernel(int32_t op, const char *name, const char *summary) {
  gpuopt_kernel kernel = {};
  kernel.struct_size = sizeof(gpuopt_kernel);
  kernel.name = name;
  kernel.summary = summary;
  kernel.op = op;
  kernel.version = 1;
  kernel.flags = GPUOPT_KERNEL_HOST;
  kernel.understands = kAddressFeatures;
  return kernel;
}

}  // namespace cpu
}  // namespace gpuopt
#endif
