// For the one file that compiles a shape's kernels: GPUOPT_WARPTILE_INSTANCE(128x128), and the table of resources.
#pragma once

#include "common/dependent_launch.cuh"
#include "gemm/warptile/warptile_shapes.cuh"

namespace gpuopt {

// Functions: Shape, and kernel<bytes of A's copies, of B's>.
template <class Functions>
struct WarptileInstance {
  using Shape = typename Functions::Shape;

  static auto pick(int bytes_a, int bytes_b) {
    if (bytes_a == 4) return bytes_b == 4 ? Functions::template kernel<4, 4> : Functions::template kernel<4, 16>;
    return bytes_b == 4 ? Functions::template kernel<16, 4> : Functions::template kernel<16, 16>;
  }
  static size_t smem(const gpuopt_device_facts &device) {
    return static_cast<size_t>(Shape::smem_bytes(device.cc < 80 ? kWarptileStagedStages : Shape::kStages));
  }
  static gpuopt_status load(const gpuopt_launch *launch, const char *name, int bytes_a, int bytes_b) {
    return load_kernel(launch, name, pick(bytes_a, bytes_b), smem(*launch->device));
  }
  static gpuopt_status run(const gpuopt_launch *launch, const char *name, int bytes_a, int bytes_b, const Warptile &w,
                           bool early) {
    return launch_kernel({early && has_waiting_code(launch->device->cc), 0}, launch, name, w.work.blocks(),
                         Shape::kThreads, smem(*launch->device), pick(bytes_a, bytes_b), w);
  }
};

}  // namespace gpuopt

// Written out, not made by a function: the compiler would make the table at start-up.
#define GPUOPT_WARPTILE_RESOURCE_(Functions, a, b)                                       \
  {                                                                                      \
    Functions::Shape::kThreads, Functions::Shape::smem_bytes(Functions::Shape::kStages), \
        reinterpret_cast<const void *>(Functions::kernel<a, b>)                          \
  }
#define GPUOPT_WARPTILE_RESOURCES(Functions)                                               \
  GPUOPT_WARPTILE_RESOURCE_(Functions, 4, 4), GPUOPT_WARPTILE_RESOURCE_(Functions, 4, 16), \
      GPUOPT_WARPTILE_RESOURCE_(Functions, 16, 4), GPUOPT_WARPTILE_RESOURCE_(Functions, 16, 16)

#define GPUOPT_WARPTILE_CODE(tile)                                                                 \
  const WarptileCode warptile_##tile = {warptile_figures_##tile,                                   \
                                        WarptileInstance<WarptileFunctions<WarpTile##tile>>::load, \
                                        WarptileInstance<WarptileFunctions<WarpTile##tile>>::run};
#define GPUOPT_WARPTILE_INSTANCE(tile) \
  GPUOPT_WARPTILE_CODE(tile)           \
  gpuopt_resource warptile_##tile##_resources[4] = {GPUOPT_WARPTILE_RESOURCES(WarptileFunctions<WarpTile##tile>)};
