// What the transpose kernels share: elements are moved as words of their size, so five instances serve every data type;
// the part of the descriptor that is the same in all of them.
#pragma once

#include "common/descriptor.h"
#include "common/dtypes.cuh"
#include "common/index.cuh"
#include "common/with_constant.h"

namespace gpuopt {

// The type of a list that belongs to an element size.
template <int kBytes, class Of1, class Of2, class Of4, class Of8, class Of16>
using BySize = std::conditional_t<
    kBytes == 1, Of1,
    std::conditional_t<kBytes == 2, Of2,
                       std::conditional_t<kBytes == 4, Of4, std::conditional_t<kBytes == 8, Of8, Of16>>>>;

// The word of an element size.
template <int kBytes>
using Word = BySize<kBytes, uint8_t, uint16_t, uint32_t, uint64_t, uint4>;

namespace {

constexpr gpuopt_signature kTransposeSignatures[] = {
#define GPUOPT_X_(name, value, bytes, text, cls, what) {{value, value, GPUOPT_ANY, GPUOPT_ANY}, GPUOPT_ANY},
    GPUOPT_DTYPE_TABLE(GPUOPT_X_)
#undef GPUOPT_X_
};

// A descriptor with all that does not differ between transpose kernels; the file adds its functions and resources.
constexpr gpuopt_kernel transpose_kernel(const char *name, const char *summary, uint32_t understands) {
  gpuopt_kernel k = kernel_descriptor(GPUOPT_OP_TRANSPOSE, name, summary, understands);
  set_signatures(k, kTransposeSignatures);
  return k;
}

// X(bytes) for every element size, with commas between.
#define GPUOPT_BY_WORD(X) X(1), X(2), X(4), X(8), X(16)

inline int word_bytes(const gpuopt_problem &problem) {
  return dtype_bytes(problem.operand[GPUOPT_OPERAND_SRC].m.dtype);
}

// By log2 of the element size: the index of tables by size.
inline int word_log2(const gpuopt_problem &problem) {
  int log2_bytes = 0;
  while ((1 << log2_bytes) < word_bytes(problem)) ++log2_bytes;
  return log2_bytes;
}

// Calls f(integral_constant<int, bytes>{}) for the problem's element size and returns what it returns.
template <class F>
gpuopt_status with_bytes(const gpuopt_problem &problem, F &&f) {
  return with_constant<1, 2, 4, 8, 16>(word_bytes(problem), f);
}

}  // namespace
}  // namespace gpuopt
