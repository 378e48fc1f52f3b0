/* transpose, the reference: dst(j, i) = src(i, j), one element at a time.
 *
 * The idea: elements are opaque bytes, so one loop a size does for every type. Out of place reads rows and
 * writes columns; COPY (the two sides differ in layout, so memory order is kept) moves rows; in place swaps
 * the pairs above the diagonal.
 *
 * It needs nothing: element sizes 1, 2, 4, 8, 16, any alignment to one element; one thread.
 * Measured once, not in a record (one thread of an AMD EPYC, gcc 12 -O3, f32, 2048 x 2048): 6.5 ns an element. */
#include "common/reference_kernel.h"
#include "common/views.h"

namespace gpuopt {
namespace cpu {
namespace {

struct B128 {
  uint64_t word[2];
};

template <class Element>
void transpose_matrix(const gpuopt_problem &problem, int64_t p) {
  const View src = view_of(problem.operand[GPUOPT_OPERAND_SRC]), dst = view_of(problem.operand[GPUOPT_OPERAND_DST]);
  char *from = static_cast<char *>(src.data), *to = static_cast<char *>(dst.data);
  const bool in_place = (problem.features & GPUOPT_FEATURE_IN_PLACE) != 0;
  const bool copy = (problem.features & GPUOPT_FEATURE_COPY) != 0;
  for (int64_t i = 0; i < problem.m; ++i)
    for (int64_t j = in_place ? i + 1 : 0; j < problem.n; ++j) {
      char *source = from + index_of(src, i, j, p) * int64_t(sizeof(Element));
      char *target = to + (copy ? index_of(dst, i, j, p) : index_of(dst, j, i, p)) * int64_t(sizeof(Element));
      Element moved, displaced; /* through memcpy: 16-byte elements need not be aligned for any C++ type */
      memcpy(&moved, source, sizeof(Element));
      if (in_place) {
        memcpy(&displaced, target, sizeof(Element));
        memcpy(source, &displaced, sizeof(Element));
      }
      memcpy(target, &moved, sizeof(Element));
    }
}

gpuopt_status launch(const gpuopt_problem *problem, const gpuopt_launch *) {
  for (int64_t p = 0; p < problem->batch; ++p) switch (dtype_size(problem->operand[GPUOPT_OPERAND_SRC].m.dtype)) {
      case 1:
        transpose_matrix<uint8_t>(*problem, p);
        break;
      case 2:
        transpose_matrix<uint16_t>(*problem, p);
        break;
      case 4:
        transpose_matrix<uint32_t>(*problem, p);
        break;
      case 8:
        transpose_matrix<uint64_t>(*problem, p);
        break;
      case 16:
        transpose_matrix<B128>(*problem, p);
        break;
      default:
        return GPUOPT_INTERNAL;
    }
  return GPUOPT_OK;
}

double predict_us(const gpuopt_problem *problem) { return reference_us(elements_of(*problem), 10); }

constexpr gpuopt_kernel describe() {
  gpuopt_kernel kernel = host_kernel(GPUOPT_OP_TRANSPOSE, "transpose_cpu_reference",
                                     "CPU: one element at a time; takes every problem; the oracle of the tests",
                                     kAnySignature, predict_us, launch);
  kernel.understands |= GPUOPT_FEATURE_COPY | GPUOPT_FEATURE_IN_PLACE;
  return kernel;
}

constexpr gpuopt_kernel kKernels[] = {describe()};

}  // namespace
}  // namespace cpu
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::cpu::kKernels);
