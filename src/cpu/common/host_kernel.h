/* What the descriptors of all CPU kernels have in common. */
#pragma once

#include "gpuopt/kernel.h"

namespace gpuopt {
namespace cpu {

/* Features that are a matter of addresses, which 64-bit indices settle. */
constexpr uint32_t kAddressFeatures = GPUOPT_FEATURE_BATCH | GPUOPT_FEATURE_BROADCAST | GPUOPT_FEATURE_LARGE;

/* The norms and reductions that the CPU kernels compute; one that is new in tables.h is none of theirs until named here. */
constexpr uint32_t kAllNorms =
    1u << GPUOPT_NORM_LAYERNORM | 1u << GPUOPT_NORM_RMSNORM | 1u << GPUOPT_NORM_SOFTMAX | 1u << GPUOPT_NORM_LOG_SOFTMAX;
constexpr uint32_t kAllReductions = 1u << GPUOPT_REDUCE_SUM | 1u << GPUOPT_REDUCE_MEAN | 1u << GPUOPT_REDUCE_MIN |
                                    1u << GPUOPT_REDUCE_MAX | 1u << GPUOPT_REDUCE_PROD | 1u << GPUOPT_REDUCE_SUMSQ |
                                    1u << GPUOPT_REDUCE_NRM2 | 1u << GPUOPT_REDUCE_ASUM | 1u << GPUOPT_REDUCE_ARGMIN |
                                    1u << GPUOPT_REDUCE_ARGMAX | 1u << GPUOPT_REDUCE_DOT;

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
