// How wrong a correct kernel may be: one error class per way of accumulating, written once.
//
// The model. A sum of K terms held in a format of unit u (the largest relative error of one rounding) makes one
// rounding error per addition, each about u times the partial sum. For terms in no particular order the partial sums
// grow like |sum| * i / K plus a random walk that reaches root_sum_square = sqrt(sum of squared terms), so the errors,
// being independent, add up to about 0.6 u sqrt(K) (|sum| + root_sum_square): the classes allow four times that and a little more.
// Tensor cores truncate rather than round, which adds a small term linear in K. A worst-case bound (K u sum|term|)
// would admit the mistakes that the classes exist to catch:
//   - sums in fp16 must fail the fp32 class,
//   - operands truncated to tf32, not rounded, must fail the TF32 class, and TF32 must fail the fp32 classes,
//   - fp8 sums that stay in the tensor core's 14 bits must fail the fp32 class, which moves them to fp32 every 128 of k,
//   - a long fp32 sum in one accumulator must fail the reduce class.
// The rounding to the output type is no part of an error class: range.h's accepts() rounds both ends instead.
#pragma once
#include <cstdint>

#include "gpuopt/gpuopt.h"

namespace gpuopt_check {

// What the oracle knows of one sum of products.
struct Sum {
  double value = 0;            // the sum
  double magnitude = 0;        // the sum of |terms|
  double root_sum_square = 0;  // sqrt of the sum of squared terms
};

// Largest error of sum over k products in this compute type; infinite or NaN sums have none. fp8_operands: a and b are
// fp8, whose sums tensor cores take with an adder of 13 fraction bits; F32 asks to move them to fp32 every 128 of k.
double gemm_error(int32_t compute, bool fp8_operands, int64_t k, const Sum &sum);

// Largest error of a sum over n terms in a reduction. unit is 2^-24 or 2^-53. Several accumulators are asked for:
// runs of more than 1024 terms in one accumulator are not within the class.
double sum_error(double unit, int64_t n, const Sum &sum);
// Largest relative error of a product of n factors.
double product_error(double unit, int64_t n);

}  // namespace gpuopt_check
