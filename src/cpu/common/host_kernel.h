/* What the descriptors of all CPU kernels have in common. */
#pragma once

#include <stddef.h>

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

/* Any data types, any compute type. */
constexpr gpuopt_signature kAnySignature[] = {{{GPUOPT_ANY, GPUOPT_ANY, GPUOPT_ANY, GPUOPT_ANY}, GPUOPT_ANY}};

/* A descriptor to which the kernel adds its features, variants and stages, and what is its own. */
template <size_t kCount>
constexpr gpuopt_kernel host_kernel(int32_t op, const char *name, const char *summary,
                                    const gpuopt_signature (&signatures)[kCount],
                                    decltype(gpuopt_kernel::predict_us) predict_us,
                                    decltype(gpuopt_kernel::launch) launch) {
  gpuopt_kernel kernel = {};
  kernel.struct_size = sizeof(gpuopt_kernel);
  kernel.name = name;
  kernel.summary = summary;
  kernel.op = op;
  kernel.version = 1;
  kernel.flags = GPUOPT_KERNEL_HOST;
  kernel.understands = kAddressFeatures;
  kernel.signatures = signatures;
  kernel.signature_count = kCount;
  kernel.predict_us = predict_us;
  kernel.launch = launch;
  return kernel;
}

/* For predictions: m x n in every matrix of the batch. */
static inline double elements_of(const gpuopt_problem &problem) {
  return double(problem.m) * double(problem.n) * double(problem.batch);
}

}  // namespace cpu
}  // namespace gpuopt
