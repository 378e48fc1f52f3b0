// Launches of a single wave that come up early.
#pragma once

#include "common/dependent_launch.cuh"
#include "common/index.cuh"

namespace gpuopt {

// The blocks of a launch come up while those of the launch before still run, wherever there is room: two to four on
// multiprocessors that had none, and none on others, on which the whole launch then waits. Bytes of dynamic shared memory
// a block, by which no multiprocessor has room for more than its share of `blocks`; 0 where it has no room anyway:
// registers leave `resident` blocks.
inline size_t even_share(const gpuopt_problem &problem, int64_t blocks, int64_t resident) {
  const gpuopt_device_facts &device = *problem.device;
  const int64_t share = ceil_div(blocks, int64_t{device.sm_count});
  if (!early_launch(problem).early || share == 0 || share >= resident) return 0;
  return static_cast<size_t>(device.smem_per_sm / (share + 1));
}

// The most that it may be, for load_kernel().
inline size_t largest_even_share(const gpuopt_problem &problem) { return even_share(problem, 1, 2); }

}  // namespace gpuopt
