// What gemm kernels without tensor cores share: parameters, element types, signatures and a time model. They
// differ in how they move A and B; all of them read every layout and type, and end in gemm_epilogue().
#ifndef GPUOPT_KERNELS_COMMON_SIMT_GEMM_CUH
#define GPUOPT_KERNELS_COMMON_SIMT_GEMM_CUH

#include <algorithm>

#include "common/descriptor.h"
#include "common/gemm_epilogue.cuh"

namespace gpuopt {

// The epilogue's type for each accumulator: float, double and int32_t (exact, wrapping).
template <class Acc>
using EpilogueType = cuda::std::conditional_t<cuda::std::is_same_v<Acc, float>, float, double>;

template <class Acc>
struct SimtGemm {
  int64_t m, n, k;
  View a, b;
  TileSpace tiles;
  GemmEpilogue<EpilogueType<Acc>> epilogue;
};

template <class Acc>
SimtGemm<Acc> make_simt_gemm(const gpuopt_problem &problem, const TileSpace &tiles) {
  return {problem.m,
          problem.n,
          problem.k,
          matrix_view(problem.operand[GPUOPT_OPERAND_A]),
          matrix_view(problem.operand[GPUOPT_OPERAND_B]),
          tiles,
          make_gemm_epilogue<EpilogueType<Acc>>(problem)};
}

// Calls f(Type<T>{}) for the types that A and B may have with this accumulator.
template <class Acc, class F>
__device__ __forceinline__ void with_gemm_dtype(int32_t dtype, F &&f) {
  if constexpr (cuda::std::is_same_v<Acc, float>) {
    with_small_float_dtype(dtype, static_cast<F &&>(f));
  } else if constexpr (cuda::std::is_same_v<Acc, double>) {
    f(Type<double>{});
  } else {
    f(Type<int8_t>{});
  }
}

template <class Acc>
__device__ __forceinline__ Acc multiply_add(Acc a, Acc b, Acc acc) {
  if constexpr (cuda::std::is_same_v<Acc, int32_t>) {  // unsigned, because signed overflow is undefined
    return static_cast<int32_t>(static_cast<uint32_t>(acc) + static_cast<uint32_t>(a * b));
  } else {
    return a * b + acc;
  }
}

// Calls f(Acc{}) for the accumulator of the problem's compute type and returns what it returns.
template <class F>
gpuopt_status with_accumulator(const gpuopt_problem &problem, F &&f) {
  switch (problem.compute) {
    case GPUOPT_COMPUTE_F64:
      return f(double{});
    case GPUOPT_COMPUTE_I32:
      return f(int32_t{});
    default:
      return f(float{});
  }
}

// Every row of GPUOPT_GEMM_TABLE: true fp32 sums serve the compute types that allow less, too.
struct SimtGemmSignatures {
  gpuopt_signature row[64] = {};
  size_t count = 0;

  constexpr SimtGemmSignatures() {
#define GPUOPT_X_(a, b, c, d, compute) \
  row[count++] = {{GPUOPT_##a, GPUOPT_##b, GPUOPT_##c, GPUOPT_##d}, GPUOPT_COMPUTE_##compute};
    GPUOPT_GEMM_TABLE(GPUOPT_X_)
#undef GPUOPT_X_
  }
};
inline constexpr SimtGemmSignatures kSimtGemmSignatures;

// The descriptor but for its functions and resources.
constexpr gpuopt_kernel simt_gemm_kernel(const char *name, const char *summary) {
  gpuopt_kernel kernel = gemm_descriptor(name, summary);
  kernel.signatures = kSimtGemmSignatures.row;
  kernel.signature_count = kSimtGemmSignatures.count;
  return kernel;
}

// How fast a kernel goes: what one SM sustains with enough blocks, and how long one block alone takes per
// step of k.
struct SimtGemmSpeed {
  int32_t tile_m, tile_n, blocks_per_sm;
  double flops_per_clock;  // of one SM, fp32 operands
  double clocks_per_k;     // latency-bound, fp32 operands
};

// Launch plus the slowest of: the busiest SM's arithmetic, the chain of latencies, the operands' bytes.
inline double simt_gemm_us(const gpuopt_problem &problem, const SimtGemmSpeed &speed) {
  constexpr double kLaunchUs = 3.0;
  const gpuopt_device_facts &device = *problem.device;
  if (device.sm_count <= 0 || device.clock_mhz <= 0 || device.memory_gbs <= 0) return 0;

  double flops_per_clock = speed.flops_per_clock, clocks_per_k = speed.clocks_per_k;
  const int32_t dtype_a = problem.operand[GPUOPT_OPERAND_A].m.dtype;
  if (dtype_a == GPUOPT_F64) {
    clocks_per_k *= 1.8;  // as measured with gemm_naive
    const bool full_rate = device.cc == 80 || device.cc == 90 || device.cc == 100;
    flops_per_clock = full_rate ? flops_per_clock / 2 : 3.5;  // elsewhere two fp64 units an SM
  } else if (dtype_a == GPUOPT_E4M3 || dtype_a == GPUOPT_E5M2) {
    flops_per_clock *= device.cc >= 89 ? 0.7 : 0.4;  // conversion by instruction, or by bit operations
  } else if (dtype_a != GPUOPT_F32) {
    flops_per_clock *= 0.8;
  }

  const auto m = static_cast<double>(problem.m), n = static_cast<double>(problem.n);
  const auto k = static_cast<double>(problem.k), batch = static_cast<double>(problem.batch);
  const double tiles = static_cast<double>(ceil_div(problem.m, speed.tile_m)) *
                       static_cast<double>(ceil_div(problem.n, speed.tile_n)) * batch;
  const double per_sm = std::ceil(tiles / device.sm_count);
  const double tile_flops = 2.0 * speed.tile_m * speed.tile_n * k;
  const double arithmetic_us = per_sm * tile_flops / flops_per_clock / device.clock_mhz;
  const double latency_us = std::ceil(per_sm / speed.blocks_per_sm) * (k * clocks_per_k + 1500) / device.clock_mhz;
  const double bytes =
      batch * (dtype_bytes(dtype_a) * m * k + dtype_bytes(problem.operand[GPUOPT_OPERAND_B].m.dtype) * k * n +
               dtype_bytes(problem.operand[GPUOPT_OPERAND_D].m.dtype) * m * n);
  const double memory_us = bytes / (0.8 * device.memory_gbs * 1e3);
  return kLaunchUs + std::max({arithmetic_us, latency_us, memory_us});
}

}  // namespace gpuopt

#endif
