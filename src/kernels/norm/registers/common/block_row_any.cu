// Instances of norm_block_row without stages on rows that begin anywhere, apart from the others so that no file is long to compile.

#include "norm/registers/block_row.cuh"

namespace gpuopt {

GPUOPT_BLOCK_ROW_INSTANCES(GPUOPT_BLOCK_ROW_INSTANCE, true)

}  // namespace gpuopt
