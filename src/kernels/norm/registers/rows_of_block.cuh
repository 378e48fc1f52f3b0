// Which of the rows that begin alike a block has.
#pragma once

#include "norm/registers/block_row.h"

namespace gpuopt {

// The rows of a block: first, first + classes, ... before end, of matrix p.
struct RowsOfBlock {
  int32_t p, first, end;

  // of_matrix: rows of a matrix.
  __device__ __forceinline__ static RowsOfBlock of(const AlikeRows &rows, int32_t block, int32_t of_matrix) {
    const int32_t p = block / rows.of_matrix, in_matrix = block - p * rows.of_matrix;
    const int32_t set = in_matrix / rows.classes;
    const int32_t first = in_matrix - set * rows.classes + set * rows.each * rows.classes;
    const int64_t last = int64_t{first} + int64_t{rows.each} * rows.classes;
    return {p, first, last < of_matrix ? static_cast<int32_t>(last) : of_matrix};
  }
};

}  // namespace gpuopt
