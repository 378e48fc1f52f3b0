// What the host decides about an mma.sync product: into how many parts k is split, who adds them up, and how long it
// takes.
//
// A plan is a function of the problem and of device facts only, so the same call always sums in the same order.
#ifndef GPUOPT_KERNELS_GEMM_MMA_PLAN_CUH
#define GPUOPT_KERNELS_GEMM_MMA_PLAN_CUH

#include <algorithm>
#include <cmath>

#include "common/gemm_finish.h"
#include "common/index.cuh"

namespace gpuopt {

// How fast a tile goes, on an H200.
struct MmaSpeed {
  double start_us;     // a call that multiplies nothing
  double fill_clocks;  // a block's beginning and end
  double step_clocks;  // a block's time for one stage of k when it is alone on its SM
  double busy_clocks;  // an SM's time for one stage of one block when it has many
};

// Facts of a tile (MmaTile) that do not need its type.
struct MmaTileFacts {
  int32_t m, n, depth, element, blocks, shared, least_arch;
  bool clusters, staged, sums_are_exact;
  MmaSpeed speed;
};

struct MmaPlan {
  int32_t splits;
  bool cluster;     // the parts add up among themselves
  bool to_scratch;  // plain sums to scratch, gemm_finish does the rest
  double us;
  int64_t slices() const { return cluster ? 1 : splits; }
};

// Whether the kernel's own store (mma_store.cuh) gives the whole result.
inline bool mma_stores_directly(const gpuopt_problem &problem, bool sums_are_exact) {
  const gpuopt_matrix &c = problem.operand[GPUOPT_OPERAND_C].m, &d = problem.operand[GPUOPT_OPERAND_D].m;
  const bool reads_c = (problem.features & GPUOPT_FEATURE_BETA) != 0;
  if (problem.stage_count != 0 || d.scale != nullptr) return false;
  if (sums_are_exact)
    return d.dtype == GPUOPT_I32 && !reads_c && problem.alpha_ptr == nullptr && problem.alpha == 1 && problem.k > 0;
  if (d.dtype != GPUOPT_F32 && d.dtype != GPUOPT_F16 && d.dtype != GPUOPT_BF16) return false;
  return !reads_c || (c.dtype == d.dtype && c.layout == d.layout && c.scale == nullptr);
}

// Products and sums of 16-bit operands by mma.sync, per clock of one SM, against an H200's.
inline double mma_rate(int32_t cc) {
  constexpr double kH200 = 2560;
  if (cc == 80) return 2048 / kH200;
  if (cc >= 90 && cc < 120) return 1;
  return 1024 / kH200;
}

inline MmaPlan plan_mma(const gpuopt_problem &problem, const MmaTileFacts &tile) {
  const gpuopt_device_facts &device = *problem.device;
  const double sms = std::max(device.sm_count, 1), clock = device.clock_mhz > 0 ? device.clock_mhz : 1500;
  const double rate = mma_rate(device.cc);
  const int64_t stages = ceil_div(problem.k, tile.depth);
  const double tiles = static_cast<double>(ceil_div(problem.m, tile.m)) *
                       static_cast<double>(ceil_div(problem.n, tile.n)) * static_cast<double>(problem.batch);
  const bool direct = mma_stores_directly(problem, tile.sums_are_exact);
  const bool clusters = device.cc >= 90 && tile.clusters;

  const auto bytes = [&](int operand) {
    const gpuopt_matrix &x = problem.operand[operand].m;
    const double copies = problem.batch > 1 && x.batch_stride == 0 ? 1 : static_cast<double>(problem.batch);
    return copies * static_cast<double>(x.rows) * static_cast<double>(x.cols) *
           static_cast<double>(gpuopt_dtype_size(x.dtype));
  };
  double moved = bytes(GPUOPT_OPERAND_A) + bytes(GPUOPT_OPERAND_B) + bytes(GPUOPT_OPERAND_D);
  if ((problem.features & GPUOPT_FEATURE_BETA) != 0) moved += bytes(GPUOPT_OPERAND_C);
  const double memory_us = moved / (0.8 * (device.memory_gbs > 0 ? device.memory_gbs : 1000) * 1e3);
  // Blocks at a time on an SM.
  const double stage_bytes = static_cast<double>(tile.m + tile.n) * tile.depth * tile.element;
  const double blocks = std::max<int64_t>(1, std::min<int64_t>(tile.blocks, device.smem_per_sm / (tile.shared + 1024)));

  MmaPlan best = {};
  for (int32_t splits = 1; splits <= (clusters ? 8 : 32); splits *= 2) {
    if (splits > 1 && (stages < 2 * splits || tiles * splits > 4 * sms)) break;
    const bool cluster = clusters && splits > 1;
    const bool to_scratch = !direct || (splits > 1 && !cluster);
    const int64_t slices = cluster ? 1 : splits;
    if (splits > 1 && to_scratch && gemm_partials_bytes(problem, slices, 4) > problem.workspace_limit) break;

    const double per_sm = std::ceil(tiles * splits / sms), depth = std::ceil(static_cast<double>(stages) / splits);
    const double together = std::min(per_sm, blocks);
    const double alone = std::max(tile.speed.step_clocks, tile.speed.busy_clocks * together / rate);
    const double waves = std::floor(per_sm / blocks), rest = per_sm - waves * blocks;
    const double rest_step = std::max(tile.speed.step_clocks, tile.speed.busy_clocks * rest / rate);
    double clocks = waves * depth * alone + (rest > 0 ? depth * rest_step : 0);
    clocks += std::ceil(per_sm / blocks) * tile.speed.fill_clocks;
    if (cluster) clocks += 700 + 300 * splits;
    // Small tiles read each operand often: part of that time, at 30 bytes a clock of an SM, is not hidden.
    if (tile.clusters) clocks += 0.4 * tiles * splits * depth * stage_bytes / (30 * sms);
    const double us = tile.speed.start_us + (to_scratch ? finish_gemm_us(problem, slices, 4) : 0) +
                      std::max(clocks / clock, memory_us) + 0.3 * std::min(clocks / clock, memory_us);
    if (best.us == 0 || us < best.us) best = {splits, cluster, to_scratch, us};
  }
  return best;
}

}  // namespace gpuopt

#endif
