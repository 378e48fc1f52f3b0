// flat_rows.cuh on the host: which rows go that way, and by which instance.
#pragma once

#include <algorithm>

#include "norm/common/passes.cuh"

namespace gpuopt {

struct FlatRows : PassWork<float> {
  int32_t at_once;    // rows of a block
  int32_t log_group;  // 2^log_group threads of a row; more than 32: all of the block
  int32_t x_bytes;    // of an element
  int64_t all_rows;
};

struct FlatPlan {
  int64_t at_once;  // 0: the rows do not go that way
  int log_group, threads;
  int held;  // elements of a thread, which it holds; 0: it reads them again
  size_t shared_bytes;
};
// Bytes of shared memory that a range may take.
inline size_t flat_most_shared(const gpuopt_device_facts &device) {
  constexpr int64_t kLeast = 48 * 1024, kBeside = 1024;
  return static_cast<size_t>(std::max<int64_t>(device.smem_per_block_optin, kLeast) - kBeside);
}
inline FlatPlan flat_plan(const gpuopt_problem &problem) {
  constexpr int64_t kShort = 256, kRange = 6144;  // elements of a row that a warp's threads hold; of a range of such
  constexpr int64_t kBegins = 16;                 // rows, every so many of which begin on 16 bytes
  constexpr int64_t kLong = 8192;                 // elements of a row that comes faster by vectors of 512 threads
  const gpuopt_device_facts &device = *problem.device;
  const int64_t n = problem.n, rows = problem.m * problem.batch;
  bool flat = problem.compute == GPUOPT_COMPUTE_F32 && n > 0, packed = true;
  for (const int index : {GPUOPT_OPERAND_X, GPUOPT_OPERAND_RESIDUAL, GPUOPT_OPERAND_OUT, GPUOPT_OPERAND_SUM}) {
    const gpuopt_matrix &x = problem.operand[index].m;
    if (x.dtype == 0) continue;
    const bool row_major = x.layout == GPUOPT_ROW;
    flat = flat && (row_major || n == 1);
    packed = packed && (row_major ? x.ld : 1) == n && (problem.batch == 1 || x.batch_stride == problem.m * n);
  }
  FlatPlan plan = {};
  if (!flat || (n <= kShort ? !packed : n < kLong)) return plan;
  if (n <= kShort) {
    const int64_t of_blocks = ceil_div(rows, int64_t{2} * std::max(device.sm_count, 1));
    plan.at_once = std::max(std::min(kRange / n / kBegins, ceil_div(of_blocks, kBegins)), int64_t{1}) * kBegins;
    while (int64_t{4} << plan.log_group < n && plan.log_group < 5) ++plan.log_group;
    plan.threads = 256;
    plan.held = n <= 128 ? 4 : 8;
  } else {
    plan.at_once = 1;
    plan.threads = 512;
    plan.log_group = 9;
  }
  plan.shared_bytes = static_cast<size_t>(plan.at_once * n + 4) * sizeof(float);
  if (plan.shared_bytes > flat_most_shared(device)) plan.at_once = 0;
  return plan;
}

}  // namespace gpuopt
