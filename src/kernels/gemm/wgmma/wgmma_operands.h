// A problem's operands and results as launches of wgmma kernels take them: what they can serve, what scratch memory holds,
// what a step reads, packs and writes.
#pragma once

#include "common/launch.h"
#include "common/tensor_map.h"
#include "gemm/common/gemm_descriptor.h"
#include "gemm/common/gemm_finish.h"
#include "gemm/common/packed_operands.h"
#include "gemm/wgmma/wgmma_pack.h"
#include "gemm/wgmma/wgmma_results.h"
#include "gemm/wgmma/wgmma_time.h"

namespace gpuopt {

// Limits of every kernel: extents, then operands' lines.
bool wgmma_extents_can_run(const gpuopt_problem &problem, gpuopt_reject *reject);
bool wgmma_lines_can_run(const gpuopt_problem &problem, gpuopt_reject *reject);
// What a kernel with this tile has in scratch memory; any: of its operands, those that it reads whichever way they lie.
PackedScratch wgmma_scratch(const WgmmaFacts &tile, const gpuopt_problem &problem, AnyLayout any);
PackedScratch wgmma_scratch(const WgmmaFacts &tile, const gpuopt_problem &problem);
// Their scales of blocks, from the first row, column and matrix of a step on, which are at the beginning of a block; and
// whether wgmma_scales.cuh reads scales that lie like the problem's. columns: of a kernel that takes one for each column of B.
WgmmaBlockScales wgmma_block_scales(const gpuopt_problem &problem, GemmSpan m, GemmSpan n, GemmSpan batch);
bool wgmma_scales_can_run(const gpuopt_problem &problem, bool columns, gpuopt_reject *reject);
// Where the sums of some rows, columns and matrices go: D, or scratch.
WgmmaStore wgmma_store_of(const gpuopt_problem &problem, const WgmmaFacts &facts, void *sums, GemmSpan m, GemmSpan n,
                          GemmSpan batch);

// What is packed before a step of packed_steps().
WgmmaPack wgmma_pack_of(const gpuopt_problem &problem, const PackedCut &cut, bool packs_a, bool packs_b,
                        const PackedOperands &to, GemmSpan m, GemmSpan n, GemmSpan batch);

// An operand in boxes: k contiguous, `tile` lines are one; else panels of 64 of m or n by 128 bytes' worth of k.
inline bool encode_wgmma_map(CUtensorMap *map, const GemmView &x, int size, bool along_k, int64_t k, int64_t extent,
                             int64_t batch, int tile, TensorMapUse use = TensorMapUse::words) {
  return encode_tensor_map(map, x.data, size, along_k ? k : extent, along_k ? extent : k, x.pitch, batch, x.batch_pitch,
                           along_k ? tile : 128 / size, use);
}

}  // namespace gpuopt
