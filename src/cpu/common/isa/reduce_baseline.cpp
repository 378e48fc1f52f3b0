/* Reductions of blocks for any machine of the architecture, and the choice among all. */
#define GPUOPT_VECTOR_BYTES 16
#include "pick.h"
#include "reduce_body.inc"

namespace gpuopt {
namespace cpu {
const ReduceIsa reduce_baseline = table();

const ReduceIsa &reduce_isa(int isa) { return GPUOPT_PICK(reduce, isa); }
}  // namespace cpu
}  // namespace gpuopt
