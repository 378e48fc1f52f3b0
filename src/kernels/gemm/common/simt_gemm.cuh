// What gemm kernels without tensor cores that read every layout and type share: parameters, element types and descriptor.
// They differ in how they move A and B; all of them end in gemm_epilogue().
#pragma once

#include "gemm/common/accumulator.cuh"
#include "gemm/common/gemm_descriptor.h"
#include "gemm/common/gemm_epilogue.cuh"
#include "gemm/common/simt_time.h"
#include "gemm/common/tile_space.cuh"

namespace gpuopt {

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

// fp8 with scales of blocks.
struct SimtBlocks {
  SimtGemm<float> gemm;
  BlockScales a, b;
};
inline bool has_block_scales(const gpuopt_problem &problem) {
  return (problem.features & GPUOPT_FEATURE_BLOCK_SCALES) != 0;
}
// 1 where the operand has one scale for all, which is the epilogue's, or none.
__device__ __forceinline__ float scale_at(const BlockScales &scales, int64_t p, int64_t i, int64_t j) {
  return scales.data != nullptr ? scales.data[scales.offset(p, i, j)] : 1;
}

inline SimtBlocks make_simt_blocks(const gpuopt_problem &problem, const TileSpace &tiles) {
  return {make_simt_gemm<float>(problem, tiles), block_scales(problem.operand[GPUOPT_OPERAND_A].m),
          block_scales(problem.operand[GPUOPT_OPERAND_B].m)};
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

}  // namespace gpuopt
