// fp32 products by mma.sync with operands rounded to tf32 (nearest, halves away from zero: the tensor core alone would cut bits
// off and be 2.6 times farther from the truth).
//
// A column-major A, or row-major B, is read from shared memory as single words: ldmatrix turns 16-bit elements only.
// Needs: sm_80; compute TF32. The plain tiles want A and B on 16 bytes, the unaligned ones bring them through registers. Any
// extents, layouts, batch, alpha, beta; stages and a C unlike D through common/gemm_finish.h.
// Measured on an H200 (2026-11-21, single call, cold): 512^3 15.6 us, 2048^3 193 us; cuBLASLt 9.7 and 52.
#include "gemm/mma_tiles.cuh"

namespace gpuopt {

struct MmaTf32Unaligned64x64 : MmaUnaligned64x64<float, float> {
  static constexpr char kName[] = "gemm_mma_tf32_unaligned_64x64";
};

namespace {

constexpr gpuopt_signature kSignatures[] = {
    {{GPUOPT_F32, GPUOPT_F32, GPUOPT_ANY, GPUOPT_F32}, GPUOPT_COMPUTE_TF32},
};
constexpr gpuopt_kernel kKernels[] = {mma_kernel<MmaTf32Tile64x64>(kSignatures),
                                      mma_kernel<MmaTf32Tile128x128>(kSignatures),
                                      mma_kernel<MmaTf32Unaligned64x64>(kSignatures)};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
