// gemm_finish.h: sums slices and applies the epilogue, four neighbours of a row a thread.
//
// Idea and data movement: one pass over the partial sums, which the main kernel has just left in L2 when they are
// small; each thread reads 16 bytes of every slice (where rows allow it) and walks the epilogue once for its four
// elements.
#include "common/divider.cuh"
#include "gemm/common/gemm_finish.h"

#include "common/dtypes.cuh"
#include "common/launch.h"
#include "gemm/common/figures.h"
#include "gemm/common/gemm_demand.h"
#include "gemm/common/gemm_epilogue.cuh"
#include "gemm/common/simt_gemm.cuh"

namespace gpuopt {

constexpr int kFinishThreads = 256, kFinishRun = 4;
// Blocks an SM must have registers for: told nothing, ptxas would rather spill than give a chain in fp64 what it wants.
template <class C>
constexpr int kFinishBlocks = sizeof(C) == sizeof(float) ? 4 : 2;

// C is EpilogueType<Acc>, given apart: nvcc and the host compiler mangle the alias differently.
template <class Acc, class C>
__global__ void __launch_bounds__(kFinishThreads, kFinishBlocks<C>)
    gemm_finish_kernel(const Acc *partials, int64_t m, int64_t n, int64_t batch, int64_t slices, Divider per_matrix,
                       Divider per_row, const __grid_constant__ GemmEpilogue<C> epilogue) {
  const int64_t runs_a_row = ceil_div(n, kFinishRun);
  const int64_t total = batch * m * runs_a_row, slice = batch * m * n;
  const int64_t run = int64_t{blockIdx.x} * kFinishThreads + threadIdx.x;
  if (run >= total) return;
  int64_t in_matrix, in_row;
  const int64_t p = per_matrix.divide(run, in_matrix);
  const int64_t i = per_row.divide(in_matrix, in_row);
  const int64_t j = in_row * kFinishRun;
  const int32_t count = static_cast<int32_t>(min(n - j, int64_t{kFinishRun}));
  const Acc *from = partials + (p * m + i) * n + j;

  Acc acc[kFinishRun] = {};
  if (n % kFinishRun == 0) {  // scratch is 256-byte aligned, so every run is whole and aligned
    for (int64_t s = 0; s < slices; ++s) {
      // At most 16 bytes an access.
      constexpr int kPack =
          static_cast<int>(16 / sizeof(Acc)) < kFinishRun ? static_cast<int>(16 / sizeof(Acc)) : kFinishRun;
#pragma unroll
      for (int e = 0; e < kFinishRun; e += kPack) {
        const Pack<Acc, kPack> pack = *reinterpret_cast<const Pack<Acc, kPack> *>(from + s * slice + e);
#pragma unroll
        for (int f = 0; f < kPack; ++f) acc[e + f] = multiply_add(pack.v[f], Acc(1), acc[e + f]);
      }
    }
  } else {
    for (int64_t s = 0; s < slices; ++s) {
#pragma unroll
      for (int e = 0; e < kFinishRun; ++e) {
        if (e < count) acc[e] = multiply_add(from[s * slice + e], Acc(1), acc[e]);
      }
    }
  }
  gemm_epilogue(epilogue, Run{p, i, j, 0, 1, count}, acc);
}

template <class Acc>
gpuopt_status finish_gemm(const gpuopt_problem &problem, const gpuopt_launch *launch, const Acc *partials,
                          int64_t slices) {
  const int64_t runs_a_row = ceil_div(problem.n, kFinishRun), runs = problem.m * runs_a_row;
  const int64_t total = problem.batch * runs;
  return launch_kernel(launch, "gemm_finish", dim3(static_cast<unsigned>(ceil_div(total, kFinishThreads))),
                       dim3(kFinishThreads), 0, gemm_finish_kernel<Acc, EpilogueType<Acc>>, partials, problem.m,
                       problem.n, problem.batch, slices, Divider(runs, total), Divider(runs_a_row, runs),
                       make_gemm_epilogue<EpilogueType<Acc>>(problem));
}

template <class Acc>
gpuopt_status load_finish_gemm(const gpuopt_launch *launch) {
  return load_kernel(launch, "gemm_finish", gemm_finish_kernel<Acc, EpilogueType<Acc>>);
}

template gpuopt_status finish_gemm(const gpuopt_problem &, const gpuopt_launch *, const float *, int64_t);
template gpuopt_status finish_gemm(const gpuopt_problem &, const gpuopt_launch *, const double *, int64_t);
template gpuopt_status finish_gemm(const gpuopt_problem &, const gpuopt_launch *, const int32_t *, int64_t);
template gpuopt_status load_finish_gemm<float>(const gpuopt_launch *);
template gpuopt_status load_finish_gemm<double>(const gpuopt_launch *);
template gpuopt_status load_finish_gemm<int32_t>(const gpuopt_launch *);

double plan_finish_gemm_us(const gpuopt_problem &problem, int64_t slices, size_t acc_bytes) {
  const GemmCommonFigures &g = gemm_common_figures;
  const double sums =
      static_cast<double>(problem.batch) * static_cast<double>(problem.m) * static_cast<double>(problem.n);
  const double bytes = sums * (static_cast<double>(slices) * static_cast<double>(acc_bytes) +
                               dtype_bytes(problem.operand[GPUOPT_OPERAND_D].m.dtype));
  const double bandwidth = problem.device->memory_gbs > 0 ? problem.device->memory_gbs : 1000;
  return g.plan_finish_us + bytes / (g.plan_finish_share * bandwidth * 1e3);
}

double finish_gemm_us(const gpuopt_problem &problem, int64_t slices, size_t acc_bytes) {
  const GemmCommonFigures &g = gemm_common_figures;
  const gpuopt_device_facts &device = *problem.device;
  const GemmDemand x = gemm_demand(problem);
  const double bandwidth = (device.memory_gbs > 0 ? device.memory_gbs : 1000) * 1e3;  // bytes a us
  const double clocks = std::max(device.sm_count, 1) * (device.clock_mhz > 0 ? device.clock_mhz : 1500.0);
  const double sums_bytes = x.elements * static_cast<double>(slices) * static_cast<double>(acc_bytes);
  // Rows of a multiple of four sums are read by 16 bytes.
  const double element = (problem.n % 4 == 0 ? g.finish_clocks : g.finish_ragged_clocks) + x.epilogue_clocks;
  return g.finish_us + overlapped_us(x.elements * element / clocks,
                                     sums_bytes / (g.finish_sums_share * bandwidth) +
                                         (x.d_bytes + x.c_bytes + x.stage_bytes) / (g.finish_share * bandwidth),
                                     0, g.finish_sharpness);
}

}  // namespace gpuopt
