// Compiled where the toolkit is: driver.h says the same as cuda.h.
#include <cuda.h>

#include <cstddef>

#include "plugins/driver.h"

namespace gpuopt::driver {
namespace {

#define GPUOPT_SAME(ours, theirs) static_assert(static_cast<int>(ours) == static_cast<int>(theirs))
GPUOPT_SAME(kSuccess, CUDA_SUCCESS);
GPUOPT_SAME(kOutOfMemory, CUDA_ERROR_OUT_OF_MEMORY);
GPUOPT_SAME(kInvalidImage, CUDA_ERROR_INVALID_IMAGE);
GPUOPT_SAME(kNoBinaryForGpu, CUDA_ERROR_NO_BINARY_FOR_GPU);
GPUOPT_SAME(kInvalidPtx, CUDA_ERROR_INVALID_PTX);
GPUOPT_SAME(kJitCompilerNotFound, CUDA_ERROR_JIT_COMPILER_NOT_FOUND);
GPUOPT_SAME(kUnsupportedPtxVersion, CUDA_ERROR_UNSUPPORTED_PTX_VERSION);
GPUOPT_SAME(kJitCompilationDisabled, CUDA_ERROR_JIT_COMPILATION_DISABLED);
GPUOPT_SAME(kNotFound, CUDA_ERROR_NOT_FOUND);
GPUOPT_SAME(kMaxThreadsPerBlock, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
GPUOPT_SAME(kStaticSharedBytes, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
GPUOPT_SAME(kMaxDynamicSharedBytes, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
GPUOPT_SAME(kErrorLog, CU_JIT_ERROR_LOG_BUFFER);
GPUOPT_SAME(kErrorLogBytes, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES);
GPUOPT_SAME(kClusterDimension, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION);
#undef GPUOPT_SAME

static_assert(sizeof(LaunchAttribute) == sizeof(CUlaunchAttribute));
static_assert(offsetof(LaunchAttribute, value) == offsetof(CUlaunchAttribute, value));
static_assert(sizeof(LaunchConfig) == sizeof(CUlaunchConfig));
static_assert(offsetof(LaunchConfig, block) == offsetof(CUlaunchConfig, blockDimX));
static_assert(offsetof(LaunchConfig, shared_bytes) == offsetof(CUlaunchConfig, sharedMemBytes));
static_assert(offsetof(LaunchConfig, stream) == offsetof(CUlaunchConfig, hStream));
static_assert(offsetof(LaunchConfig, attributes) == offsetof(CUlaunchConfig, attrs));
static_assert(offsetof(LaunchConfig, attribute_count) == offsetof(CUlaunchConfig, numAttrs));
static_assert(sizeof(CUdevice) == sizeof(int));

}  // namespace
}  // namespace gpuopt::driver
