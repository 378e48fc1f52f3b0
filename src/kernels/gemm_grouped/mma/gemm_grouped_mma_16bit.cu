// Lists of f16 and bf16 products of any shapes by mma.sync.
//
// Idea and data movement: list_mma_kernel.cuh. Three tiles: 16 x 64 for products of few rows, which reads each B once at the speed of
// memory, 64 x 64, and 128 x 128 for many. Which one the greatest number of rows says; of a list of the host, the mean.
// Needs: sm_80. A's rows lie along k; A's and B's pointers and leading dimensions on 16 bytes, which a list of the device has to
// promise; any C, D, stages and extents.
// Prediction: the tiles of products that are all as large as any, by the time of gemm_mma's tiles, or reading them.
#include <algorithm>
#include <cmath>

#include "gemm/common/gemm_demand.h"
#include "gemm/mma/mma_host.cuh"
#include "gemm_grouped/common/group_offsets.h"
#include "gemm_grouped/common/grouped_descriptor.h"
#include "gemm_grouped/mma/figures.h"
#include "gemm_grouped/mma/list_mma.h"

namespace gpuopt {

namespace {

constexpr char kName[] = "gemm_grouped_mma_16bit";

#define GPUOPT_LIST_ENTRY_(Tile, T, along) \
  { Tile<T>::kThreads, Tile<T>::kShared, reinterpret_cast<const void *>(gemm_grouped_mma_kernel<Tile<T>, along>) }
#define GPUOPT_LIST_ENTRIES_(Tile)                                                 \
  GPUOPT_LIST_ENTRY_(Tile, __half, false), GPUOPT_LIST_ENTRY_(Tile, __half, true), \
      GPUOPT_LIST_ENTRY_(Tile, __nv_bfloat16, false), GPUOPT_LIST_ENTRY_(Tile, __nv_bfloat16, true)
// As list_mma_launch() finds them.
gpuopt_resource resources[] = {GPUOPT_LIST_ENTRIES_(ListTile16x64), GPUOPT_LIST_ENTRIES_(ListTile64x64),
                               GPUOPT_LIST_ENTRIES_(ListTile128x128)};

// Bytes of rows are 32-bit inside (mma_copy.cuh), with room for a tile more.
int can_run(const gpuopt_problem *problem, gpuopt_reject *reject) {
  constexpr int64_t kMost = (int64_t{1} << 31) - 4096;
  const int64_t most = 2 * std::max({problem->m, problem->n, problem->k});
  if (most > kMost)
    return refuse(reject, GPUOPT_REJECT_SIZE_LIMIT, GPUOPT_OPERAND_NONE, most, kMost, "bytes of the longest extent");
  return list_can_run(*problem, 16, 64, reject);
}

void workspace(const gpuopt_problem *problem, size_t *scratch, size_t *zeroed) {
  *scratch = group_words_bytes(*problem);
  *zeroed = sizeof(uint32_t);  // ListWork::taken
}

double predict_us(const gpuopt_problem *problem) {
  const GemmGroupedMmaFigures &f = gemm_grouped_mma_figures;
  const gpuopt_problem &p = *problem;
  const gpuopt_device_facts &device = *p.device;
  const double clock = device.clock_mhz > 0 ? device.clock_mhz : 1500, sms = std::max(device.sm_count, 1);
  const int i = list_tile_for(p, static_cast<double>(p.m));
  const double tile_clocks[] = {f.tile_clocks_16x64, f.tile_clocks_64x64, f.tile_clocks_128x128};
  const double stage_clocks[] = {f.stage_clocks_16x64, f.stage_clocks_64x64, f.stage_clocks_128x128};
  const ListTileFacts &tile = kListTiles[i];
  const double products = static_cast<double>(p.batch);
  const double tiles =
      products * static_cast<double>(ceil_div(p.m, tile.rows)) * static_cast<double>(ceil_div(p.n, tile.cols));
  const double clocks =
      std::ceil(tiles / sms) * (tile_clocks[i] + static_cast<double>(ceil_div(p.k, tile.depth)) * stage_clocks[i]);
  const double elements = products * static_cast<double>(p.m) * static_cast<double>(p.n);
  const double epilogue = f.element_clocks + (list_is_plain(p) ? 0 : gemm_demand(p).epilogue_clocks);
  const double gbs = (device.memory_gbs > 0 ? device.memory_gbs : 1000) * 1e3;
  return f.start_us + f.product_clocks * products / clock + group_words_us(p) +
         overlapped_us((clocks + elements / sms * epilogue) / clock, grouped_bytes(p) / (f.memory_share * gbs), 0,
                       f.sharpness);
}

constexpr gpuopt_kernel make_kernel() {
  gpuopt_kernel kernel =
      list_descriptor(kName, "mma.sync, lists of products of any shapes; tiles found on the device, persistent blocks");
  kernel.cc_min = 80;
  take_by_vectors(kernel);
  set_signatures(kernel, kGemm16BitSignatures);
  kernel.can_run = can_run;
  kernel.workspace = workspace;
  set_functions(
      kernel, predict_us,
      [](const gpuopt_problem *problem, const gpuopt_launch *launch) {
        return list_mma_prepare(kName, resources, problem, launch);
      },
      [](const gpuopt_problem *problem, const gpuopt_launch *launch) {
        return list_mma_launch(kName, resources, problem, launch);
      },
      resources);
  return kernel;
}
const gpuopt_kernel kKernels[] = {make_kernel()};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
