// gemm_naive: one thread computes one element of D, with A and B read straight from global memory.
//
// Idea and data movement: a warp holds 32 neighbours in a row of D. At each step of k its threads read the
// same element of A (one broadcast) and, where B is row-major, 32 neighbours of B (one 128-byte line of
// fp32), so every multiply-add costs two loads that only the L1 cache makes bearable. A column-major B costs
// 32 lines a step instead. A block is 8 such warps one above the other, which share B's lines; blocks walk D
// in stripes of 128 rows.
//
// Needs: nothing. Every layout, leading dimension, extent, batch, type, scale and stage: the fallback on
// every GPU.
// Recorded (H200, 2026-11-21, single call, cold), f32 nn: 527 us, 48.3 ms, 394 ms for 1024, 4096, 8192 cubed; 2.85
// TFLOP/s at 4096, 0.06 of the best peer. nt 275 ms at 4096. In the record it is the automatic choice nowhere.

#include "common/launch.h"
#include "common/simt_gemm.cuh"

namespace gpuopt {

constexpr int kNaiveTileM = 8, kNaiveTileN = 32, kNaiveStripe = 16;
constexpr int kNaiveThreads = kNaiveTileM * kNaiveTileN;

// Dot product of a row of A and a column of B, given by their first elements and steps.
template <class Acc, class A, class B>
__device__ __forceinline__ Acc dot(const A *a, int64_t step_a, const B *b, int64_t step_b, int64_t k) {
  Acc acc = 0;
#pragma unroll 4
  for (int64_t s = 0; s < k; ++s) acc = multiply_add(widen<Acc>(a[s * step_a]), widen<Acc>(b[s * step_b]), acc);
  return acc;
}

template <class Acc>
__global__ void __launch_bounds__(kNaiveThreads) gemm_naive_kernel(const __grid_constant__ SimtGemm<Acc> gemm) {
  for (int64_t t = blockIdx.x; t < gemm.tiles.total; t += gridDim.x) {
    const TileSpace::Tile tile = gemm.tiles.tile(t);
    const int64_t i = tile.row * kNaiveTileM + threadIdx.x / kNaiveTileN;
    const int64_t j = tile.col * kNaiveTileN + threadIdx.x % kNaiveTileN;
    if (i >= gemm.m || j >= gemm.n) continue;

    Acc acc[1] = {0};
    with_gemm_dtype<Acc>(gemm.a.dtype, [&](auto tag_a) {
      with_gemm_dtype<Acc>(gemm.b.dtype, [&](auto tag_b) {
        using A = typename decltype(tag_a)::type;
        using B = typename decltype(tag_b)::type;
        if constexpr (cuda::std::is_same_v<A, B> || (sizeof(A) == 1 && sizeof(B) == 1)) {
          acc[0] = dot<Acc>(static_cast<const A *>(gemm.a.data) + gemm.a.offset(tile.p, i, 0), gemm.a.col_step,
                            static_cast<const B *>(gemm.b.data) + gemm.b.offset(tile.p, 0, j), gemm.b.row_step, gemm.k);
        }
      });
    });
    gemm_epilogue(gemm.epilogue, Run{tile.p, i, j, 0, 0, 1}, acc);
  }
}

namespace {

TileSpace naive_tiles(const gpuopt_problem &problem) {
  return TileSpace(problem.m, problem.n, problem.batch, kNaiveTileM, kNaiveTileN, kNaiveStripe);
}

gpuopt_status prepare(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  return with_accumulator(
      *problem, [&](auto zero) { return load_kernel(launch, "gemm_naive", gemm_naive_kernel<decltype(zero)>); });
}

gpuopt_status launch(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  const TileSpace tiles = naive_tiles(*problem);
  return with_accumulator(*problem, [&](auto zero) {
    using Acc = decltype(zero);
    return launch_kernel(launch, "gemm_naive", tiles.blocks(), kNaiveThreads, 0, gemm_naive_kernel<Acc>,
                         make_simt_gemm<Acc>(*problem, tiles));
  });
}

double predict_us(const gpuopt_problem *problem) {
  const bool b_is_coalesced = problem->operand[GPUOPT_OPERAND_B].m.layout == GPUOPT_ROW || problem->n == 1;
  return simt_gemm_us(*problem, {kNaiveTileM, kNaiveTileN, 8, b_is_coalesced ? 12.0 : 2.5, 375.0});
}

const gpuopt_resource kResources[] = {
    {kNaiveThreads, 0, reinterpret_cast<const void *>(gemm_naive_kernel<float>)},
    {kNaiveThreads, 0, reinterpret_cast<const void *>(gemm_naive_kernel<double>)},
    {kNaiveThreads, 0, reinterpret_cast<const void *>(gemm_naive_kernel<int32_t>)},
};

constexpr gpuopt_kernel gemm_naive() {
  gpuopt_kernel kernel = simt_gemm_kernel("gemm_naive", "a thread an element, A and B from global memory");
  set_functions(kernel, predict_us, prepare, launch, kResources);
  return kernel;
}
const gpuopt_kernel kKernels[] = {gemm_naive()};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
