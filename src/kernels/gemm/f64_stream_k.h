// The host's side of the persistent fp64 kernels (f64_stream_k.cuh): where the product is cut, its time, its scratch,
// and the launch of the second kernel.
#ifndef GPUOPT_KERNELS_GEMM_F64_STREAM_K_H
#define GPUOPT_KERNELS_GEMM_F64_STREAM_K_H

#include "gemm/f64_gemm.h"
#include "gemm/f64_stream_k.cuh"

namespace gpuopt {

struct F64StreamPlan {
  F64Plan plan;
  F64Speed speed;
  int64_t blocks, whole, tail_blocks;
  size_t sums_bytes, tail_bytes;
};

// For tiles of side x side, of which an SM computes this part of its 128 multiply-adds a clock.
inline F64StreamPlan f64_stream_plan(const gpuopt_problem &problem, int side, double efficiency) {
  constexpr int64_t kLongest = int64_t{1} << 30, kLeastSteps = 8;
  constexpr double kStartUs = 14, kTailUs = 3;  // the second is for the second kernel
  const gpuopt_device_facts &device = *problem.device;
  const bool transposed = problem.operand[GPUOPT_OPERAND_A].m.layout == GPUOPT_ROW &&
                          problem.operand[GPUOPT_OPERAND_B].m.layout == GPUOPT_ROW;
  F64StreamPlan stream = {{}, {side, side, 1, transposed, 0, 0, 0}, 0, 0, 0, 0, 0};
  const double clock = device.clock_mhz > 0 ? device.clock_mhz : 1500;
  const double bandwidth = device.memory_gbs > 0 ? device.memory_gbs : 1000;
  const double step_us = side * side * kF64Depth / (efficiency * 128) / clock;  // of a tile

  const int64_t slices = std::max<int64_t>(1, ceil_div(problem.k, kLongest));
  const int64_t steps = std::max<int64_t>(ceil_div(ceil_div(problem.k, slices), kF64Depth), 1);
  const int64_t units = ceil_div(problem.m, side) * ceil_div(problem.n, side) * problem.batch * slices;
  stream.blocks = std::min<int64_t>(units, std::max(device.sm_count, 1));
  stream.whole = units;
  stream.plan = {slices, steps * kF64Depth, slices > 1 || !is_plain_gemm(problem), 0};
  stream.sums_bytes =
      stream.plan.partial ? (gemm_partials_bytes(problem, slices, sizeof(double)) + 255) & ~size_t{255} : 0;
  double waves = static_cast<double>(ceil_div(units, stream.blocks)) * static_cast<double>(steps), tail_us = 0;

  const int64_t sms = std::max(device.sm_count, 1), left = units % sms;
  if (slices == 1 && left != 0 && problem.k > 0) {
    const int64_t tail_blocks = std::min(sms, left * steps / kLeastSteps);
    const size_t bytes = static_cast<size_t>(2 * tail_blocks * side * side) * sizeof(double);
    if (tail_blocks > left && stream.sums_bytes + bytes <= problem.workspace_limit) {
      const double range = std::ceil(static_cast<double>(left * steps) / static_cast<double>(tail_blocks));
      const double cost_us = kTailUs + static_cast<double>(bytes) / (0.8 * bandwidth * 1e3);
      if ((static_cast<double>(steps) - range) * step_us > cost_us) {
        stream.blocks = sms;
        stream.whole = units - left;
        stream.tail_blocks = tail_blocks;
        stream.tail_bytes = bytes;
        waves = static_cast<double>(stream.whole / sms) * static_cast<double>(steps) + range;
        tail_us = cost_us;
      }
    }
  }
  const double m = static_cast<double>(problem.m), n = static_cast<double>(problem.n);
  const double bytes = 8 * static_cast<double>(problem.batch) *
                       (m * static_cast<double>(problem.k) + static_cast<double>(problem.k) * n + m * n);
  stream.plan.us = kStartUs + std::max(waves * step_us, bytes / (0.8 * bandwidth * 1e3)) + tail_us;
  if (stream.plan.partial) stream.plan.us += finish_gemm_us(problem, slices, sizeof(double));
  return stream;
}

inline void f64_stream_workspace(const F64StreamPlan &stream, size_t *scratch, size_t *zeroed) {
  *scratch = stream.sums_bytes + stream.tail_bytes;
  *zeroed = 0;
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

}  // namespace gpuopt

#endif
