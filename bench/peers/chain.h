// The chains of the fused_act suite. No CUDA: problems are named and explained on machines without it.
#pragma once

namespace gpuopt_bench {

enum class Chain {
  relu,
  relu_bias_scale,
  bias_gelu_tanh,
  bias_gelu,
  silu_mul,
  bias_gelu_residual,
  five_relu,  // bias, relu, mul per column, add, clamp
  five_gelu,  // bias, gelu, mul per row, add, clamp
  one_stage,  // any stage that has no operand, by its name
};

}  // namespace gpuopt_bench
