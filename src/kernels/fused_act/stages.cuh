// One stage on K elements in registers, with the functions of common/fast_math.cuh in fp32 and of
// common/fast_math_f64.cuh in fp64. a is the stage's operand (1 where it has none), ADD_OUTER's the product of its two.
#ifndef GPUOPT_KERNELS_FUSED_ACT_STAGES_CUH
#define GPUOPT_KERNELS_FUSED_ACT_STAGES_CUH

#include "common/chain.cuh"
#include "common/fast_math.cuh"
#include "common/fast_math_f64.cuh"

namespace gpuopt {

// Stages without operands but LEAKY_RELU and CLAMP, which have values.
template <int32_t kKind, class C>
__device__ __forceinline__ C function_of(C x) {
  constexpr bool kFast = sizeof(C) == sizeof(float);
  if constexpr (kKind == GPUOPT_STAGE_RELU && kFast) return fast::max_nan(x, 0.0f);
  if constexpr (kKind == GPUOPT_STAGE_RELU) return stage::relu(x);
  if constexpr (kKind == GPUOPT_STAGE_SQUARE) return x * x;
  if constexpr (kKind == GPUOPT_STAGE_ABS) return cuda::std::fabs(x);
  if constexpr (kKind == GPUOPT_STAGE_NEG) return -x;
  if constexpr (kKind == GPUOPT_STAGE_STEP) return x > C(0) ? C(1) : C(0);
  if constexpr (kKind == GPUOPT_STAGE_GELU) return fast::gelu(x);
  if constexpr (kKind == GPUOPT_STAGE_GELU_TANH) return fast::gelu_tanh(x);
  if constexpr (kKind == GPUOPT_STAGE_SILU) return fast::silu(x);
  if constexpr (kKind == GPUOPT_STAGE_SIGMOID) return fast::sigmoid(x);
  if constexpr (kKind == GPUOPT_STAGE_TANH) return fast::tanh(x);
  if constexpr (kKind == GPUOPT_STAGE_GELU_GRAD) return fast::gelu_gradient(x);
  if constexpr (kKind == GPUOPT_STAGE_SILU_GRAD) return fast::silu_gradient(x);
  if constexpr (kFast) {
    if constexpr (kKind == GPUOPT_STAGE_EXP) return fast::exp(x);
    if constexpr (kKind == GPUOPT_STAGE_LOG) return fast::log(x);
    if constexpr (kKind == GPUOPT_STAGE_SQRT) return fast::square_root(x);
    if constexpr (kKind == GPUOPT_STAGE_RECIPROCAL) return fast::reciprocal(x);
  } else {
    if constexpr (kKind == GPUOPT_STAGE_EXP) return std::exp(x);
    if constexpr (kKind == GPUOPT_STAGE_LOG) return std::log(x);
    if constexpr (kKind == GPUOPT_STAGE_SQRT) return std::sqrt(x);
    if constexpr (kKind == GPUOPT_STAGE_RECIPROCAL) return C(1) / x;
  }
}

template <class C>
__device__ __forceinline__ C clamp_to(C x, C low, C high) {
  if constexpr (sizeof(C) == sizeof(float))
    return fast::min_nan(fast::max_nan(x, low), high);
  else
    return stage::clamp(x, low, high);
}

#define GPUOPT_CASE_(name, value)                                 \
  case GPUOPT_STAGE_##name:                                       \
    _Pragma("unroll") for (int e = 0; e < K; ++e) x[e] = (value); \
    break;
#define GPUOPT_FUNCTION_(name) GPUOPT_CASE_(name, function_of<GPUOPT_STAGE_##name>(x[e]))

// Stages without an operand; kind is the same for all threads.
template <class C, int K>
__device__ __forceinline__ void apply_function(int32_t kind, C v0, C v1, C (&x)[K]) {
  switch (kind) {
    // clang-format off
    GPUOPT_FUNCTION_(RELU)
    GPUOPT_CASE_(LEAKY_RELU, x[e] < C(0) ? v0 * x[e] : x[e])
    GPUOPT_FUNCTION_(GELU)
    GPUOPT_FUNCTION_(GELU_TANH)
    GPUOPT_FUNCTION_(SILU)
    GPUOPT_FUNCTION_(SIGMOID)
    GPUOPT_FUNCTION_(TANH)
    GPUOPT_CASE_(CLAMP, clamp_to(x[e], v0, v1))
    GPUOPT_FUNCTION_(EXP)
    GPUOPT_FUNCTION_(LOG)
    GPUOPT_FUNCTION_(SQRT)
    GPUOPT_FUNCTION_(SQUARE)
    GPUOPT_FUNCTION_(ABS)
    GPUOPT_FUNCTION_(NEG)
    GPUOPT_FUNCTION_(RECIPROCAL)
    GPUOPT_FUNCTION_(STEP)
    GPUOPT_CASE_(ADD, x[e] + v0)
    GPUOPT_CASE_(SUB, x[e] - v0)
    GPUOPT_CASE_(MUL, x[e] * v0)
    // clang-format on
    default:
      break;
  }
}

// Stages with an operand a; ADD_OUTER's is the product of its two.
template <class C, int K>
__device__ __forceinline__ void apply_operand(int32_t kind, C v0, const C (&a)[K], C (&x)[K]) {
  switch (kind) {
    // clang-format off
    GPUOPT_CASE_(ADD, x[e] + v0 * a[e])
    GPUOPT_CASE_(SUB, x[e] - v0 * a[e])
    GPUOPT_CASE_(MUL, x[e] * (v0 * a[e]))
    GPUOPT_CASE_(ADD_OUTER, x[e] + v0 * a[e])
    GPUOPT_CASE_(RELU_GRAD, a[e] > C(0) ? x[e] : C(0))
    GPUOPT_CASE_(GELU_GRAD, x[e] * function_of<GPUOPT_STAGE_GELU_GRAD>(a[e]))
    GPUOPT_CASE_(SILU_GRAD, x[e] * function_of<GPUOPT_STAGE_SILU_GRAD>(a[e]))
    // clang-format on
    default:
      break;
  }
}
#undef GPUOPT_FUNCTION_
#undef GPUOPT_CASE_

}  // namespace gpuopt

#endif
