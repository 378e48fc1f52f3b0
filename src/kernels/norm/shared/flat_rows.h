// flat_rows.cuh on the host: which rows go that way, and by which instance.
#pragma once

#include <algorithm>

#include "norm/common/passes.cuh"

namespace gpuopt {

struct FlatRows : PassWork<float> {
  int32_t at_once;      // rows of a team
  int32_t log_group;    // 2^log_group threads of a row; more than 32: all of the block
  int32_t x_bytes;      // of an element
  int32_t team_floats;  // of shared memory
  int64_t all_rows;
};

// Of a block of such teams.
constexpr int flat_threads(int team) { return team == 32 ? 128 : team; }

struct FlatPlan {
  int64_t at_once;  // rows of a team; 0: the rows do not go that way
  int log_group, team;
  int held;  // elements of a thread, which it holds; 0: it reads them again
  int64_t team_floats;

  int teams() const { return flat_threads(team) / team; }
  size_t shared_bytes() const { return static_cast<size_t>(teams() * team_floats) * sizeof(float); }
};

// Bytes of shared memory that ranges may take.
inline size_t flat_most_shared(const gpuopt_device_facts &device) {
  constexpr int64_t kLeast = 48 * 1024, kBeside = 1024;
  return static_cast<size_t>(std::max<int64_t>(device.smem_per_block_optin, kLeast) - kBeside);
}

inline FlatPlan flat_plan(const gpuopt_problem &problem) {
  constexpr int64_t kShort = 256,
                    kRange = 6144;  // elements of a row that a warp shares with others; of a range of such
  constexpr int64_t kBegins = 16;   // rows, every so many of which begin on 16 bytes
  constexpr int64_t kHeldByWarp = 1024, kFew = 512;  // elements; rows
  constexpr uint64_t kTypes = uint64_t{1} << GPUOPT_F32 | uint64_t{1} << GPUOPT_F16 | uint64_t{1} << GPUOPT_BF16 |
                              uint64_t{1} << GPUOPT_E4M3 | uint64_t{1} << GPUOPT_E5M2;
  const gpuopt_device_facts &device = *problem.device;
  const int64_t n = problem.n, rows = problem.m * problem.batch;
  bool flat = problem.compute == GPUOPT_COMPUTE_F32 && n > 0, packed = true;
  for (const int index : {GPUOPT_OPERAND_X, GPUOPT_OPERAND_RESIDUAL, GPUOPT_OPERAND_OUT, GPUOPT_OPERAND_SUM}) {
    const gpuopt_matrix &x = problem.operand[index].m;
    if (x.dtype == 0) continue;
    const bool row_major = x.layout == GPUOPT_ROW;
    flat = flat && (row_major || n == 1) && (kTypes >> x.dtype & 1) != 0;
    packed = packed && (row_major ? x.ld : 1) == n && (problem.batch == 1 || x.batch_stride == problem.m * n);
  }
  for (const int index : {GPUOPT_OPERAND_GAMMA, GPUOPT_OPERAND_BETA}) {
    const int32_t dtype = problem.extra[index - 4].m.dtype;
    flat = flat && (dtype == 0 || (kTypes >> dtype & 1) != 0);
  }
  FlatPlan plan = {};
  // Slower so than by a block each, an element at a time: rows with stages that are not short, and few that warps would hold.
  const bool few = n <= kHeldByWarp && rows < kFew;
  if (!flat || (n <= kShort ? !packed : few || problem.stage_count != 0)) return plan;
  plan.at_once = 1;
  if (n <= kShort) {
    const int64_t of_blocks = ceil_div(rows, int64_t{2} * std::max(device.sm_count, 1));
    plan.at_once = std::max(std::min(kRange / n / kBegins, ceil_div(of_blocks, kBegins)), int64_t{1}) * kBegins;
    while (int64_t{4} << plan.log_group < n && plan.log_group < 5) ++plan.log_group;
    plan.team = 256;
    plan.held = n <= 128 ? 4 : 8;
  } else if (n <= kHeldByWarp) {
    plan.log_group = 5;
    plan.team = 32;
    plan.held = 32;
  } else {
    plan.team = n <= 8192 ? 256 : 512;
    plan.log_group = n <= 8192 ? 8 : 9;
    plan.held = n <= 2048 ? 8 : n <= 4096 ? 16 : n <= 8192 ? 32 : 0;
  }
  plan.team_floats = ceil_div(plan.at_once * n + 3, int64_t{4}) * 4;
  if (plan.shared_bytes() > flat_most_shared(device)) plan.at_once = 0;
  return plan;
}

}  // namespace gpuopt
