// Instances of norm_block_row with stages, apart from the others so that no file is long to compile.

#include "norm/registers/block_row.cuh"

namespace gpuopt {

GPUOPT_BLOCK_STAGES_INSTANCES(GPUOPT_BLOCK_STAGES_INSTANCE)

}  // namespace gpuopt
