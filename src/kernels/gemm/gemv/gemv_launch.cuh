// From a descriptor to a launch: the matrix by vector kernels on the host.
#pragma once

#include <algorithm>

#include "common/index.cuh"
#include "common/launch.h"
#include "gemm/common/gemm_demand.h"
#include "gemm/common/gemm_descriptor.h"
#include "gemm/common/gemm_parts.h"
#include "gemm/gemv/gemv_kernel.cuh"

namespace gpuopt {

// A kernel (a struct of its file) has kName, Acc, kTypes (of the many) and resources: for each of them the functions along k,
// then across k, for each number of lines of the few.
template <class Kernel>
auto gemv_function(const gpuopt_problem &problem, const GemvPlan &plan) {
  size_t index = 0;
  while (Kernel::kTypes[index] != problem.operand[gemv_many_operand(problem)].m.dtype) ++index;
  const int bytes = gemv_element_bytes(problem);
  index = (index * 2 + (plan.along_k ? 0 : 1)) * static_cast<size_t>(gemv_variants(bytes));
  for (int i = 0; gemv_few(i) != plan.few; ++i) ++index;
  return reinterpret_cast<void (*)(Gemv<typename Kernel::Acc>)>(
      reinterpret_cast<uintptr_t>(Kernel::resources[index].entry));
}

inline int gemv_can_run(const gpuopt_problem *problem, gpuopt_reject *reject) {
  constexpr int64_t kMostBlocks = (int64_t{1} << 31) - 1;
  if (problem->m <= 0 || problem->n <= 0 || problem->batch <= 0) return 1;  // no output, no blocks
  const int64_t few = std::min(problem->m, problem->n);
  if (few > kGemvMostFew)
    return refuse(reject, GPUOPT_REJECT_SIZE_LIMIT, GPUOPT_OPERAND_NONE, few, kGemvMostFew, "m or n");
  const GemvPlan plan = plan_gemv(*problem);
  const double blocks = static_cast<double>(plan.many_tiles) * static_cast<double>(plan.few_tiles) *
                        static_cast<double>(problem->batch) * plan.slices;
  if (blocks <= static_cast<double>(kMostBlocks)) return 1;
  return refuse(reject, GPUOPT_REJECT_SIZE_LIMIT, GPUOPT_OPERAND_NONE, static_cast<int64_t>(std::min(blocks, 9e18)),
                kMostBlocks, "tiles of D");
}

// Scratch: parts of k of tiles that blocks share, then plain sums for gemm_finish.
template <class Acc>
struct GemvScratch {
  size_t parts, sums, tickets;
  GemvScratch(const gpuopt_problem &problem, const GemvPlan &plan) : parts(0), sums(0), tickets(0) {
    if (plan.slices > 1) {
      const auto tiles = static_cast<size_t>(plan.tiles(problem));
      parts = tiles * static_cast<size_t>(plan.slices) * static_cast<size_t>(plan.lines * plan.few) * sizeof(Acc);
      parts = (parts + 255) / 256 * 256;
      tickets = tiles * sizeof(uint32_t);
    }
    if (!is_plain_gemm(problem)) sums = gemm_partials_bytes(problem, 1, sizeof(Acc));
  }
};

template <class Kernel>
void gemv_workspace(const gpuopt_problem *problem, size_t *scratch, size_t *zeroed) {
  const GemvScratch<typename Kernel::Acc> bytes(*problem, plan_gemv(*problem));
  *scratch = bytes.parts + bytes.sums;
  *zeroed = bytes.tickets;
}

template <class Kernel>
double gemv_predict_us(const gpuopt_problem *problem) {
  const double finish = is_plain_gemm(*problem) ? 0 : finish_gemm_us(*problem, 1, sizeof(typename Kernel::Acc));
  return plan_gemv(*problem).us + finish;
}

template <class Kernel>
gpuopt_status gemv_prepare(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  const GemvPlan plan = plan_gemv(*problem);
  const gpuopt_status status = load_kernel(launch, Kernel::kName, gemv_function<Kernel>(*problem, plan), kGemvShared);
  return status != GPUOPT_OK || is_plain_gemm(*problem) ? status : load_finish_gemm<typename Kernel::Acc>(launch);
}

template <class Acc>
Gemv<Acc> make_gemv(const gpuopt_problem &problem, const GemvPlan &plan, Acc *parts, Acc *sums, uint32_t *tickets) {
  const bool few_are_rows = gemv_few_are_rows(problem);
  const View a = matrix_view(problem.operand[GPUOPT_OPERAND_A]), b = matrix_view(problem.operand[GPUOPT_OPERAND_B]);
  const View &of_many = few_are_rows ? b : a, &of_few = few_are_rows ? a : b;
  Gemv<Acc> g = {};
  g.many = of_many.data;
  g.many_line = few_are_rows ? b.col_step : a.row_step;
  g.many_k = few_are_rows ? b.row_step : a.col_step;
  g.many_batch = of_many.batch_step;
  g.few = of_few.data;
  g.few_line = few_are_rows ? a.row_step : b.col_step;
  g.few_k = few_are_rows ? a.col_step : b.row_step;
  g.few_batch = of_few.batch_step;
  g.few_dtype = of_few.dtype;
  g.many_lines = std::max(problem.m, problem.n);
  g.few_lines = std::min(problem.m, problem.n);
  g.k = problem.k;
  g.slice_k = plan.slice_k;
  g.many_tiles = plan.many_tiles;
  g.few_tiles = plan.few_tiles;
  g.phases = plan.phases;
  g.groups = plan.groups;
  g.chunk = static_cast<int32_t>(plan.chunk);
  const gpuopt_operand &o = problem.operand[gemv_many_operand(problem)];
  g.aligned = least_alignment(o) >= 16;
  g.slices = plan.slices;
  g.parts = parts;
  g.tickets = tickets;
  const auto by_lines = [&](int64_t pitch, int64_t &many_step, int64_t &few_step) {
    many_step = few_are_rows ? 1 : pitch;
    few_step = few_are_rows ? pitch : 1;
  };
  if (sums != nullptr) {
    g.raw = true;
    g.d = sums;
    g.d_batch = problem.m * problem.n;
    by_lines(problem.n, g.d_many, g.d_few);
    return g;
  }
  const gpuopt_matrix &c = problem.operand[GPUOPT_OPERAND_C].m, &d = problem.operand[GPUOPT_OPERAND_D].m;
  using Scalar = EpilogueType<Acc>;
  g.d = d.data;
  g.d_dtype = d.dtype;
  g.d_batch = d.batch_stride;
  by_lines(d.ld, g.d_many, g.d_few);
  if (problem.k > 0) {  // without a product even an infinite alpha adds nothing
    g.alpha = static_cast<Scalar>(problem.alpha);
    g.alpha_ptr = static_cast<const Scalar *>(problem.alpha_ptr);
  }
  if ((problem.features & GPUOPT_FEATURE_BETA) != 0) {
    g.c = c.data;
    g.c_batch = c.batch_stride;
    by_lines(c.ld, g.c_many, g.c_few);
    g.beta = static_cast<Scalar>(problem.beta);
    g.beta_ptr = static_cast<const Scalar *>(problem.beta_ptr);
  }
  return g;
}

template <class Kernel>
gpuopt_status gemv_launch(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  using Acc = typename Kernel::Acc;
  const GemvPlan plan = plan_gemv(*problem);
  const GemvScratch<Acc> bytes(*problem, plan);
  char *const scratch = static_cast<char *>(launch->scratch);
  Acc *const sums = bytes.sums == 0 ? nullptr : reinterpret_cast<Acc *>(scratch + bytes.parts);
  const Gemv<Acc> g =
      make_gemv<Acc>(*problem, plan, reinterpret_cast<Acc *>(scratch), sums, static_cast<uint32_t *>(launch->zeroed));
  const auto blocks = static_cast<unsigned>(plan.tiles(*problem) * plan.slices);
  const gpuopt_status status = launch_kernel(early_launch(*problem), launch, Kernel::kName, dim3(blocks),
                                             dim3(static_cast<unsigned>(plan.threads())),
                                             plan.shared_bytes(sizeof(Acc)), gemv_function<Kernel>(*problem, plan), g);
  return status != GPUOPT_OK || sums == nullptr ? status : finish_gemm<Acc>(*problem, launch, sums, 1);
}

// The functions for elements of T, by gemv_variants().
#define GPUOPT_GEMV_ENTRY_(T, few, along) \
  { gemv_threads(few, sizeof(T)), kGemvShared, reinterpret_cast<const void *>(gemm_gemv_kernel<T, Acc, few, along>) }
#define GPUOPT_GEMV_ONE_(T, along) GPUOPT_GEMV_ENTRY_(T, 1, along)
#define GPUOPT_GEMV_TWO_(T, along) GPUOPT_GEMV_ONE_(T, along), GPUOPT_GEMV_ENTRY_(T, 4, along)
#define GPUOPT_GEMV_THREE_(T, along) GPUOPT_GEMV_TWO_(T, along), GPUOPT_GEMV_ENTRY_(T, 8, along)
#define GPUOPT_GEMV_ENTRIES_(variants, T) variants(T, true), variants(T, false)

template <class Kernel, size_t N>
constexpr gpuopt_kernel gemv_kernel(const gpuopt_signature (&signatures)[N]) {
  gpuopt_kernel kernel = gemm_descriptor(Kernel::kName, Kernel::kSummary);
  kernel.cc_min = 80;
  kernel.signatures = signatures;
  kernel.signature_count = N;
  kernel.can_run = gemv_can_run;
  set_functions_in_parts<gemv_workspace<Kernel>, gemv_predict_us<Kernel>, gemv_prepare<Kernel>, gemv_launch<Kernel>>(
      kernel);
  set_resources(kernel, Kernel::resources);
  return kernel;
}

}  // namespace gpuopt
