// The list kernel by mma.sync for f16 and bf16.
#include "gemm_grouped/mma/list_mma_kernel.cuh"

namespace gpuopt {

#define GPUOPT_LIST_INSTANCE_(tile, along_b)                                                        \
  template __global__ void gemm_grouped_mma_kernel<tile, along_b>(const __grid_constant__ ListWork, \
                                                                  const __grid_constant__ GemmEpilogue<float>);
#define GPUOPT_LIST_INSTANCES_(Tile)                \
  GPUOPT_LIST_INSTANCE_(Tile<__half>, false)        \
  GPUOPT_LIST_INSTANCE_(Tile<__half>, true)         \
  GPUOPT_LIST_INSTANCE_(Tile<__nv_bfloat16>, false) \
  GPUOPT_LIST_INSTANCE_(Tile<__nv_bfloat16>, true)

GPUOPT_LIST_INSTANCES_(ListTile16x64)
GPUOPT_LIST_INSTANCES_(ListTile64x64)
GPUOPT_LIST_INSTANCES_(ListTile128x128)

}  // namespace gpuopt
