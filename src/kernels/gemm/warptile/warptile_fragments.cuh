// A thread's part of a warp's tile: its lane's place, its fragments of A and B, and their multiply-adds.
#pragma once

#include "gemm/warptile/warptile_shape.cuh"

namespace gpuopt {

// A lane's place in its warp's kLanesM x (32 / kLanesM) grid. Bit 0 counts columns and bit 1 rows, see above.
template <int kLanesM>
__device__ __forceinline__ int warptile_lane_row(int lane) {
  if constexpr (kLanesM == 1) return 0;
  if constexpr (kLanesM == 2) return lane >> 1 & 1;
  if constexpr (kLanesM == 4) return (lane >> 1 & 1) | (lane >> 3 & 2);
  if constexpr (kLanesM == 8) return (lane >> 1 & 1) | (lane >> 2 & 6);
  if constexpr (kLanesM == 16) return lane >> 1;
}
template <int kLanesM>
__device__ __forceinline__ int warptile_lane_col(int lane) {
  if constexpr (kLanesM == 1) return lane;
  if constexpr (kLanesM == 2) return (lane & 1) | (lane >> 1 & 14);
  if constexpr (kLanesM == 4) return (lane & 1) | (lane >> 1 & 6);
  if constexpr (kLanesM == 8) return (lane & 1) | (lane >> 1 & 2);
  if constexpr (kLanesM == 16) return lane & 1;
}

__device__ __forceinline__ void load_quad(const char *from, float *x) {
  const float4 v = *reinterpret_cast<const float4 *>(from);
  x[0] = v.x, x[1] = v.y, x[2] = v.z, x[3] = v.w;
}

// Four rows of a thread's sums, row by row, there and back. An FFMA a clock needs its three operands from two register
// banks (even and odd registers) that deliver one each a clock: A's element stays in the operand cache for a row, and
// B's must come from the other bank than the sum. B's elements lie in registers as float4, so sums have to lie as
// float4 with neighbours exchanged; pack_sums() makes them.
template <class Shape>
__device__ __forceinline__ void multiply_quad(int from, const float (&a)[Shape::kThreadM],
                                              const float (&b)[Shape::kThreadN], WarptileSums<Shape> &acc) {
  constexpr int kN = Shape::kThreadN;
  constexpr int kRows = GPUOPT_WARPTILE_STAGED ? 2 : 1;  // at once
#pragma unroll
  for (int i = from; i < from + 4; i += kRows) {
#pragma unroll
    for (int jj = 0; jj < kN; ++jj) {
      const int j = i / kRows % 2 == 0 ? jj : kN - 1 - jj;
#pragma unroll
      for (int r = 0; r < kRows; ++r) acc[i + r][j] += a[i + r] * b[j];
    }
  }
}

// Reads a thread's fragments from a stage at `read` bytes: quad q of its part of A at a step of k, and its part of B.
template <class Shape, int kPitchA, int kPitchB>
class WarptileFragments {
 public:
  // of_a, of_b: where the thread's parts of the first step begin.
  __device__ __forceinline__ WarptileFragments(const char *ring, uint32_t of_a, uint32_t of_b)
      : ring_(ring), of_a_(keep_in_register(of_a)), of_b_(keep_in_register(of_b)) {}
  __device__ __forceinline__ void load_a(int step, uint32_t read, int q, float *a) const {
    load_quad(ring_ + (read + of_a_) + (step * kPitchA + q * Shape::kLanesM * 4) * 4, a + q * 4);
  }
  __device__ __forceinline__ void load_b(int step, uint32_t read, float *to) const {
#pragma unroll
    for (int q = 0; q < Shape::kThreadN / 4; ++q) {
      load_quad(ring_ + (read + of_b_) + (step * kPitchB + q * Shape::kLanesN * 4) * 4, to + q * 4);
    }
  }

 private:
  const char *ring_;
  uint32_t of_a_, of_b_;
};

}  // namespace gpuopt
