/* Reductions of blocks for any machine of the architecture. */
#define GPUOPT_VECTOR_BYTES 16
#include "reduce_body.inc"

namespace gpuopt {
namespace cpu {
const ReduceIsa reduce_baseline = table();
}  // namespace cpu
}  // namespace gpuopt
