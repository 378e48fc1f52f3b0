// What the descriptors of kernels on the GPU have in common.
#ifndef GPUOPT_KERNELS_COMMON_DESCRIPTOR_H
#define GPUOPT_KERNELS_COMMON_DESCRIPTOR_H

#include "gpuopt/kernel.h"

namespace gpuopt {

constexpr uint64_t kAllStageKinds = ((uint64_t{1} << GPUOPT_STAGE_COUNT_) - 1) & ~uint64_t{1};

// What kernels on Views and 64-bit offsets understand for nothing.
constexpr uint32_t kViewFeatures = GPUOPT_FEATURE_BATCH | GPUOPT_FEATURE_BROADCAST | GPUOPT_FEATURE_LARGE;

constexpr uint32_t kAllNorms = ((1u << GPUOPT_NORM_COUNT_) - 1) & ~1u;

// Every type, converted by each thread.
inline constexpr gpuopt_signature kAnyTypeSignatures[] = {
    {{GPUOPT_ANY, GPUOPT_ANY, GPUOPT_ANY, GPUOPT_ANY}, GPUOPT_COMPUTE_F32},
    {{GPUOPT_ANY, GPUOPT_ANY, GPUOPT_ANY, GPUOPT_ANY}, GPUOPT_COMPUTE_F64},
};

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

// A gemm kernel that serves every call, by its own epilogue or by finish_gemm().
constexpr gpuopt_kernel gemm_descriptor(const char *name, const char *summary) {
  gpuopt_kernel k = kernel_descriptor(GPUOPT_OP_GEMM, name, summary,
                                      kViewFeatures | GPUOPT_FEATURE_BETA | GPUOPT_FEATURE_SCALAR_POINTERS |
                                          GPUOPT_FEATURE_ALPHA_ZERO | GPUOPT_FEATURE_SCALE);
  k.stage_kinds = kAllStageKinds;
  k.max_stages = GPUOPT_MAX_STAGES;
  return k;
}

template <size_t kCount>
constexpr void set_signatures(gpuopt_kernel &k, const gpuopt_signature (&signatures)[kCount]) {
  k.signatures = signatures;
  k.signature_count = kCount;
}

// A kernel of an element-wise chain, fused_act's or that after a norm, of every stage and type.
constexpr gpuopt_kernel any_chain_descriptor(int32_t op, const char *name, const char *summary) {
  gpuopt_kernel k = kernel_descriptor(op, name, summary, kViewFeatures);
  k.stage_kinds = kAllStageKinds;
  k.max_stages = GPUOPT_MAX_STAGES;
  set_signatures(k, kAnyTypeSignatures);
  return k;
}

template <size_t kCount>
constexpr void set_resources(gpuopt_kernel &k, const gpuopt_resource (&resources)[kCount]) {
  k.resources = resources;
  k.resource_count = kCount;
}

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

#endif
