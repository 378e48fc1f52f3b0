// The generated list of every built-in kernel file's descriptors.
#pragma once
#include "gpuopt/kernel.h"

namespace gpuopt {
struct ManifestEntry {
  const gpuopt_kernel_span *span;
  int32_t code;  // index into kCompiledCode (compiled_code.h), or kNoCode
};
extern const ManifestEntry kManifest[];
extern const size_t kManifestCount;
extern const char kSelection[];  // "GPUOPT_OPS=gemm", where this build has not every kernel; else ""
}  // namespace gpuopt
