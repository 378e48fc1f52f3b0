// What the host decides about an mma.sync product: which tile serves, into how many parts k is split, who adds them up,
// how long it takes. A function of the problem, device facts and figures.h only: the same call sums in the same order.
#pragma once

#include "gpuopt/kernel.h"

namespace gpuopt {

// What of a tile (MmaTile) does not need its type.
struct MmaTileFacts {
  int32_t a, b;  // types
  int32_t m, n, depth, element, threads, shared, runs, least_cc;
  bool clusters, staged, sums_are_exact;
  bool parts;  // fp32 operands come in two f16 parts each (mma_parts.cuh)

  int64_t tiles_m(const gpuopt_problem &problem) const { return (problem.m + m - 1) / m; }
  int64_t tiles_n(const gpuopt_problem &problem) const { return (problem.n + n - 1) / n; }
  int64_t stages(const gpuopt_problem &problem) const { return (problem.k + depth - 1) / depth; }
};

// The first of a kernel's tiles that can serve; count: none.
int find_mma_tile(const gpuopt_problem &problem, const MmaTileFacts *tiles, int count);
int mma_can_run(const gpuopt_problem &problem, const MmaTileFacts *tiles, int count, gpuopt_reject *reject);
// Whether runs of four elements of its rows are aligned to their size.
bool has_aligned_runs(const gpuopt_operand &operand);

struct MmaPlan {
  int32_t splits;
  bool cluster;     // the parts add up among themselves
  bool to_scratch;  // plain sums to scratch, gemm_finish does the rest
  double us;        // that the choice went by
  double clocks;    // of the busiest SM, multiplying
  double tiles;     // of the busiest SM, or parts of tiles
  int64_t slices() const { return cluster ? 1 : splits; }
};
MmaPlan plan_mma(const gpuopt_problem &problem, const MmaTileFacts &tile);
double mma_us(const gpuopt_problem &problem, const MmaTileFacts &tile);

// For tiles that persistent blocks take in turn.
struct MmaTmaPlan {
  MmaPlan plan;
  int64_t blocks, tiles, whole;  // whole: MmaTmaGemm
  size_t sums_bytes, pieces_bytes;
};
MmaTmaPlan plan_mma_tma(const gpuopt_problem &problem, const MmaTileFacts &tile);
double mma_tma_us(const gpuopt_problem &problem, const MmaTileFacts &tile);

}  // namespace gpuopt
