// From a descriptor to a launch: the gemm_mma_* kernels whose tiles come by cp.async or through registers.
#pragma once

#include "gemm/mma/mma_host.cuh"
#include "gemm/mma/mma_kernel.cuh"

namespace gpuopt {

// For rows that begin anywhere.
template <class A, class B = A>
using MmaUnaligned64x64 = MmaTile<A, B, 64, 64, 64, 2, 2, 2, 2, true>;

// The tiles of one kernel.
template <class... Tiles>
struct MmaTiles {
  static constexpr MmaTileFacts kTiles[sizeof...(Tiles)] = {mma_facts<Tiles>()...};
  static constexpr MmaFunctions<void (*)(MmaGemm)> kFunctions[sizeof...(Tiles)] = {
      {{{gemm_mma_kernel<Tiles, false, false>, gemm_mma_kernel<Tiles, false, true>},
        {gemm_mma_kernel<Tiles, true, false>, gemm_mma_kernel<Tiles, true, true>}}}...};
  inline static gpuopt_resource resources[4 * sizeof...(Tiles)] = {
      {Tiles::kThreads, Tiles::kShared, reinterpret_cast<const void *>(gemm_mma_kernel<Tiles, true, false>)}...,
      {Tiles::kThreads, Tiles::kShared, reinterpret_cast<const void *>(gemm_mma_kernel<Tiles, true, true>)}...,
      {Tiles::kThreads, Tiles::kShared, reinterpret_cast<const void *>(gemm_mma_kernel<Tiles, false, false>)}...,
      {Tiles::kThreads, Tiles::kShared, reinterpret_cast<const void *>(gemm_mma_kernel<Tiles, false, true>)}...};
  static_assert(((Tiles::kShared <= 99 * 1024) && ...), "what a block may have on sm_86, sm_89 and sm_120");
};

template <class Kernel>
double mma_predict_us(const gpuopt_problem *problem) {
  return mma_us(*problem, Kernel::kTiles[mma_index<Kernel>(*problem)]);
}

template <class Kernel>
void mma_workspace(const gpuopt_problem *problem, size_t *scratch, size_t *zeroed) {
  const MmaPlan plan = plan_mma(*problem, Kernel::kTiles[mma_index<Kernel>(*problem)]);
  *scratch = plan.to_scratch ? gemm_partials_bytes(*problem, plan.slices(), 4) : 0;
  *zeroed = 0;
}

template <class Kernel>
gpuopt_status mma_prepare(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  const int index = mma_index<Kernel>(*problem);
  const MmaTileFacts &tile = Kernel::kTiles[index];
  const auto function = Kernel::kFunctions[index].for_layouts_of(*problem);
  const gpuopt_status status = load_kernel(launch, Kernel::kName, function, static_cast<size_t>(tile.shared));
  return status == GPUOPT_OK ? load_finish_mma(launch, tile) : status;
}

template <class Kernel>
gpuopt_status mma_launch(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  const int index = mma_index<Kernel>(*problem);
  const MmaTileFacts &tile = Kernel::kTiles[index];
  const MmaPlan plan = plan_mma(*problem, tile);
  const MmaGemm gemm = mma_gemm(*problem, tile, plan, launch->scratch);

  LaunchAttributes attributes = early_launch(*problem);
  if (plan.cluster) attributes.cluster = plan.splits;
  const dim3 grid(static_cast<unsigned>(gemm.tiles_m * gemm.tiles_n * gemm.splits), 1,
                  static_cast<unsigned>(std::min(problem->batch, int64_t{65535})));
  const gpuopt_status status =
      launch_kernel(attributes, launch, Kernel::kName, grid, dim3(static_cast<unsigned>(tile.threads)),
                    static_cast<size_t>(tile.shared), Kernel::kFunctions[index].for_layouts_of(*problem), gemm);
  return status == GPUOPT_OK ? finish_mma(*problem, launch, tile, plan) : status;
}

template <class Kernel, size_t kSignatures>
constexpr gpuopt_kernel mma_kernel(const gpuopt_signature (&signatures)[kSignatures]) {
  gpuopt_kernel kernel = mma_descriptor<Kernel>(signatures);
  kernel.can_run = mma_can_run<Kernel>;
  set_functions_in_parts<mma_workspace<Kernel>, mma_predict_us<Kernel>, mma_prepare<Kernel>, mma_launch<Kernel>>(
      kernel);
  set_resources(kernel, Kernel::resources);
  return kernel;
}

}  // namespace gpuopt
