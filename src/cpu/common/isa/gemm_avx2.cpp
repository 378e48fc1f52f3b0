/* gemm_cpu_blocked's inner loops for AVX2 with FMA and F16C. */
#if defined(__x86_64__) && defined(__AVX2__)
#define GPUOPT_VECTOR_BYTES 32
#include "gemm_body.inc"

namespace gpuopt {
namespace cpu {
const GemmIsa<float> gemm_f32_avx2 = table<float>();
const GemmIsa<double> gemm_f64_avx2 = table<double>();
}  // namespace cpu
}  // namespace gpuopt
#endif
