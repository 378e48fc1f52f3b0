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
  int bytes, acc_bytes;  // of an element of the many, of a sum
  bool aligned;
  double sms, clock;
};

GemvSize gemv_size(const gpuopt_problem &problem) {
  const gpuopt_operand &o = problem.operand[gemv_many_operand(problem)];
  const gpuopt_device_facts &device = *problem.device;
  return {std::max(problem.m, problem.n),
          std::min(problem.m, problem.n),
          std::max<int64_t>(problem.k, 1),
          gemv_element_bytes(problem),
          o.m.dtype == GPUOPT_F64 ? 8 : 4,
          std::min({o.align, o.ld_align, o.stride_align}) >= 16,
          static_cast<double>(std::max(device.sm_count, 1)),
          device.clock_mhz > 0 ? device.clock_mhz : 1500};
}

// The busiest multiprocessor reads its bytes, as fast as it has loads under way, and multiplies.
double work_us(const gpuopt_problem &problem, const GemvSize &size, const GemvPlan &plan) {
  const GemmGemvFigures &g = gemm_gemv_figures;
  const double turns = std::ceil(static_cast<double>(plan.tiles(problem)) * plan.slices / size.sms);
  const double resident = std::min(turns, static_cast<double>(gemv_threads(plan.few, size.bytes) / plan.threads()));
  // Threads beyond the last line wait.
  const auto mine = static_cast<double>(ceil_div(size.many, gemv_lines(plan.along_k, size.bytes)));
  const double busy = std::min(1.0, mine / plan.groups);
  const double under_way = busy * resident * plan.threads() * kGemvPieces * 16;
  const double rate = std::min(g.sm_bytes_per_clock, under_way / g.latency_clocks);
  const double elements = busy * static_cast<double>(plan.lines) * static_cast<double>(plan.slice_k);
  const double fewer = problem.device->cc <= 80 || size.bytes == 8 ? 0.5 : 1;
  const double fma = busy * 128 * fewer * (size.bytes < 4 ? g.narrow_fma_share : g.fma_share);
  const double staged = static_cast<double>(plan.slice_k) * plan.few * size.bytes;
  const double clocks = overlapped_us((elements * size.bytes + staged) / rate, elements * plan.few / fma, 0, 2);
  const double stage = static_cast<double>(plan.slice_k) * plan.few / plan.threads() * g.stage_clocks;
  return (turns * (clocks + plan.threads() / 32 * g.warp_clocks) + turns / resident * (g.block_clocks + stage)) /
         size.clock;
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
  const int many_operand = gemv_many_operand(problem);
  GemvPlan plan = {};
  plan.along_k = (problem.operand[many_operand].m.layout == GPUOPT_ROW) == (many_operand == GPUOPT_OPERAND_A);
  for (int i = 0; i < gemv_variants(size.bytes) && plan.few < size.few; ++i) plan.few = gemv_few(i);
  plan.few_tiles = ceil_div(size.few, plan.few);
  const int lines = gemv_lines(plan.along_k, size.bytes), depth = gemv_depth(plan.along_k, size.bytes);
  const int most = gemv_threads(plan.few, size.bytes);
  const int64_t all_groups = ceil_div(size.many, lines) * plan.few_tiles * problem.batch;
  const int64_t fills = static_cast<int64_t>(size.sms) * most;  // threads of the device

  const double memory = memory_us(problem, size);
  GemvPlan best = {};
  best.us = HUGE_VAL;
  double best_work = 0;
  const auto propose = [&](int64_t phases, int64_t groups) {
    plan.phases = static_cast<int32_t>(phases);
    plan.groups = static_cast<int32_t>(groups);
    plan.lines = groups * lines;
    plan.many_tiles = ceil_div(size.many, plan.lines);
    const int64_t step = phases * depth, room = kGemvShared / (plan.few * size.acc_bytes);
    if (step > room || plan.rows() * plan.lines > room || plan.threads() > most || plan.threads() % 32 != 0) return;
    int64_t least = 1;
    while (size.k > least * kGemvMostSlice) least *= 2;
    for (int64_t slices = least;; slices *= 2) {
      plan.slice_k = ceil_div(ceil_div(size.k, slices), step) * step;
      if (slices > least && (step * slices > size.k || plan.tiles(problem) * plan.threads() * slices > fills)) break;
      plan.slices = static_cast<int32_t>(ceil_div(size.k, plan.slice_k));
      plan.chunk = std::min(plan.slice_k, room / step * step);
      const double work = work_us(problem, size, plan);
      plan.us = overlapped_us(work, memory, 0, g.sharpness) + join_us(plan);
      if (plan.us < best.us) best = plan, best_work = work;
    }
  };
  // As many threads along k as fill the device, and have a load each.
  int64_t phases = plan.along_k ? 8 : 4;
  while (phases * 2 <= most && all_groups * phases < fills && phases * depth < size.k) phases *= 2;
  if (plan.along_k) {
    // Short of the whole a block has lines for as many threads as its share.
    const int64_t share = ceil_div(all_groups, static_cast<int64_t>(size.sms));
    for (int halvings = 0; halvings < 3 && phases >= 8; ++halvings, phases /= 2) {
      propose(phases, std::max<int64_t>(most / 4 / phases, 1));
      propose(phases, std::max(std::min(most / phases, share), ceil_div(64, phases)));
    }
  } else {
    for (const int64_t groups : {8, 16, 32}) {
      for (const int64_t threads : {int64_t{most}, int64_t{512}})
        propose(std::min(std::max(phases, 128 / groups), threads / groups), groups);
    }
  }
  best.us = g.start_us + overlapped_us(best_work, memory, 0, g.sharpness) + join_us(best);
  return best;
}

}  // namespace gpuopt
