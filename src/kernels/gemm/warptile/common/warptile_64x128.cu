#include "gemm/warptile/warptile.cuh"
#include "gemm/warptile/warptile_instance.cuh"

namespace gpuopt {

GPUOPT_WARPTILE_INSTANCE(64x128)

}  // namespace gpuopt
