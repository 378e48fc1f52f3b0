// What a product of operands in parts (f32_split.h) is told of them: whether they are to be multiplied, and by which powers of two
// its sums.
#pragma once

#include <cstdint>

namespace gpuopt {

enum : uint32_t { kF32SplitStrict, kF32SplitByParts };
struct F32SplitScaling {
  const int32_t *rows, *cols;  // exponents
  int64_t rows_batch, cols_batch;
  const uint32_t *path;
};

}  // namespace gpuopt
