// warptile_guarded.h's kernels: warptile.cuh's product of 64 x 64 tiles, each block of which first looks whether there is one. Only
// what runs on sm_80 and later calls them: below they are empty.
#include "gemm/warptile/warptile_guarded.h"

#include <algorithm>

#include "common/dependent_launch.cuh"
#include "gemm/warptile/warptile.cuh"
#include "gemm/warptile/warptile_shapes.cuh"

namespace gpuopt {

template <class Shape, int kBytesA, int kBytesB>
__global__ void __launch_bounds__(Shape::kThreads, Shape::kBlocks)
    gemm_warptile_guarded_kernel(const __grid_constant__ Warptile w, const uint32_t *unless) {
#if __CUDA_ARCH__ >= 800
  wait_for_stream();
  if (*unless != 0) return;
  for (uint32_t block = blockIdx.x; block < w.work.blocks(); block += gridDim.x) {
    warptile_product<Shape, kBytesA, kBytesB>(w, block);
    __syncthreads();  // who shares its tile's slices of k has read their sums
  }
#endif
}

namespace {

using Shape = WarpTile64x64;
using GuardedFunction = void (*)(Warptile, const uint32_t *);
constexpr GuardedFunction kFunctions[2][2] = {
    {gemm_warptile_guarded_kernel<Shape, 16, 16>, gemm_warptile_guarded_kernel<Shape, 16, 4>},
    {gemm_warptile_guarded_kernel<Shape, 4, 16>, gemm_warptile_guarded_kernel<Shape, 4, 4>}};
constexpr int kShared = Shape::smem_bytes(Shape::kStages);

}  // namespace

int warptile_guarded_can_run(const gpuopt_problem *problem, gpuopt_reject *reject) {
  return warptile_can_run(problem, reject);
}
gpuopt_status warptile_guarded(const gpuopt_launch *launch, const char *name, const WarptileSize &size, Warptile w,
                               WarptileWay a, WarptileWay b, const uint32_t *unless) {
  w.work = warptile_work(size, warptile_figures_64x64());
  // As many blocks as run at once, which take tile after tile: more would only come to leave.
  const uint32_t blocks = static_cast<uint32_t>(Shape::kBlocks * std::max(size.device->sm_count, 1));
  return launch_kernel({has_waiting_code(size.device->cc), 0}, launch, name, dim3(std::min(blocks, w.work.blocks())),
                       dim3(Shape::kThreads), kShared, kFunctions[a.bytes == 4 ? 1 : 0][b.bytes == 4 ? 1 : 0], w,
                       unless);
}
gpuopt_status load_warptile_guarded(const gpuopt_launch *launch, const char *name) {
  for (const auto &of_a : kFunctions) {
    for (const GuardedFunction function : of_a) {
      const gpuopt_status status = load_kernel(launch, name, function, kShared);
      if (status != GPUOPT_OK) return status;
    }
  }
  return GPUOPT_OK;
}

}  // namespace gpuopt
