// The types of products that cuBLAS has.
#pragma once

#include "gpuopt/kernel.h"

namespace gpuopt {

#define GPUOPT_ROW_(a, b, c, d, compute) \
  { {GPUOPT_##a, GPUOPT_##b, GPUOPT_##c, GPUOPT_##d}, GPUOPT_COMPUTE_##compute }
#define GPUOPT_FP8_ROWS_(a, b, c, d) GPUOPT_ROW_(a, b, c, d, F32), GPUOPT_ROW_(a, b, c, d, F8_FAST)
inline constexpr gpuopt_signature kCublasLtSignatures[] = {
    GPUOPT_ROW_(F32, F32, F32, F32, F32),     GPUOPT_ROW_(F32, F32, F32, F32, TF32),
    GPUOPT_ROW_(F64, F64, F64, F64, F64),     GPUOPT_ROW_(F16, F16, F16, F16, F32),
    GPUOPT_ROW_(F16, F16, F16, F16, F16),     GPUOPT_ROW_(F16, F16, F32, F32, F32),
    GPUOPT_ROW_(BF16, BF16, BF16, BF16, F32), GPUOPT_ROW_(BF16, BF16, F32, F32, F32),
    GPUOPT_FP8_ROWS_(E4M3, E4M3, F32, F32),   GPUOPT_FP8_ROWS_(E4M3, E4M3, F16, F16),
    GPUOPT_FP8_ROWS_(E4M3, E4M3, BF16, BF16), GPUOPT_FP8_ROWS_(E4M3, E4M3, BF16, E4M3),
    GPUOPT_FP8_ROWS_(E4M3, E5M2, F32, F32),   GPUOPT_FP8_ROWS_(E4M3, E5M2, F16, F16),
    GPUOPT_FP8_ROWS_(E4M3, E5M2, BF16, BF16), GPUOPT_FP8_ROWS_(E4M3, E5M2, BF16, E4M3),
    GPUOPT_FP8_ROWS_(E4M3, E5M2, BF16, E5M2), GPUOPT_FP8_ROWS_(E5M2, E4M3, F32, F32),
    GPUOPT_FP8_ROWS_(E5M2, E4M3, F16, F16),   GPUOPT_FP8_ROWS_(E5M2, E4M3, BF16, BF16),
    GPUOPT_FP8_ROWS_(E5M2, E4M3, BF16, E4M3), GPUOPT_FP8_ROWS_(E5M2, E4M3, BF16, E5M2),
};
#undef GPUOPT_FP8_ROWS_
#undef GPUOPT_ROW_

// The first of them, those before fp8, are the classic calls'.
constexpr size_t kCublasSignatureCount = 8;
static_assert(kCublasLtSignatures[kCublasSignatureCount - 1].dtype[0] == GPUOPT_BF16 &&
                  kCublasLtSignatures[kCublasSignatureCount].dtype[0] == GPUOPT_E4M3,
              "the rows of fp8 are the last");

}  // namespace gpuopt
