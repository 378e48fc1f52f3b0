// What gemm kernels without tensor cores that read every layout and type share: parameters, element types and descriptor.
// They differ in how they move A and B; all of them end in gemm_epilogue().
#pragma once

#include "common/with_dtype.cuh"
#include "gemm/common/gemm_descriptor.h"
#include "gemm/common/gemm_epilogue.cuh"
#include "gemm/common/simt_time.h"
#include "gemm/common/tile_space.cuh"

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

}  // namespace gpuopt
