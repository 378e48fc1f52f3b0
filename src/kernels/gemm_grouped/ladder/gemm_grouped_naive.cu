// gemm_grouped_naive: gemm_naive where each row of D asks which group it lies in.
//
// Idea and data movement: as gemm_naive, a warp holds 32 neighbours in a row of D, so its threads read one element of A and 32
// neighbours of B at each step of k. Groups begin at any row: a warp searches the offsets for its row, which cost a
// binary search of numbers that L1 keeps, and multiplies by that group's B. Rows of no group are left alone. Of a list each
// column of the grid has a product at a time, whose tiles its blocks share.
//
// Needs: nothing. Every layout, leading dimension, extent, type, scale and stage, offsets and lists of the host or the device:
// what runs where nothing else does.
// Prediction: gemm_naive's step, as many as there are rows, and the search; or reading the groups' matrices. Products of a list
// count as the largest that there may be.

#include <algorithm>
#include <cmath>

#include "common/launch.h"
#include "gemm/common/gemm_demand.h"
#include "gemm/common/simt_element.cuh"
#include "gemm_grouped/common/group_offsets.h"
#include "gemm_grouped/common/group_products.h"
#include "gemm_grouped/common/grouped_descriptor.h"
#include "gemm_grouped/ladder/figures.h"

namespace gpuopt {

constexpr int kGroupedTileM = 8, kGroupedTileN = 32, kGroupedStripe = 16;
constexpr int kGroupedThreads = kGroupedTileM * kGroupedTileN;

template <class Acc>
__global__ void __launch_bounds__(kGroupedThreads, 4)
    gemm_grouped_naive_kernel(const __grid_constant__ SimtGemm<Acc> gemm, const __grid_constant__ GroupOffsets offsets,
                              int64_t groups) {
  for (int64_t t = blockIdx.x; t < gemm.tiles.total; t += gridDim.x) {
    const TileSpace::Tile tile = gemm.tiles.tile(t);
    const int64_t i = tile.row * kGroupedTileM + threadIdx.x / kGroupedTileN;
    const int64_t j = tile.col * kGroupedTileN + threadIdx.x % kGroupedTileN;
    if (i >= gemm.m || j >= gemm.n) continue;
    const int64_t group = offsets.group_of(i, groups);
    if (group < 0 || group >= groups) continue;
    Acc acc[1];
    simt_element(gemm, group, i, j, acc);
    gemm_epilogue(gemm.epilogue, Run{group, i, j, 0, 0, 1}, acc);
  }
}
// The same with scales of blocks.
__global__ void __launch_bounds__(kGroupedThreads, 4)
    gemm_grouped_naive_blocks_kernel(const __grid_constant__ SimtBlocks blocks,
                                     const __grid_constant__ GroupOffsets offsets, int64_t groups) {
  const SimtGemm<float> &gemm = blocks.gemm;
  for (int64_t t = blockIdx.x; t < gemm.tiles.total; t += gridDim.x) {
    const TileSpace::Tile tile = gemm.tiles.tile(t);
    const int64_t i = tile.row * kGroupedTileM + threadIdx.x / kGroupedTileN;
    const int64_t j = tile.col * kGroupedTileN + threadIdx.x % kGroupedTileN;
    if (i >= gemm.m || j >= gemm.n) continue;
    const int64_t group = offsets.group_of(i, groups);
    if (group < 0 || group >= groups) continue;
    float acc[1];
    simt_element(blocks, group, i, j, acc);
    gemm_epilogue(gemm.epilogue, Run{group, i, j, 0, 0, 1}, acc);
  }
}
// The same of a list.
template <class Acc>
__global__ void __launch_bounds__(kGroupedThreads, 3)
    gemm_grouped_naive_list_kernel(const __grid_constant__ SimtGemm<Acc> gemm, const __grid_constant__ GroupList list) {
  for (int64_t group = blockIdx.y; group < list.count; group += gridDim.y) {
    const GroupProduct x = list.bounds.of(list.products[group]);
    const View a = group_view(gemm.a, x.a, x.lda, list.bounds.a_rows);
    const View b = group_view(gemm.b, x.b, x.ldb, list.bounds.b_rows);
    const View c = group_view(gemm.epilogue.c, x.c, x.ldc, list.bounds.c_rows);
    const View d = group_view(gemm.epilogue.d, x.d, x.ldd, list.bounds.d_rows);
    const int64_t tiles_n = ceil_div(x.n, kGroupedTileN), tiles = ceil_div(x.m, kGroupedTileM) * tiles_n;
    for (int64_t t = blockIdx.x; t < tiles; t += gridDim.x) {
      const int64_t i = t / tiles_n * kGroupedTileM + threadIdx.x / kGroupedTileN;
      const int64_t j = t % tiles_n * kGroupedTileN + threadIdx.x % kGroupedTileN;
      if (i >= x.m || j >= x.n) continue;
      Acc acc[1];
      simt_element(a, b, x.k, 0, i, j, acc);
      gemm_epilogue(gemm.epilogue, c, d, x.k == 0, Run{group, i, j, 0, 0, 1}, acc);
    }
  }
}

namespace {

constexpr char kName[] = "gemm_grouped_naive";

TileSpace tiles_of(const gpuopt_problem &problem) {
  return TileSpace(problem.m, problem.n, 1, kGroupedTileM, kGroupedTileN, kGroupedStripe);
}

gpuopt_status prepare(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  const gpuopt_status status = load_group_words(*problem, launch);
  if (status != GPUOPT_OK) return status;
  if (has_block_scales(*problem)) return load_kernel(launch, kName, gemm_grouped_naive_blocks_kernel);
  return with_accumulator(*problem, [&](auto zero) {
    using Acc = decltype(zero);
    return is_group_list(*problem) ? load_kernel(launch, kName, gemm_grouped_naive_list_kernel<Acc>)
                                   : load_kernel(launch, kName, gemm_grouped_naive_kernel<Acc>);
  });
}

gpuopt_status launch_list(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  GroupList list = {nullptr, problem->batch, GroupBounds(*problem)};
  const gpuopt_status status = bring_group_products(*problem, launch, launch->scratch, &list.products);
  if (status != GPUOPT_OK) return status;
  // How large products are only the device knows: a few blocks a product where there are many.
  constexpr int64_t kBlocksOfProcessor = 16, kMostColumns = 65535;
  const TileSpace tiles = tiles_of(*problem);
  const int64_t columns = std::min(problem->batch, kMostColumns),
                wanted = ceil_div(kBlocksOfProcessor * std::max(problem->device->sm_count, 1), columns);
  const dim3 grid(static_cast<unsigned>(std::min<int64_t>(tiles.blocks(), wanted)), static_cast<unsigned>(columns));
  return with_accumulator(*problem, [&](auto zero) {
    using Acc = decltype(zero);
    return launch_kernel(launch, kName, grid, kGroupedThreads, 0, gemm_grouped_naive_list_kernel<Acc>,
                         make_simt_gemm<Acc>(*problem, tiles), list);
  });
}

gpuopt_status launch(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  if (is_group_list(*problem)) return launch_list(problem, launch);
  GroupOffsets offsets;
  const gpuopt_status status = bring_group_offsets(*problem, launch, launch->scratch, &offsets);
  if (status != GPUOPT_OK) return status;
  const TileSpace tiles = tiles_of(*problem);
  if (has_block_scales(*problem))
    return launch_kernel(launch, kName, tiles.blocks(), kGroupedThreads, 0, gemm_grouped_naive_blocks_kernel,
                         make_simt_blocks(*problem, tiles), offsets, problem->batch);
  return with_accumulator(*problem, [&](auto zero) {
    using Acc = decltype(zero);
    return launch_kernel(launch, kName, tiles.blocks(), kGroupedThreads, 0, gemm_grouped_naive_kernel<Acc>,
                         make_simt_gemm<Acc>(*problem, tiles), offsets, problem->batch);
  });
}

void workspace(const gpuopt_problem *problem, size_t *scratch, size_t *zeroed) {
  *scratch = group_words_bytes(*problem);
  *zeroed = 0;
}

double predict_us(const gpuopt_problem *problem) {
  const GemmGroupedLadderFigures &g = gemm_grouped_ladder_figures;
  const gpuopt_device_facts &device = *problem->device;
  if (device.sm_count <= 0 || device.clock_mhz <= 0 || device.memory_gbs <= 0) return 0;
  const bool along_k = problem->operand[GPUOPT_OPERAND_B].m.layout == GPUOPT_COL;
  const double products = is_group_list(*problem) ? static_cast<double>(problem->batch) : 1;
  const double tiles = std::ceil(products * static_cast<double>(tiles_of(*problem).total) / device.sm_count);
  // A multiprocessor's blocks hide each other's waits, as many as it holds at a time.
  constexpr double kBlocks = 8;
  const double k = static_cast<double>(problem->k);
  const double rows = static_cast<double>(std::min<int64_t>(problem->m, kGroupedTileM)) / kGroupedTileM;
  const double step = g.naive_step_clocks * rows * (along_k ? g.naive_column_factor : 1);
  const double wait = g.naive_wait_clocks + (along_k ? g.naive_column_wait_clocks : 0);
  const double search = g.naive_search_clocks * std::log2(static_cast<double>(problem->batch) + 2);
  const double busy_us = tiles * k * step / device.clock_mhz;
  const double chain_us = std::ceil(tiles / kBlocks) * (k * wait + search) / device.clock_mhz;
  const double memory_us = grouped_bytes(*problem) / (g.naive_memory_share * device.memory_gbs * 1e3);
  return g.naive_us + group_words_us(*problem) + overlapped_us(busy_us, chain_us, memory_us, g.naive_sharpness);
}

constexpr gpuopt_kernel make_kernel() {
  gpuopt_kernel kernel = grouped_descriptor(kName, "a thread an element of whichever group its row lies in");
  kernel.understands |= GPUOPT_FEATURE_BLOCK_SCALES | GPUOPT_FEATURE_GROUP_LIST | GPUOPT_FEATURE_HOST_LIST;
  kernel.signatures = kSimtGemmSignatures.row;
  kernel.signature_count = kSimtGemmSignatures.count;
  kernel.workspace = workspace;
  set_functions(kernel, predict_us, prepare, launch,
                kResourcesOf<kGroupedThreads, 0, gemm_grouped_naive_kernel<float>, gemm_grouped_naive_kernel<double>,
                             gemm_grouped_naive_kernel<int32_t>, gemm_grouped_naive_blocks_kernel,
                             gemm_grouped_naive_list_kernel<float>, gemm_grouped_naive_list_kernel<double>,
                             gemm_grouped_naive_list_kernel<int32_t>>);
  return kernel;
}
const gpuopt_kernel kKernels[] = {make_kernel()};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
