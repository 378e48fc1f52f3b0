// cublasGemmGroupedBatchedEx as a peer of grouped products: extents and leading dimensions from the host, pointers on the
// device.
#pragma once
#include <cstdint>
#include <vector>

#include "../core/timing.h"

namespace gpuopt_bench {

// Rows [offsets[i], offsets[i + 1]) of operands 0 (A, rows x k) and 2 (D, rows x n) with matrix i of operand 1 (B, each k x n),
// all row-major and of one 16-bit type. Groups without rows are left out.
Contender cublas_grouped_contender(int32_t type, int64_t n, int64_t k, const std::vector<int64_t> &offsets,
                                   const OperandSets &sets, cudaStream_t stream);

}  // namespace gpuopt_bench
