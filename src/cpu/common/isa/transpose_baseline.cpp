/* Transpose tiles for any machine of the architecture, and the choice among all. */
#define GPUOPT_VECTOR_BYTES 16
#include "pick.h"
#include "transpose_body.inc"

namespace gpuopt {
namespace cpu {
const TransposeIsa transpose_baseline = table();

const TransposeIsa &transpose_isa(int isa) { return GPUOPT_PICK(transpose, isa); }
}  // namespace cpu
}  // namespace gpuopt
