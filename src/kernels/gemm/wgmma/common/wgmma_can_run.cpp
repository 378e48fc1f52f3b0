// Which products the wgmma kernels can run, and how scales of blocks come to them.
#include <cuda_runtime.h>

#include <algorithm>

#include "../common/block_scales.h"
#include "gemm/common/f32_split_launch.h"
#include "gemm/common/gemm_demand.h"
#include "gemm/wgmma/wgmma_boxes.h"
#include "gemm/wgmma/wgmma_operands.h"

namespace gpuopt {

WgmmaBlockScales wgmma_block_scales(const gpuopt_problem &problem, GemmSpan m, GemmSpan n, GemmSpan batch) {
  const BlockScales a = block_scales(problem.operand[GPUOPT_OPERAND_A].m),
                    b = block_scales(problem.operand[GPUOPT_OPERAND_B].m);
  WgmmaBlockScales blocks = {};  // steps of 0 where there are none: the kernel keeps to the one that it reads then
  if (a.data != nullptr) {
    blocks.a = a.data + a.offset(batch.first, m.first, 0);
    blocks.a_row = a.row_step;
    blocks.a_depth = a.col_step * static_cast<int64_t>(sizeof(float));
    blocks.a_batch = a.batch_step;
    blocks.a_shift = a.row_shift;
  }
  if (b.data != nullptr) {
    blocks.b = b.data + b.offset(batch.first, 0, n.first);
    blocks.b_col = b.col_step;
    blocks.b_depth = b.row_step * static_cast<int64_t>(sizeof(float));
    blocks.b_batch = b.batch_step;
  }
  return blocks;
}

bool wgmma_scales_can_run(const gpuopt_problem &problem, bool columns, gpuopt_reject *reject) {
  constexpr int64_t kMost = (int64_t{1} << 31) - 1;  // from a scale to the next in 32 bits, signed
  const int64_t m = problem.m - 1, n = problem.n - 1, k = problem.k - 1, p = problem.batch - 1;
  const int64_t last_a = block_scales(problem.operand[GPUOPT_OPERAND_A].m).offset(p, m, k);
  const int64_t last_b = block_scales(problem.operand[GPUOPT_OPERAND_B].m).offset(p, k, n);
  if (last_a > kMost) return refuse(reject, GPUOPT_REJECT_SIZE_LIMIT, GPUOPT_OPERAND_A, last_a, kMost, "scales") != 0;
  if (last_b > kMost) return refuse(reject, GPUOPT_REJECT_SIZE_LIMIT, GPUOPT_OPERAND_B, last_b, kMost, "scales") != 0;
  return columns || wgmma_scales_of(problem) != WgmmaScaled::by_columns ||
         refuse(reject, GPUOPT_REJECT_FEATURE, GPUOPT_OPERAND_B, 0, 1, "a scale for each column and 128 of k") != 0;
}

bool wgmma_extents_can_run(const gpuopt_problem &problem, gpuopt_reject *reject) {
  const int64_t most = std::max({problem.m, problem.n, problem.k, problem.batch});
  if (problem.k < 1) return refuse(reject, GPUOPT_REJECT_SIZE_LIMIT, GPUOPT_OPERAND_NONE, problem.k, 1, "k") != 0;
  return most <= kWgmmaMost ||
         refuse(reject, GPUOPT_REJECT_SIZE_LIMIT, GPUOPT_OPERAND_NONE, most, kWgmmaMost, "the longest extent") != 0;
}

bool wgmma_lines_can_run(const gpuopt_problem &problem, gpuopt_reject *reject) {
  for (const int operand : {GPUOPT_OPERAND_A, GPUOPT_OPERAND_B, GPUOPT_OPERAND_D}) {
    const gpuopt_matrix &x = problem.operand[operand].m;
    const int64_t longest = std::max(x.ld, x.batch_stride), room = kWgmmaMostPitch / gpuopt_dtype_size(x.dtype);
    if (longest > room)
      return refuse(reject, GPUOPT_REJECT_SIZE_LIMIT, operand, longest, room, "ld or batch_stride") != 0;
  }
  return true;
}

namespace {

// Results of fp32, or sums that go to scratch memory, leave by panels alone.
bool plain_ends_can_run(const WgmmaFacts &tile, const gpuopt_problem &problem, gpuopt_reject *reject) {
  const gpuopt_operand &d = problem.operand[GPUOPT_OPERAND_D];
  const bool is_short = wgmma_stores_directly(problem, tile) && gpuopt_dtype_size(d.m.dtype) == 2;
  if (is_short || wgmma_goes_by_panels(problem, tile)) return true;
  if (problem.n % 4 != 0) return refuse(reject, GPUOPT_REJECT_DIM_MULTIPLE, GPUOPT_OPERAND_D, problem.n, 4, "n") != 0;
  return refuse(reject, GPUOPT_REJECT_ALIGN, GPUOPT_OPERAND_D, least_alignment(d), 16, nullptr) != 0;
}

}  // namespace

int wgmma_can_run(const WgmmaFacts &tile, const gpuopt_problem *problem, gpuopt_reject *reject) {
  if (!wgmma_extents_can_run(*problem, reject)) return 0;
  const int64_t tiles =
      ceil_div(problem->m, tile.m) * ceil_div(problem->n, wgmma_widths(tile.n, tile.narrows, true).least);
  if (tile.splits && !f32_split_can_run(*problem, reject)) return 0;
  if (tiles > kWgmmaMost || (tiles > 0 && problem->batch > kWgmmaMost / tiles))
    return refuse(reject, GPUOPT_REJECT_SIZE_LIMIT, GPUOPT_OPERAND_NONE, tiles, kWgmmaMost, "tiles");
  if (tile.plain_ends && !plain_ends_can_run(tile, *problem, reject)) return 0;
  return wgmma_scales_can_run(*problem, tile.scales_columns, reject) && wgmma_lines_can_run(*problem, reject);
}

}  // namespace gpuopt
