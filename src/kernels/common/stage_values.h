// What each stage yields, written once: every kernel, epilogue and teaching rung takes its values from here, and the
// masks of descriptors their kinds.
//
// X(KIND, value). In the value x is the running value, v0 and v1 are the stage's numbers, a and b its operands (1 where
// it has none), C the type that the chain is evaluated in, and Math says how functions are computed (stages.cuh,
// fast_stages.cuh).
#pragma once

#include "gpuopt/kernel.h"

// clang-format off

// Of x alone, and numbers.
#define GPUOPT_STAGE_FUNCTIONS(X)           \
  X(RELU, Math::relu(x))                    \
  X(LEAKY_RELU, Math::leaky_relu(x, v0))    \
  X(GELU, Math::gelu(x))                    \
  X(GELU_TANH, Math::gelu_tanh(x))          \
  X(SILU, Math::silu(x))                    \
  X(SIGMOID, Math::sigmoid(x))              \
  X(TANH, Math::tanh(x))                    \
  X(CLAMP, Math::clamp(x, v0, v1))          \
  X(EXP, Math::exp(x))                      \
  X(LOG, Math::log(x))                      \
  X(SQRT, Math::square_root(x))             \
  X(SQUARE, x * x)                          \
  X(ABS, Math::absolute(x))                 \
  X(NEG, -x)                                \
  X(RECIPROCAL, Math::reciprocal(x))        \
  X(STEP, Math::step(x))

// Those that may have operands. STORE, which leaves x as it is, is the business of whoever walks the chain.
#define GPUOPT_STAGE_OPERATIONS(X)          \
  X(ADD, x + v0 * a)                        \
  X(SUB, x - v0 * a)                        \
  X(MUL, x * (v0 * a))                      \
  X(ADD_OUTER, x + v0 * a * b)              \
  X(RELU_GRAD, a > C(0) ? x : C(0))         \
  X(GELU_GRAD, x * Math::gelu_gradient(a))  \
  X(SILU_GRAD, x * Math::silu_gradient(a))

// clang-format on

#define GPUOPT_STAGE_VALUES(X) GPUOPT_STAGE_FUNCTIONS(X) GPUOPT_STAGE_OPERATIONS(X)

namespace gpuopt {

// Every stage kind that the code below src/kernels computes: a kind that is new in tables.h is no kernel's until its
// value stands above.
constexpr uint64_t stage_bit(int32_t kind) { return uint64_t{1} << kind; }
template <class... Kinds>
constexpr uint64_t stage_bits(Kinds... kinds) {
  return (uint64_t{0} | ... | stage_bit(kinds));
}
#define GPUOPT_KIND_(name, value) GPUOPT_STAGE_##name,
constexpr uint64_t kAllStageKinds = stage_bits(GPUOPT_STAGE_VALUES(GPUOPT_KIND_) GPUOPT_STAGE_STORE);
#undef GPUOPT_KIND_

}  // namespace gpuopt
