// fp32 operands in two f16 parts each, for products on tensor cores at fp32's accuracy.
//
// A row of A or a column of B (a line here) is scaled by the power of two that brings its largest number, of exponent e, to
// [2^14, 2^15); an element x is then high + low, high the f16 nearest to x, low the one nearest to what is left. Together
// they are off by at most
//
//   2^-23 of x's own power of two where that is 2^(e - 16) or more, and 2^-39 * 2^e where it is less: where x is small.
//
// The first is a rounding of fp32's size. The second is harmless only where the products that small elements take part in are
// as small beside the others of their sum as they are in their line. So each sum in which there is a small element is
// asked for many products of large ones, by counting (docs/f32-tensor.md has the argument). Lines with infinities, NaN, or
// nothing but numbers near fp32's smallest, fail as well. How large an element is is told by its high part, which may be rounded up to
// a power of two that it is 2^-12 below: the bounds have room for that. The answer stays on the device, where two products come next, of which
// one finds that it is not its turn.
#pragma once

#include "gemm/common/f32_split_fits.h"
#include "gemm/common/packed_operands.h"

namespace gpuopt {

// Of an operand whose lines do not lie along k, what is known of 64 of them while it is read. Zero before and after.
constexpr int kF32SplitStripLines = 64;
struct F32SplitStrip {
  uint32_t ticket;
  uint32_t largest[kF32SplitStripLines];           // as the bits of a float
  unsigned long long counts[kF32SplitStripLines];  // 21 bits each: small elements, those within each level
};

struct F32SplitOperand {
  const float *from;
  int64_t ld, batch_step;  // elements
  bool along_k;
  bool vectors;  // all that is read in quads lies on 16 bytes
  char *to;
  int64_t to_pitch, to_batch_pitch;  // bytes
  int64_t lines, k, matrices;        // matrices: 0 where its parts are there already
  int32_t *exponents;                // of two, by which the sums of a line's products are multiplied
  F32SplitStrip *strips;             // matrix by matrix; not where lines lie along k
};
// In scratch memory, where an operand's stays as long as its parts.
struct F32SplitResult {
  uint32_t path;  // f32_split_fits.h
  F32SplitFacts lines[2];
};
// Zero before and after.
struct F32SplitState {
  uint32_t ticket;
  F32SplitFacts lines[2];
};
struct F32Split {
  F32SplitOperand a, b;
  F32SplitState *state;
  F32SplitResult *result;
};

// Where things are, of two operands of so many lines in all.
inline int64_t f32_split_lines(const gpuopt_problem &problem, int index) {
  return (index == GPUOPT_OPERAND_A ? problem.m : problem.n) *
         (problem.operand[index].m.batch_stride == 0 ? 1 : problem.batch);
}
constexpr size_t kF32SplitHead = 256;
inline size_t f32_split_scratch_bytes(int64_t lines) {
  return kF32SplitHead + (static_cast<size_t>(lines) * sizeof(int32_t) + 255) / 256 * 256;
}
inline int64_t f32_split_strips(const gpuopt_problem &problem, int index) {
  const int64_t lines = index == GPUOPT_OPERAND_A ? problem.m : problem.n;
  const int64_t matrices = problem.operand[index].m.batch_stride == 0 ? 1 : problem.batch;
  return lies_along_k(problem, index) ? 0 : matrices * ceil_div(lines, kF32SplitStripLines);
}
inline size_t f32_split_zeroed_bytes(const gpuopt_problem &problem) {
  return kF32SplitHead + static_cast<size_t>(f32_split_strips(problem, GPUOPT_OPERAND_A) +
                                             f32_split_strips(problem, GPUOPT_OPERAND_B)) *
                             sizeof(F32SplitStrip);
}

gpuopt_status f32_split(const gpuopt_problem &problem, const gpuopt_launch *launch, const F32Split &split);
// For prepare() of a kernel that may call it.
gpuopt_status load_f32_split(const gpuopt_launch *launch);
// Microseconds that it takes, with the launch that finds that it is not its turn.
double f32_split_us(const gpuopt_problem &problem, const PackedCut &cut);

}  // namespace gpuopt
