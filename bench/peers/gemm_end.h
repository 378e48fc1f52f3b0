// What follows a product.
#pragma once

namespace gpuopt_bench {

// A vector added along the rows, a function after it, or a matrix added.
enum class GemmEnd { none, bias, bias_gelu, bias_gelu_tanh, bias_silu, residual };

}  // namespace gpuopt_bench
