// fused_act_linear's instances for unaligned rows, in a file of their own so that none takes long to compile.

#include "fused_act/pattern/linear_rows.cuh"

namespace gpuopt {

#define GPUOPT_INSTANCE_(T, act) GPUOPT_LINEAR_UNALIGNED_(T, act);
GPUOPT_LINEAR_UNALIGNED(GPUOPT_INSTANCE_)
#undef GPUOPT_INSTANCE_

}  // namespace gpuopt
