// How long a wgmma product takes, and what of a call its own store does.
#pragma once

#include "gemm/common/gemm_finish.h"
#include "gemm/wgmma/wgmma_cut.h"
#include "gemm/wgmma/wgmma_host.h"

namespace gpuopt {

struct WgmmaChain;

// Whether the kernel applies C and stages to sums in registers; its own store then gives the whole result.
bool wgmma_chains(const gpuopt_problem &problem, const WgmmaFacts &facts, WgmmaChain *chain);
// Whether the kernel's own store gives the whole result.
bool wgmma_stores_directly(const gpuopt_problem &problem, const WgmmaFacts &facts);
// Whether D goes by panels: no C but in a chain, rows on 16 bytes and whole ones of 16, since the accelerator writes no less.
bool wgmma_goes_by_panels(const gpuopt_problem &problem, const WgmmaFacts &facts);

// Of the packing alone; or of the splitting, with the launch that finds that it is not its turn.
double wgmma_pack_us(const gpuopt_problem &problem, const WgmmaCut &cut, bool splits = false);
double wgmma_us(const gpuopt_problem &problem, const WgmmaFacts &tile, const WgmmaSpeed &speed, const WgmmaCut &cut);

}  // namespace gpuopt
