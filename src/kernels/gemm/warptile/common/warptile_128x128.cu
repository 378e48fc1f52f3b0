#include "gemm/warptile/warptile.cuh"
#include "gemm/warptile/warptile_instance.cuh"

namespace gpuopt {

GPUOPT_WARPTILE_INSTANCE(128x128)

}  // namespace gpuopt
