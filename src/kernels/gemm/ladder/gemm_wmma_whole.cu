// gemm_wmma_whole: tensor cores through the WMMA API in the plainest way, for whole fragments alone: m, n and k must be
// multiples of 16.
//
// Idea and data movement: as the texts show it, but for two things that they get wrong: sums are fp32, not half, and operands
// pass through shared memory instead of being read by every warp from global memory. A block of 4 warps computes 64 x 64 of D,
// each warp 32 x 32 of it in 2 x 2 fragments of 16 x 16. A step brings 64 x 32 of A and 32 x 64 of B to shared memory by
// 16-byte accesses. Fragments exist or they do not: so nothing is guarded but by fragment, no zeros stand for what is not
// there, and results go straight to D. gemm_wmma_f16 pays for any extent with a way back through shared memory.
//
// Needs: f16 in, f32 out, A and B by rows, 16-byte rows, D at 32 bytes; m, n and k multiples of 16: an n of 100 is rejected with
// DIM_MULTIPLE. No C, no stages.
// Prediction: two loads of a fragment for four products of it, and a barrier twice in 32 of k: slower than gemm_wmma_f16, whose
// warps have 2 x 4 fragments and whose loads are under way during the product; half of it, say.
// arch class: teaching
#include <mma.h>

#include "common/descriptor.h"
#include "common/element.cuh"
#include "common/index.cuh"
#include "common/launch.h"
#include "gemm/common/tile_space.cuh"

namespace gpuopt {

constexpr int kWholeFragment = 16, kWholeTile = 64, kWholeDepth = 32, kWholeThreads = 128;
constexpr int kWholePack = 8;  // halves of an access of 16 bytes
constexpr int kWholePitchA = kWholeDepth + 8,
              kWholePitchB = kWholeTile + 8;  // neighbouring rows begin four banks apart

struct WholeGemm {
  int64_t m, n, k;
  View a, b, d;
  float alpha;
  const float *alpha_ptr;
  TileSpace tiles;
};

// Brings what exists of kRows x kCols from (row, col) on, whole packs, to shared memory.
template <int kRows, int kCols, int kPitch>
__device__ __forceinline__ void bring_whole(const __half *from, int64_t ld, int64_t rows, int64_t cols, __half *to) {
  constexpr int kPacksOfRow = kCols / kWholePack;
#pragma unroll
  for (int pack = 0; pack < kRows * kPacksOfRow; pack += kWholeThreads) {
    const int at = pack + static_cast<int>(threadIdx.x), i = at / kPacksOfRow, j = at % kPacksOfRow * kWholePack;
    if (i < rows && j < cols)
      *reinterpret_cast<Pack<__half, kWholePack> *>(to + i * kPitch + j) =
          *reinterpret_cast<const Pack<__half, kWholePack> *>(from + i * ld + j);
  }
}

__global__ void __launch_bounds__(kWholeThreads) gemm_wmma_whole_kernel(const __grid_constant__ WholeGemm gemm) {
  namespace wmma = nvcuda::wmma;
  constexpr int kFragments = 2, kOfWarp = kFragments * kWholeFragment;
  __shared__ __align__(32) __half tile_a[kWholeTile * kWholePitchA], tile_b[kWholeDepth * kWholePitchB];
  const int warp = static_cast<int>(threadIdx.x) / 32, warp_m = warp / 2 * kOfWarp, warp_n = warp % 2 * kOfWarp;
  const float alpha = gemm.k == 0 ? 0.0f : gemm.alpha_ptr != nullptr ? *gemm.alpha_ptr : gemm.alpha;

  for (int64_t t = blockIdx.x; t < gemm.tiles.total; t += gridDim.x) {
    const TileSpace::Tile tile = gemm.tiles.tile(t);
    const int64_t row = tile.row * kWholeTile, col = tile.col * kWholeTile;
    const int64_t rows = gemm.m - row, cols = gemm.n - col;
    const __half *const a = static_cast<const __half *>(gemm.a.data) + gemm.a.offset(tile.p, row, 0);
    const __half *const b = static_cast<const __half *>(gemm.b.data) + gemm.b.offset(tile.p, 0, col);

    wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc[kFragments][kFragments];
#pragma unroll
    for (int i = 0; i < kFragments; ++i) {
#pragma unroll
      for (int j = 0; j < kFragments; ++j) wmma::fill_fragment(acc[i][j], 0.0f);
    }
    for (int64_t s = 0; s < gemm.k; s += kWholeDepth) {
      const int64_t depth = gemm.k - s;
      bring_whole<kWholeTile, kWholeDepth, kWholePitchA>(a + s, gemm.a.row_step, rows, depth, tile_a);
      bring_whole<kWholeDepth, kWholeTile, kWholePitchB>(b + s * gemm.b.row_step, gemm.b.row_step, depth, cols, tile_b);
      __syncthreads();
#pragma unroll
      for (int step = 0; step < kWholeDepth; step += kWholeFragment) {
        if (step >= depth) break;
#pragma unroll
        for (int i = 0; i < kFragments; ++i) {
          if (warp_m + i * kWholeFragment >= rows) break;
          wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> left;
          wmma::load_matrix_sync(left, tile_a + (warp_m + i * kWholeFragment) * kWholePitchA + step, kWholePitchA);
#pragma unroll
          for (int j = 0; j < kFragments; ++j) {
            if (warp_n + j * kWholeFragment >= cols) break;
            wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> right;
            wmma::load_matrix_sync(right, tile_b + step * kWholePitchB + warp_n + j * kWholeFragment, kWholePitchB);
            wmma::mma_sync(acc[i][j], left, right, acc[i][j]);
          }
        }
      }
      __syncthreads();
    }

    float *const d = static_cast<float *>(gemm.d.data) + gemm.d.offset(tile.p, row + warp_m, col + warp_n);
#pragma unroll
    for (int i = 0; i < kFragments; ++i) {
#pragma unroll
      for (int j = 0; j < kFragments; ++j) {
        if (warp_m + i * kWholeFragment >= rows || warp_n + j * kWholeFragment >= cols) continue;
#pragma unroll
        for (int e = 0; e < acc[i][j].num_elements; ++e) acc[i][j].x[e] *= alpha;
        wmma::store_matrix_sync(d + i * kWholeFragment * gemm.d.row_step + j * kWholeFragment, acc[i][j],
                                static_cast<unsigned>(gemm.d.row_step), wmma::mem_row_major);
      }
    }
  }
}

namespace {

constexpr char kName[] = "gemm_wmma_whole";

gpuopt_status prepare(const gpuopt_problem *, const gpuopt_launch *launch) {
  return load_kernel(launch, kName, gemm_wmma_whole_kernel);
}

gpuopt_status launch(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  const gpuopt_problem &p = *problem;
  const WholeGemm gemm = {p.m,
                          p.n,
                          p.k,
                          matrix_view(p.operand[GPUOPT_OPERAND_A]),
                          matrix_view(p.operand[GPUOPT_OPERAND_B]),
                          matrix_view(p.operand[GPUOPT_OPERAND_D]),
                          static_cast<float>(p.alpha),
                          static_cast<const float *>(p.alpha_ptr),
                          TileSpace(p.m, p.n, p.batch, kWholeTile, kWholeTile, 8)};
  return launch_kernel(launch, kName, dim3(gemm.tiles.blocks()), dim3(kWholeThreads), 0, gemm_wmma_whole_kernel, gemm);
}

// The API takes a leading dimension of 32 bits.
int can_run(const gpuopt_problem *problem, gpuopt_reject *reject) {
  const int64_t ld = problem->operand[GPUOPT_OPERAND_D].m.ld;
  if (ld <= 0x7fffffff) return 1;
  return refuse(reject, GPUOPT_REJECT_SIZE_LIMIT, GPUOPT_OPERAND_D, ld, 0x7fffffff, "leading dimension of D");
}

constexpr gpuopt_signature kSignatures[] = {{{GPUOPT_F16, GPUOPT_F16, GPUOPT_ANY, GPUOPT_F32}, GPUOPT_COMPUTE_F32}};

constexpr gpuopt_kernel make_kernel() {
  gpuopt_kernel k =
      kernel_descriptor(GPUOPT_OP_GEMM, kName, "tensor cores by the WMMA API, whole fragments: m, n, k multiples of 16",
                        kViewFeatures | GPUOPT_FEATURE_SCALAR_POINTERS | GPUOPT_FEATURE_ALPHA_ZERO);
  k.flags = GPUOPT_KERNEL_TEACHING;
  set_signatures(k, kSignatures);
  k.layouts[GPUOPT_OPERAND_A] = k.layouts[GPUOPT_OPERAND_B] = GPUOPT_LAYOUT_ROW;
  k.align[GPUOPT_OPERAND_A] = k.align[GPUOPT_OPERAND_B] = k.ld_align[GPUOPT_OPERAND_A] = k.ld_align[GPUOPT_OPERAND_B] =
      16;
  k.align[GPUOPT_OPERAND_D] = k.ld_align[GPUOPT_OPERAND_D] = 32;
  for (int32_t &multiple : k.multiple) multiple = kWholeFragment;
  k.can_run = can_run;
  set_functions(k, nullptr, prepare, launch, kResourcesOf<kWholeThreads, 0, gemm_wmma_whole_kernel>);
  return k;
}

constexpr gpuopt_kernel kKernels[] = {make_kernel()};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
