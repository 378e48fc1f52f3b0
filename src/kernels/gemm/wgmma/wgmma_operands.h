// A problem's operands and results as launches of wgmma kernels take them: what they can serve, what scratch memory holds,
// what a step reads, packs and writes.
#pragma once

#include "common/launch.h"
#include "common/tensor_map.h"
#include "gemm/common/gemm_descriptor.h"
#include "gemm/common/gemm_finish.h"
#include "gemm/wgmma/wgmma_pack.h"
#include "gemm/wgmma/wgmma_results.h"
#include "gemm/wgmma/wgmma_time.h"

namespace gpuopt {

// Scratch memory: sums for gemm_finish, what is known of operands in parts, panels of A, panels of B.
struct WgmmaScratch {
  WgmmaCut cut;
  size_t sums_bytes, split_bytes, zeroed_bytes;
  size_t bytes() const { return sums_bytes + split_bytes + cut.a_bytes + cut.b_bytes; }
  char *split(const gpuopt_launch *launch) const { return static_cast<char *>(launch->scratch) + sums_bytes; }
  char *packed(const gpuopt_launch *launch) const { return split(launch) + split_bytes; }
};
WgmmaScratch wgmma_scratch(const WgmmaFacts &tile, const gpuopt_problem &problem);
// Their scales of blocks, from the first row, column and matrix of a step on, which are at the beginning of a block; and whether
// wgmma_scales.cuh reads scales that lie like the problem's.
WgmmaBlockScales wgmma_block_scales(const gpuopt_problem &problem, WgmmaSpan m, WgmmaSpan n, WgmmaSpan batch);
bool wgmma_scales_can_run(const gpuopt_problem &problem, gpuopt_reject *reject);
// Where the sums of some rows, columns and matrices go: D, or scratch.
WgmmaStore wgmma_store_of(const gpuopt_problem &problem, const WgmmaFacts &facts, void *sums, WgmmaSpan m, WgmmaSpan n,
                          WgmmaSpan batch);

// Some rows or columns (`part`) of some matrices of an operand, as the kernel reads them.
struct WgmmaView {
  char *data;
  int64_t pitch, batch_pitch;  // bytes
};
WgmmaView wgmma_view(const gpuopt_problem &problem, int index, WgmmaSpan part, WgmmaSpan batch);
// Of a step of wgmma_steps(): both operands, as they are or where they are packed (at `packed`, A's panels first), ...
struct WgmmaOperands {
  WgmmaView a, b;
};
WgmmaOperands wgmma_operands(const gpuopt_problem &problem, const WgmmaCut &cut, char *packed, WgmmaSpan m, WgmmaSpan n,
                             WgmmaSpan batch);
// ... and what is packed before it.
WgmmaPack wgmma_pack_of(const gpuopt_problem &problem, const WgmmaCut &cut, bool packs_a, bool packs_b,
                        const WgmmaOperands &to, WgmmaSpan m, WgmmaSpan n, WgmmaSpan batch);

// An operand in boxes: k contiguous, `tile` lines are one; else panels of 64 of m or n by 128 bytes' worth of k.
inline bool encode_wgmma_map(CUtensorMap *map, const WgmmaView &x, int size, bool along_k, int64_t k, int64_t extent,
                             int64_t batch, int tile, bool as_tf32 = false) {
  return encode_tensor_map(map, x.data, size, along_k ? k : extent, along_k ? extent : k, x.pitch, batch, x.batch_pitch,
                           along_k ? tile : 128 / size, as_tf32);
}

}  // namespace gpuopt
