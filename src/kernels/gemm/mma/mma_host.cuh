// What all mma.sync kernels have in common on the host: the kernel's argument, its descriptor.
//
// A kernel's file derives a struct from MmaTiles or MmaTmaTiles, which lists its tiles, and gives it kName, kSummary and
// kAliases. The first tile that can serve a problem is taken, so those that want rows on 16 bytes stand first.
#pragma once

#include <algorithm>
#include <iterator>

#include "common/dtypes.cuh"
#include "gemm/common/gemm_descriptor.h"
#include "gemm/common/gemm_finish.h"
#include "gemm/common/gemm_parts.h"
#include "gemm/common/signatures_16bit.h"
#include "gemm/mma/mma_plan.h"
#include "gemm/mma/mma_warp.cuh"

namespace gpuopt {

// A tile's functions: by whether A, then B, is k-major.
template <class Function>
struct MmaFunctions {
  Function of[2][2];
  Function for_layouts_of(const gpuopt_problem &problem) const {
    return of[problem.operand[GPUOPT_OPERAND_A].m.layout == GPUOPT_ROW]
             [problem.operand[GPUOPT_OPERAND_B].m.layout == GPUOPT_COL];
  }
};

template <class Tile>
constexpr MmaTileFacts mma_facts() {
  constexpr int kElement = Tile::kParts ? 4 : static_cast<int>(sizeof(typename Tile::A));
  constexpr int kLeastCc = Tile::kLeastArch / 10;
  constexpr bool kExact = std::is_same_v<typename Tile::Sum, int32_t>;
  return {Tile::kParts ? GPUOPT_F32 : dtype_of<typename Tile::A>,
          Tile::kParts ? GPUOPT_F32 : dtype_of<typename Tile::B>,
          Tile::kM,
          Tile::kN,
          Tile::kKBytes / kElement,
          kElement,
          Tile::kThreads,
          Tile::kShared,
          Tile::kRuns,
          kLeastCc,
          Tile::kClusters,
          Tile::kStaged,
          kExact,
          Tile::kParts};
}

// A kernel has arrays kTiles and kFunctions.
template <class Kernel>
int mma_index(const gpuopt_problem &problem) {
  return find_mma_tile(problem, Kernel::kTiles, std::size(Kernel::kTiles));
}
template <class Kernel>
int mma_can_run(const gpuopt_problem *problem, gpuopt_reject *reject) {
  return mma_can_run(*problem, Kernel::kTiles, std::size(Kernel::kTiles), reject);
}

// An operand as the kernel reads it.
inline MmaOperand mma_operand(const gpuopt_operand &operand) {
  const auto element = static_cast<int64_t>(gpuopt_dtype_size(operand.m.dtype));
  return {static_cast<const char *>(operand.m.data), operand.m.ld * element, operand.m.batch_stride * element};
}

inline MmaStore mma_store(const gpuopt_problem &problem, const MmaPlan &plan, bool sums_are_exact, void *scratch) {
  MmaStore store = {};
  if (plan.to_scratch) {
    store.d = scratch;
    store.d_pitch = problem.n;
    store.d_batch = problem.m * problem.n;
    store.slice = plan.cluster ? 0 : store.d_batch * problem.batch;
    store.dtype = sums_are_exact ? GPUOPT_I32 : GPUOPT_F32;
    store.packs = problem.n % 4 == 0;
    store.alpha = store.exact_alpha = 1;
    return store;
  }
  const gpuopt_operand &c = problem.operand[GPUOPT_OPERAND_C], &d = problem.operand[GPUOPT_OPERAND_D];
  store.d = d.m.data;
  store.d_pitch = d.m.ld;
  store.d_batch = d.m.batch_stride;
  store.dtype = d.m.dtype;
  store.packs = has_aligned_runs(d);
  if (problem.k > 0) {  // an empty sum has no factor, not even an infinite one
    store.alpha = static_cast<float>(problem.alpha);
    store.alpha_ptr = static_cast<const float *>(problem.alpha_ptr);
    store.exact_alpha = problem.alpha;
    store.exact_alpha_ptr = static_cast<const double *>(problem.alpha_ptr);
    store.scale_a = problem.operand[GPUOPT_OPERAND_A].m.scale;
    store.scale_b = problem.operand[GPUOPT_OPERAND_B].m.scale;
  }
  if ((problem.features & GPUOPT_FEATURE_BETA) != 0) {
    store.beta = static_cast<float>(problem.beta);
    store.beta_ptr = static_cast<const float *>(problem.beta_ptr);
    store.c = c.m.data;
    store.c_pitch = c.m.ld;
    store.c_batch = c.m.batch_stride;
    store.packs = store.packs && has_aligned_runs(c);
  }
  store.by_pointer =
      store.alpha_ptr != nullptr || store.beta_ptr != nullptr || store.scale_a != nullptr || store.scale_b != nullptr;
  return store;
}

// The kernel's argument.
inline MmaGemm mma_gemm(const gpuopt_problem &problem, const MmaTileFacts &tile, const MmaPlan &plan, void *scratch) {
  MmaGemm gemm = {};
  gemm.a = mma_operand(problem.operand[GPUOPT_OPERAND_A]);
  gemm.b = mma_operand(problem.operand[GPUOPT_OPERAND_B]);
  gemm.store = mma_store(problem, plan, tile.sums_are_exact, scratch);
  gemm.m = static_cast<int32_t>(problem.m);
  gemm.n = static_cast<int32_t>(problem.n);
  gemm.k = static_cast<int32_t>(problem.k);
  gemm.batch = static_cast<int32_t>(problem.batch);
  gemm.tiles_m = static_cast<int32_t>(tile.tiles_m(problem));
  gemm.tiles_n = static_cast<int32_t>(tile.tiles_n(problem));
  gemm.splits = plan.splits;
  gemm.cluster = plan.cluster ? (plan.splits == 8 ? 3 : plan.splits / 2) : 0;
  return gemm;
}

// gemm_finish.h, where the kernel leaves sums in scratch memory.
inline gpuopt_status finish_mma(const gpuopt_problem &problem, const gpuopt_launch *launch, const MmaTileFacts &tile,
                                const MmaPlan &plan) {
  if (!plan.to_scratch) return GPUOPT_OK;
  if (tile.sums_are_exact)
    return finish_gemm(problem, launch, static_cast<const int32_t *>(launch->scratch), plan.slices());
  return finish_gemm(problem, launch, static_cast<const float *>(launch->scratch), plan.slices());
}
inline gpuopt_status load_finish_mma(const gpuopt_launch *launch, const MmaTileFacts &tile) {
  return tile.sums_are_exact ? load_finish_gemm<int32_t>(launch) : load_finish_gemm<float>(launch);
}

// All of the descriptor but what depends on who brings the tiles. A and B want 16 bytes where no tile is staged.
template <class Kernel, size_t kSignatures>
constexpr gpuopt_kernel mma_descriptor(const gpuopt_signature (&signatures)[kSignatures]) {
  gpuopt_kernel kernel = gemm_descriptor(Kernel::kName, Kernel::kSummary);
  kernel.aliases = Kernel::kAliases;
  bool staged = false;
  kernel.cc_min = INT32_MAX;
  for (const MmaTileFacts &tile : Kernel::kTiles) {
    staged = staged || tile.staged;
    kernel.cc_min = kernel.cc_min < tile.least_cc ? kernel.cc_min : tile.least_cc;
  }
  if (!staged) {
    for (int operand : {GPUOPT_OPERAND_A, GPUOPT_OPERAND_B}) kernel.align[operand] = kernel.ld_align[operand] = 16;
  }
  set_signatures(kernel, signatures);
  return kernel;
}

}  // namespace gpuopt
