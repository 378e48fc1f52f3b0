// What a gemm call asks of memory and of its epilogue, for the time models.
#pragma once

#include <algorithm>

#include "gpuopt/kernel.h"

namespace gpuopt {

// Bytes that an operand's first element, its lines and its matrices all begin on.
inline int32_t least_alignment(const gpuopt_operand &operand) {
  return std::min({operand.align, operand.ld_align, operand.stride_align});
}

// Of the distinct elements of the whole batch.
double operand_bytes(const gpuopt_problem &problem, const gpuopt_operand &operand);

struct GemmDemand {
  double a_bytes, b_bytes, d_bytes, c_bytes, stage_bytes;  // once; c: 0 where it is not read
  double elements;                                         // of D
  double epilogue_clocks;  // of an SM, for an element in gemm_epilogue(), which interprets the chain

  double bytes() const { return a_bytes + b_bytes + d_bytes + c_bytes + stage_bytes; }
};
GemmDemand gemm_demand(const gpuopt_problem &problem);
// Of the stages, in tanhs.
double gemm_functions(const gpuopt_problem &problem);

// Of multiplying 16-bit types at the tensor cores' rate, which takes so long at the highest clock: where it lasts, power leaves a
// lower one.
double powered_us(double at_peak_us);

// Times of things that share a device and hide behind each other in part: the longest where sharpness is large, the sum
// where it is 1.
double overlapped_us(double a, double b, double c, double sharpness);

}  // namespace gpuopt
