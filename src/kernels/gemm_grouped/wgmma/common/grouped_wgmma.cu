// From a grouped problem to launches: the grouped wgmma kernels on the host.
#include "gemm_grouped/wgmma/grouped_wgmma.h"

#include <algorithm>
#include <cmath>

#include "common/dependent_launch.cuh"
#include "common/descriptor.h"
#include "gemm/common/gemm_demand.h"
#include "gemm/common/gemm_epilogue.cuh"
#include "gemm/wgmma/wgmma_operands.h"
#include "gemm_grouped/wgmma/figures.h"
#include "gemm_grouped/wgmma/grouped_work.h"

namespace gpuopt {
namespace {

using TileFunction = void (*)(CUtensorMap, CUtensorMap, CUtensorMap, GroupedWork, GemmEpilogue<float>);
using SkinnyFunction = void (*)(CUtensorMap, CUtensorMap, GroupedWork, GemmEpilogue<float>);

template <class Function>
Function function_of(const GroupedFunction &f) {
  return reinterpret_cast<Function>(reinterpret_cast<uintptr_t>(f.entry));
}

bool goes_by_panels(const gpuopt_problem &p) {
  const gpuopt_operand &d = p.operand[GPUOPT_OPERAND_D];
  const bool fp8 = gpuopt_dtype_size(p.operand[GPUOPT_OPERAND_A].m.dtype) == 1;
  if (d.m.dtype != GPUOPT_F32 && d.m.dtype != (fp8 ? GPUOPT_BF16 : p.operand[GPUOPT_OPERAND_A].m.dtype)) return false;
  return grouped_is_plain(p) && d.m.layout == GPUOPT_ROW && p.n * gpuopt_dtype_size(d.m.dtype) % 16 == 0 &&
         std::min(d.align, d.ld_align) >= 16;
}

// More than there can be, however the rows fall and however narrow tiles are.
int64_t most_tiles(const gpuopt_problem &p, const GroupedFunction &f) {
  const int64_t rows = ceil_div(p.m, f.tile.rows) + std::min(p.batch, p.m);
  return rows * ceil_div(p.n, f.swapped ? f.tile.cols : grouped_columns(kGroupedWidths - 1));
}

double width_clocks(int64_t k, const GroupedTileFacts &tile, int i) {
  const GroupedClocks clocks = grouped_clocks(i);
  return static_cast<double>(ceil_div(k, tile.depth)) * clocks.stage + clocks.end;
}

}  // namespace

bool grouped_is_plain(const gpuopt_problem &p) {
  const gpuopt_operand *const o = p.operand;
  return p.stage_count == 0 && (p.features & (GPUOPT_FEATURE_BETA | GPUOPT_FEATURE_SCALAR_POINTERS)) == 0 &&
         whole_scale(o[GPUOPT_OPERAND_A].m) == nullptr && whole_scale(o[GPUOPT_OPERAND_B].m) == nullptr &&
         whole_scale(o[GPUOPT_OPERAND_D].m) == nullptr;
}

GroupedClocks grouped_clocks(int width) {
  const GemmGroupedWgmmaFigures &f = gemm_grouped_wgmma_figures;
  if (width == 0) return {f.wide_stage_clocks, f.wide_end_clocks};
  if (width == 1) return {f.middle_stage_clocks, f.middle_end_clocks};
  return {f.narrow_stage_clocks, f.narrow_end_clocks};
}

int grouped_wgmma_can_run(const gpuopt_problem *problem, gpuopt_reject *reject) {
  const gpuopt_problem &p = *problem;
  if (!wgmma_extents_can_run(p, reject)) return 0;
  const double tiles =
      (static_cast<double>(p.m) / 8 + static_cast<double>(p.batch) + 1) * (static_cast<double>(p.n) / 64 + 1);
  if (tiles > static_cast<double>(kWgmmaMost))
    return refuse(reject, GPUOPT_REJECT_SIZE_LIMIT, GPUOPT_OPERAND_NONE, static_cast<int64_t>(std::min(tiles, 9e18)),
                  kWgmmaMost, "tiles");
  if (!wgmma_scales_can_run(p, false, reject)) return 0;
  if (p.operand[GPUOPT_OPERAND_A].m.scales.block == GPUOPT_SCALE_128X128)
    return refuse(reject, GPUOPT_REJECT_FEATURE, GPUOPT_OPERAND_A, 0, 1, "a scale for 128 rows of any groups");
  return wgmma_lines_can_run(p, reject);
}

void grouped_wgmma_workspace(const gpuopt_problem *problem, size_t *scratch, size_t *zeroed) {
  *scratch = group_words_bytes(*problem);
  *zeroed = sizeof(uint32_t);  // GroupedWork::taken
}

void grouped_skinny_workspace(const gpuopt_problem *problem, size_t *scratch, size_t *zeroed) {
  *scratch = group_words_bytes(*problem);
  *zeroed = 0;
}

double grouped_mean_rows(const gpuopt_problem &p) {
  return static_cast<double>(p.m) / static_cast<double>(std::max<int64_t>(p.batch, 1));
}

double grouped_tiles_us(const gpuopt_problem &p, double tiles_clocks, double elements, bool by_panels) {
  const GemmGroupedWgmmaFigures &f = gemm_grouped_wgmma_figures;
  const gpuopt_device_facts &device = *p.device;
  const double clock = device.clock_mhz > 0 ? device.clock_mhz : 1500, sms = std::max(device.sm_count, 1);
  const double epilogue = grouped_is_plain(p) ? 0 : f.epilogue_clocks + gemm_demand(p).epilogue_clocks;
  const double lines = by_panels ? 0 : f.line_clocks + epilogue;
  const double multiply_us = powered_us(tiles_clocks / clock) + elements / sms * lines / clock;
  const double gbs = (device.memory_gbs > 0 ? device.memory_gbs : 1000) * 1e3;
  return f.start_us + f.group_clocks * static_cast<double>(p.batch) / clock +
         overlapped_us(multiply_us, grouped_bytes(p) / (f.memory_share * gbs), 0, f.sharpness);
}

double grouped_wgmma_us(const gpuopt_problem &p, const GroupedTileFacts &tile) {
  const GemmGroupedWgmmaFigures &f = gemm_grouped_wgmma_figures;
  const double sms = std::max(p.device->sm_count, 1);
  const double mean = grouped_mean_rows(p), groups = static_cast<double>(std::min(p.batch, p.m));
  const auto rounds = [&](int64_t cols) {
    return std::ceil(groups * std::ceil(mean / tile.rows) * static_cast<double>(ceil_div(p.n, cols)) / sms);
  };
  double tiles_clocks = 0;
  if (gpuopt_dtype_size(p.operand[GPUOPT_OPERAND_A].m.dtype) == 1) {  // of one width
    const double stages = static_cast<double>(ceil_div(p.k, tile.depth));
    const bool scaled = (p.features & GPUOPT_FEATURE_BLOCK_SCALES) != 0, tall = tile.rows == 256;
    const double stage = tall ? (scaled ? f.fp8_tall_scaled_clocks : f.fp8_tall_stage_clocks)
                              : (scaled ? f.fp8_scaled_clocks : f.fp8_stage_clocks);
    // A warpgroup multiplies alone where the other one's rows are beyond the group.
    const double of_rows = mean / tile.rows, last = std::ceil(of_rows) - of_rows;
    const double saved = tall && last >= 0.5 ? (1 - f.fp8_half_share) / std::ceil(of_rows) : 0;
    tiles_clocks =
        rounds(tile.cols) * (stages * stage * (1 - saved) + (tall ? f.fp8_tall_end_clocks : f.fp8_end_clocks));
  } else {
    for (int i = 0; i < kGroupedWidths; ++i) {
      const double clocks = rounds(grouped_columns(i)) * width_clocks(p.k, tile, i);
      if (i == 0 || clocks < tiles_clocks) tiles_clocks = clocks;
    }
  }
  const double elements = static_cast<double>(p.m) * static_cast<double>(p.n);
  return group_words_us(p) + grouped_tiles_us(p, tiles_clocks, elements, goes_by_panels(p));
}

double grouped_skinny_us(const gpuopt_problem &p, const GroupedTileFacts &tile) {
  const GemmGroupedWgmmaFigures &f = gemm_grouped_wgmma_figures;
  const gpuopt_device_facts &device = *p.device;
  const double clock = device.clock_mhz > 0 ? device.clock_mhz : 1500, sms = std::max(device.sm_count, 1);
  const double mean = grouped_mean_rows(p), groups = static_cast<double>(std::min(p.batch, p.m));
  const double tiles = groups * std::ceil(mean / tile.rows) * static_cast<double>(ceil_div(p.n, tile.cols));
  const double stages = static_cast<double>(ceil_div(p.k, tile.depth));
  const double elements = static_cast<double>(p.m) * static_cast<double>(p.n);
  // Sums of more rows are more of a thread's, one after the other.
  const double chain = f.skinny_epilogue_clocks * tile.rows + gemm_demand(p).epilogue_clocks;
  const double epilogue = f.skinny_element_clocks + (grouped_is_plain(p) ? 0 : chain);
  const double waves = std::ceil(tiles / (2 * sms)) * 2;  // two blocks share a multiprocessor
  const double copied = waves * stages * (tile.rows + tile.cols) * 128 / f.skinny_bytes_per_clock;
  const double gbs = (device.memory_gbs > 0 ? device.memory_gbs : 1000) * 1e3;
  return f.skinny_start_us + f.group_clocks * static_cast<double>(p.batch) / clock + group_words_us(p) +
         overlapped_us((copied + elements / sms * epilogue) / clock, grouped_bytes(p) / (f.skinny_memory_share * gbs),
                       0, f.skinny_sharpness);
}

gpuopt_status grouped_wgmma_prepare(const GroupedFunction &f, const gpuopt_problem *problem,
                                    const gpuopt_launch *launch) {
  if (tensor_map_encoder() == nullptr) return no_tensor_map(launch, f.name);
  const auto shared = static_cast<size_t>(f.shared);
  const gpuopt_status status = f.swapped ? load_kernel(launch, f.name, function_of<SkinnyFunction>(f), shared)
                                         : load_kernel(launch, f.name, function_of<TileFunction>(f), shared);
  return status == GPUOPT_OK ? load_group_words(*problem, launch) : status;
}

gpuopt_status grouped_wgmma_launch(const GroupedFunction &f, const gpuopt_problem *problem,
                                   const gpuopt_launch *launch) {
  const gpuopt_problem &p = *problem;
  GroupedWork work = {};
  const gpuopt_status status = bring_group_offsets(p, launch, launch->scratch, &work.offsets);
  if (status != GPUOPT_OK) return status;
  const gpuopt_matrix &a = p.operand[GPUOPT_OPERAND_A].m, &b = p.operand[GPUOPT_OPERAND_B].m,
                      &d = p.operand[GPUOPT_OPERAND_D].m;
  work.n = static_cast<int32_t>(p.n);
  work.k = static_cast<int32_t>(p.k);
  work.groups = static_cast<int32_t>(p.batch);
  work.batched_b = p.batch > 1 && b.batch_stride != 0;
  work.plain = grouped_is_plain(p);
  work.by_panels = goes_by_panels(p);
  work.taken = static_cast<uint32_t *>(launch->zeroed);
  work.alpha = static_cast<float>(p.alpha);
  work.blocks = wgmma_block_scales(p, {0, p.m}, {0, p.n}, {0, p.batch});
  const int64_t size = gpuopt_dtype_size(a.dtype), of_d = gpuopt_dtype_size(d.dtype);
  for (int i = 0; i < kGroupedWidths; ++i) work.width_clocks[i] = static_cast<float>(width_clocks(p.k, f.tile, i));
  const int rows = f.swapped ? f.tile.rows : f.tile.rows / 2, cols = f.swapped ? f.tile.cols : 64;
  const GemmView view_a = {static_cast<char *>(a.data), a.ld * size, 0};
  const GemmView view_b = {static_cast<char *>(b.data), b.ld * size, b.batch_stride * size};
  const TensorMapUse use = f.swapped ? TensorMapUse::read_once : TensorMapUse::words;
  CUtensorMap map_a = {}, map_b = {}, map_d = {};
  const bool encoded =
      encode_wgmma_map(&map_a, view_a, static_cast<int>(size), true, p.k, p.m, 1, rows, use) &&
      encode_wgmma_map(&map_b, view_b, static_cast<int>(size), grouped_b_along_k(p), p.k, p.n, p.batch, cols, use) &&
      (f.swapped || !work.by_panels ||
       encode_tensor_map(&map_d, d.data, static_cast<int>(of_d), p.n, p.m, d.ld * of_d, 1, 0, 64));
  if (!encoded) return no_tensor_map(launch, f.name);
  const int64_t sms = std::max(p.device->sm_count, 1);
  const auto blocks = static_cast<unsigned>(std::min(most_tiles(p, f), sms * f.blocks));
  const GemmEpilogue<float> epilogue = make_gemm_epilogue<float>(p);
  const LaunchAttributes attributes = early_launch(p);
  const dim3 block(static_cast<unsigned>(f.threads));
  const auto shared = static_cast<size_t>(f.shared);
  return f.swapped ? launch_kernel(attributes, launch, f.name, dim3(blocks), block, shared,
                                   function_of<SkinnyFunction>(f), map_b, map_a, work, epilogue)
                   : launch_kernel(attributes, launch, f.name, dim3(blocks), block, shared,
                                   function_of<TileFunction>(f), map_a, map_b, map_d, work, epilogue);
}

}  // namespace gpuopt
