#include "common/wide_cluster.h"

#include <cstdio>

#include "common/driver_entry.h"
#include "common/launch.h"

namespace gpuopt {

gpuopt_status allow_cluster(const gpuopt_launch *launch, const char *who, const void *entry, int64_t blocks,
                            int64_t threads, int64_t dynamic_smem) {
  if (blocks <= kPortableCluster) return GPUOPT_OK;
  static const auto active_clusters =
      driver_entry<decltype(&cuOccupancyMaxActiveClusters)>("cuOccupancyMaxActiveClusters");
  if (active_clusters == nullptr) return cuda_status(launch, who, cudaErrorInsufficientDriver);
  cudaFunction_t function;
  cudaError_t code = cudaGetFuncBySymbol(&function, entry);
  if (code == cudaSuccess) code = set_function_attribute(entry, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1);
  if (code != cudaSuccess) return cuda_status(launch, who, code);
  CUlaunchAttribute cluster = {};
  cluster.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
  cluster.value.clusterDim.x = static_cast<unsigned>(blocks);
  cluster.value.clusterDim.y = cluster.value.clusterDim.z = 1;
  CUlaunchConfig config = {};
  config.gridDimX = static_cast<unsigned>(blocks);
  config.blockDimX = static_cast<unsigned>(threads);
  config.gridDimY = config.gridDimZ = config.blockDimY = config.blockDimZ = 1;
  config.sharedMemBytes = static_cast<unsigned>(dynamic_smem);
  config.attrs = &cluster;
  config.numAttrs = 1;
  int placed = 0;
  const CUresult result = active_clusters(&placed, function, &config);
  if (result == CUDA_SUCCESS && placed > 0) return GPUOPT_OK;
  if (result != CUDA_SUCCESS && result != CUDA_ERROR_INVALID_CLUSTER_SIZE)
    return cuda_status(launch, who, static_cast<cudaError_t>(result));
  if (launch->error != nullptr && launch->error_bytes > 0)
    std::snprintf(launch->error, launch->error_bytes,
                  "%s: a cluster of %lld blocks, each of %lld threads and %lld bytes of shared memory, must fit the "
                  "device's groups of multiprocessors, which place none",
                  who, static_cast<long long>(blocks), static_cast<long long>(threads),
                  static_cast<long long>(dynamic_smem));
  return GPUOPT_NOT_SUPPORTED;
}

}  // namespace gpuopt
