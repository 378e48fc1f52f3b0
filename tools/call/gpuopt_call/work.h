// What a call moves and computes.
#pragma once
#include "gpuopt_call/call.h"

namespace gpuopt_call {

// Bytes from the first element to one past the last, over the batch; 0 without elements, -1 where 64 bits do not hold them.
int64_t span_bytes(const gpuopt_matrix &matrix, int64_t batch);
// The scales of blocks of an operand as a matrix of floats, whose batch is the operand's; dtype 0: it has none.
gpuopt_matrix scales_of(const gpuopt_matrix &matrix);
// Of an operand's scale, or of those of its blocks as span_bytes() has them; 0: it has none.
int64_t scale_bytes(const gpuopt_matrix &matrix, int64_t batch);
// Bytes of distinct elements, each operand once; INT64_MAX where they are more. Of a call that the library takes.
int64_t touched_bytes(Call *call);
double flops_of(const Call &call);  // gemm's, and gemm_grouped's if all rows lie in groups; 0 of others

}  // namespace gpuopt_call
