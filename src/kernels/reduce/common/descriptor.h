// What the descriptors of reductions have in common.
#pragma once

#include "common/descriptor.h"

namespace gpuopt {

constexpr uint32_t kAllReductions = 1u << GPUOPT_REDUCE_SUM | 1u << GPUOPT_REDUCE_MEAN | 1u << GPUOPT_REDUCE_MIN |
                                    1u << GPUOPT_REDUCE_MAX | 1u << GPUOPT_REDUCE_PROD | 1u << GPUOPT_REDUCE_SUMSQ |
                                    1u << GPUOPT_REDUCE_NRM2 | 1u << GPUOPT_REDUCE_ASUM | 1u << GPUOPT_REDUCE_ARGMIN |
                                    1u << GPUOPT_REDUCE_ARGMAX | 1u << GPUOPT_REDUCE_DOT;
constexpr uint32_t kSums = 1u << GPUOPT_REDUCE_SUM | 1u << GPUOPT_REDUCE_MEAN | 1u << GPUOPT_REDUCE_SUMSQ |
                           1u << GPUOPT_REDUCE_NRM2 | 1u << GPUOPT_REDUCE_ASUM;  // of one operand
constexpr uint32_t kAllAxes = 1u << GPUOPT_EACH_ROW | 1u << GPUOPT_EACH_COL | 1u << GPUOPT_ALL;

// Y is like X; the result's type is the registry's business.
constexpr gpuopt_signature reduce_signature(int32_t dtype) {
  return {{dtype, dtype, GPUOPT_ANY, GPUOPT_ANY}, GPUOPT_ANY};
}
inline constexpr gpuopt_signature kReduceSignatures[] = {reduce_signature(GPUOPT_F32),  reduce_signature(GPUOPT_F64),
                                                         reduce_signature(GPUOPT_F16),  reduce_signature(GPUOPT_BF16),
                                                         reduce_signature(GPUOPT_E4M3), reduce_signature(GPUOPT_E5M2),
                                                         reduce_signature(GPUOPT_I8),   reduce_signature(GPUOPT_U8),
                                                         reduce_signature(GPUOPT_I32),  reduce_signature(GPUOPT_I64)};

}  // namespace gpuopt
