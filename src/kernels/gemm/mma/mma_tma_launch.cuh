// From a descriptor to a launch: the gemm_mma_tma_* kernels.
#pragma once

#include "common/launch.h"
#include "common/tensor_map.h"
#include "gemm/mma/mma_host.cuh"
#include "gemm/mma/mma_tma.cuh"

namespace gpuopt {

struct MmaTmaFunctions : MmaFunctions<void (*)(CUtensorMap, CUtensorMap, MmaTmaGemm)> {
  void (*tail)(MmaTmaGemm);
  int32_t block_threads;
};

// The layouts of A and B do not matter to the sums' places.
template <class Tile>
using MmaTmaTailWarp = MmaWarp<Tile, true, true>;

// The tiles of one kernel.
template <class... Tiles>
struct MmaTmaTiles {
  static constexpr MmaTileFacts kTiles[sizeof...(Tiles)] = {mma_facts<Tiles>()...};
  static constexpr MmaTmaFunctions kFunctions[sizeof...(Tiles)] = {
      {{{{gemm_mma_tma_kernel<Tiles, false, false>, gemm_mma_tma_kernel<Tiles, false, true>},
         {gemm_mma_tma_kernel<Tiles, true, false>, gemm_mma_tma_kernel<Tiles, true, true>}}},
       gemm_mma_tail_kernel<Tiles, MmaTmaTailWarp<Tiles>>,
       Tiles::kBlockThreads}...};
  inline static gpuopt_resource resources[5 * sizeof...(Tiles)] = {
      {Tiles::kBlockThreads, Tiles::kShared,
       reinterpret_cast<const void *>(gemm_mma_tma_kernel<Tiles, true, false>)}...,
      {Tiles::kBlockThreads, Tiles::kShared, reinterpret_cast<const void *>(gemm_mma_tma_kernel<Tiles, true, true>)}...,
      {Tiles::kBlockThreads, Tiles::kShared,
       reinterpret_cast<const void *>(gemm_mma_tma_kernel<Tiles, false, false>)}...,
      {Tiles::kBlockThreads, Tiles::kShared,
       reinterpret_cast<const void *>(gemm_mma_tma_kernel<Tiles, false, true>)}...,
      {Tiles::kThreads, 0, reinterpret_cast<const void *>(gemm_mma_tail_kernel<Tiles, MmaTmaTailWarp<Tiles>>)}...};
  static_assert(((Tiles::kShared <= 227 * 1024) && ...), "what a block may have on sm_90");
};

template <class Kernel>
int mma_tma_can_run(const gpuopt_problem *problem, gpuopt_reject *reject) {
  if (!mma_can_run<Kernel>(problem, reject)) return 0;
  const MmaTileFacts &tile = Kernel::kTiles[mma_index<Kernel>(*problem)];
  constexpr int64_t kMostTiles = (int64_t{1} << 31) - 4096;  // of all matrices
  const int64_t tiles = tile.tiles_m(*problem) * tile.tiles_n(*problem);
  if (tiles > 0 && problem->batch > kMostTiles / tiles)
    return refuse(reject, GPUOPT_REJECT_SIZE_LIMIT, GPUOPT_OPERAND_NONE, problem->batch, kMostTiles / tiles, "batch");
  const int64_t most = ((int64_t{1} << 40) - 1) / tile.element;
  for (const int operand : {GPUOPT_OPERAND_A, GPUOPT_OPERAND_B}) {
    const gpuopt_matrix &m = problem->operand[operand].m;
    const int64_t longest = std::max(m.ld, m.batch_stride);
    if (longest <= most) continue;
    return refuse(reject, GPUOPT_REJECT_SIZE_LIMIT, operand, longest, most, "ld or batch_stride");
  }
  return 1;
}

template <class Kernel>
double mma_tma_predict_us(const gpuopt_problem *problem) {
  return mma_tma_us(*problem, Kernel::kTiles[mma_index<Kernel>(*problem)]);
}

template <class Kernel>
void mma_tma_workspace(const gpuopt_problem *problem, size_t *scratch, size_t *zeroed) {
  const MmaTmaPlan plan = plan_mma_tma(*problem, Kernel::kTiles[mma_index<Kernel>(*problem)]);
  *scratch = plan.sums_bytes + plan.pieces_bytes;
  *zeroed = 0;
}

template <class Kernel>
gpuopt_status mma_tma_prepare(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  if (tensor_map_encoder() == nullptr) return no_tensor_map(launch, Kernel::kName);
  const int index = mma_index<Kernel>(*problem);
  const MmaTileFacts &tile = Kernel::kTiles[index];
  const MmaTmaFunctions &functions = Kernel::kFunctions[index];
  gpuopt_status status =
      load_kernel(launch, Kernel::kName, functions.for_layouts_of(*problem), static_cast<size_t>(tile.shared));
  if (status == GPUOPT_OK) status = load_kernel(launch, Kernel::kName, functions.tail);
  return status == GPUOPT_OK ? load_finish_mma(launch, tile) : status;
}

// The operand in boxes: k contiguous, the whole tile is one; else panels of 128 bytes of m or n.
inline bool encode_mma_operand(CUtensorMap *map, const gpuopt_operand &operand, const MmaTileFacts &tile, int64_t batch,
                               bool k_major, int extent) {
  const gpuopt_matrix &m = operand.m;
  const bool row = m.layout == GPUOPT_ROW;
  return encode_tensor_map(map, m.data, tile.element, row ? m.cols : m.rows, row ? m.rows : m.cols, m.ld * tile.element,
                           batch, m.batch_stride * tile.element, k_major ? extent : tile.depth);
}

template <class Kernel>
gpuopt_status mma_tma_launch(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  const int index = mma_index<Kernel>(*problem);
  const MmaTileFacts &tile = Kernel::kTiles[index];
  const MmaTmaFunctions &functions = Kernel::kFunctions[index];
  const MmaTmaPlan p = plan_mma_tma(*problem, tile);
  MmaTmaGemm gemm = {};
  static_cast<MmaGemm &>(gemm) = mma_gemm(*problem, tile, p.plan, launch->scratch);
  gemm.tiles = static_cast<uint32_t>(p.tiles);
  gemm.whole = static_cast<uint32_t>(p.whole);
  gemm.pieces = reinterpret_cast<float *>(static_cast<char *>(launch->scratch) + p.sums_bytes);
  const int64_t tail = p.tiles - p.whole, tail_stages = tail * tile.stages(*problem);
  gemm.tail_share = static_cast<uint32_t>(tail_stages / p.blocks);
  gemm.tail_longer = static_cast<uint32_t>(tail_stages % p.blocks);

  const gpuopt_operand &a = problem->operand[GPUOPT_OPERAND_A], &b = problem->operand[GPUOPT_OPERAND_B];
  CUtensorMap map_a = {}, map_b = {};
  if (problem->k > 0 &&  // an empty operand has no map
      (!encode_mma_operand(&map_a, a, tile, problem->batch, a.m.layout == GPUOPT_ROW, tile.m) ||
       !encode_mma_operand(&map_b, b, tile, problem->batch, b.m.layout == GPUOPT_COL, tile.n)))
    return no_tensor_map(launch, Kernel::kName);
  gpuopt_status status =
      launch_kernel(launch, Kernel::kName, dim3(static_cast<unsigned>(p.blocks)),
                    dim3(static_cast<unsigned>(functions.block_threads)), static_cast<size_t>(tile.shared),
                    functions.for_layouts_of(*problem), map_a, map_b, gemm);
  if (status == GPUOPT_OK && tail != 0) {
    status = launch_kernel(launch, Kernel::kName, dim3(static_cast<unsigned>(tail * tile.runs)),
                           dim3(static_cast<unsigned>(tile.threads)), 0, functions.tail, gemm);
  }
  return status == GPUOPT_OK ? finish_mma(*problem, launch, tile, p.plan) : status;
}

template <class Kernel, size_t kSignatures>
constexpr gpuopt_kernel mma_tma_kernel(const gpuopt_signature (&signatures)[kSignatures]) {
  gpuopt_kernel kernel = mma_descriptor<Kernel>(signatures);
  kernel.cc_min = kernel.cc_exact = 90;
  kernel.can_run = mma_tma_can_run<Kernel>;
  set_functions_in_parts<mma_tma_workspace<Kernel>, mma_tma_predict_us<Kernel>, mma_tma_prepare<Kernel>,
                         mma_tma_launch<Kernel>>(kernel);
  set_resources(kernel, Kernel::resources);
  return kernel;
}

}  // namespace gpuopt
