/* Transpose tiles for AVX2 with FMA and F16C. */
#if defined(__x86_64__) && defined(__AVX2__)
#define GPUOPT_VECTOR_BYTES 32
#include "transpose_body.inc"

namespace gpuopt {
namespace cpu {
const TransposeIsa transpose_avx2 = table();
}  // namespace cpu
}  // namespace gpuopt
#endif
