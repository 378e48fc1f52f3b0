// Launching from a kernel's launch() and prepare(): the runtime's own return code becomes a gpuopt_status and
// a message. cudaGetLastError() is not asked, as it would blame an application's pending error on this launch, or
// clear it; but load_kernel() takes what it has itself left pending.
#pragma once

#include <cuda_runtime.h>

#include "gpuopt/kernel.h"

namespace gpuopt {

// GPUOPT_OK, or CUDA_ERROR (OUT_OF_MEMORY, NOT_SUPPORTED) with "<who>: <name>: <text>" in launch->error.
gpuopt_status cuda_status(const gpuopt_launch *launch, const char *who, cudaError_t code);

// What a launch may ask beside its grid; the first two on compute capability 9.0 and up.
struct LaunchAttributes {
  bool early;             // may begin before what came before it has ended: the kernel itself waits for that
  int32_t cluster;        // blocks along x that make a cluster; 0: none
  bool together = false;  // all blocks run at once, or none: they wait for each other
};

// Launches kernel on launch->stream; args convert to the kernel's parameter types. An empty grid is no work.
template <class... Params, class... Args>
gpuopt_status launch_kernel(const LaunchAttributes &asked, const gpuopt_launch *launch, const char *kernel_name,
                            dim3 grid, dim3 block, size_t dynamic_smem, void (*kernel)(Params...), Args &&...args) {
  static_assert(sizeof...(Params) == sizeof...(Args), "one argument for each parameter of the kernel");
  if (grid.x == 0 || grid.y == 0 || grid.z == 0) return GPUOPT_OK;
  cudaLaunchConfig_t config = {};
  config.gridDim = grid;
  config.blockDim = block;
  config.dynamicSmemBytes = dynamic_smem;
  config.stream = launch->stream;
  cudaLaunchAttribute attributes[3] = {};
  config.attrs = attributes;
  if (asked.early) {
    cudaLaunchAttribute &early = attributes[config.numAttrs++];
    early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    early.val.programmaticStreamSerializationAllowed = 1;
  }
  if (asked.cluster != 0) {
    cudaLaunchAttribute &cluster = attributes[config.numAttrs++];
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim.x = static_cast<unsigned>(asked.cluster);
    cluster.val.clusterDim.y = cluster.val.clusterDim.z = 1;
  }
  if (asked.together) {
    cudaLaunchAttribute &together = attributes[config.numAttrs++];
    together.id = cudaLaunchAttributeCooperative;
    together.val.cooperative = 1;
  }
  return cuda_status(launch, kernel_name, cudaLaunchKernelEx(&config, kernel, static_cast<Args &&>(args)...));
}

template <class... Params, class... Args>
gpuopt_status launch_kernel(const gpuopt_launch *launch, const char *kernel_name, dim3 grid, dim3 block,
                            size_t dynamic_smem, void (*kernel)(Params...), Args &&...args) {
  return launch_kernel({}, launch, kernel_name, grid, block, dynamic_smem, kernel, static_cast<Args &&>(args)...);
}

// For prepare(): loads the kernel's module now rather than at the first launch, which may be inside a
// capture, and allows dynamic_smem bytes where that is more than the 48 KB every kernel may use.
gpuopt_status load_entry(const gpuopt_launch *launch, const char *kernel_name, const void *entry, size_t dynamic_smem);
template <class... Params>
gpuopt_status load_kernel(const gpuopt_launch *launch, const char *kernel_name, void (*kernel)(Params...),
                          size_t dynamic_smem = 0) {
  return load_entry(launch, kernel_name, reinterpret_cast<const void *>(kernel), dynamic_smem);
}

}  // namespace gpuopt
