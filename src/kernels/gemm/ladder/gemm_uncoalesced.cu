// gemm_uncoalesced: a thread an element like gemm_naive, but the lanes of a warp walk down a column of D.
//
// Idea and data movement: the counter-example of coalescing. Of row-major operands, the 32 lanes of a warp read 32
// rows of A, so one load touches 32 lines where gemm_naive's touches one, and B's element is the same for all of
// them. D is stored the same way. The bytes are not wasted altogether: a line of A holds 32 steps of k, and L1 keeps
// it for them; what is paid at every step is 32 look-ups for one load. A column-major A is the example the other way round: its
// columns are contiguous.
//
// Needs: fp32. Counterpart: gemm_naive.
// Prediction: 32 look-ups in L1 for one load: some hundredth of the fp32 peak, though nearly all of them hit.
// arch class: teaching

#include "gemm/common/plain_gemm.cuh"
#include "gemm/ladder/figures.h"

namespace gpuopt {

constexpr int kUncoalescedTileM = 32, kUncoalescedTileN = 8;
constexpr int kUncoalescedThreads = kUncoalescedTileM * kUncoalescedTileN;

__global__ void __launch_bounds__(kUncoalescedThreads)
    gemm_uncoalesced_kernel(const __grid_constant__ PlainGemm<float> gemm) {
  for (int64_t t = blockIdx.x; t < gemm.tiles.total; t += gridDim.x) {
    const TileSpace::Tile tile = gemm.tiles.tile(t);
    const int64_t i = tile.row * kUncoalescedTileM + threadIdx.x % kUncoalescedTileM;  // lanes along the rows
    const int64_t j = tile.col * kUncoalescedTileN + threadIdx.x / kUncoalescedTileM;
    if (i >= gemm.m || j >= gemm.n) continue;

    const float *a = static_cast<const float *>(gemm.a.data) + gemm.a.offset(tile.p, i, 0);
    const float *b = static_cast<const float *>(gemm.b.data) + gemm.b.offset(tile.p, 0, j);
    float sum = 0;
#pragma unroll 4
    for (int64_t s = 0; s < gemm.k; ++s) sum += a[s * gemm.a.col_step] * b[s * gemm.b.row_step];
    gemm.out.store(gemm.out.scalars(), tile.p, i, j, sum);
  }
}

namespace {

struct Uncoalesced {
  static constexpr const char *kName = "gemm_uncoalesced";
  static constexpr const char *kSummary = "lanes walk down rows: 32 lines a load, to show what coalescing is worth";
  static constexpr int kTileM = kUncoalescedTileM, kTileN = kUncoalescedTileN, kStripe = 4;
  static constexpr int kThreads = kUncoalescedThreads, kDynamicSmem = 0;
  static SimtGemmSpeed speed() { return GPUOPT_LADDER_SPEED(uncoalesced, 6); }
  static constexpr auto kKernel = gemm_uncoalesced_kernel;
};

constexpr gpuopt_kernel kKernels[] = {plain_gemm_kernel<Uncoalesced>()};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
