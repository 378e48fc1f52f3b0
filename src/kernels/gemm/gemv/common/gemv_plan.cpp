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
  bool aligned, exact;
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
          least_alignment(o) >= 16,
          o.m.dtype == GPUOPT_I8,
          static_cast<double>(std::max(device.sm_count, 1)),
          device.clock_mhz > 0 ? device.clock_mhz : 1500};
}

// What predicts, or what plans assume.
struct GemvRates {
  double memory_share, latency_clocks, sm_bytes_per_clock;
  double fma_clocks;      // of an element and one of the few
  double convert_clocks;  // of an element
  double block_clocks, stage_clocks, warp_clocks, join_us, part_us, sharpness;
  double row_clocks, c_clocks;  // of a thread's result, each part of it in shared memory, and C
};
// Multiply-adds that a multiprocessor has units for.
double fma_per_clock(const gpuopt_problem &problem, const GemvSize &size) {
  return problem.device->cc <= 80 || size.bytes == 8 ? 64 : 128;
}
GemvRates rates_of(const gpuopt_problem &problem, const GemvSize &size) {
  const GemmGemvFigures &g = gemm_gemv_figures;
  return {size.aligned ? g.memory_share : g.unaligned_share,
          g.latency_clocks,
          g.sm_bytes_per_clock,
          1 / (g.fma_share * fma_per_clock(problem, size)),
          size.bytes == 2   ? g.half_clocks
          : size.exact      ? g.i8_clocks
          : size.bytes == 1 ? g.fp8_clocks
                            : 0,
          g.block_clocks,
          g.stage_clocks,
          g.warp_clocks,
          g.join_us,
          g.part_us,
          g.sharpness,
          g.row_clocks,
          g.c_clocks};
}
GemvRates planned_rates(const gpuopt_problem &problem, const GemvSize &size) {
  const GemmGemvFigures &g = gemm_gemv_figures;
  const double fma = (size.bytes < 4 ? g.plan_narrow_fma_share : g.plan_fma_share) * fma_per_clock(problem, size);
  return {size.aligned ? g.plan_memory_share : g.plan_unaligned_share,
          g.plan_latency_clocks,
          g.plan_sm_bytes_per_clock,
          1 / fma,
          0,
          g.plan_block_clocks,
          g.plan_stage_clocks,
          g.plan_warp_clocks,
          g.plan_join_us,
          g.plan_part_us,
          g.plan_sharpness,
          0,
          0};
}

// The busiest multiprocessor reads its bytes, as fast as it has loads under way, and multiplies.
double work_us(const gpuopt_problem &problem, const GemvSize &size, const GemvPlan &plan, const GemvRates &r) {
  const double turns = std::ceil(static_cast<double>(plan.tiles(problem)) * plan.slices / size.sms);
  const double resident = std::min(turns, static_cast<double>(gemv_threads(plan.few, size.bytes) / plan.threads()));
  // Threads beyond the last line wait.
  const auto mine = static_cast<double>(ceil_div(size.many, gemv_lines(plan.along_k, size.bytes)));
  const double busy = std::min(1.0, mine / plan.groups);
  const double under_way = busy * resident * plan.threads() * kGemvPieces * 16;
  const double rate = std::min(r.sm_bytes_per_clock, under_way / r.latency_clocks);
  const double elements = busy * static_cast<double>(plan.lines) * static_cast<double>(plan.slice_k);
  const double staged = static_cast<double>(plan.slice_k) * plan.few * size.bytes;
  const double multiply = elements / busy * (r.convert_clocks + plan.few * r.fma_clocks);
  const double clocks = overlapped_us((elements * size.bytes + staged) / rate, multiply, 0, 2);
  const double stage = static_cast<double>(plan.slice_k) * plan.few / plan.threads() * r.stage_clocks;
  const bool adds = is_plain_gemm(problem) && (problem.features & GPUOPT_FEATURE_BETA) != 0;
  const auto results = static_cast<double>(ceil_div(plan.lines * plan.few, plan.threads()));
  const double end = results * (static_cast<double>(plan.rows()) * r.row_clocks + (adds ? r.c_clocks : 0));
  return (turns * (clocks + plan.threads() / 32 * r.warp_clocks) + turns / resident * (r.block_clocks + stage + end)) /
         size.clock;
}

// All multiprocessors share memory, which brings the many once.
double memory_us(const gpuopt_problem &problem, const GemvRates &r) {
  const double gbs = (problem.device->memory_gbs > 0 ? problem.device->memory_gbs : 1000) * 1e3;
  const GemmDemand x = gemm_demand(problem);
  return (x.a_bytes + x.b_bytes + x.c_bytes + x.d_bytes) / (r.memory_share * gbs);
}

double plan_us(const gpuopt_problem &problem, const GemvSize &size, const GemvPlan &plan, const GemvRates &r) {
  return overlapped_us(work_us(problem, size, plan, r), memory_us(problem, r), 0, r.sharpness) +
         (plan.slices > 1 ? r.join_us + plan.slices * r.part_us : 0);
}

}  // namespace

GemvPlan plan_gemv(const gpuopt_problem &problem) {
  const GemvSize size = gemv_size(problem);
  const GemvRates planned = planned_rates(problem, size);
  const int many_operand = gemv_many_operand(problem);
  GemvPlan plan = {};
  plan.along_k = (problem.operand[many_operand].m.layout == GPUOPT_ROW) == (many_operand == GPUOPT_OPERAND_A);
  for (int i = 0; i < gemv_variants(size.bytes) && plan.few < size.few; ++i) plan.few = gemv_few(i);
  plan.few_tiles = ceil_div(size.few, plan.few);
  const int lines = gemv_lines(plan.along_k, size.bytes), depth = gemv_depth(plan.along_k, size.bytes);
  const int most = gemv_threads(plan.few, size.bytes);
  const int64_t all_groups = ceil_div(size.many, lines) * plan.few_tiles * problem.batch;
  const int64_t fills = static_cast<int64_t>(size.sms) * most;  // threads of the device

  GemvPlan best = {};
  best.us = HUGE_VAL;
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
      plan.us = plan_us(problem, size, plan, planned);
      if (plan.us < best.us) best = plan;
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
  best.us = gemm_gemv_figures.start_us + plan_us(problem, size, best, rates_of(problem, size));
  return best;
}

}  // namespace gpuopt
