// From a descriptor to launches: the wgmma kernels on the host. The prediction is wgmma_time.h's.
#pragma once

#include "gemm/wgmma/wgmma_kernel.cuh"
#include "gemm/wgmma/wgmma_operands.h"

namespace gpuopt {

using WgmmaFunction = void (*)(CUtensorMap, CUtensorMap, CUtensorMap, WgmmaGemm, WgmmaStore);

// A kernel (a struct of its file) names its Tile of two types, kTypes (pairs of operand types), kAnyLayout (operands may lie
// along m or n), speed(), and resources: for each pair of types in order its functions, one or, with kAnyLayout, four.
template <class Kernel>
WgmmaFunction wgmma_function(const gpuopt_problem &problem, const WgmmaCut &cut) {
  size_t index = 0;
  for (const WgmmaTypes &types : Kernel::kTypes) {
    if (types.a == problem.operand[GPUOPT_OPERAND_A].m.dtype && types.b == problem.operand[GPUOPT_OPERAND_B].m.dtype)
      break;
    ++index;
  }
  if (Kernel::kAnyLayout) index = index * 4 + (cut.a.along_k ? 0 : 2) + (cut.b.along_k ? 0 : 1);
  return reinterpret_cast<WgmmaFunction>(reinterpret_cast<uintptr_t>(Kernel::resources[index].entry));
}

// What kernels of the same tile share, whatever their types.
struct WgmmaShared128x256 {
  static constexpr char kSummary[] =
      "wgmma, 128 x 256 tiles shared by two warpgroups, persistent blocks, TMA in and out";
  static WgmmaSpeed speed() {
    const GemmWgmmaFigures &f = gemm_wgmma_figures;
    return {&f.shared_128x256_start_us, &f.shared_128x256_end_clocks, &f.shared_128x256_stage_clocks};
  }
};
struct WgmmaShared128x192 {
  static constexpr char kSummary[] =
      "wgmma, 128 x 192 tiles shared by two warpgroups, persistent blocks, TMA in and out";
  static WgmmaSpeed speed() {
    const GemmWgmmaFigures &f = gemm_wgmma_figures;
    return {&f.shared_128x192_start_us, &f.shared_128x192_end_clocks, &f.shared_128x192_stage_clocks};
  }
};
struct WgmmaPingPong128x128 {
  static constexpr char kSummary[] =
      "wgmma, 128 x 128 tiles by two warpgroups in turn, persistent blocks, TMA in and out";
  static WgmmaSpeed speed() {
    const GemmWgmmaFigures &f = gemm_wgmma_figures;
    return {&f.pingpong_128x128_start_us, &f.pingpong_128x128_end_clocks, &f.pingpong_128x128_stage_clocks};
  }
};

struct WgmmaPingPong128x192 {
  static constexpr char kSummary[] =
      "wgmma, 128 x 192 tiles by two warpgroups in turn, persistent blocks, TMA in and out";
  static WgmmaSpeed speed() {
    const GemmWgmmaFigures &f = gemm_wgmma_figures;
    return {&f.pingpong_128x192_start_us, &f.pingpong_128x192_end_clocks, &f.pingpong_128x192_stage_clocks};
  }
};

template <class Kernel>
double wgmma_predict_us(const gpuopt_problem *problem) {
  return wgmma_us(*problem, wgmma_facts<Kernel>(), Kernel::speed(), wgmma_scratch<Kernel>(*problem).cut);
}

template <class Kernel>
gpuopt_status wgmma_prepare(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  if (tensor_map_encoder() == nullptr) return no_tensor_map(launch, Kernel::kName);
  const WgmmaCut cut = wgmma_scratch<Kernel>(*problem).cut;
  gpuopt_status status =
      load_kernel(launch, Kernel::kName, wgmma_function<Kernel>(*problem, cut), WgmmaTileOf<Kernel>::kShared);
  if (status == GPUOPT_OK && (cut.a.packs || cut.b.packs))
    status = load_wgmma_pack(launch, sizeof(typename WgmmaTileOf<Kernel>::A));
  return status == GPUOPT_OK ? load_finish_gemm<typename WgmmaTileOf<Kernel>::Sum>(launch) : status;
}

template <class Kernel>
gpuopt_status wgmma_launch(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  using Tile = WgmmaTileOf<Kernel>;
  constexpr WgmmaFacts kFacts = wgmma_facts<Kernel>();
  constexpr int kSize = sizeof(typename Tile::A);
  constexpr bool kTf32 = std::is_same_v<typename Tile::A, float>;
  const WgmmaScratch scratch = wgmma_scratch<Kernel>(*problem);
  const WgmmaCut &cut = scratch.cut;
  const WgmmaFunction function = wgmma_function<Kernel>(*problem, cut);
  gpuopt_status status = GPUOPT_OK;
  wgmma_steps(*problem, cut, [&](bool packs_a, bool packs_b, WgmmaSpan m, WgmmaSpan n, WgmmaSpan batch) {
    if (status != GPUOPT_OK) return;
    const WgmmaOperands x = wgmma_operands(*problem, cut, scratch.packed(launch), m, n, batch);
    const WgmmaStore store = wgmma_store_of(*problem, kFacts, launch->scratch, m, n, batch);
    const int64_t sms = std::max(problem->device->sm_count, 1);
    const bool paired = wgmma_pairs(kFacts, m.count, n.count, batch.count, sms) &&
                        (!store.by_panels || (x.a.pitch | x.b.pitch) % 128 != 0);
    const int size = static_cast<int>(gpuopt_dtype_size(store.dtype)), of_b = paired ? Tile::kN / 2 : Tile::kN;
    CUtensorMap map_a = {}, map_b = {}, map_d = {};
    const bool encoded =
        encode_wgmma_map(&map_a, x.a, kSize, cut.a.along_k, problem->k, m.count, batch.count, Tile::kM, kTf32) &&
        encode_wgmma_map(&map_b, x.b, kSize, cut.b.along_k, problem->k, n.count, batch.count, of_b, kTf32) &&
        (!store.by_panels || encode_tensor_map(&map_d, store.d, size, n.count, m.count, store.d_pitch * size,
                                               batch.count, store.d_batch * size, 64));
    if (!encoded) {
      status = no_tensor_map(launch, Kernel::kName);
      return;
    }
    status = wgmma_pack(*problem, launch, kSize, wgmma_pack_of(*problem, cut, packs_a, packs_b, x, m, n, batch));
    if (status != GPUOPT_OK) return;
    WgmmaGemm gemm = wgmma_work<Tile>(m.count, n.count, problem->k, batch.count, paired);
    gemm.batched_a = x.a.batch_pitch != 0;
    gemm.batched_b = x.b.batch_pitch != 0;
    const int64_t blocks =
        gemm.paired ? std::min<int64_t>(gemm.units, sms / 2) * 2 : std::min<int64_t>(gemm.units, sms);
    LaunchAttributes attributes = early_launch(*problem);
    attributes.cluster = gemm.paired ? 2 : 0;
    status = launch_kernel(attributes, launch, Kernel::kName, dim3(static_cast<unsigned>(blocks)), dim3(Tile::kThreads),
                           Tile::kShared, function, map_a, map_b, map_d, gemm, store);
  });
  if (status != GPUOPT_OK || wgmma_stores_directly(*problem, kFacts)) return status;
  return finish_gemm(*problem, launch, static_cast<const typename Tile::Sum *>(launch->scratch), 1);
}

#define GPUOPT_WGMMA_ENTRY_(Tile, a, b) \
  { Tile::kThreads, Tile::kShared, reinterpret_cast<const void *>(gemm_wgmma_kernel<Tile, a, b>) }
#define GPUOPT_WGMMA_ENTRIES_(Tile)                                              \
  GPUOPT_WGMMA_ENTRY_(Tile, true, true), GPUOPT_WGMMA_ENTRY_(Tile, true, false), \
      GPUOPT_WGMMA_ENTRY_(Tile, false, true), GPUOPT_WGMMA_ENTRY_(Tile, false, false)

template <class Kernel, size_t N>
constexpr gpuopt_kernel wgmma_kernel(const gpuopt_signature (&signatures)[N]) {
  gpuopt_kernel kernel = gemm_descriptor(Kernel::kName, Kernel::kSummary);
  kernel.cc_min = kernel.cc_exact = 90;
  kernel.signatures = signatures;
  kernel.signature_count = N;
  kernel.can_run = wgmma_can_run<Kernel>;
  kernel.workspace = wgmma_workspace<Kernel>;
  set_functions(kernel, wgmma_predict_us<Kernel>, wgmma_prepare<Kernel>, wgmma_launch<Kernel>, Kernel::resources);
  return kernel;
}

}  // namespace gpuopt
