// fp8 products of every mix of types by mma.sync, rows that begin anywhere.
//
// Idea and data movement: mma_kernel.cuh, tiles through registers (mma_copy.cuh). Sums move to fp32 after each stage, 64
// of k. Scales of A and B join alpha.
// Needs: sm_89. Any alignment, extents, layouts, batch, alpha, beta; stages, an fp8 D and a C unlike D through
// common/gemm_finish.h.
// Prediction: the instructions that read, shift and store; half the time of 16-bit operands, for half the bytes.
// arch class: fp8
#include "gemm/mma/mma_launch.cuh"

namespace gpuopt {
namespace {

struct MmaFp8OfAnyRows
    : MmaTiles<MmaUnaligned64x64<__nv_fp8_e4m3, __nv_fp8_e4m3>, MmaUnaligned64x64<__nv_fp8_e4m3, __nv_fp8_e5m2>,
               MmaUnaligned64x64<__nv_fp8_e5m2, __nv_fp8_e4m3>, MmaUnaligned64x64<__nv_fp8_e5m2, __nv_fp8_e5m2>> {
  static constexpr char kName[] = "gemm_mma_fp8_unaligned_64x64";
  static constexpr char kSummary[] = "mma.sync, 64 x 64 tiles through registers: rows may begin anywhere";
  static constexpr char kAliases[] =
      "gemm_mma_e4m3_unaligned_64x64,gemm_mma_e4m3_e5m2_64x64,gemm_mma_e5m2_e4m3_64x64,gemm_mma_e5m2_e5m2_64x64";
};

constexpr gpuopt_signature kSignatures[] = {
    {{GPUOPT_E4M3, GPUOPT_E4M3, GPUOPT_ANY, GPUOPT_ANY}, GPUOPT_COMPUTE_F32},
    {{GPUOPT_E4M3, GPUOPT_E4M3, GPUOPT_ANY, GPUOPT_ANY}, GPUOPT_COMPUTE_F8_FAST},
    {{GPUOPT_E4M3, GPUOPT_E5M2, GPUOPT_ANY, GPUOPT_ANY}, GPUOPT_COMPUTE_F32},
    {{GPUOPT_E4M3, GPUOPT_E5M2, GPUOPT_ANY, GPUOPT_ANY}, GPUOPT_COMPUTE_F8_FAST},
    {{GPUOPT_E5M2, GPUOPT_E4M3, GPUOPT_ANY, GPUOPT_ANY}, GPUOPT_COMPUTE_F32},
    {{GPUOPT_E5M2, GPUOPT_E4M3, GPUOPT_ANY, GPUOPT_ANY}, GPUOPT_COMPUTE_F8_FAST},
    {{GPUOPT_E5M2, GPUOPT_E5M2, GPUOPT_ANY, GPUOPT_ANY}, GPUOPT_COMPUTE_F32},
    {{GPUOPT_E5M2, GPUOPT_E5M2, GPUOPT_ANY, GPUOPT_ANY}, GPUOPT_COMPUTE_F8_FAST},
};
constexpr gpuopt_kernel kKernels[] = {mma_kernel<MmaFp8OfAnyRows>(kSignatures)};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
