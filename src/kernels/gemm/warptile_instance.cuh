// For the one file that compiles a shape's kernels: `template struct WarptileKernels<shape>;`.
#ifndef GPUOPT_KERNELS_GEMM_WARPTILE_INSTANCE_CUH
#define GPUOPT_KERNELS_GEMM_WARPTILE_INSTANCE_CUH

#include "gemm/warptile.cuh"
#include "gemm/warptile_launch.cuh"

namespace gpuopt {

// One kernel for each width of the copies of A and of B.
template <class Shape>
auto pick_warptile_kernel(int bytes_a, int bytes_b) {
  if (bytes_a == 4) return bytes_b == 4 ? gemm_warptile_kernel<Shape, 4, 4> : gemm_warptile_kernel<Shape, 4, 16>;
  return bytes_b == 4 ? gemm_warptile_kernel<Shape, 16, 4> : gemm_warptile_kernel<Shape, 16, 16>;
}

template <class Shape>
size_t warptile_smem(const gpuopt_device_facts &device) {
  return static_cast<size_t>(Shape::smem_bytes(device.cc < 80 ? kWarptileStagedStages : Shape::kStages));
}

template <class Shape>
gpuopt_status WarptileKernels<Shape>::load(const gpuopt_launch *launch, const char *name, int bytes_a, int bytes_b) {
  return load_kernel(launch, name, pick_warptile_kernel<Shape>(bytes_a, bytes_b),
                     warptile_smem<Shape>(*launch->device));
}

template <class Shape>
gpuopt_status WarptileKernels<Shape>::run(const gpuopt_launch *launch, const char *name, int bytes_a, int bytes_b,
                                          const Warptile &w) {
  return launch_kernel(launch, name, w.work.blocks(), Shape::kThreads, warptile_smem<Shape>(*launch->device),
                       pick_warptile_kernel<Shape>(bytes_a, bytes_b), w);
}

template <class Shape>
gpuopt_status WarptileKernels<Shape>::run_early(const gpuopt_launch *launch, const char *name, int bytes_a, int bytes_b,
                                                const Warptile &w) {
  return launch_kernel({has_waiting_code(launch->device->cc), 0}, launch, name, w.work.blocks(), Shape::kThreads,
                       warptile_smem<Shape>(*launch->device), pick_warptile_kernel<Shape>(bytes_a, bytes_b), w);
}

template <class Shape>
gpuopt_resource WarptileKernels<Shape>::resources[4] = {
    {Shape::kThreads, Shape::smem_bytes(Shape::kStages),
     reinterpret_cast<const void *>(gemm_warptile_kernel<Shape, 4, 4>)},
    {Shape::kThreads, Shape::smem_bytes(Shape::kStages),
     reinterpret_cast<const void *>(gemm_warptile_kernel<Shape, 4, 16>)},
    {Shape::kThreads, Shape::smem_bytes(Shape::kStages),
     reinterpret_cast<const void *>(gemm_warptile_kernel<Shape, 16, 4>)},
    {Shape::kThreads, Shape::smem_bytes(Shape::kStages),
     reinterpret_cast<const void *>(gemm_warptile_kernel<Shape, 16, 16>)},
};

}  // namespace gpuopt

#endif
