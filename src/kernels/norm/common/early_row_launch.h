// The host side of early_rows.cuh.
#pragma once

#include "common/dependent_launch.cuh"
#include "norm/common/row_launch.h"

namespace gpuopt {

// Waves of blocks up to which a launch is early: more of them hide its latency themselves.
constexpr int64_t kEarlyWaves = 4;

// row_launcher() for kernels that wait: early where there are few rows. cluster: blocks that share a row; 0: none do.
static inline auto early_row_launcher(const gpuopt_problem &problem, const gpuopt_launch *launch, const char *name,
                                      size_t dynamic_smem = 0, int32_t cluster = 0) {
  return [&problem, launch, name, dynamic_smem, cluster](auto tag, auto kernel, int64_t blocks, int64_t threads,
                                                         const auto &...more) {
    auto work = make_row_work<typename decltype(tag)::type>(problem);
    const int64_t sms = problem.device->sm_count, at_once = sms * ceil_div(problem.device->max_threads_per_sm, threads);
    LaunchAttributes attributes = {};
    if (blocks <= kEarlyWaves * at_once) attributes = early_launch(problem);
    attributes.cluster = cluster;
    if (attributes.early) work.early_blocks = static_cast<uint32_t>(blocks < sms ? blocks : sms);
    return launch_kernel(attributes, launch, name, static_cast<unsigned>(blocks), static_cast<unsigned>(threads),
                         dynamic_smem, kernel, work, more...);
  };
}

}  // namespace gpuopt
