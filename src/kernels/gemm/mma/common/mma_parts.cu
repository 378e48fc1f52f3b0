// mma_parts.h: panel by panel (gemm/common/packed_operands.h) the operands are split, multiplied by parts, and multiplied on CUDA
// cores; of the two products one finds that it is not its turn.
#include "gemm/mma/mma_parts.h"

#include "common/dependent_launch.cuh"
#include "gemm/common/f32_split_launch.h"
#include "gemm/mma/mma_host.cuh"

namespace gpuopt {
namespace {

PackedScratch scratch_of(const gpuopt_problem &problem, const MmaPlan &plan) {
  const size_t sums = plan.to_scratch ? (gemm_partials_bytes(problem, 1, 4) + 255) / 256 * 256 : 0;
  return packed_scratch(problem, {}, true, sums);
}

// A step's product by parts.
gpuopt_status launch_product(const MmaPartsHost &kernel, const gpuopt_problem &problem, const gpuopt_launch *launch,
                             const PackedOperands &x, const MmaStore &store, const F32SplitScaling &scaling, GemmSpan m,
                             GemmSpan n, GemmSpan batch) {
  constexpr int64_t kLine = 128;  // bytes of the parts of 32 of k; in f16 elements, which the kernel counts in, 64
  const MmaTileFacts &tile = kernel.tile;
  const int64_t tiles_m = ceil_div(m.count, tile.m), tiles_n = ceil_div(n.count, tile.n);
  const auto narrow = [](int64_t value) { return static_cast<int32_t>(value); };
  MmaGemm gemm = {};
  gemm.a = {x.a.data, x.a.pitch, x.a.batch_pitch};
  gemm.b = {x.b.data, x.b.pitch, x.b.batch_pitch};
  gemm.store = store;
  gemm.m = narrow(m.count);
  gemm.n = narrow(n.count);
  gemm.k = narrow(ceil_div(problem.k, 32) * (kLine / 2));
  gemm.batch = narrow(batch.count);
  gemm.tiles_m = narrow(tiles_m);
  gemm.tiles_n = narrow(tiles_n);
  gemm.splits = 1;
  const dim3 grid(static_cast<unsigned>(tiles_m * tiles_n), 1,
                  static_cast<unsigned>(std::min(batch.count, int64_t{65535})));
  return launch_kernel(early_launch(problem), launch, kernel.name, grid, dim3(static_cast<unsigned>(tile.threads)),
                       static_cast<size_t>(tile.shared), kernel.function, gemm, scaling);
}

}  // namespace

int mma_parts_can_run(const MmaTileFacts &tile, const gpuopt_problem *problem, gpuopt_reject *reject) {
  return f32_split_can_run(*problem, reject) ? mma_can_run(*problem, &tile, 1, reject) : 0;
}

void mma_parts_workspace(const MmaTileFacts &tile, const gpuopt_problem *problem, size_t *scratch, size_t *zeroed) {
  const PackedScratch needed = scratch_of(*problem, plan_mma(*problem, tile));
  *scratch = needed.bytes();
  *zeroed = needed.zeroed_bytes;
}

double mma_parts_us(const MmaTileFacts &tile, const gpuopt_problem *problem) {
  return mma_us(*problem, tile) + f32_split_us(*problem, scratch_of(*problem, plan_mma(*problem, tile)).cut);
}

gpuopt_status mma_parts_prepare(const MmaPartsHost &kernel, const gpuopt_launch *launch) {
  gpuopt_status status = load_kernel(launch, kernel.name, kernel.function, static_cast<size_t>(kernel.tile.shared));
  if (status == GPUOPT_OK) status = load_f32_split_launch(launch, kernel.name);
  return status == GPUOPT_OK ? load_finish_mma(launch, kernel.tile) : status;
}

gpuopt_status mma_parts_launch(const MmaPartsHost &kernel, const gpuopt_problem *problem, const gpuopt_launch *launch) {
  const MmaPlan plan = plan_mma(*problem, kernel.tile);
  const PackedScratch scratch = scratch_of(*problem, plan);
  const MmaStore whole = mma_store(*problem, plan, false, launch->scratch);
  gpuopt_status status = GPUOPT_OK;
  packed_steps(*problem, scratch.cut, [&](bool packs_a, bool packs_b, GemmSpan m, GemmSpan n, GemmSpan batch) {
    if (status != GPUOPT_OK) return;
    const PackedOperands x = packed_operands(*problem, scratch.cut, scratch.packed(launch), m, n, batch);
    const F32Split split = f32_split_of(*problem, scratch.split(launch), launch, packs_a, packs_b, x, m, n, batch);
    const F32SplitScaling scaling = {split.a.exponents, split.b.exponents,
                                     is_broadcast(*problem, GPUOPT_OPERAND_A) ? 0 : m.count,
                                     is_broadcast(*problem, GPUOPT_OPERAND_B) ? 0 : n.count, &split.result->path};
    float *const d = static_cast<float *>(whole.d) + batch.first * whole.d_batch + m.first * whole.d_pitch + n.first;
    const auto *c = static_cast<const float *>(whole.c);
    if (c != nullptr) c += batch.first * whole.c_batch + m.first * whole.c_pitch + n.first;
    MmaStore store = whole;  // to D or scratch memory, of fp32 either
    store.d = d;
    store.c = c;
    if (packs_a || packs_b) status = f32_split(*problem, launch, split);
    if (status == GPUOPT_OK) status = launch_product(kernel, *problem, launch, x, store, scaling, m, n, batch);
    if (status == GPUOPT_OK)
      status = f32_split_strict(*problem, launch, kernel.name,
                                {d, c, whole.d_pitch, whole.d_batch, whole.c_pitch, whole.c_batch, whole.alpha,
                                 whole.beta, whole.alpha_ptr, whole.beta_ptr},
                                scaling.path, m, n, batch);
  });
  return status == GPUOPT_OK ? finish_mma(*problem, launch, kernel.tile, plan) : status;
}

}  // namespace gpuopt
