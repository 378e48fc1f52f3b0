/* gemm_cpu_blocked's inner loops for any machine of the architecture. */
#define GPUOPT_VECTOR_BYTES 16
#include "gemm_body.inc"

namespace gpuopt {
namespace cpu {
const GemmIsa<float> gemm_f32_baseline = table<float>();
const GemmIsa<double> gemm_f64_baseline = table<double>();
}  // namespace cpu
}  // namespace gpuopt
