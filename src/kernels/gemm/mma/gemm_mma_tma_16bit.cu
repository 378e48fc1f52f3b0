// f16 and bf16 products by mma.sync, tiles brought by the tensor memory accelerator: what mma.sync can give on Hopper.
//
// Idea and data movement: mma_tma.cuh.
// Needs: sm_90; A and B, their leading dimensions and batch strides on 16 bytes. Any extents, layouts, batch, alpha,
// beta; stages, scales and a C unlike D through common/gemm_finish.h.
// Prediction: the tensor cores' time by mma.sync, five eighths of what wgmma reaches; with few stages of k a tile two
// thirds of memory's bandwidth.
// arch class: sm90a
#include "gemm/mma/mma_tma_launch.cuh"

namespace gpuopt {
namespace {

template <class T>
using MmaTma16BitTile128x256 = MmaTmaTile<T, 128, 256, 2, 4, 4, 8>;

struct MmaTma16Bit128x256 : MmaTmaTiles<MmaTma16BitTile128x256<__half>, MmaTma16BitTile128x256<__nv_bfloat16>> {
  static constexpr char kName[] = "gemm_mma_tma_16bit_128x256";
  static constexpr char kSummary[] = "mma.sync, 128 x 256 tiles by the tensor memory accelerator, persistent blocks";
  static constexpr char kAliases[] = "gemm_mma_tma_f16_128x256,gemm_mma_tma_bf16_128x256";
};

constexpr gpuopt_kernel kKernels[] = {mma_tma_kernel<MmaTma16Bit128x256>(kGemm16BitSignatures)};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
