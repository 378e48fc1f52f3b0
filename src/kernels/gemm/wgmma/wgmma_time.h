// How long a wgmma product takes, and what of a call its own store does.
#pragma once

#include "gemm/common/gemm_finish.h"
#include "gemm/common/packed_operands.h"
#include "gemm/wgmma/wgmma_host.h"

namespace gpuopt {

struct WgmmaChain;

// Whether the kernel applies C and stages to sums in registers; its own store then gives the whole result.
bool wgmma_chains(const gpuopt_problem &problem, const WgmmaFacts &facts, WgmmaChain *chain);
// Whether the kernel's own store gives the whole result.
bool wgmma_stores_directly(const gpuopt_problem &problem, const WgmmaFacts &facts);
// The matrix that comes to the sums through the ring (wgmma_fold.cuh): C, or a residual that is the only stage; NULL: none, or it
// is unlike D or lies so that the accelerator cannot bring it.
const gpuopt_operand *wgmma_folded(const gpuopt_problem &problem, const WgmmaFacts &facts);
// Whether D goes by panels: no C but in a chain or by panels itself, rows on 16 bytes and whole ones of 16, since the accelerator
// writes no less.
bool wgmma_goes_by_panels(const gpuopt_problem &problem, const WgmmaFacts &facts);

// Columns of tiles by single blocks, with which those end first; columns in whose time they multiply; and the lines of B along k
// that they ask for at once.
struct WgmmaWidth {
  int columns, timed, box_b;
};
WgmmaWidth wgmma_width_of(const WgmmaFacts &tile, bool b_along_k, int64_t m, int64_t n, int64_t batch, int64_t blocks);

// L2 gives 64 bytes at a time: how much more comes of an operand whose pieces of 128 bytes begin anywhere between them.
double wgmma_copied(const gpuopt_problem &problem, int index, const PackedWay &way);
// Of the packing alone.
double wgmma_pack_us(const gpuopt_problem &problem, const PackedCut &cut);
double wgmma_us(const gpuopt_problem &problem, const WgmmaFacts &tile, const WgmmaSpeed &speed, const PackedCut &cut);

}  // namespace gpuopt
