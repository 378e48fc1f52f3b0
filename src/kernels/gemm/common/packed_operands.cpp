#include <cuda_runtime.h>

#include "gemm/common/packed_operands.h"

#include <cmath>

#include "gemm/common/f32_split.h"
#include "gemm/common/figures.h"
#include "gemm/common/gemm_demand.h"

namespace gpuopt {

PackedWay packed_way(const gpuopt_problem &problem, int index, AnyLayout any, bool splits) {
  const gpuopt_operand &x = problem.operand[index];
  const bool along_k = lies_along_k(problem, index);
  const bool transposes = !along_k && !(index == GPUOPT_OPERAND_A ? any.a : any.b);
  return {transposes || splits || least_alignment(x) < 16, transposes, along_k || transposes};
}

PackedCut packed_cut(const gpuopt_problem &problem, AnyLayout any, bool splits, size_t most_bytes) {
  constexpr int kA = GPUOPT_OPERAND_A, kB = GPUOPT_OPERAND_B;
  constexpr int64_t kMostPanels = 64, kQuantum = 256;
  PackedCut x = {packed_way(problem, kA, any, splits),
                 packed_way(problem, kB, any, splits),
                 problem.m,
                 problem.n,
                 problem.batch,
                 0,
                 0};
  const auto takes = [&](int64_t m, int64_t n, int64_t batch) {
    x.a_bytes = static_cast<size_t>(packed_bytes(problem, kA, x.a, m) * (is_broadcast(problem, kA) ? 1 : batch));
    x.b_bytes = static_cast<size_t>(packed_bytes(problem, kB, x.b, n) * (is_broadcast(problem, kB) ? 1 : batch));
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

PackedScratch packed_scratch(const gpuopt_problem &problem, AnyLayout any, bool splits, size_t sums_bytes) {
  const int64_t lines = f32_split_lines(problem, GPUOPT_OPERAND_A) + f32_split_lines(problem, GPUOPT_OPERAND_B);
  const size_t split = splits ? f32_split_scratch_bytes(lines) : 0;
  const size_t zeroed = splits ? f32_split_zeroed_bytes(problem) : 0;
  const size_t taken = sums_bytes + split + zeroed, limit = problem.workspace_limit;
  return {packed_cut(problem, any, splits, limit > taken ? limit - taken : 0), sums_bytes, split, zeroed};
}

double packed_us(const gpuopt_problem &problem, const PackedCut &cut, const PackingSpeed &speed) {
  const gpuopt_device_facts &device = *problem.device;
  const double gbs = (device.memory_gbs > 0 ? device.memory_gbs : 1000) * 1e3;
  const double clocks = std::max(device.sm_count, 1) * (device.clock_mhz > 0 ? device.clock_mhz : 1500);
  double us = 0;
  packed_steps(problem, cut, [&](bool packs_a, bool packs_b, GemmSpan m, GemmSpan n, GemmSpan batch) {
    if (!packs_a && !packs_b) return;
    double bytes_us = 0, blocks_us = 0;
    const auto add = [&](int index, const PackedWay &way, int64_t extent) {
      const double matrices = is_broadcast(problem, index) ? 1 : static_cast<double>(batch.count);
      bytes_us += static_cast<double>(packed_bytes(problem, index, way, extent)) * matrices *
                  (way.transposes ? speed.turned : 2) / (speed.share * gbs);
      const PackingSpeed::Block &block = speed.block[way.transposes ? 0 : 1];
      if (block.clocks == 0) return;
      const bool along_k = lies_along_k(problem, index);
      const int64_t lines = along_k ? extent : problem.k;
      const int64_t bytes = (along_k ? problem.k : extent) * gpuopt_dtype_size(problem.operand[index].m.dtype);
      blocks_us += static_cast<double>(ceil_div(lines, block.lines) * ceil_div(bytes, block.bytes)) * matrices *
                   block.clocks / clocks;
    };
    if (packs_a) add(GPUOPT_OPERAND_A, cut.a, m.count);
    if (packs_b) add(GPUOPT_OPERAND_B, cut.b, n.count);
    us += speed.start_us + std::max(bytes_us, blocks_us);
  });
  return us;
}
// Largest numbers of operands that do not lie along k are read by a launch of their own. Lines along k, however short, take a
// warp each, which waits for memory and then for its largest number.
double f32_split_us(const gpuopt_problem &problem, const PackedCut &cut) {
  constexpr int64_t kOfWarp = 1024, kMostWarps = 16;  // of k; of a line, and of a multiprocessor
  const GemmCommonFigures &g = gemm_common_figures;
  const gpuopt_device_facts &device = *problem.device;
  const double bytes_us = packed_us(problem, cut, {g.split_start_us, g.split_share, 3, {}});
  double lines = 0;
  for (const int index : {GPUOPT_OPERAND_A, GPUOPT_OPERAND_B})
    if (lies_along_k(problem, index)) lines += static_cast<double>(f32_split_lines(problem, index));
  const double warps = lines * static_cast<double>(std::min(ceil_div(problem.k, kOfWarp), kMostWarps));
  const double turns = warps / (static_cast<double>(kMostWarps) * std::max(device.sm_count, 1));
  return std::max(bytes_us,
                  g.split_start_us + turns * g.split_line_clocks / (device.clock_mhz > 0 ? device.clock_mhz : 1500));
}

GemmView gemm_view(const gpuopt_problem &problem, int index, GemmSpan part, GemmSpan batch) {
  const gpuopt_matrix &x = problem.operand[index].m;
  const int64_t size = gpuopt_dtype_size(x.dtype);
  const int64_t first = batch.first * x.batch_stride + part.first * (lies_along_k(problem, index) ? x.ld : 1);
  return {static_cast<char *>(x.data) + first * size, x.ld * size, x.batch_stride * size};
}

namespace {

GemmView packed_view(const gpuopt_problem &problem, int index, PackedWay way, GemmSpan part, char *at) {
  const int64_t size = gpuopt_dtype_size(problem.operand[index].m.dtype);
  return {at, packed_pitch(way.along_k ? problem.k : part.count, size),
          is_broadcast(problem, index) ? 0 : packed_bytes(problem, index, way, part.count)};
}

}  // namespace

PackedOperands packed_operands(const gpuopt_problem &problem, const PackedCut &cut, char *packed, GemmSpan m,
                               GemmSpan n, GemmSpan batch) {
  constexpr int kA = GPUOPT_OPERAND_A, kB = GPUOPT_OPERAND_B;
  return {cut.a.packs ? packed_view(problem, kA, cut.a, m, packed) : gemm_view(problem, kA, m, batch),
          cut.b.packs ? packed_view(problem, kB, cut.b, n, packed + cut.a_bytes) : gemm_view(problem, kB, n, batch)};
}

}  // namespace gpuopt
