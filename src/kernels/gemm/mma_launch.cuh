// From a descriptor to a launch: what all gemm_mma_* kernels have in common on the host.
//
// A file lists tiles as structs derived from MmaTile with a name and a speed, and registers mma_kernel<Tile>() for
// each.
#ifndef GPUOPT_KERNELS_GEMM_MMA_LAUNCH_CUH
#define GPUOPT_KERNELS_GEMM_MMA_LAUNCH_CUH

#include "common/descriptor.h"
#include "gemm/mma_kernel.cuh"
#include "gemm/mma_plan.cuh"

namespace gpuopt {

template <class Tile>
constexpr MmaTileFacts mma_facts() {
  using A = typename Tile::A;
  const int32_t least = Tile::kStaged || kMmaLeastArch<A> > 800 ? kMmaLeastArch<A> : 800;
  return {Tile::kM,   Tile::kN,        Tile::kDepth,  static_cast<int32_t>(sizeof(A)), Tile::kResident, Tile::kShared,
          least / 10, Tile::kClusters, Tile::kStaged, cuda::std::is_same_v<A, int8_t>, Tile::kSpeed};
}

// The instances of a tile: k-major A and B, or not.
template <class Tile>
using MmaFunction = void (*)(MmaGemm);
template <class Tile>
MmaFunction<Tile> mma_function(const gpuopt_problem &problem) {
  const bool a = problem.operand[GPUOPT_OPERAND_A].m.layout == GPUOPT_ROW;
  const bool b = problem.operand[GPUOPT_OPERAND_B].m.layout == GPUOPT_COL;
  if (a) return b ? gemm_mma_kernel<Tile, true, true> : gemm_mma_kernel<Tile, true, false>;
  return b ? gemm_mma_kernel<Tile, false, true> : gemm_mma_kernel<Tile, false, false>;
}

template <class Tile>
int mma_can_run(const gpuopt_problem *problem, gpuopt_reject *reject) {
  // Extents and bytes of rows are 32-bit inside, with room for a tile more.
  constexpr int64_t kMost = (int64_t{1} << 31) - 4096;
  const int64_t most = std::max({problem->m, problem->n, problem->k}) * static_cast<int64_t>(sizeof(typename Tile::A));
  const int64_t blocks = ceil_div(problem->m, Tile::kM) * ceil_div(problem->n, Tile::kN);
  const auto limit = [&](int64_t have, int64_t need, const char *what) {
    *reject = {GPUOPT_REJECT_SIZE_LIMIT, GPUOPT_OPERAND_NONE, have, need, what};
    return 0;
  };
  if (most > kMost) return limit(most, kMost, "bytes of the longest extent");
  if (problem->batch > kMost) return limit(problem->batch, kMost, "batch");
  if (blocks > kMost / 32) return limit(blocks, kMost / 32, "tiles");
  return 1;
}

template <class Tile>
double mma_predict_us(const gpuopt_problem *problem) {
  return plan_mma(*problem, mma_facts<Tile>()).us;
}

template <class Tile>
void mma_workspace(const gpuopt_problem *problem, size_t *scratch, size_t *zeroed) {
  const MmaPlan plan = plan_mma(*problem, mma_facts<Tile>());
  *scratch = plan.to_scratch ? gemm_partials_bytes(*problem, plan.slices(), 4) : 0;
  *zeroed = 0;
}

template <class Tile>
gpuopt_status mma_prepare(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  const gpuopt_status status = load_kernel(launch, Tile::kName, mma_function<Tile>(*problem), Tile::kShared);
  return status == GPUOPT_OK ? load_finish_gemm<typename Tile::Sum>(launch) : status;
}

// An operand as the kernel reads it.
inline MmaOperand mma_operand(const gpuopt_operand &operand) {
  const auto element = static_cast<int64_t>(gpuopt_dtype_size(operand.m.dtype));
  return {static_cast<const char *>(operand.m.data), operand.m.ld * element, operand.m.batch_stride * element};
}

// Whether runs of four elements of its rows are aligned to their size.
inline bool has_aligned_runs(const gpuopt_operand &operand) {
  const int32_t run = 4 * dtype_bytes(operand.m.dtype);
  return std::min({operand.align, operand.ld_align, operand.stride_align}) >= run;
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
    store.alpha = 1;
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
template <class Tile>
MmaGemm mma_gemm(const gpuopt_problem &problem, const MmaPlan &plan, void *scratch) {
  MmaGemm gemm = {};
  gemm.a = mma_operand(problem.operand[GPUOPT_OPERAND_A]);
  gemm.b = mma_operand(problem.operand[GPUOPT_OPERAND_B]);
  gemm.store = mma_store(problem, plan, cuda::std::is_same_v<typename Tile::Sum, int32_t>, scratch);
  gemm.m = static_cast<int32_t>(problem.m);
  gemm.n = static_cast<int32_t>(problem.n);
  gemm.k = static_cast<int32_t>(problem.k);
  gemm.batch = static_cast<int32_t>(problem.batch);
  gemm.tiles_m = static_cast<int32_t>(ceil_div(problem.m, Tile::kM));
  gemm.tiles_n = static_cast<int32_t>(ceil_div(problem.n, Tile::kN));
  gemm.splits = plan.splits;
  gemm.cluster = plan.cluster ? (plan.splits == 8 ? 3 : plan.splits / 2) : 0;
  return gemm;
}

template <class Tile>
gpuopt_status mma_launch(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  using Sum = typename Tile::Sum;
  const MmaPlan plan = plan_mma(*problem, mma_facts<Tile>());
  const MmaGemm gemm = mma_gemm<Tile>(*problem, plan, launch->scratch);

  LaunchAttributes attributes = early_launch(*problem);
  if (plan.cluster) attributes.cluster = plan.splits;
  const dim3 grid(static_cast<unsigned>(gemm.tiles_m * gemm.tiles_n * gemm.splits), 1,
                  static_cast<unsigned>(std::min(problem->batch, int64_t{65535})));
  const gpuopt_status status = launch_kernel(attributes, launch, Tile::kName, grid, dim3(Tile::kThreads), Tile::kShared,
                                             mma_function<Tile>(*problem), gemm);
  if (status != GPUOPT_OK || !plan.to_scratch) return status;
  return finish_gemm<Sum>(*problem, launch, static_cast<const Sum *>(launch->scratch), plan.slices());
}

template <class Tile>
gpuopt_resource kMmaResources[] = {
    {Tile::kThreads, Tile::kShared, reinterpret_cast<const void *>(gemm_mma_kernel<Tile, true, false>)},
    {Tile::kThreads, Tile::kShared, reinterpret_cast<const void *>(gemm_mma_kernel<Tile, true, true>)},
    {Tile::kThreads, Tile::kShared, reinterpret_cast<const void *>(gemm_mma_kernel<Tile, false, false>)},
    {Tile::kThreads, Tile::kShared, reinterpret_cast<const void *>(gemm_mma_kernel<Tile, false, true>)},
};

// What the descriptors of all mma.sync kernels say alike; aligned: A and B want 16 bytes.
template <class Tile, size_t kSignatures>
constexpr gpuopt_kernel mma_descriptor(const gpuopt_signature (&signatures)[kSignatures], int32_t cc_min,
                                       bool aligned) {
  gpuopt_kernel kernel = gemm_descriptor(Tile::kName, Tile::kSummary);
  kernel.cc_min = cc_min;
  if (aligned) {
    for (int operand : {GPUOPT_OPERAND_A, GPUOPT_OPERAND_B}) kernel.align[operand] = kernel.ld_align[operand] = 16;
  }
  set_signatures(kernel, signatures);
  return kernel;
}

template <class Tile, size_t kSignatures>
constexpr gpuopt_kernel mma_kernel(const gpuopt_signature (&signatures)[kSignatures]) {
  constexpr MmaTileFacts kFacts = mma_facts<Tile>();
  static_assert(Tile::kShared <= 99 * 1024, "what a block may have on sm_86, sm_89 and sm_120");
  gpuopt_kernel kernel = mma_descriptor<Tile>(signatures, kFacts.least_arch, !kFacts.staged);
  kernel.can_run = mma_can_run<Tile>;
  kernel.predict_us = mma_predict_us<Tile>;
  kernel.workspace = mma_workspace<Tile>;
  kernel.prepare = mma_prepare<Tile>;
  kernel.launch = mma_launch<Tile>;
  set_resources(kernel, kMmaResources<Tile>);
  return kernel;
}

}  // namespace gpuopt

#endif
