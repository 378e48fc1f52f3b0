// fp32 products by mma.sync with operands rounded to tf32 (nearest, halves away from zero: the tensor core alone would
// cut bits off and be farther from the truth).
//
// Idea and data movement: mma_kernel.cuh. A column-major A, or row-major B, is read from shared memory as single words:
// ldmatrix transposes 16-bit elements only. Rows on 16 bytes come by cp.async, others pass through registers.
// Needs: sm_80; compute TF32. Any alignment, extents, layouts, batch, alpha, beta; stages and a C unlike D through
// common/gemm_finish.h.
// Prediction: half the products a clock of 16-bit operands, of which 64 x 64 tiles reach half (they read L2 twice as
// often as 128 x 128, which lose more by one block an SM); through registers a fifth of that.
#include "gemm/mma/mma_launch.cuh"

namespace gpuopt {
namespace {

using MmaTf32Tile64x64 = MmaTile<float, float, 64, 64, 128, 2, 2, 4, 1>;

struct MmaTf32Of64x64 : MmaTiles<MmaTf32Tile64x64, MmaUnaligned64x64<float>> {
  static constexpr char kName[] = "gemm_mma_tf32_64x64";
  static constexpr char kSummary[] =
      "mma.sync, 64 x 64 tiles, up to eight blocks share k; rows that begin anywhere through registers";
  static constexpr char kAliases[] = "gemm_mma_tf32_unaligned_64x64";
};

constexpr gpuopt_signature kSignatures[] = {
    {{GPUOPT_F32, GPUOPT_F32, GPUOPT_ANY, GPUOPT_F32}, GPUOPT_COMPUTE_TF32},
};
constexpr gpuopt_kernel kKernels[] = {mma_kernel<MmaTf32Of64x64>(kSignatures)};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
