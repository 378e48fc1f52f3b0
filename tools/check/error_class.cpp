#include "error_class.h"

#include <algorithm>
#include <cmath>

namespace gpuopt_check {

namespace {

// fp8 tensor cores keep 13 fraction bits of the largest of the running sum and the terms and cut the rest off: a random
// walk for terms of both signs, a loss of a quarter of the last bit with every term for terms of one sign.
double fp8_tensor_core(double terms, const Sum &sum) {
  return 0x1p-13 * ((0.9 * std::sqrt(terms) + 2) * sum.root_sum_square + (terms / 4 + 2) * std::fabs(sum.value));
}

}  // namespace

double gemm_error(int32_t compute, bool fp8_operands, int64_t k, const Sum &sum) {
  if (!std::isfinite(sum.value)) return 0;
  const double terms = double(k), spread = std::fabs(sum.value) + sum.root_sum_square;
  const double additions = 2.5 * std::sqrt(terms) + terms / 16 + 4;
  switch (compute) {
    case GPUOPT_COMPUTE_F32:
      return 0x1p-24 * additions * spread + (fp8_operands ? fp8_tensor_core(std::min(terms, 128.0), sum) : 0);
    case GPUOPT_COMPUTE_F64:
      return 0x1p-53 * additions * spread;
    case GPUOPT_COMPUTE_I32:
      return 0;
    // The smallest number of fp16 is 2^-24: sums near it have an absolute error.
    case GPUOPT_COMPUTE_F16:
      return 0x1p-11 * additions * spread + terms * 0x1p-25;
    case GPUOPT_COMPUTE_F8_FAST:
      return fp8_tensor_core(terms, sum);
    // Each operand is off by at most 2^-11, independently; rounded operands stay within 0.6 * 2^-11 root_sum_square
    // in the mean, truncated ones are 2.6 times farther off.
    case GPUOPT_COMPUTE_TF32:
      return 0x1p-24 * additions * spread + 0x1p-11 * std::min(4 * sum.root_sum_square, 2.01 * sum.magnitude);
    // Operands are split in two parts of 11 bits: what the split and the left-out product of the low parts lose is
    // up to 12 units a term.
    case GPUOPT_COMPUTE_F32_TENSOR:
      return 0x1p-24 * (additions * spread + std::min(8 * sum.root_sum_square, 12 * sum.magnitude));
    default:
      return 0;
  }
}

double sum_error(double unit, int64_t n, const Sum &sum) {
  if (!std::isfinite(sum.value)) return 0;
  const double run = double(std::min<int64_t>(n, 1024));
  return unit * (2 * std::sqrt(run) + 8) * sum.magnitude;
}

double product_error(double unit, int64_t n) { return unit * (4 * std::sqrt(double(n)) + 8); }

}  // namespace gpuopt_check
