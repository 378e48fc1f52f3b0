// The build without CUDA.
#include "residue.h"

namespace gpuopt_check {

void leave_nan_behind(int32_t, CUstream_st *) {}

double share_left_behind(int32_t, CUstream_st *) { return -1; }

}  // namespace gpuopt_check
