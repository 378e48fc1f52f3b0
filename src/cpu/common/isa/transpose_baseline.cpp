/* Transpose tiles for any machine of the architecture. */
#define GPUOPT_VECTOR_BYTES 16
#include "transpose_body.inc"

namespace gpuopt {
namespace cpu {
const TransposeIsa transpose_baseline = table();
}  // namespace cpu
}  // namespace gpuopt
