#include "common/launch.h"

#include <cstdio>

#include "common/driver_entry.h"

namespace gpuopt {
namespace {

// Whether the device has nothing to run of the code asked for: no machine code of its own, and PTX that is missing or that the
// driver does not compile. Of a kernel's prepare the library then takes the next best one.
bool is_without_code(cudaError_t code) {
  return code == cudaErrorNoKernelImageForDevice || code == cudaErrorInvalidPtx ||
         code == cudaErrorUnsupportedPtxVersion || code == cudaErrorJitCompilerNotFound ||
         code == cudaErrorJitCompilationDisabled;
}

}  // namespace

gpuopt_status cuda_status(const gpuopt_launch *launch, const char *who, cudaError_t code) {
  if (code == cudaSuccess) return GPUOPT_OK;
  if (launch->error != nullptr && launch->error_bytes > 0)
    std::snprintf(launch->error, launch->error_bytes, "%s: %s: %s", who, cudaGetErrorName(code),
                  cudaGetErrorString(code));
  return code == cudaErrorMemoryAllocation ? GPUOPT_OUT_OF_MEMORY
         : is_without_code(code)           ? GPUOPT_NOT_SUPPORTED
                                           : GPUOPT_CUDA_ERROR;
}

gpuopt_status load_entry(const gpuopt_launch *launch, const char *kernel_name, const void *entry, size_t dynamic_smem) {
  const bool none_before = cudaPeekAtLastError() == cudaSuccess;
  cudaFuncAttributes attributes;
  cudaError_t code = cudaFuncGetAttributes(&attributes, entry);
  if (code == cudaSuccess && dynamic_smem + attributes.sharedSizeBytes > 48 * 1024)
    code =
        set_function_attribute(entry, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, static_cast<int>(dynamic_smem));
  // The library may go on with another kernel, and the application's next cudaGetLastError() is not to find this one's.
  if (none_before && code != cudaSuccess) static_cast<void>(cudaGetLastError());
  return cuda_status(launch, kernel_name, code);
}

}  // namespace gpuopt
