// cublasSgeam and cublasDgeam as a transpose.
#pragma once
#include "../core/timing.h"

namespace gpuopt_bench {

// Transposes operand src, rows x cols row-major, of GPUOPT_F32 or GPUOPT_F64, into operand dst.
Contender geam_contender(const OperandSets &sets, size_t src, size_t dst, int64_t rows, int64_t cols, int32_t type,
                         cudaStream_t stream);

}  // namespace gpuopt_bench
