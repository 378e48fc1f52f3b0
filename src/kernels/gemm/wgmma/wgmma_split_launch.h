// The launches beside the product of operands in parts: what splits them, and the product for operands that do not fit.
#pragma once

#include "gemm/wgmma/wgmma_operands.h"
#include "gemm/wgmma/wgmma_split.h"

namespace gpuopt {

// Of a step: how the operands are split.
WgmmaSplit wgmma_split_of(const gpuopt_problem &problem, const WgmmaScratch &scratch, const gpuopt_launch *launch,
                          bool packs_a, bool packs_b, const WgmmaOperands &to, WgmmaSpan m, WgmmaSpan n,
                          WgmmaSpan batch);
// The step's product without parts, by multiply-adds, where the device finds that they do not fit.
gpuopt_status wgmma_strict(const gpuopt_problem &problem, const gpuopt_launch *launch, const char *name,
                           const WgmmaStore &store, WgmmaSpan m, WgmmaSpan n, WgmmaSpan batch);

}  // namespace gpuopt
