// How the operands of a product on tensor cores come to the kernel, and how a product is cut where what is packed does not fit.
//
// An operand that the kernel cannot read as it lies is packed (gemm/wgmma/wgmma_pack.h) or, fp32 ones, split (f32_split.h). Where that takes more scratch memory than the
// call may have, the product goes matrix by matrix of the batch, then panel by panel of rows and of columns: each is packed
// in the place of the one before it. No element's order of sums depends on it.
#pragma once

#include <algorithm>

#include "common/index.cuh"
#include "gpuopt/kernel.h"

namespace gpuopt {

// How it lies.
inline bool lies_along_k(const gpuopt_problem &problem, int index) {
  return (problem.operand[index].m.layout == GPUOPT_ROW) == (index == GPUOPT_OPERAND_A);
}
struct PackedWay {
  bool packs, transposes;
  bool along_k;  // as the kernel reads it
};
// Whether the kernel reads A, and B, that lie along m or n as well.
struct AnyLayout {
  bool a, b;
};
// splits: no operand is read as it lies (f32_split.h).
PackedWay packed_way(const gpuopt_problem &problem, int index, AnyLayout any, bool splits);

struct GemmSpan {
  int64_t first, count;
};

// Of rows, columns and matrices, as many as go at a time.
struct PackedCut {
  PackedWay a, b;
  int64_t m, n, batch;
  size_t a_bytes, b_bytes;  // of scratch
};

inline int64_t packed_pitch(int64_t elements, int64_t size) { return ceil_div(elements * size, 128) * 128; }

// Bytes of one packed matrix, extent: of m or n.
inline int64_t packed_bytes(const gpuopt_problem &problem, int index, PackedWay way, int64_t extent) {
  const int64_t size = gpuopt_dtype_size(problem.operand[index].m.dtype);
  if (!way.packs) return 0;
  return way.along_k ? extent * packed_pitch(problem.k, size) : problem.k * packed_pitch(extent, size);
}
inline bool is_broadcast(const gpuopt_problem &problem, int index) {
  return problem.operand[index].m.batch_stride == 0;
}

// The cut of a call that may have so many bytes; where even the smallest need more, those.
PackedCut packed_cut(const gpuopt_problem &problem, AnyLayout any, bool splits, size_t most_bytes);

// Scratch memory: sums for gemm_finish, what is known of operands in parts, panels of A, panels of B.
struct PackedScratch {
  PackedCut cut;
  size_t sums_bytes, split_bytes, zeroed_bytes;
  size_t bytes() const { return sums_bytes + split_bytes + cut.a_bytes + cut.b_bytes; }
  char *split(const gpuopt_launch *launch) const { return static_cast<char *>(launch->scratch) + sums_bytes; }
  char *packed(const gpuopt_launch *launch) const { return split(launch) + split_bytes; }
};
// sums_bytes: those of plain sums, if there are any.
PackedScratch packed_scratch(const gpuopt_problem &problem, AnyLayout any, bool splits, size_t sums_bytes);

// Some rows or columns (`part`) of some matrices of an operand, as the kernel reads them.
struct GemmView {
  char *data;
  int64_t pitch, batch_pitch;  // bytes
};
GemmView gemm_view(const gpuopt_problem &problem, int index, GemmSpan part, GemmSpan batch);
// Of a step of packed_steps(): both operands, as they are or where they are packed (at `packed`, A's panels first).
struct PackedOperands {
  GemmView a, b;
};
PackedOperands packed_operands(const gpuopt_problem &problem, const PackedCut &cut, char *packed, GemmSpan m,
                               GemmSpan n, GemmSpan batch);

// Calls step(packs A, packs B, rows, columns, matrices) in the order of execution.
template <class Step>
void packed_steps(const gpuopt_problem &problem, const PackedCut &cut, Step &&step) {
  const auto span = [](int64_t index, int64_t length, int64_t whole) {
    return GemmSpan{index * length, std::min(length, whole - index * length)};
  };
  int64_t held_a = -1, held_b = -1;
  const int64_t in_m = ceil_div(problem.m, cut.m), in_n = ceil_div(problem.n, cut.n);
  for (int64_t p = 0; p < ceil_div(problem.batch, cut.batch); ++p) {
    for (int64_t j = 0; j < in_n; ++j) {
      for (int64_t step_m = 0; step_m < in_m; ++step_m) {
        const int64_t i = j % 2 == 0 ? step_m : in_m - 1 - step_m;  // to and fro: a panel of A stays at each turn
        const int64_t a = (is_broadcast(problem, GPUOPT_OPERAND_A) ? 0 : p) * in_m + i;
        const int64_t b = (is_broadcast(problem, GPUOPT_OPERAND_B) ? 0 : p) * in_n + j;
        step(cut.a.packs && a != held_a, cut.b.packs && b != held_b, span(i, cut.m, problem.m),
             span(j, cut.n, problem.n), span(p, cut.batch, problem.batch));
        held_a = a;
        held_b = b;
      }
    }
  }
}

// How fast packing is that reads and writes an operand once.
struct PackingSpeed {
  double start_us, share;  // a launch that packs little; of memory_gbs
  int turned;              // operands that do not lie along k: how often their bytes move
  // Blocks of the launch, of operands that are transposed and of others: lines as they lie, bytes of each, and a multiprocessor's
  // clocks, however little of the block exists. 0 clocks: bytes alone count.
  struct Block {
    int lines, bytes;
    double clocks;
  } block[2];
};
double packed_us(const gpuopt_problem &problem, const PackedCut &cut, const PackingSpeed &speed);

}  // namespace gpuopt
