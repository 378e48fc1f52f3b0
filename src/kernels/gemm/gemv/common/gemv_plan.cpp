#include <cuda_runtime.h>

#include "gemm/gemv/gemv_plan.h"

#include <algorithm>
#include <cmath>

#include "common/index.cuh"
#include "gemm/common/gemm_demand.h"
#include "gemm/gemv/figures.h"

namespace gpuopt {
namespace {

struct GemvSize {
  int64_t many, few, k;
  int bytes;  // of an element of the many
  bool aligned;
};

GemvSize gemv_size(const gpuopt_problem &problem) {
  const gpuopt_operand &o = problem.operand[gemv_many_operand(problem)];
  return {std::max(problem.m, problem.n), std::min(problem.m, problem.n), problem.k,
          static_cast<int>(gpuopt_dtype_size(o.m.dtype)), std::min({o.align, o.ld_align, o.stride_align}) >= 16};
}

// The busiest multiprocessor reads its bytes, as fast as its blocks ask for them, and multiplies.
double work_us(const gpuopt_problem &problem, const GemvSize &size, const GemvPlan &plan) {
  const GemmGemvFigures &g = gemm_gemv_figures;
  const gpuopt_device_facts &device = *problem.device;
  const double clock = device.clock_mhz > 0 ? device.clock_mhz : 1500, sms = std::max(device.sm_count, 1);
  const double blocks = static_cast<double>(plan.tiles(problem)) * plan.slices;
  const double lines = static_cast<double>(std::min(plan.lines(size.bytes), size.many));
  const double steps = static_cast<double>(std::max<int64_t>(std::min(plan.slice_k, size.k), 1));
  const double elements = lines * steps;
  const double turns = std::ceil(blocks / sms);
  // Across k, a block whose part is short leaves threads without work.
  const double at_once = kGemvThreads / plan.lanes * (plan.few == 1 && size.aligned ? kGemvDeep : kGemvDepth);
  const double of_block =
      plan.along_k ? g.along_block_bytes_per_clock : g.across_block_bytes_per_clock * std::min(1.0, steps / at_once);
  const double rate = std::min(g.sm_bytes_per_clock, turns * of_block) * (size.aligned ? 1 : g.unaligned_share);
  const double fma =
      (device.cc <= 80 || size.bytes == 8 ? 64 : 128) * (size.bytes < 4 ? g.narrow_fma_share : g.fma_share);
  const double block_clocks = elements * size.bytes / rate + elements * plan.few / fma;
  const double unhidden = 1 + (turns - 1) * (1 - g.hidden_share);
  return (turns * block_clocks + unhidden * g.block_clocks) / clock;
}
double join_us(const GemvPlan &plan) {
  const GemmGemvFigures &g = gemm_gemv_figures;
  return plan.slices > 1 ? g.join_us + plan.slices * g.part_us : 0;
}

// All multiprocessors share memory, which brings the many once.
double memory_us(const gpuopt_problem &problem, const GemvSize &size) {
  const GemmGemvFigures &g = gemm_gemv_figures;
  const double gbs = (problem.device->memory_gbs > 0 ? problem.device->memory_gbs : 1000) * 1e3;
  const GemmDemand x = gemm_demand(problem);
  return (x.a_bytes + x.b_bytes + x.c_bytes + x.d_bytes) / ((size.aligned ? g.memory_share : g.unaligned_share) * gbs);
}

}  // namespace

GemvPlan plan_gemv(const gpuopt_problem &problem) {
  const GemmGemvFigures &g = gemm_gemv_figures;
  const GemvSize size = gemv_size(problem);
  const int many_operand = gemv_many_operand(problem), vector = 16 / size.bytes;
  const int64_t sms = std::max(problem.device->sm_count, 1);
  GemvPlan plan = {};
  plan.along_k = (problem.operand[many_operand].m.layout == GPUOPT_ROW) == (many_operand == GPUOPT_OPERAND_A);
  const GemvVariants variants = gemv_variants(size.bytes);
  const bool has_aligned = variants.variant[0].aligned;
  plan.variant = -1;
  for (int i = 0; i < variants.count; ++i) {  // the least that has them all, or the greatest
    const GemvVariant &variant = variants.variant[i];
    if (variant.aligned != (size.aligned && has_aligned)) continue;
    if (plan.variant < 0 || plan.few < size.few) plan.variant = i, plan.few = variant.few;
  }
  plan.few_tiles = ceil_div(size.few, plan.few);

  const double memory = memory_us(problem, size);
  GemvPlan best = {};
  best.us = HUGE_VAL;
  double best_work = 0;
  const auto propose = [&](int lanes, int warps_of_k) {
    plan.lanes = lanes;
    plan.warps_of_k = warps_of_k;
    plan.many_tiles = ceil_div(size.many, plan.lines(size.bytes));
    // Parts of k begin on vectors, and across k on whole steps of a thread; a part is worth a block.
    const int64_t quantum = plan.along_k ? vector * 32 : kGemvDeep, least_k = plan.along_k ? 8 * quantum : 64;
    constexpr int32_t kMostSlices = 64;
    for (int32_t slices = 1; slices <= kMostSlices; slices *= 2) {
      if (slices > 1 && (size.k < least_k * slices || plan.tiles(problem) * slices > 8 * sms)) break;
      plan.slice_k = std::max(ceil_div(ceil_div(size.k, slices), quantum) * quantum, quantum);
      plan.slices = static_cast<int32_t>(std::max<int64_t>(ceil_div(size.k, plan.slice_k), 1));
      const double work = work_us(problem, size, plan);
      plan.us = std::max(work, memory) + join_us(plan);
      if (plan.us < best.us) best = plan, best_work = work;
    }
  };
  if (plan.along_k) {
    // Short lines take short teams, long ones several warps.
    const int64_t vectors = ceil_div(std::max<int64_t>(size.k, 1), vector);
    int lanes = 8;
    while (lanes < 32 && vectors > 2 * lanes) lanes *= 2;
    propose(lanes, 1);
    for (int warps = 2; warps <= kGemvWarps && vectors >= 32 * warps; warps *= 2) propose(32, warps);
  } else {
    propose(8, 1);
    propose(32, 1);
  }
  best.us = g.start_us + overlapped_us(best_work, memory, 0, g.sharpness) + join_us(best);
  return best;
}

}  // namespace gpuopt
