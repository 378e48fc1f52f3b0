/* Element-wise stages in fp32 for any machine of the architecture. */
#define GPUOPT_VECTOR_BYTES 16
#include "stages_body.inc"

namespace gpuopt {
namespace cpu {
const StagesIsa stages_baseline = table();
}  // namespace cpu
}  // namespace gpuopt
