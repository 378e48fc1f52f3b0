// The host's side of the persistent fp64 kernels (f64_stream_k.cuh): where the product is cut, its time, its scratch,
// and the launch of the second kernel.
#pragma once

#include "gemm/f64/f64_gemm.h"
#include "gemm/f64/f64_stream_k.cuh"

namespace gpuopt {

struct F64StreamPlan {
  F64Plan plan;
  F64Speed speed;
  int64_t blocks, whole, tail_blocks;
  size_t sums_bytes, tail_bytes;
  double tail_us;
};

// For tiles of side x side, of which an SM computes this share of its 128 multiply-adds a clock.
inline F64StreamPlan f64_stream_plan(const gpuopt_problem &problem, int side, double share) {
  constexpr int64_t kLongest = int64_t{1} << 30, kLeastSteps = 8;
  const GemmF64Figures &g = gemm_f64_figures;
  const gpuopt_device_facts &device = *problem.device;
  const bool transposed = problem.operand[GPUOPT_OPERAND_A].m.layout == GPUOPT_ROW &&
                          problem.operand[GPUOPT_OPERAND_B].m.layout == GPUOPT_ROW;
  F64StreamPlan stream = {{}, {side, side, 1, transposed, 0, 0, 0}, 0, 0, 0, 0, 0, 0};
  const double clock = device.clock_mhz > 0 ? device.clock_mhz : 1500;
  const double bandwidth = device.memory_gbs > 0 ? device.memory_gbs : 1000;
  const double step_us = side * side * kF64Depth / (share * 128) / clock;  // of a tile

  const int64_t slices = std::max<int64_t>(1, ceil_div(problem.k, kLongest));
  const int64_t steps = std::max<int64_t>(ceil_div(ceil_div(problem.k, slices), kF64Depth), 1);
  const int64_t units = ceil_div(problem.m, side) * ceil_div(problem.n, side) * problem.batch * slices;
  stream.blocks = std::min<int64_t>(units, std::max(device.sm_count, 1));
  stream.whole = units;
  stream.plan = {slices, steps * kF64Depth, slices > 1 || !is_plain_gemm(problem), 0, 0, 0};
  stream.sums_bytes =
      stream.plan.partial ? (gemm_partials_bytes(problem, slices, sizeof(double)) + 255) & ~size_t{255} : 0;
  double waves = static_cast<double>(ceil_div(units, stream.blocks)) * static_cast<double>(steps);

  const int64_t sms = std::max(device.sm_count, 1), left = units % sms;
  if (slices == 1 && left != 0 && problem.k > 0) {
    const int64_t tail_blocks = std::min(sms, left * steps / kLeastSteps);
    const size_t bytes = static_cast<size_t>(2 * tail_blocks * side * side) * sizeof(double);
    if (tail_blocks > left && stream.sums_bytes + bytes <= problem.workspace_limit) {
      const double range = std::ceil(static_cast<double>(left * steps) / static_cast<double>(tail_blocks));
      const double cost_us = g.stream_tail_us + static_cast<double>(bytes) / (g.memory_share * bandwidth * 1e3);
      if ((static_cast<double>(steps) - range) * step_us > cost_us) {
        stream.blocks = sms;
        stream.whole = units - left;
        stream.tail_blocks = tail_blocks;
        stream.tail_bytes = bytes;
        waves = static_cast<double>(stream.whole / sms) * static_cast<double>(steps) + range;
        stream.tail_us = cost_us;
      }
    }
  }
  stream.plan.multiply_us = waves * step_us;
  stream.plan.tiles = static_cast<double>(ceil_div(units, sms));
  return stream;
}

inline F64Gemm f64_stream_gemm(const gpuopt_problem &problem, const F64StreamPlan &stream, void *scratch) {
  F64Gemm gemm = f64_gemm(problem, stream.speed, stream.plan, scratch);
  gemm.whole = stream.whole;
  gemm.tail_blocks = static_cast<int32_t>(stream.tail_blocks);
  gemm.tail = reinterpret_cast<double *>(static_cast<char *>(scratch) + stream.sums_bytes);
  return gemm;
}

// After the first kernel: adds the pieces of tiles, and ends the product.
template <class Tile>
gpuopt_status f64_stream_end(const gpuopt_problem &problem, const gpuopt_launch *launch, const char *name,
                             const F64StreamPlan &stream, const F64Gemm &gemm) {
  if (stream.tail_blocks != 0) {
    const int64_t blocks = (gemm.tiles.total - stream.whole) * (Tile::kBM / kF64TailRows);
    const gpuopt_status status = launch_kernel(launch, name, dim3(static_cast<unsigned>(blocks)), dim3(kF64TailThreads),
                                               0, gemm_f64_tail_kernel<Tile>, gemm);
    if (status != GPUOPT_OK) return status;
  }
  if (!stream.plan.partial) return GPUOPT_OK;
  return finish_gemm(problem, launch, static_cast<const double *>(launch->scratch), stream.plan.slices);
}

// The descriptor's functions for a Rung with kName, Tile, kThreads, kSharedBytes, share(), function() of a problem, and
// run(), which launches it on so many blocks.
template <class Rung>
struct F64StreamLaunch {
  using Tile = typename Rung::Tile;

  static F64StreamPlan plan(const gpuopt_problem &problem) {
    return f64_stream_plan(problem, Tile::kBM, Rung::share());
  }
  static double predict_us(const gpuopt_problem *problem) {
    const GemmF64Figures &g = gemm_f64_figures;
    const F64StreamPlan stream = plan(*problem);
    return f64_us(*problem, stream.plan, Rung::start_us(), Rung::factor() * stream.plan.multiply_us) +
           g.stream_tail_factor * stream.tail_us;
  }
  static void workspace(const gpuopt_problem *problem, size_t *scratch, size_t *zeroed) {
    const F64StreamPlan stream = plan(*problem);
    *scratch = stream.sums_bytes + stream.tail_bytes;
    *zeroed = 0;
  }
  static gpuopt_status prepare(const gpuopt_problem *problem, const gpuopt_launch *launch) {
    const gpuopt_status status = load_kernel(launch, Rung::kName, gemm_f64_tail_kernel<Tile>);
    if (status != GPUOPT_OK) return status;
    return f64_prepare(launch, Rung::kName, Rung::kSharedBytes, Rung::function(*problem));
  }
  static gpuopt_status launch(const gpuopt_problem *problem, const gpuopt_launch *launch) {
    const F64StreamPlan stream = plan(*problem);
    const F64Gemm gemm = f64_stream_gemm(*problem, stream, launch->scratch);
    const gpuopt_status status = Rung::run(*problem, launch, static_cast<unsigned>(stream.blocks), gemm);
    if (status != GPUOPT_OK) return status;
    return f64_stream_end<Tile>(*problem, launch, Rung::kName, stream, gemm);
  }
};

}  // namespace gpuopt
