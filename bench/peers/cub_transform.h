// CUB's DeviceTransform with the chains that the fused_act suite measures.
#pragma once
#include "../core/timing.h"
#include "chain.h"

namespace gpuopt_bench {

// Not the chains from five_relu on; f32 and bf16, as many elements as an int counts.
bool cub_takes(Chain chain, int32_t type, int64_t rows, int64_t cols);
// Operand 0 (rows x cols) to operand 1, with operand 2 (1 x cols, the bias) and 3 (rows x cols) where the chain has them.
// Computed in fp32.
Contender cub_transform(const OperandSets &sets, Chain chain, int32_t type, int64_t rows, int64_t cols, double scale);

}  // namespace gpuopt_bench
