// Instances of norm_block_row on few short rows that begin anywhere.

#include "norm/registers/row_elements.cuh"

namespace gpuopt {

GPUOPT_BLOCK_ELEMENTS_INSTANCES(GPUOPT_BLOCK_ELEMENTS_INSTANCE)

}  // namespace gpuopt
