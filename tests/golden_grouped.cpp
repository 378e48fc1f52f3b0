// Grouped products for the golden files: experts of two models, from decoding to prefill; and lists of products.
#include "golden_problems.h"

namespace gpuopt_test {
namespace {

GoldenProblem &grouped(GoldenProblems &all, int32_t in, int32_t out, int64_t groups, int64_t mean, int64_t n,
                       int64_t k) {
  GoldenProblem &p = all.emplace_back();
  p.args.gemm_grouped = GPUOPT_GEMM_GROUPED_ARGS_INIT;
  gpuopt_gemm_grouped_args &g = p.args.gemm_grouped;
  g.a = golden_matrix(groups * mean, k, in);
  g.b = golden_matrix(k, n, in);
  g.d = golden_matrix(groups * mean, n, out);
  g.offsets = golden_matrix(1, groups + 1, GPUOPT_I32);
  g.groups = groups;
  return p;
}

// A list on the device of products up to m x n x k.
gpuopt_gemm_grouped_args &list(GoldenProblems &all, int32_t in, int32_t out, int64_t groups, int64_t m, int64_t n,
                               int64_t k, int32_t align) {
  gpuopt_gemm_grouped_args &g = grouped(all, in, out, groups, 1, n, k).args.gemm_grouped;
  g.a = golden_matrix(m, k, in);
  g.d = golden_matrix(m, n, out);
  g.offsets = GPUOPT_MATRIX_INIT;
  g.list = reinterpret_cast<const gpuopt_gemm_group *>(uintptr_t{1} << 40);  // which nobody reads
  for (int32_t &of_operand : g.list_align) of_operand = align;
  return g;
}

}  // namespace

GoldenProblems golden_gemm_groupeds() {
  GoldenProblems all;
  for (const int64_t mean : {1, 4, 16, 32, 64, 96, 128, 256, 1024}) {
    grouped(all, kBf16, kBf16, 8, mean, 14336, 4096);
    grouped(all, kBf16, kBf16, 256, mean, 2048, 7168);
    grouped(all, kF16, kF32, 64, mean, 1408, 2048);
    grouped(all, kE4m3, kBf16, 256, mean, 2048, 7168).args.gemm_grouped.b.layout = GPUOPT_COL;
    grouped(all, kF32, kF32, 8, mean, 1024, 1024);
    GoldenProblem &turned = grouped(all, kBf16, kBf16, 64, mean, 4096, 1408);  // weights as frameworks keep them
    turned.args.gemm_grouped.b.layout = GPUOPT_COL;
    GoldenProblem &staged = grouped(all, kBf16, kBf16, 64, mean, 1408, 2048);
    staged.stages = {per_col(GPUOPT_STAGE_ADD, 1408, kBf16), act(GPUOPT_STAGE_SILU)};
  }
  unaligned(grouped(all, kBf16, kBf16, 8, 64, 4096, 4096), kBf16);
  grouped(all, kF64, kF64, 4, 100, 500, 500);
  grouped(all, kI8, kI32, 4, 100, 512, 512);
  for (const int64_t m : {16, 64, 1024}) {
    list(all, kBf16, kBf16, 64, m, 4096, 4096, 16);
    list(all, kF16, kF32, 8, m, 1408, 2048, 16).b.layout = GPUOPT_COL;
  }
  list(all, kBf16, kBf16, 64, 16, 4096, 4096, 0);
  list(all, kF32, kF32, 8, 64, 512, 512, 16);
  return all;
}

}  // namespace gpuopt_test
