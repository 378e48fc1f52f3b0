#include "gemm/mma/mma_plan.h"
#include "common/descriptor.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "common/cluster_places.h"
#include "gemm/common/gemm_demand.h"
#include "gemm/common/gemm_finish.h"
#include "gemm/mma/figures.h"

namespace gpuopt {
namespace {

// The figures of a tile, and how many blocks of it an SM has registers for.
struct Speed {
  bool staged, sums_are_exact, parts;
  int32_t element, m, n, resident;
  const double *start_us, *fill_clocks, *alone_clocks, *busy_clocks, *factor, *alone_factor, *end_clocks;
};
#define GPUOPT_SPEED_(tile, ...)                                                                                      \
  {                                                                                                                   \
    __VA_ARGS__, &gemm_mma_figures.tile##_start_us, &gemm_mma_figures.tile##_fill_clocks,                             \
        &gemm_mma_figures.tile##_alone_clocks, &gemm_mma_figures.tile##_busy_clocks, &gemm_mma_figures.tile##_factor, \
        &gemm_mma_figures.tile##_alone_factor, &gemm_mma_figures.tile##_end_clocks                                    \
  }
constexpr Speed kSpeeds[] = {
    GPUOPT_SPEED_(async_16bit_32x32, false, false, false, 2, 32, 32, 4),
    GPUOPT_SPEED_(async_16bit_64x64, false, false, false, 2, 64, 64, 2),
    GPUOPT_SPEED_(async_16bit_128x128, false, false, false, 2, 128, 128, 2),
    GPUOPT_SPEED_(async_tf32_64x64, false, false, false, 4, 64, 64, 2),
    GPUOPT_SPEED_(async_i8_64x64, false, true, false, 1, 64, 64, 2),
    GPUOPT_SPEED_(async_i8_128x128, false, true, false, 1, 128, 128, 1),
    GPUOPT_SPEED_(async_fp8_128x64, false, false, false, 1, 128, 64, 2),
    GPUOPT_SPEED_(async_parts_64x64, false, false, true, 4, 64, 64, 3),
    GPUOPT_SPEED_(staged_16bit_64x64, true, false, false, 2, 64, 64, 3),
    GPUOPT_SPEED_(staged_tf32_64x64, true, false, false, 4, 64, 64, 3),
    GPUOPT_SPEED_(staged_i8_64x64, true, true, false, 1, 64, 64, 3),
    GPUOPT_SPEED_(staged_fp8_64x64, true, false, false, 1, 64, 64, 3),
};
#undef GPUOPT_SPEED_

// Every tile stands in the list: one that does not is as slow as its last.
const Speed &speed_of(const MmaTileFacts &tile) {
  const auto same = [&](const Speed &s) {
    return s.staged == tile.staged && s.sums_are_exact == tile.sums_are_exact && s.parts == tile.parts &&
           s.element == tile.element && s.m == tile.m && s.n == tile.n;
  };
  return *std::find_if(std::begin(kSpeeds), std::end(kSpeeds) - 1, same);
}

// Whether the kernel's own store (mma_store.cuh) gives the whole result.
bool stores_directly(const gpuopt_problem &problem, bool sums_are_exact) {
  const gpuopt_matrix &c = problem.operand[GPUOPT_OPERAND_C].m, &d = problem.operand[GPUOPT_OPERAND_D].m;
  const bool reads_c = (problem.features & GPUOPT_FEATURE_BETA) != 0;
  if (problem.stage_count != 0 || d.scale != nullptr) return false;
  if (sums_are_exact) return !reads_c;
  if (d.dtype != GPUOPT_F32 && d.dtype != GPUOPT_F16 && d.dtype != GPUOPT_BF16) return false;
  return !reads_c || (c.dtype == d.dtype && c.layout == d.layout && c.scale == nullptr);
}

bool has_types_of(const MmaTileFacts &tile, const gpuopt_problem &problem) {
  return problem.operand[GPUOPT_OPERAND_A].m.dtype == tile.a && problem.operand[GPUOPT_OPERAND_B].m.dtype == tile.b;
}

double clock_mhz(const gpuopt_device_facts &device) { return device.clock_mhz > 0 ? device.clock_mhz : 1500; }

// Products and sums by mma.sync, per clock of one SM, against an H200's.
double mma_rate(int32_t cc) {
  if (cc == 80) return gemm_mma_figures.sm80_rate_share;
  return cc >= 90 && cc < 120 ? 1 : gemm_mma_figures.other_rate_share;
}

double tiles_of(const gpuopt_problem &problem, const MmaTileFacts &tile) {
  return static_cast<double>(tile.tiles_m(problem)) * static_cast<double>(tile.tiles_n(problem)) *
         static_cast<double>(problem.batch);
}

// Blocks of the busiest SM, which has room for so many at a time. Where clusters find no room all at once, some come later.
double blocks_of_sm(const gpuopt_device_facts &device, double blocks, double at_a_time, int32_t splits, bool cluster) {
  const double sms = std::max(device.sm_count, 1), even = std::ceil(blocks / sms);
  if (!cluster) return even;
  const double places = static_cast<double>(clusters_at_once(device, splits, at_a_time)) * splits;
  return blocks <= places ? even : std::max(even, std::ceil(blocks / places * at_a_time));
}

// Of blocks that split k, the clocks of the busiest SM; alone_factor: for the stages of those that wait for memory by themselves.
double multiply_clocks(const gpuopt_problem &problem, const MmaTileFacts &tile, int32_t splits, bool cluster,
                       double alone_factor) {
  const GemmMmaFigures &f = gemm_mma_figures;
  const Speed &speed = speed_of(tile);
  const gpuopt_device_facts &device = *problem.device;
  const double sms = std::max(device.sm_count, 1), rate = mma_rate(device.cc);
  const double tiles = tiles_of(problem, tile);
  const double depth = std::ceil(static_cast<double>(tile.stages(problem)) / splits);
  // Blocks at a time on an SM.
  const double blocks =
      std::max<int64_t>(1, std::min<int64_t>(speed.resident, device.smem_per_sm / (tile.shared + 1024)));
  const double per_sm = blocks_of_sm(device, tiles * splits, blocks, splits, cluster);
  const auto stage = [&](double together) {
    return std::max(alone_factor * *speed.alone_clocks, *speed.busy_clocks * together / rate);
  };
  const double waves = std::floor(per_sm / blocks), rest = per_sm - waves * blocks;
  double clocks = waves * depth * stage(std::min(per_sm, blocks)) + (rest > 0 ? depth * stage(rest) : 0);
  clocks += std::ceil(per_sm / blocks) * *speed.fill_clocks;
  if (cluster) clocks += f.cluster_clocks + f.cluster_part_clocks * splits;
  // Small tiles read each operand often, and part of that is not hidden.
  const double stage_bytes = static_cast<double>(tile.m + tile.n) * tile.depth * tile.element;
  if (tile.clusters) clocks += tiles * splits * depth * stage_bytes / (f.small_tile_bytes_per_clock * sms);
  return clocks;
}

// To and from memory, everything once.
double moved_bytes(const gpuopt_problem &problem) {
  const auto bytes = [&](int operand) { return operand_bytes(problem, problem.operand[operand]); };
  const double moved = bytes(GPUOPT_OPERAND_A) + bytes(GPUOPT_OPERAND_B) + bytes(GPUOPT_OPERAND_D);
  return (problem.features & GPUOPT_FEATURE_BETA) != 0 ? moved + bytes(GPUOPT_OPERAND_C) : moved;
}

// The product and then gemm_finish, where that ends it. Stores that do not come in whole, aligned runs of four take an
// element each; so do reads of C.
double product_us(const gpuopt_problem &problem, const MmaPlan &plan, double tiles, double multiply_clocks,
                  double start_us) {
  const GemmMmaFigures &f = gemm_mma_figures;
  const gpuopt_device_facts &device = *problem.device;
  const GemmDemand x = gemm_demand(problem);
  const double clock = clock_mhz(device);
  const bool reads_c = !plan.to_scratch && x.c_bytes > 0;
  const bool runs = plan.to_scratch ? problem.n % 4 == 0
                                    : problem.n % 4 == 0 && has_aligned_runs(problem.operand[GPUOPT_OPERAND_D]) &&
                                          (!reads_c || has_aligned_runs(problem.operand[GPUOPT_OPERAND_C]));
  const double parts = static_cast<double>(plan.slices());
  // Of the busiest SM's tiles; the parts of a cluster store a tile together.
  const double stored = plan.tiles * x.elements / std::max(tiles, 1.0) / (plan.cluster ? plan.splits : 1);
  const double store_clocks = stored * ((runs ? f.run_clocks : f.element_clocks) + (reads_c ? f.c_clocks : 0));
  const double out_bytes = plan.to_scratch ? 4 * parts * x.elements : x.d_bytes + x.c_bytes;
  const double memory_us = (x.a_bytes + x.b_bytes + out_bytes) /
                           (f.reached_share * (device.memory_gbs > 0 ? device.memory_gbs : 1000) * 1e3);
  return start_us + overlapped_us((multiply_clocks + store_clocks) / clock, memory_us, 0, f.sharpness) +
         (plan.to_scratch ? finish_gemm_us(problem, plan.slices(), 4) : 0);
}

// How much longer a staged tile takes for an operand: rows along the tile's own extent are transposed on their way.
double staged_factor(const gpuopt_operand &operand, bool along_k) {
  const GemmMmaFigures &f = gemm_mma_figures;
  const double across = along_k ? 0 : f.staged_across_share;
  return across + (least_alignment(operand) < 4 ? f.staged_bytes_share : 0);
}

}  // namespace

bool has_aligned_runs(const gpuopt_operand &operand) {
  return least_alignment(operand) >= 4 * gpuopt_dtype_size(operand.m.dtype);
}

int find_mma_tile(const gpuopt_problem &problem, const MmaTileFacts *tiles, int count) {
  const bool aligned = std::min(least_alignment(problem.operand[GPUOPT_OPERAND_A]),
                                least_alignment(problem.operand[GPUOPT_OPERAND_B])) >= 16;
  const auto serves = [&](const MmaTileFacts &tile) {
    return has_types_of(tile, problem) && problem.device->cc >= tile.least_cc && (aligned || tile.staged || tile.parts);
  };
  return static_cast<int>(std::find_if(tiles, tiles + count, serves) - tiles);
}

int mma_can_run(const gpuopt_problem &problem, const MmaTileFacts *tiles, int count, gpuopt_reject *reject) {
  const auto refuse = [&](int32_t code, int64_t have, int64_t need, const char *what) {
    return gpuopt::refuse(reject, code, GPUOPT_OPERAND_NONE, have, need, what);
  };
  const int index = find_mma_tile(problem, tiles, count);
  if (index == count) {  // alignment is data: only the architecture is left
    int32_t least = INT32_MAX;
    for (int i = 0; i < count; ++i)
      if (has_types_of(tiles[i], problem)) least = std::min(least, tiles[i].least_cc);
    return refuse(GPUOPT_REJECT_ARCH, problem.device->cc, least, "for these data types");
  }
  // Extents and bytes of rows are 32-bit inside, with room for a tile more.
  const MmaTileFacts &tile = tiles[index];
  constexpr int64_t kMost = (int64_t{1} << 31) - 4096;
  const int64_t most = std::max({problem.m, problem.n, problem.k}) * tile.element;
  const int64_t blocks = tile.tiles_m(problem) * tile.tiles_n(problem);
  if (most > kMost) return refuse(GPUOPT_REJECT_SIZE_LIMIT, most, kMost, "bytes of the longest extent");
  if (problem.batch > kMost) return refuse(GPUOPT_REJECT_SIZE_LIMIT, problem.batch, kMost, "batch");
  if (blocks > kMost / 32) return refuse(GPUOPT_REJECT_SIZE_LIMIT, blocks, kMost / 32, "tiles");
  return 1;
}

MmaPlan plan_mma(const gpuopt_problem &problem, const MmaTileFacts &tile) {
  const GemmMmaFigures &f = gemm_mma_figures;
  const Speed &speed = speed_of(tile);
  const gpuopt_device_facts &device = *problem.device;
  const double sms = std::max(device.sm_count, 1), clock = clock_mhz(device);
  const int64_t stages = tile.stages(problem);
  const double tiles = tiles_of(problem, tile);
  const bool direct = stores_directly(problem, tile.sums_are_exact);
  const bool clusters = device.cc >= 90 && tile.clusters;
  const double memory_us =
      moved_bytes(problem) / (f.memory_share * (device.memory_gbs > 0 ? device.memory_gbs : 1000) * 1e3);

  MmaPlan best = {};
  const int32_t most_splits = tile.parts ? 1 : clusters ? 8 : 32;
  for (int32_t splits = 1; splits <= most_splits; splits *= 2) {
    if (splits > 1 && (stages < 2 * splits || tiles * splits > 4 * sms)) break;
    const bool cluster = clusters && splits > 1;
    const bool to_scratch = !direct || (splits > 1 && !cluster);
    const int64_t slices = cluster ? 1 : splits;
    if (splits > 1 && to_scratch && gemm_partials_bytes(problem, slices, 4) > problem.workspace_limit) break;

    const double per_sm = std::ceil(tiles * splits / sms);
    const double clocks = multiply_clocks(problem, tile, splits, cluster, 1);
    const double us = *speed.start_us + (to_scratch ? plan_finish_gemm_us(problem, slices, 4) : 0) +
                      std::max(clocks / clock, memory_us) + f.unhidden_share * std::min(clocks / clock, memory_us);
    if (best.us == 0 || us < best.us) best = {splits, cluster, to_scratch, us, clocks, per_sm};
  }
  return best;
}

double mma_us(const gpuopt_problem &problem, const MmaTileFacts &tile) {
  const Speed &speed = speed_of(tile);
  const MmaPlan plan = plan_mma(problem, tile);
  double factor = *speed.factor;
  if (tile.staged) {
    const gpuopt_operand &a = problem.operand[GPUOPT_OPERAND_A], &b = problem.operand[GPUOPT_OPERAND_B];
    factor *= 1 + staged_factor(a, a.m.layout == GPUOPT_ROW) + staged_factor(b, b.m.layout == GPUOPT_COL);
  }
  const double clocks = multiply_clocks(problem, tile, plan.splits, plan.cluster, *speed.alone_factor);
  return product_us(problem, plan, tiles_of(problem, tile), factor * clocks + plan.tiles * *speed.end_clocks,
                    *speed.start_us);
}

// Blocks, one an SM, take tiles in turn. The last, partly empty wave is cut among all of them
// where that gains more than the adding of its pieces costs.
MmaTmaPlan plan_mma_tma(const gpuopt_problem &problem, const MmaTileFacts &tile) {
  constexpr int64_t kLeastShare = 8;  // stages of a block
  const GemmMmaFigures &f = gemm_mma_figures;
  const gpuopt_device_facts &device = *problem.device;
  const int64_t blocks = std::max(device.sm_count, 1);
  const double clock = clock_mhz(device);
  const int64_t stages = tile.stages(problem);
  MmaTmaPlan p = {};
  p.plan.splits = 1;
  p.plan.to_scratch = !stores_directly(problem, false);
  p.sums_bytes = p.plan.to_scratch ? (gemm_partials_bytes(problem, 1, 4) + 255) / 256 * 256 : 0;
  p.tiles = tile.tiles_m(problem) * tile.tiles_n(problem) * problem.batch;
  p.whole = p.tiles;
  p.blocks = std::min(p.tiles, blocks);

  const int64_t tail = p.tiles % blocks;
  const double end_us = f.tma_16bit_128x256_fill_clocks / clock, stage_us = f.tma_16bit_128x256_stage_clocks / clock;
  const double tile_us = static_cast<double>(stages) * stage_us + end_us;
  double us = static_cast<double>((p.tiles + blocks - 1) / blocks) * tile_us;
  if (tail != 0 && tail * stages >= kLeastShare * blocks) {
    const size_t bytes =
        static_cast<size_t>(tail + blocks) * static_cast<size_t>(tile.m) * static_cast<size_t>(tile.n) * 4;
    const double share_us = static_cast<double>(tail * stages) / static_cast<double>(blocks) * stage_us + 2 * end_us;
    const double adding_us = f.tma_pieces_us + static_cast<double>(bytes) / (f.tma_pieces_gbs * 1e3);
    const double cut_us = static_cast<double>(p.tiles / blocks) * tile_us + share_us + adding_us;
    if (cut_us < us && p.sums_bytes + bytes <= problem.workspace_limit) {
      us = cut_us;
      p.whole = p.tiles - tail;
      p.blocks = blocks;
      p.pieces_bytes = bytes;
    }
  }
  p.plan.clocks = us * clock;
  p.plan.tiles = static_cast<double>((p.tiles + blocks - 1) / blocks);
  p.plan.us = us;
  return p;
}

double mma_tma_us(const gpuopt_problem &problem, const MmaTileFacts &tile) {
  const GemmMmaFigures &f = gemm_mma_figures;
  const MmaTmaPlan p = plan_mma_tma(problem, tile);
  return product_us(problem, p.plan, static_cast<double>(p.tiles),
                    f.tma_16bit_128x256_factor * p.plan.clocks + p.plan.tiles * f.tma_16bit_128x256_end_clocks,
                    f.tma_16bit_128x256_start_us);
}

}  // namespace gpuopt
