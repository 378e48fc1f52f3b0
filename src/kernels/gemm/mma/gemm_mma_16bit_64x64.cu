// f16 and bf16 products by mma.sync on 64 x 64 tiles: small products, and all whose rows begin anywhere.
//
// Idea and data movement: mma_kernel.cuh. Rows on 16 bytes come by cp.async, four stages of 64 of k; from sm_90 on up to
// eight blocks, a cluster, share a tile's k. Other rows, and f16 on sm_75, which has no cp.async, pass through registers,
// two stages of 32 (mma_copy.cuh).
// Needs: sm_80 for bf16, sm_75 for f16. Any alignment, extents, layouts, batch, alpha, beta; stages, scales and a C
// unlike D through common/gemm_finish.h.
// Prediction: by cp.async bound by what tiles of this size read of L2, a third of the tensor cores' time by mma.sync;
// through registers by the instructions that read, shift and store, a fifth of that.
#include "gemm/mma/mma_launch.cuh"

namespace gpuopt {
namespace {

template <class T>
using Mma16BitTile64x64 = MmaTile<T, T, 64, 64, 128, 2, 2, 4, 1>;

struct Mma16Bit64x64 : MmaTiles<Mma16BitTile64x64<__half>, Mma16BitTile64x64<__nv_bfloat16>, MmaUnaligned64x64<__half>,
                                MmaUnaligned64x64<__nv_bfloat16>> {
  static constexpr char kName[] = "gemm_mma_16bit_64x64";
  static constexpr char kSummary[] =
      "mma.sync, 64 x 64 tiles, up to eight blocks share k: small products; rows that begin anywhere through registers";
  static constexpr char kAliases[] =
      "gemm_mma_f16_64x64,gemm_mma_bf16_64x64,gemm_mma_f16_unaligned_64x64,gemm_mma_bf16_unaligned_64x64";
};

constexpr gpuopt_kernel kKernels[] = {mma_kernel<Mma16Bit64x64>(kGemm16BitSignatures)};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
