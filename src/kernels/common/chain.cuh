// A chain of stages on the device: the list of gpuopt_stage as a plain struct, passed by value as a
// __grid_constant__ kernel parameter, and its evaluation on a run of elements in registers. Shared by
// fused_act and gemm's epilogue.
//
// C, float or double, is the type the chain is evaluated in; the caller rounds once, when it stores. The
// stages are walked by a loop over constant memory whose branches are the same for all threads; operands of
// every form are views that differ in their steps only. Functions are the accurate ones, written so that they
// do not cancel in their tails.
#ifndef GPUOPT_KERNELS_COMMON_CHAIN_CUH
#define GPUOPT_KERNELS_COMMON_CHAIN_CUH

#include <cmath>

#include "common/run.cuh"

namespace gpuopt {

template <class C>
struct Chain {
  struct Stage {
    int32_t kind, form;
    C value[2];
    View a, b;
  };
  int32_t count;
  Stage stage[GPUOPT_MAX_STAGES];
};

// count stages of the problem, from first on.
template <class C>
Chain<C> make_chain(const gpuopt_problem &problem, int32_t first, int32_t count) {
  Chain<C> chain = {};
  chain.count = count;
  for (int32_t s = 0; s < count; ++s) {
    const gpuopt_problem_stage &from = problem.stage[first + s];
    typename Chain<C>::Stage &to = chain.stage[s];
    to.kind = from.kind;
    to.form = from.form;
    to.value[0] = static_cast<C>(from.value[0]);
    to.value[1] = static_cast<C>(from.value[1]);
    if (from.kind == GPUOPT_STAGE_ADD_OUTER) {
      to.a = per_row_view(from.a);
      to.b = per_col_view(from.b);
    } else if (from.a.m.dtype != 0) {
      to.a = from.form == GPUOPT_PER_ROW   ? per_row_view(from.a)
             : from.form == GPUOPT_PER_COL ? per_col_view(from.a)
                                           : matrix_view(from.a);
    }
  }
  return chain;
}
template <class C>
Chain<C> make_chain(const gpuopt_problem &problem) {
  return make_chain<C>(problem, 0, problem.stage_count);
}

// The functions of GPUOPT_STAGE_TABLE that are more than one operation.
namespace stage {

template <class C>
__host__ __device__ __forceinline__ C relu(C x) {
  return x <= C(0) ? C(0) : x;
}
template <class C>
__host__ __device__ __forceinline__ C clamp(C x, C low, C high) {
  x = x < low ? low : x;
  return x > high ? high : x;
}
template <class C>
__host__ __device__ __forceinline__ C sigmoid(C x) {
  return C(1) / (C(1) + std::exp(-x));
}
template <class C>
__host__ __device__ __forceinline__ C silu(C x) {
  return x / (C(1) + std::exp(-x));
}
// (1 + erf(x / sqrt 2)) / 2, without the cancellation of 1 + erf for x << 0.
template <class C>
__host__ __device__ __forceinline__ C normal_cdf(C x) {
  return C(0.5) * std::erfc(x * C(-0.70710678118654752440));
}
template <class C>
__host__ __device__ __forceinline__ C gelu(C x) {
  return x * normal_cdf(x);
}
// (1 + tanh(u)) / 2 = 1 / (1 + exp(-2u)).
template <class C>
__host__ __device__ __forceinline__ C gelu_tanh(C x) {
  const C u = C(0.79788456080286535588) * (x + C(0.044715) * x * x * x);
  return x / (C(1) + std::exp(C(-2) * u));
}
template <class C>
__host__ __device__ __forceinline__ C gelu_gradient(C a) {
  return normal_cdf(a) + a * C(0.39894228040143267794) * std::exp(C(-0.5) * a * a);
}
template <class C>
__host__ __device__ __forceinline__ C silu_gradient(C a) {
  const C s = sigmoid(a);
  return s * (C(1) + a * (C(1) - s));
}

}  // namespace stage

// x[e] becomes the chain's value at element e of the run. Values past run.count come out undefined, and touch
// no memory.
template <class C, int N>
__device__ __forceinline__ void apply_chain(const Chain<C> &chain, const Run &run, C (&x)[N]) {
#define GPUOPT_CASE_(name, value)                                 \
  case GPUOPT_STAGE_##name:                                       \
    _Pragma("unroll") for (int e = 0; e < N; ++e) x[e] = (value); \
    break;
#pragma unroll 1
  for (int32_t s = 0; s < chain.count; ++s) {
    const typename Chain<C>::Stage &st = chain.stage[s];
    const C v0 = st.value[0];
    C a[N], b[N];
#pragma unroll
    for (int e = 0; e < N; ++e) a[e] = C(1);
    if (st.a.dtype != 0 && st.kind != GPUOPT_STAGE_STORE) load_run(st.a, run, a);
    if (st.b.dtype != 0) load_run(st.b, run, b);
    switch (st.kind) {
      // clang-format off
      GPUOPT_CASE_(RELU, stage::relu(x[e]))
      GPUOPT_CASE_(LEAKY_RELU, x[e] < C(0) ? v0 * x[e] : x[e])
      GPUOPT_CASE_(GELU, stage::gelu(x[e]))
      GPUOPT_CASE_(GELU_TANH, stage::gelu_tanh(x[e]))
      GPUOPT_CASE_(SILU, stage::silu(x[e]))
      GPUOPT_CASE_(SIGMOID, stage::sigmoid(x[e]))
      GPUOPT_CASE_(TANH, std::tanh(x[e]))
      GPUOPT_CASE_(CLAMP, stage::clamp(x[e], v0, st.value[1]))
      GPUOPT_CASE_(EXP, std::exp(x[e]))
      GPUOPT_CASE_(LOG, std::log(x[e]))
      GPUOPT_CASE_(SQRT, std::sqrt(x[e]))
      GPUOPT_CASE_(SQUARE, x[e] * x[e])
      GPUOPT_CASE_(ABS, std::fabs(x[e]))
      GPUOPT_CASE_(NEG, -x[e])
      GPUOPT_CASE_(RECIPROCAL, C(1) / x[e])
      GPUOPT_CASE_(STEP, x[e] > C(0) ? C(1) : C(0))
      GPUOPT_CASE_(ADD, x[e] + v0 * a[e])
      GPUOPT_CASE_(SUB, x[e] - v0 * a[e])
      GPUOPT_CASE_(MUL, x[e] * (v0 * a[e]))
      GPUOPT_CASE_(ADD_OUTER, x[e] + v0 * a[e] * b[e])
      GPUOPT_CASE_(RELU_GRAD, a[e] > C(0) ? x[e] : C(0))
      GPUOPT_CASE_(GELU_GRAD, x[e] * stage::gelu_gradient(a[e]))
      GPUOPT_CASE_(SILU_GRAD, x[e] * stage::silu_gradient(a[e]))
      // clang-format on
      case GPUOPT_STAGE_STORE:
        store_run(st.a, run, x);
        break;
      default:
        break;
    }
  }
#undef GPUOPT_CASE_
}

}  // namespace gpuopt

#endif
