// fused_act_chain's instances for unaligned rows, in a file of their own so that none takes long to compile.

#include "fused_act/chain/chain_rows.cuh"

namespace gpuopt {

#define GPUOPT_INSTANCE_(...) GPUOPT_CHAIN_UNALIGNED_(__VA_ARGS__);
GPUOPT_CHAIN_UNALIGNED(GPUOPT_INSTANCE_)
#undef GPUOPT_INSTANCE_

}  // namespace gpuopt
