// Both orientations of the tiles for few rows or columns.
#include "gemm/warptile/warptile.cuh"
#include "gemm/warptile/warptile_instance.cuh"

namespace gpuopt {

GPUOPT_WARPTILE_CODE(16x128)
GPUOPT_WARPTILE_CODE(128x16)
gpuopt_resource warptile_skinny_resources[8] = {GPUOPT_WARPTILE_RESOURCES(WarptileFunctions<WarpTile16x128>),
                                                GPUOPT_WARPTILE_RESOURCES(WarptileFunctions<WarpTile128x16>)};

}  // namespace gpuopt
