// A time model of gemm kernels without tensor cores.
#pragma once

#include <algorithm>
#include <cmath>

#include "common/dtypes.cuh"
#include "common/element.cuh"
#include "common/index.cuh"
#include "gemm/common/figures.h"

namespace gpuopt {

// How fast a kernel goes: what one SM sustains with enough blocks, and how long one block alone takes per
// step of k.
struct SimtGemmSpeed {
  int32_t tile_m, tile_n, blocks_per_sm;
  double flops_per_clock;  // of one SM, fp32 operands
  double clocks_per_k;     // latency-bound, fp32 operands
};

// Launch plus the slowest of: the busiest SM's arithmetic, the chain of latencies, the operands' bytes.
inline double simt_gemm_us(const gpuopt_problem &problem, const SimtGemmSpeed &speed) {
  const GemmCommonFigures &g = gemm_common_figures;
  const gpuopt_device_facts &device = *problem.device;
  if (device.sm_count <= 0 || device.clock_mhz <= 0 || device.memory_gbs <= 0) return 0;

  double flops_per_clock = speed.flops_per_clock, clocks_per_k = speed.clocks_per_k;
  const int32_t dtype_a = problem.operand[GPUOPT_OPERAND_A].m.dtype;
  if (dtype_a == GPUOPT_F64) {
    clocks_per_k *= g.simt_f64_clocks_factor;
    const bool full_rate = device.cc == 80 || device.cc == 90 || device.cc == 100;
    flops_per_clock = full_rate ? flops_per_clock / 2 : g.simt_f64_flops_per_clock;
  } else if (dtype_a == GPUOPT_E4M3 || dtype_a == GPUOPT_E5M2) {
    flops_per_clock *= device.cc >= 89 ? g.simt_fp8_factor : g.simt_fp8_bits_factor;
  } else if (dtype_a != GPUOPT_F32) {
    flops_per_clock *= g.simt_narrow_factor;
  }

  const auto m = static_cast<double>(problem.m), n = static_cast<double>(problem.n);
  const auto k = static_cast<double>(problem.k), batch = static_cast<double>(problem.batch);
  const double tiles = static_cast<double>(ceil_div(problem.m, speed.tile_m)) *
                       static_cast<double>(ceil_div(problem.n, speed.tile_n)) * batch;
  const double per_sm = std::ceil(tiles / device.sm_count);
  const double tile_flops = 2.0 * speed.tile_m * speed.tile_n * k;
  const double arithmetic_us = per_sm * tile_flops / flops_per_clock / device.clock_mhz;
  const double latency_us =
      std::ceil(per_sm / speed.blocks_per_sm) * (k * clocks_per_k + g.simt_block_clocks) / device.clock_mhz;
  const double bytes =
      batch * (dtype_bytes(dtype_a) * m * k + dtype_bytes(problem.operand[GPUOPT_OPERAND_B].m.dtype) * k * n +
               dtype_bytes(problem.operand[GPUOPT_OPERAND_D].m.dtype) * m * n);
  const double memory_us = bytes / (g.simt_memory_share * device.memory_gbs * 1e3);
  return g.simt_us + std::max({arithmetic_us, latency_us, memory_us});
}

}  // namespace gpuopt
