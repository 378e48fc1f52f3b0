// f16 and bf16 products by mma.sync on 32 x 32 tiles: tiny products.
//
// Idea and data movement: mma_kernel.cuh. A product of a few hundred rows and columns has fewer tiles than the device has
// multiprocessors, and its time is that of one block's walk along k: tiles are as small as warps allow, six stages of 64
// of k are under way, and from sm_90 on up to eight blocks, a cluster, share a tile's k.
// Needs: sm_80; A and B, their leading dimensions and batch strides on 16 bytes. Any extents, layouts, batch, alpha,
// beta; stages, scales and a C unlike D through common/gemm_finish.h.
// Prediction: the launch and the latency of memory, of k / 64 stages over the parts, and of the adding. Each operand is
// read n / 32 and m / 32 times, so beyond such sizes larger tiles win.
#include "gemm/mma/mma_launch.cuh"

namespace gpuopt {
namespace {

template <class T>
using Mma16BitTile32x32 = MmaTile<T, T, 32, 32, 128, 2, 2, 6, 1>;

struct Mma16Bit32x32 : MmaTiles<Mma16BitTile32x32<__half>, Mma16BitTile32x32<__nv_bfloat16>> {
  static constexpr char kName[] = "gemm_mma_16bit_32x32";
  static constexpr char kSummary[] = "mma.sync, 32 x 32 tiles, up to eight blocks share k: tiny products";
  static constexpr char kAliases[] =
      "gemm_mma_f16_32x32,gemm_mma_bf16_32x32,gemm_mma_16bit_32x64,gemm_mma_f16_32x64,gemm_mma_bf16_32x64";
};

constexpr gpuopt_kernel kKernels[] = {mma_kernel<Mma16Bit32x32>(kGemm16BitSignatures)};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
