// Which chains a wgmma kernel applies itself, to sums in registers: a linear step with a vector along the rows, as a bias, an
// activation, and one matrix, as a residual or a gate. A thread holds pairs of neighbours, so n is even and what is read along
// a row lies on pairs.
#pragma once

#include "gemm/wgmma/wgmma_results.h"

namespace gpuopt {

// Fills the chain of a call with stages or a C, pointers at the first element; false: the call has another. C, where read, is of
// D's type and layout.
bool wgmma_chain_of(const gpuopt_problem &problem, WgmmaChain *chain);

}  // namespace gpuopt
