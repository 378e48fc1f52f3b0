// What C adds to alpha * sum, said as one instruction: left to the compiler, one kernel would round alpha * sum before the
// addition and another beta * c, and their bits would differ.
#pragma once

namespace gpuopt {

__device__ __forceinline__ float add_c(float x, float beta, float c) { return __fmaf_rn(beta, c, x); }
__device__ __forceinline__ double add_c(double x, double beta, double c) { return __fma_rn(beta, c, x); }

}  // namespace gpuopt
