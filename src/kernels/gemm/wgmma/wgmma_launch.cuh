// From a descriptor to a launch: the wgmma kernels on the host.
#pragma once

#include <algorithm>

#include "common/launch.h"
#include "common/tensor_map.h"
#include "gemm/common/gemm_demand.h"
#include "gemm/common/gemm_descriptor.h"
#include "gemm/common/gemm_finish.h"
#include "gemm/wgmma/figures.h"
#include "gemm/wgmma/wgmma_kernel.cuh"

namespace gpuopt {

using WgmmaFunction = void (*)(CUtensorMap, CUtensorMap, CUtensorMap, WgmmaGemm, WgmmaStore);

// A kernel's file names its tile, by type, and says how fast it goes.
struct WgmmaSpeed {
  const double *start_us, *end_clocks, *stage_clocks;
};

template <class Kernel>
WgmmaFunction wgmma_function(const gpuopt_problem &problem) {
  const bool a = problem.operand[GPUOPT_OPERAND_A].m.layout == GPUOPT_ROW;
  const bool b = problem.operand[GPUOPT_OPERAND_B].m.layout == GPUOPT_COL;
  const auto of = [&](auto tag) -> WgmmaFunction {
    using Tile = typename Kernel::template Tile<decltype(tag)>;
    if (a) return b ? gemm_wgmma_kernel<Tile, true, true> : gemm_wgmma_kernel<Tile, true, false>;
    return b ? gemm_wgmma_kernel<Tile, false, true> : gemm_wgmma_kernel<Tile, false, false>;
  };
  return problem.operand[GPUOPT_OPERAND_A].m.dtype == GPUOPT_F16 ? of(__half{}) : of(__nv_bfloat16{});
}
template <class Kernel>
using WgmmaTileOf = typename Kernel::template Tile<__half>;  // extents are those of both types

// Whether the kernel's own store gives the whole result.
inline bool wgmma_stores_directly(const gpuopt_problem &problem) {
  return is_plain_gemm(problem) || (problem.stage_count == 0 && problem.operand[GPUOPT_OPERAND_D].m.scale == nullptr &&
                                    (problem.features & GPUOPT_FEATURE_BETA) == 0);
}
// Whether D goes by panels: no C, rows on 16 bytes and whole ones of 16, since the accelerator writes no less.
inline bool wgmma_goes_by_panels(const gpuopt_problem &problem) {
  if (!wgmma_stores_directly(problem)) return problem.n % 4 == 0;
  const gpuopt_operand &d = problem.operand[GPUOPT_OPERAND_D];
  return (problem.features & GPUOPT_FEATURE_BETA) == 0 && problem.n * gpuopt_dtype_size(d.m.dtype) % 16 == 0 &&
         std::min({d.align, d.ld_align, d.stride_align}) >= 16;
}

template <class Tile>
int64_t wgmma_tiles(const gpuopt_problem &problem) {
  return ceil_div(problem.m, Tile::kM) * ceil_div(problem.n, Tile::kN) * problem.batch;
}

template <class Kernel>
int wgmma_can_run(const gpuopt_problem *problem, gpuopt_reject *reject) {
  using Tile = WgmmaTileOf<Kernel>;
  const auto limit = [&](int operand, int64_t have, int64_t need, const char *what) {
    return refuse(reject, GPUOPT_REJECT_SIZE_LIMIT, operand, have, need, what);
  };
  // Extents and coordinates are 32-bit inside, with room for a tile more.
  constexpr int64_t kMost = (int64_t{1} << 31) - 4096, kMostBytes = (int64_t{1} << 40) - 16;
  if (problem->k < 1) return limit(GPUOPT_OPERAND_NONE, problem->k, 1, "k");
  const int64_t most = std::max({problem->m, problem->n, problem->k, problem->batch});
  if (most > kMost) return limit(GPUOPT_OPERAND_NONE, most, kMost, "the longest extent");
  const int64_t tiles = ceil_div(problem->m, Tile::kM) * ceil_div(problem->n, Tile::kN);
  if (tiles > kMost || (tiles > 0 && problem->batch > kMost / tiles))
    return limit(GPUOPT_OPERAND_NONE, tiles, kMost, "tiles");
  for (const int operand : {GPUOPT_OPERAND_A, GPUOPT_OPERAND_B, GPUOPT_OPERAND_D}) {
    const gpuopt_matrix &x = problem->operand[operand].m;
    const int64_t longest = std::max(x.ld, x.batch_stride), room = kMostBytes / gpuopt_dtype_size(x.dtype);
    if (longest > room) return limit(operand, longest, room, "ld or batch_stride");
  }
  return 1;
}

template <class Kernel>
double wgmma_predict_us(const gpuopt_problem *problem) {
  using Tile = WgmmaTileOf<Kernel>;
  const GemmWgmmaFigures &f = gemm_wgmma_figures;
  const WgmmaSpeed speed = Kernel::speed();
  const gpuopt_device_facts &device = *problem->device;
  const double clock = device.clock_mhz > 0 ? device.clock_mhz : 1500, sms = std::max(device.sm_count, 1);
  const double tiles = static_cast<double>(wgmma_tiles<Tile>(*problem));
  const double stages = static_cast<double>(ceil_div(problem->k, Tile::kDepth));
  const double waves = std::ceil(tiles / sms);
  const GemmDemand x = gemm_demand(*problem);
  const double gbs = (device.memory_gbs > 0 ? device.memory_gbs : 1000) * 1e3;
  const bool direct = wgmma_stores_directly(*problem), reads_c = direct && x.c_bytes > 0;
  // A tile of fp32 is twice as many panels as one of 16 bits.
  const double panels = direct && problem->operand[GPUOPT_OPERAND_D].m.dtype != GPUOPT_F32 ? 1 : 2;
  const double multiply_us = powered_us(waves * (stages * *speed.stage_clocks + panels * *speed.end_clocks) / clock);
  // What does not go by panels goes by pairs of a thread. Two warpgroups share a tile, or have one each at a time.
  constexpr double kTiles = Tile::kPingPong ? 2 : 1;
  const double turns = std::ceil(waves / kTiles), stored = x.elements / std::max(tiles, 1.0) * kTiles / 2;
  const double c_clocks = reads_c ? f.c_byte_clocks * x.c_bytes / std::max(x.elements, 1.0) : 0;
  const double pairs_us =
      wgmma_goes_by_panels(*problem) ? 0 : turns * (f.pairs_tile_clocks + stored * (f.pairs_clocks + c_clocks)) / clock;
  const double memory_us =
      (x.a_bytes + x.b_bytes + (direct ? x.d_bytes + x.c_bytes : 4 * x.elements)) / (f.memory_share * gbs);
  return *speed.start_us + overlapped_us(multiply_us + pairs_us, memory_us, 0, f.sharpness) +
         (direct ? 0 : finish_gemm_us(*problem, 1, 4));
}

inline void wgmma_workspace(const gpuopt_problem *problem, size_t *scratch, size_t *zeroed) {
  *scratch = wgmma_stores_directly(*problem) ? 0 : gemm_partials_bytes(*problem, 1, 4);
  *zeroed = 0;
}

template <class Kernel>
gpuopt_status wgmma_prepare(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  if (tensor_map_encoder() == nullptr) return no_tensor_map(launch, Kernel::kName);
  const gpuopt_status status =
      load_kernel(launch, Kernel::kName, wgmma_function<Kernel>(*problem), WgmmaTileOf<Kernel>::kShared);
  return status == GPUOPT_OK ? load_finish_gemm<float>(launch) : status;
}

inline WgmmaStore wgmma_store_of(const gpuopt_problem &problem, void *scratch) {
  WgmmaStore store = {};
  store.by_panels = wgmma_goes_by_panels(problem);
  if (!wgmma_stores_directly(problem)) {
    store.d = scratch;
    store.d_pitch = problem.n;
    store.d_batch = problem.m * problem.n;
    store.dtype = GPUOPT_F32;
    store.alpha = 1;
    return store;
  }
  const gpuopt_matrix &c = problem.operand[GPUOPT_OPERAND_C].m, &d = problem.operand[GPUOPT_OPERAND_D].m;
  store.d = d.data;
  store.d_pitch = d.ld;
  store.d_batch = d.batch_stride;
  store.dtype = d.dtype;
  store.alpha = static_cast<float>(problem.alpha);
  store.alpha_ptr = static_cast<const float *>(problem.alpha_ptr);
  store.scale_a = problem.operand[GPUOPT_OPERAND_A].m.scale;
  store.scale_b = problem.operand[GPUOPT_OPERAND_B].m.scale;
  if ((problem.features & GPUOPT_FEATURE_BETA) != 0) {
    store.beta = static_cast<float>(problem.beta);
    store.beta_ptr = static_cast<const float *>(problem.beta_ptr);
    store.c = c.data;
    store.c_pitch = c.ld;
    store.c_batch = c.batch_stride;
  }
  return store;
}

template <class Kernel>
gpuopt_status wgmma_launch(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  using Tile = WgmmaTileOf<Kernel>;
  const gpuopt_matrix &a = problem->operand[GPUOPT_OPERAND_A].m, &b = problem->operand[GPUOPT_OPERAND_B].m;
  const bool along_a = a.layout == GPUOPT_ROW, along_b = b.layout == GPUOPT_COL;
  const int64_t tiles = wgmma_tiles<Tile>(*problem);
  const WgmmaStore store = wgmma_store_of(*problem, launch->scratch);
  const WgmmaGemm gemm = {static_cast<int32_t>(problem->m),
                          static_cast<int32_t>(problem->n),
                          static_cast<int32_t>(problem->k),
                          static_cast<int32_t>(ceil_div(problem->m, Tile::kM)),
                          static_cast<int32_t>(ceil_div(problem->n, Tile::kN)),
                          static_cast<int32_t>(tiles),
                          a.batch_stride != 0,
                          b.batch_stride != 0};
  // An operand in boxes: k contiguous, the whole tile is one; else panels of 64 of m or n.
  const auto encode = [&](CUtensorMap *map, const gpuopt_matrix &x, bool along_k, int extent) {
    const bool row = x.layout == GPUOPT_ROW;
    return encode_tensor_map(map, x.data, 2, row ? x.cols : x.rows, row ? x.rows : x.cols, x.ld * 2, problem->batch,
                             x.batch_stride * 2, along_k ? extent : Tile::kDepth);
  };
  const int size = static_cast<int>(gpuopt_dtype_size(store.dtype));
  CUtensorMap map_a = {}, map_b = {}, map_d = {};
  const bool encoded =
      encode(&map_a, a, along_a, Tile::kM) && encode(&map_b, b, along_b, Tile::kN) &&
      (!store.by_panels || encode_tensor_map(&map_d, store.d, size, problem->n, problem->m, store.d_pitch * size,
                                             problem->batch, store.d_batch * size, 64));
  if (!encoded) return no_tensor_map(launch, Kernel::kName);
  const int64_t blocks = std::min<int64_t>(tiles, std::max(problem->device->sm_count, 1));
  const gpuopt_status status = launch_kernel(early_launch(*problem), launch, Kernel::kName,
                                             dim3(static_cast<unsigned>(blocks)), dim3(Tile::kThreads), Tile::kShared,
                                             wgmma_function<Kernel>(*problem), map_a, map_b, map_d, gemm, store);
  if (status != GPUOPT_OK || wgmma_stores_directly(*problem)) return status;
  return finish_gemm(*problem, launch, static_cast<const float *>(launch->scratch), 1);
}

#define GPUOPT_WGMMA_ENTRY_(Tile, a, b) \
  { Tile::kThreads, Tile::kShared, reinterpret_cast<const void *>(gemm_wgmma_kernel<Tile, a, b>) }
#define GPUOPT_WGMMA_ENTRIES_(Tile)                                              \
  GPUOPT_WGMMA_ENTRY_(Tile, true, false), GPUOPT_WGMMA_ENTRY_(Tile, true, true), \
      GPUOPT_WGMMA_ENTRY_(Tile, false, false), GPUOPT_WGMMA_ENTRY_(Tile, false, true)

template <class Kernel>
constexpr gpuopt_kernel wgmma_kernel(const gpuopt_signature *signatures, size_t count) {
  gpuopt_kernel kernel = gemm_descriptor(Kernel::kName, Kernel::kSummary);
  kernel.cc_min = kernel.cc_exact = 90;
  for (int operand : {GPUOPT_OPERAND_A, GPUOPT_OPERAND_B}) kernel.align[operand] = kernel.ld_align[operand] = 16;
  kernel.signatures = signatures;
  kernel.signature_count = count;
  kernel.can_run = wgmma_can_run<Kernel>;
  kernel.workspace = wgmma_workspace;
  set_functions(kernel, wgmma_predict_us<Kernel>, wgmma_prepare<Kernel>, wgmma_launch<Kernel>, Kernel::resources);
  return kernel;
}

}  // namespace gpuopt
