/* gemm_cpu_blocked's inner loops for any machine of the architecture, and the choice among all. */
#define GPUOPT_VECTOR_BYTES 16
#include "gemm_body.inc"
#include "pick.h"

namespace gpuopt {
namespace cpu {
const GemmIsa<float> gemm_f32_baseline = table<float>();
const GemmIsa<double> gemm_f64_baseline = table<double>();

template <>
const GemmIsa<float> &gemm_isa<float>(int isa) {
  return GPUOPT_PICK(gemm_f32, isa);
}
template <>
const GemmIsa<double> &gemm_isa<double>(int isa) {
  return GPUOPT_PICK(gemm_f64, isa);
}
}  // namespace cpu
}  // namespace gpuopt
