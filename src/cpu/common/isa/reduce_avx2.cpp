/* Reductions of blocks for AVX2 with FMA and F16C. */
#if defined(__x86_64__) && defined(__AVX2__)
#define GPUOPT_VECTOR_BYTES 32
#include "reduce_body.inc"

namespace gpuopt {
namespace cpu {
const ReduceIsa reduce_avx2 = table();
}  // namespace cpu
}  // namespace gpuopt
#endif
