// How a problem is cut into runs (runs.cuh), and what that costs.
#pragma once

#include "common/descriptor.h"
#include "common/index.cuh"
#include "common/small_divider.cuh"
#include "fused_act/common/cost.h"

namespace gpuopt {

constexpr int kRunThreads = 256;

// The compiler needs a few registers more for newer devices.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 1000
constexpr int kFewerBlocks = 1;
#else
constexpr int kFewerBlocks = 0;
#endif

struct Runs {
  bool flat;       // one line
  bool by_vector;  // flat: some operand needs (i, j)
  int32_t across;  // log2 of the threads along a row, where not flat
  int32_t length;  // elements of a line
  int32_t rows, cols;
  SmallDivider by_cols, by_rows, by_blocks;  // blocks along a row, where not flat
};

// The cut of a problem into runs of k elements; matrices: every matrix that is read or written;
// crosses_many: rows may be shorter than a run and still lie in one line. Returns the grid.
inline dim3 make_runs(const gpuopt_problem &problem, int k, const View *matrices, int matrix_count, bool has_vectors,
                      bool crosses_many, Runs &runs) {
  constexpr int64_t kMost = (int64_t{1} << 31) - 4096;
  const int64_t m = problem.m, n = problem.n, batch = problem.batch;
  runs = {};
  runs.flat = m * n <= kMost / batch && (crosses_many || n >= k);
  for (int a = 0; a < matrix_count; ++a) {
    const View &v = matrices[a];
    runs.flat = runs.flat && (m == 1 || v.row_step == n) && (batch == 1 || v.batch_step == m * n);
  }
  runs.by_vector = has_vectors;
  runs.rows = static_cast<int32_t>(m);
  runs.cols = static_cast<int32_t>(n);
  runs.length = static_cast<int32_t>(runs.flat ? m * n * batch : n);
  runs.by_cols = SmallDivider(n);
  runs.by_rows = SmallDivider(m);
  const int64_t count = ceil_div(int64_t{runs.length} + k - 1, k);  // as many as a line with a head may have
  if (runs.flat) return dim3(static_cast<unsigned>(ceil_div(count, kRunThreads)));
  while ((1 << runs.across) < kRunThreads && (1 << runs.across) < count) ++runs.across;
  const int64_t blocks = ceil_div(count, int64_t{1} << runs.across);
  runs.by_blocks = SmallDivider(blocks);
  return dim3(static_cast<unsigned>(ceil_div(m, kRunThreads >> runs.across) * blocks), static_cast<unsigned>(batch));
}

// Threads of that cut, those of warps that are not idle, and what they move element by element: the ends of lines, of
// every operand, or vectors where a run crosses into the next row.
inline void count_runs(const gpuopt_problem &problem, int k, const Runs &runs, const ElementCost &element,
                       PassCost &cost) {
  constexpr int64_t kWarp = 32;
  const int64_t count = ceil_div(int64_t{runs.length} + k - 1, k);
  if (runs.flat) {
    const double crossing = 1.0 * kWarp * k / static_cast<double>(problem.n);
    cost.threads = static_cast<double>(ceil_div(runs.length, k));
    cost.edge_accesses = cost.threads * (crossing < 1 ? crossing : 1) * k * element.vectors;
    return;
  }
  const int64_t lines = problem.m * problem.batch;
  const bool in_warp = count < kWarp;
  cost.threads = static_cast<double>(
      (in_warp ? ceil_div(problem.m, kWarp >> runs.across) * problem.batch : ceil_div(count, kWarp) * lines) * kWarp);
  cost.edge_accesses =
      (in_warp ? cost.threads : 2.0 * kWarp * static_cast<double>(lines)) * k * (element.matrices + element.vectors);
  const int64_t blocks = ceil_div(count, int64_t{1} << runs.across) * ceil_div(problem.m, kRunThreads >> runs.across);
  cost.idle_threads = static_cast<double>(blocks * problem.batch) * kRunThreads - cost.threads;
}

// What that cut needs: rows of less than 2^31 elements, and a grid.
inline int runs_can_run(const gpuopt_problem *problem, gpuopt_reject *reject) {
  constexpr int64_t kMost = int64_t{1} << 30;
  const auto limit = [reject](int64_t have, int64_t most, const char *what) {
    return refuse(reject, GPUOPT_REJECT_SIZE_LIMIT, GPUOPT_OPERAND_OUT, have, most, what);
  };
  if (problem->n > kMost) return limit(problem->n, kMost, "columns");
  if (problem->m > kMost) return limit(problem->m, kMost, "rows");
  if (problem->batch > 65535) return limit(problem->batch, 65535, "batch");
  const int64_t row_blocks = problem->n / (2 * kRunThreads) + 2;  // at least two elements a thread
  if (problem->m > kMost / row_blocks * 2) return limit(problem->m, kMost / row_blocks * 2, "rows of this length");
  return 1;
}

}  // namespace gpuopt
