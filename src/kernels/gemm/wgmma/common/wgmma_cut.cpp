#include <cuda_runtime.h>

#include "gemm/wgmma/wgmma_cut.h"

#include <cmath>

namespace gpuopt {

WgmmaWay wgmma_way(const gpuopt_problem &problem, int index, bool any_layout, bool splits) {
  const gpuopt_operand &x = problem.operand[index];
  const bool along_k = wgmma_along_k(problem, index);
  const bool transposes = !along_k && !any_layout;
  return {transposes || splits || std::min({x.align, x.ld_align, x.stride_align}) < 16, transposes,
          along_k || transposes};
}

WgmmaCut wgmma_cut(const gpuopt_problem &problem, bool any_layout, bool splits, size_t most_bytes) {
  constexpr int kA = GPUOPT_OPERAND_A, kB = GPUOPT_OPERAND_B;
  constexpr int64_t kMostPanels = 64, kQuantum = 256;
  WgmmaCut x = {wgmma_way(problem, kA, any_layout, splits),
                wgmma_way(problem, kB, any_layout, splits),
                problem.m,
                problem.n,
                problem.batch,
                0,
                0};
  const auto takes = [&](int64_t m, int64_t n, int64_t batch) {
    x.a_bytes =
        static_cast<size_t>(wgmma_packed_bytes(problem, kA, x.a, m) * (wgmma_broadcasts(problem, kA) ? 1 : batch));
    x.b_bytes =
        static_cast<size_t>(wgmma_packed_bytes(problem, kB, x.b, n) * (wgmma_broadcasts(problem, kB) ? 1 : batch));
    return x.a_bytes + x.b_bytes;
  };
  if (takes(x.m, x.n, x.batch) <= most_bytes) return x;
  while (x.batch > 1 && takes(x.m, x.n, x.batch) > most_bytes) x.batch = ceil_div(x.batch, 2);
  if (takes(x.m, x.n, x.batch) <= most_bytes) return x;
  const auto extent = [&](int64_t whole, int64_t count) {
    return count == 1 ? whole : ceil_div(ceil_div(whole, count), kQuantum) * kQuantum;
  };
  const double all_a = static_cast<double>(x.a_bytes), all_b = static_cast<double>(x.b_bytes);
  const int64_t most_m = x.a.packs ? kMostPanels : 1, most_n = x.b.packs ? kMostPanels : 1;
  int64_t best_m = extent(problem.m, most_m), best_n = extent(problem.n, most_n);
  double least = HUGE_VAL;
  for (int64_t in_n = 1; in_n <= most_n; ++in_n) {
    for (int64_t in_m = 1; in_m <= most_m; ++in_m) {
      const int64_t m = extent(problem.m, in_m), n = extent(problem.n, in_n);
      // A panel of columns stays while the rows go by; a step costs as much as a MiB.
      const double cost =
          all_b + all_a * static_cast<double>(in_m > 1 ? in_n : 1) + 1048576.0 * static_cast<double>(in_m * in_n);
      if (cost >= least || takes(m, n, 1) > most_bytes) continue;
      least = cost;
      best_m = m;
      best_n = n;
    }
  }
  x.m = best_m;
  x.n = best_n;
  takes(x.m, x.n, 1);
  return x;
}

}  // namespace gpuopt
