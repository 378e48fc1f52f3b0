// f16 and bf16 products by mma.sync on 128 x 128 tiles: large products.
//
// Idea and data movement: mma_kernel.cuh. A warp's 64 x 64 sums are the most that registers hold: 32 products for 8
// ldmatrix. Two blocks of four warps an SM, so that one multiplies while the other ends its tile.
// Needs: sm_80; A and B, their leading dimensions and batch strides on 16 bytes. Any extents, layouts, batch, alpha,
// beta; stages, scales and a C unlike D through common/gemm_finish.h.
// Prediction: the tensor cores' time by mma.sync, three quarters of it before sm_90 and, where copies and the block-wide
// barriers cost more, half of it on sm_90; there gemm_mma_tma_16bit_128x256 takes the large ones.
#include "gemm/mma/mma_launch.cuh"

namespace gpuopt {
namespace {

template <class T>
using Mma16BitTile128x128 = MmaTile<T, T, 128, 128, 128, 2, 2, 3, 2>;

struct Mma16Bit128x128 : MmaTiles<Mma16BitTile128x128<__half>, Mma16BitTile128x128<__nv_bfloat16>> {
  static constexpr char kName[] = "gemm_mma_16bit_128x128";
  static constexpr char kSummary[] = "mma.sync, 128 x 128 tiles, two blocks an SM";
  static constexpr char kAliases[] = "gemm_mma_f16_128x128,gemm_mma_bf16_128x128";
};

constexpr gpuopt_kernel kKernels[] = {mma_kernel<Mma16Bit128x128>(kGemm16BitSignatures)};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
