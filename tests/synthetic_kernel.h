// Kernels that tests make up.
#pragma once
#include "gpuopt/kernel.h"

namespace gpuopt_test {

inline constexpr gpuopt_signature kAnySignature[] = {{{GPUOPT_ANY, GPUOPT_ANY, GPUOPT_ANY, GPUOPT_ANY}, GPUOPT_ANY}};

// To which the test adds a launch, and what it is about.
template <size_t kCount>
gpuopt_kernel synthetic_kernel(int32_t op, const char *name, uint32_t flags,
                               const gpuopt_signature (&signatures)[kCount]) {
  gpuopt_kernel k = {};
  k.struct_size = sizeof k;
  k.name = name;
  k.summary = "synthetic";
  k.op = op;
  k.version = 1;
  k.flags = flags;
  k.signatures = signatures;
  k.signature_count = kCount;
  return k;
}

}  // namespace gpuopt_test
