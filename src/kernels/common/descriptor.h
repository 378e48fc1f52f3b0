// What the descriptors of kernels on the GPU have in common.
#pragma once

#include "gpuopt/kernel.h"

namespace gpuopt {

// What kernels on Views and 64-bit offsets understand for nothing.
constexpr uint32_t kViewFeatures = GPUOPT_FEATURE_BATCH | GPUOPT_FEATURE_BROADCAST | GPUOPT_FEATURE_LARGE;

constexpr uint32_t kAllNorms =
    1u << GPUOPT_NORM_LAYERNORM | 1u << GPUOPT_NORM_RMSNORM | 1u << GPUOPT_NORM_SOFTMAX | 1u << GPUOPT_NORM_LOG_SOFTMAX;

// For can_run().
inline int refuse(gpuopt_reject *reject, int32_t code, int32_t operand, int64_t have, int64_t need, const char *what) {
  *reject = {code, operand, have, need, what};
  return 0;
}

// What a descriptor begins with.
constexpr gpuopt_kernel kernel_descriptor(int32_t op, const char *name, const char *summary, uint32_t understands) {
  gpuopt_kernel k = {};
  k.struct_size = sizeof k;
  k.name = name;
  k.summary = summary;
  k.op = op;
  k.version = 1;
  k.understands = understands;
  k.cc_min = 75;
  return k;
}

template <size_t kCount>
constexpr void set_signatures(gpuopt_kernel &k, const gpuopt_signature (&signatures)[kCount]) {
  k.signatures = signatures;
  k.signature_count = kCount;
}

template <size_t kCount>
constexpr void set_resources(gpuopt_kernel &k, const gpuopt_resource (&resources)[kCount]) {
  k.resources = resources;
  k.resource_count = kCount;
}

// The resources of __global__ functions that are launched alike.
template <int32_t kThreads, int32_t kDynamicSmem, auto... kEntries>
gpuopt_resource kResourcesOf[] = {{kThreads, kDynamicSmem, reinterpret_cast<const void *>(kEntries)}...};

// What nearly every kernel has; can_run and workspace are set where there are such.
template <size_t kCount>
constexpr void set_functions(gpuopt_kernel &k, decltype(gpuopt_kernel::predict_us) predict_us,
                             decltype(gpuopt_kernel::prepare) prepare, decltype(gpuopt_kernel::launch) launch,
                             const gpuopt_resource (&resources)[kCount]) {
  k.predict_us = predict_us;
  k.prepare = prepare;
  k.launch = launch;
  set_resources(k, resources);
}

}  // namespace gpuopt
