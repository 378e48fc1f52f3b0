// The wgmma kernel of lists for f16 and bf16.
// arch class: sm90a
#include "gemm_grouped/wgmma/list_tiles_16bit.h"

#include "gemm_grouped/wgmma/list_wgmma_kernel.cuh"

namespace gpuopt {

#define GPUOPT_LIST_INSTANCE_(T, along_b)                                                  \
  template __global__ void gemm_grouped_wgmma_list_kernel<GroupedWgmma<T>::Tile, along_b>( \
      const __grid_constant__ ListWgmmaWork, const __grid_constant__ GemmEpilogue<float>);
GPUOPT_LIST_INSTANCE_(__half, false)
GPUOPT_LIST_INSTANCE_(__half, true)
GPUOPT_LIST_INSTANCE_(__nv_bfloat16, false)
GPUOPT_LIST_INSTANCE_(__nv_bfloat16, true)

}  // namespace gpuopt
