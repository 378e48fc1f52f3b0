// The host's side of the fp64 gemm kernels: how many slices of k, how long it takes, scratch, parameters.
#pragma once

#include <algorithm>
#include <cmath>

#include "common/launch.h"
#include "gemm/common/gemm_demand.h"
#include "gemm/common/gemm_descriptor.h"
#include "gemm/common/gemm_order.h"
#include "gemm/common/gemm_parts.h"
#include "gemm/common/tile_space.cuh"
#include "gemm/f64/f64_tile.cuh"
#include "gemm/f64/figures.h"

namespace gpuopt {

// What one kernel does on one device.
struct F64Speed {
  int32_t tile_m, tile_n, blocks_per_sm;  // tiles of D
  bool transposed;                        // the kernel computes D^T
  double fma_per_clock;                   // of one SM with all its blocks
  double clocks_per_k;                    // of a block that is alone on its SM
  double start_us;                        // launch, first loads and last stores
};

struct F64Plan {
  int64_t slices, slice_k;
  bool partial;  // sums go to scratch, and finish_gemm() ends the product
  double us;     // that the choice went by
  double multiply_us;
  double tiles;  // of the busiest SM, or slices of tiles
};

// The number of slices of k with the least time: 1, or as many as fill the device. A function of the problem and of
// device facts. A slice is a multiple of 16 of k, and below 2^30.
inline F64Plan f64_plan(const gpuopt_problem &problem, const F64Speed &speed) {
  constexpr int64_t kLeastDepth = 256, kLongest = int64_t{1} << 30;
  const int64_t most_slices = is_batch_invariant(problem) ? 1 : 32;
  const gpuopt_device_facts &device = *problem.device;
  const double sms = std::max(device.sm_count, 1), clock = device.clock_mhz > 0 ? device.clock_mhz : 1500;
  const double bandwidth = (device.memory_gbs > 0 ? device.memory_gbs : 1000) * 1e3;  // bytes a us
  const double m = static_cast<double>(problem.m), n = static_cast<double>(problem.n);
  const double k = static_cast<double>(problem.k), batch = static_cast<double>(problem.batch);
  const double tiles =
      static_cast<double>(ceil_div(problem.m, speed.tile_m) * ceil_div(problem.n, speed.tile_n)) * batch;
  const double bytes = 8 * batch * (m * k + k * n + m * n);
  const int64_t least = std::max<int64_t>(1, ceil_div(problem.k, kLongest));

  F64Plan best = {0, 0, false, HUGE_VAL, 0, 0};
  for (int64_t slices = least; slices <= std::max(least, most_slices); ++slices) {
    if (slices > least && problem.k < slices * kLeastDepth) break;
    const bool partial = slices > 1 || !is_plain_gemm(problem);
    if (slices > least && gemm_partials_bytes(problem, slices, sizeof(double)) > problem.workspace_limit) break;
    const int64_t slice_k = std::max<int64_t>(ceil_div(ceil_div(problem.k, slices), kF64Depth), 1) * kF64Depth;
    const double depth = static_cast<double>(slice_k);
    const double on_busiest = std::ceil(tiles * static_cast<double>(slices) / sms);
    const double rate_clocks = on_busiest * speed.tile_m * speed.tile_n * depth / speed.fma_per_clock;
    const double chain_clocks = std::ceil(on_busiest / speed.blocks_per_sm) * depth * speed.clocks_per_k;
    double us = speed.start_us + std::max({rate_clocks / clock, chain_clocks / clock,
                                           bytes / (gemm_f64_figures.memory_share * bandwidth)});
    if (partial) us += plan_finish_gemm_us(problem, slices, sizeof(double));
    if (us < best.us) best = {slices, slice_k, partial, us, std::max(rate_clocks, chain_clocks) / clock, on_busiest};
  }
  return best;
}

// The plan's product, and finish_gemm() where that ends it. Multiplying and loads hide each other in part; lines that do
// not lie on 16 bytes are copied by 8.
inline double f64_us(const gpuopt_problem &problem, const F64Plan &plan, double start_us, double multiply_us) {
  const GemmF64Figures &g = gemm_f64_figures;
  const gpuopt_device_facts &device = *problem.device;
  const GemmDemand x = gemm_demand(problem);
  const double sms = std::max(device.sm_count, 1), clock = device.clock_mhz > 0 ? device.clock_mhz : 1500;
  const double bandwidth = (device.memory_gbs > 0 ? device.memory_gbs : 1000) * 1e3;
  const double sums = x.elements * static_cast<double>(plan.slices);
  const double out_bytes = plan.partial ? 8 * sums : x.d_bytes + x.c_bytes;
  const gpuopt_operand &d = problem.operand[GPUOPT_OPERAND_D];
  const bool one_by_one = !plan.partial && least_alignment(d) < 16;
  const double store_clocks = sums * (g.store_clocks + (one_by_one ? g.single_clocks : 0));
  const double store_us =
      ((store_clocks + (plan.partial ? 0 : x.c_bytes / 8 * g.c_clocks)) / sms + plan.tiles * g.tile_clocks) / clock;
  return start_us +
         overlapped_us(multiply_us + store_us, (x.a_bytes + x.b_bytes + out_bytes) / (g.reached_share * bandwidth), 0,
                       g.sharpness) +
         (plan.partial ? finish_gemm_us(problem, plan.slices, sizeof(double)) : 0);
}

// scratch: for the plan's partial sums, where there are any.
inline F64Gemm f64_gemm(const gpuopt_problem &problem, const F64Speed &speed, const F64Plan &plan, void *scratch) {
  const auto operand = [&](int index) {
    const gpuopt_operand &o = problem.operand[index];
    const View view = matrix_view(o);
    const bool aligned = least_alignment(o) >= 16;
    const auto *data = static_cast<const double *>(view.data);
    if (index == GPUOPT_OPERAND_A)
      return F64Operand{data, problem.m, view.batch_step, view.row_step, view.col_step, aligned};
    return F64Operand{data, problem.n, view.batch_step, view.col_step, view.row_step, aligned};
  };
  const gpuopt_operand &c = problem.operand[GPUOPT_OPERAND_C], &d = problem.operand[GPUOPT_OPERAND_D];
  const bool reads_c = !plan.partial && (problem.features & GPUOPT_FEATURE_BETA) != 0;
  const auto in_pairs = [](const gpuopt_operand &o) { return least_alignment(o) >= 16; };
  constexpr int32_t kStripe = 16;
  return {problem.m,
          problem.n,
          problem.k,
          problem.batch,
          operand(speed.transposed ? GPUOPT_OPERAND_B : GPUOPT_OPERAND_A),
          operand(speed.transposed ? GPUOPT_OPERAND_A : GPUOPT_OPERAND_B),
          speed.transposed,
          static_cast<double *>(d.m.data),
          d.m.batch_stride,
          d.m.ld,
          reads_c ? static_cast<const double *>(c.m.data) : nullptr,
          c.m.batch_stride,
          c.m.ld,
          problem.alpha,
          problem.beta,
          static_cast<const double *>(problem.alpha_ptr),
          static_cast<const double *>(problem.beta_ptr),
          in_pairs(d) && (!reads_c || in_pairs(c)),
          plan.partial ? static_cast<double *>(scratch) : nullptr,
          plan.slices,
          plan.slice_k,
          TileSpace(problem.m, problem.n, problem.batch, speed.tile_m, speed.tile_n, kStripe),
          0,
          0,
          nullptr};
}

template <class Kernel>
gpuopt_status f64_prepare(const gpuopt_launch *launch, const char *name, int shared_bytes, Kernel kernel) {
  const gpuopt_status status = load_kernel(launch, name, kernel, static_cast<size_t>(shared_bytes));
  return status == GPUOPT_OK ? load_finish_gemm<double>(launch) : status;
}

inline constexpr gpuopt_signature kF64Signatures[] = {
    {{GPUOPT_F64, GPUOPT_F64, GPUOPT_F64, GPUOPT_F64}, GPUOPT_COMPUTE_F64}};

// The descriptor's functions for a Rung with kName, kThreads, kSharedBytes, speed() of a problem and kKernel, a
// __global__ function of one F64Gemm, a block for each tile of a slice.
template <class Rung>
struct F64Launch {
  static F64Plan plan(const gpuopt_problem &problem) { return f64_plan(problem, Rung::speed(problem)); }
  static double predict_us(const gpuopt_problem *problem) {
    const F64Plan p = plan(*problem);
    return f64_us(*problem, p, Rung::speed(*problem).start_us, Rung::factor() * p.multiply_us);
  }
  static void workspace(const gpuopt_problem *problem, size_t *scratch, size_t *zeroed) {
    const F64Plan p = plan(*problem);
    *scratch = p.partial ? gemm_partials_bytes(*problem, p.slices, sizeof(double)) : 0;
    *zeroed = 0;
  }
  static gpuopt_status prepare(const gpuopt_problem *, const gpuopt_launch *launch) {
    return f64_prepare(launch, Rung::kName, Rung::kSharedBytes, Rung::kKernel);
  }
  static gpuopt_status launch(const gpuopt_problem *problem, const gpuopt_launch *launch) {
    const F64Plan p = plan(*problem);
    const F64Gemm gemm = f64_gemm(*problem, Rung::speed(*problem), p, launch->scratch);
    const int64_t blocks = std::min<int64_t>(gemm.tiles.total * gemm.slices, 0x7fffffff);
    const gpuopt_status status = launch_kernel(launch, Rung::kName, static_cast<unsigned>(blocks), Rung::kThreads,
                                               Rung::kSharedBytes, Rung::kKernel, gemm);
    if (status != GPUOPT_OK || !p.partial) return status;
    return finish_gemm(*problem, launch, static_cast<const double *>(launch->scratch), p.slices);
  }
};

// Functions: F64Launch, or what has the same.
template <class Functions, size_t kCount>
constexpr gpuopt_kernel f64_kernel(const char *name, const char *summary, int32_t cc_min,
                                   const gpuopt_resource (&resources)[kCount]) {
  gpuopt_kernel kernel = gemm_descriptor(name, summary);
  kernel.cc_min = cc_min;
  set_signatures(kernel, kF64Signatures);
  set_functions_in_parts<Functions::workspace, Functions::predict_us, Functions::prepare, Functions::launch>(kernel);
  set_resources(kernel, resources);
  return kernel;
}

}  // namespace gpuopt
