// What the transpose kernels share: elements are moved as words of their size, so five instances serve every data type;
// the part of the descriptor that is the same in all of them; and the time that moving takes.
#ifndef GPUOPT_KERNELS_TRANSPOSE_WORDS_CUH
#define GPUOPT_KERNELS_TRANSPOSE_WORDS_CUH

#include "common/descriptor.h"
#include "common/element.cuh"
#include "common/index.cuh"

namespace gpuopt {

// The word of an element size.
template <int kBytes>
struct WordOf {
  using type = uint4;
};
template <>
struct WordOf<1> {
  using type = uint8_t;
};
template <>
struct WordOf<2> {
  using type = uint16_t;
};
template <>
struct WordOf<4> {
  using type = uint32_t;
};
template <>
struct WordOf<8> {
  using type = uint64_t;
};
template <int kBytes>
using Word = typename WordOf<kBytes>::type;

// The type of a list that belongs to an element size.
template <int kBytes, class Of1, class Of2, class Of4, class Of8, class Of16>
using BySize = cuda::std::conditional_t<
    kBytes == 1, Of1,
    cuda::std::conditional_t<
        kBytes == 2, Of2,
        cuda::std::conditional_t<kBytes == 4, Of4, cuda::std::conditional_t<kBytes == 8, Of8, Of16>>>>;

namespace {

constexpr gpuopt_signature kTransposeSignatures[] = {
#define GPUOPT_X_(name, value, bytes, text, cls, what) {{value, value, GPUOPT_ANY, GPUOPT_ANY}, GPUOPT_ANY},
    GPUOPT_DTYPE_TABLE(GPUOPT_X_)
#undef GPUOPT_X_
};
constexpr size_t kTransposeSignatureCount = sizeof kTransposeSignatures / sizeof kTransposeSignatures[0];

// A descriptor with all that does not differ between transpose kernels; the file adds its functions and resources.
constexpr gpuopt_kernel transpose_kernel(const char *name, const char *summary, uint32_t understands) {
  gpuopt_kernel k = kernel_descriptor(GPUOPT_OP_TRANSPOSE, name, summary, understands);
  k.signatures = kTransposeSignatures;
  k.signature_count = kTransposeSignatureCount;
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
  switch (word_bytes(problem)) {
    case 1:
      return f(cuda::std::integral_constant<int, 1>{});
    case 2:
      return f(cuda::std::integral_constant<int, 2>{});
    case 4:
      return f(cuda::std::integral_constant<int, 4>{});
    case 8:
      return f(cuda::std::integral_constant<int, 8>{});
    case 16:
      return f(cuda::std::integral_constant<int, 16>{});
    default:
      return GPUOPT_INTERNAL;
  }
}

// Every element is read once and written once, at a fraction of the memory's bandwidth.
inline double transpose_us(const gpuopt_problem &problem, double launch_us, double fraction) {
  const double bytes = 2.0 * static_cast<double>(problem.batch) * static_cast<double>(problem.m) *
                       static_cast<double>(problem.n) * word_bytes(problem);
  return launch_us + bytes / (fraction * problem.device->memory_gbs * 1e3);
}

}  // namespace
}  // namespace gpuopt

#endif
