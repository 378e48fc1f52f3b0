#include <cuda_runtime.h>

#include "gemm/wgmma/wgmma_skinny_plan.h"

#include <cmath>

#include "gemm/common/gemm_demand.h"

namespace gpuopt {
namespace {

// Blocks run two to a multiprocessor: what they read passes from L2 at a rate of its own, what they share comes from memory
// once. A split costs the exchange of sums.
double skinny_us(const gpuopt_problem &problem, int depth, const WgmmaSkinnyShape &shape, int32_t log_ranks) {
  const GemmWgmmaFigures &f = gemm_wgmma_figures;
  const gpuopt_device_facts &device = *problem.device;
  const double clock = device.clock_mhz > 0 ? device.clock_mhz : 1500, sms = std::max(device.sm_count, 1);
  const double gbs = (device.memory_gbs > 0 ? device.memory_gbs : 1000) * 1e3;
  const int64_t few = wgmma_few_lines(problem), many = wgmma_many_lines(problem);
  const double tiles = static_cast<double>(ceil_div(few, shape.few)) *
                       static_cast<double>(ceil_div(many, shape.many)) * static_cast<double>(problem.batch);
  const double ranks = 1 << log_ranks, blocks = tiles * ranks;
  const double stages = std::ceil(static_cast<double>(ceil_div(problem.k, depth)) / ranks);
  const double lines = shape.many + static_cast<double>(std::min<int64_t>(few, shape.few));
  const double turns = std::ceil(blocks / sms);  // of the busiest multiprocessor
  const double block_clocks = f.skinny_block_clocks + stages * (f.skinny_stage_clocks + lines * 128 / f.skinny_bytes_per_clock);
  const double multiply_us = turns * block_clocks / clock;
  const GemmDemand x = gemm_demand(problem);
  const double memory_us = (x.a_bytes + x.b_bytes + x.d_bytes + x.c_bytes) / (f.skinny_memory_share * gbs);
  const double exchange_us = log_ranks == 0 ? 0 : f.skinny_exchange_us + ranks * f.skinny_rank_us;
  return f.skinny_start_us + overlapped_us(multiply_us, memory_us, 0, f.skinny_sharpness) + exchange_us;
}

}  // namespace

WgmmaSkinnyPlan plan_wgmma_skinny(const gpuopt_problem &problem, int depth) {
  const int64_t few = wgmma_few_lines(problem), stages = ceil_div(problem.k, depth);
  constexpr int kMostFew = 64;
  int width = 8;
  while (width < few && width < kMostFew) width *= 2;
  WgmmaSkinnyPlan best = {0, 0, HUGE_VAL};
  for (int i = 0; i < kWgmmaSkinnyShapeCount; ++i) {
    const WgmmaSkinnyShape &shape = kWgmmaSkinnyShapes[i];
    if (shape.few != width) continue;
    for (int32_t log_ranks = 0; log_ranks <= kWgmmaSkinnyMostLog; ++log_ranks) {
      if (log_ranks > 0 && int64_t{1} << log_ranks > stages) break;
      const double us = skinny_us(problem, depth, shape, log_ranks);
      if (us < best.us) best = {i, log_ranks, us};
    }
  }
  return best;
}

}  // namespace gpuopt
