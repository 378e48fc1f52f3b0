// CUB's DeviceTransform with the chains that the fused_act suite measures.
#pragma once
#include "../core/timing.h"

namespace gpuopt_bench {

enum class Chain { relu, relu_bias_scale, bias_gelu_tanh, silu_mul, bias_gelu_residual };

// Operand 0 (rows x cols) to operand 1, with operand 2 (1 x cols, the bias) and 3 (rows x cols) where the chain has them.
// type: GPUOPT_F32 or GPUOPT_BF16; computed in fp32.
Contender cub_transform(const OperandSets &sets, Chain chain, int32_t type, int64_t rows, int64_t cols, double scale);

}  // namespace gpuopt_bench
