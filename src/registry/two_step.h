// A gemm kernel that lacks a fused epilogue, followed by a fused_act kernel that applies the stages.
#pragma once
#include "gpuopt/kernel.h"

namespace gpuopt {

// The problem split in two. The gemm writes alpha * A * B (+ beta * C where C already has the intermediate's
// type) to an fp32 (fp64 for fp64 gemms) row-major intermediate at offset 0 of scratch; fused_act reads it,
// adds beta * C where the gemm did not, applies the stages, and rounds once: the same result as one fused
// kernel.
struct TwoStep {
  gpuopt_problem first, second;
  size_t intermediate_bytes;  // rounded up to 256
};

// False when the problem cannot be split: no stages, integer compute, a scaled D, or a beta that only C's own
// type allows.
bool split_gemm(const gpuopt_problem &problem, TwoStep *out);

// Puts the intermediate at scratch.
void place_intermediate(TwoStep *steps, void *scratch);

}  // namespace gpuopt
