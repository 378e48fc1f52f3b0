// Instances of norm_block_row with linear chains, apart from the others so that no file is long to compile.

#include "norm/registers/block_row.cuh"

namespace gpuopt {

GPUOPT_BLOCK_LINEAR_INSTANCES(GPUOPT_BLOCK_LINEAR_INSTANCE)

}  // namespace gpuopt
