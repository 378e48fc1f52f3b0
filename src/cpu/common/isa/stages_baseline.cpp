/* Element-wise stages in fp32 for any machine of the architecture, and the choice among all. */
#define GPUOPT_VECTOR_BYTES 16
#include "pick.h"
#include "stages_body.inc"

namespace gpuopt {
namespace cpu {
const StagesIsa stages_baseline = table();

const StagesIsa &stages_isa(int isa) { return GPUOPT_PICK(stages, isa); }
}  // namespace cpu
}  // namespace gpuopt
