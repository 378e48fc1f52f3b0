// cublasGemmGroupedBatchedEx as a peer of grouped products: extents and leading dimensions from the host, pointers on the
// device.
#pragma once
#include <cstdint>
#include <vector>

#include "../core/timing.h"

namespace gpuopt_bench {

// One product: its extents, and where its A (m x k), B (k x n) and D (m x n) begin in operands 0, 1 and 2, in elements.
struct GroupShape {
  int64_t m, n, k;
  int64_t a, b, d;
};

// All row-major, packed and of one 16-bit type. Products without rows are left out.
Contender cublas_grouped_contender(int32_t type, const std::vector<GroupShape> &groups, const OperandSets &sets,
                                   cudaStream_t stream);

}  // namespace gpuopt_bench
