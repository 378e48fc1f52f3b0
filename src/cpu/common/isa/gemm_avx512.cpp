/* gemm_cpu_blocked's inner loops for AVX-512 F, BW, DQ and VL. */
#if defined(__x86_64__) && defined(__AVX512F__)
#define GPUOPT_VECTOR_BYTES 64
#include "gemm_body.inc"

namespace gpuopt {
namespace cpu {
const GemmIsa<float> gemm_f32_avx512 = table<float>();
const GemmIsa<double> gemm_f64_avx512 = table<double>();
}  // namespace cpu
}  // namespace gpuopt
#endif
