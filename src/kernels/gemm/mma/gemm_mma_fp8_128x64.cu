// e4m3 products by mma.sync on 128 x 64 tiles.
//
// Idea and data movement: mma_kernel.cuh. The tensor core sums at most one stage, 128 of k, with its few bits; then the
// sums move to fp32, which doubles a warp's registers: parts of 32 x 32. A column-major A, or row-major B, is transposed
// on its way to the registers, as in gemm_mma_i8. Scales of A and B join alpha.
// Needs: sm_89; A and B, their leading dimensions and batch strides on 16 bytes. Any extents, layouts, batch, alpha,
// beta; stages, an fp8 D and a C unlike D through common/gemm_finish.h.
// Prediction: we take it that fp8 mma.sync of sm_90 is f16 products after a conversion: half the time of 16-bit operands
// where copies bind, the same where the tensor core does.
// arch class: fp8
#include "gemm/mma/mma_launch.cuh"

namespace gpuopt {
namespace {

using MmaE4m3Tile128x64 = MmaTile<__nv_fp8_e4m3, __nv_fp8_e4m3, 128, 64, 128, 4, 2, 4, 1>;

struct MmaFp8Of128x64 : MmaTiles<MmaE4m3Tile128x64> {
  static constexpr char kName[] = "gemm_mma_fp8_128x64";
  static constexpr char kSummary[] = "mma.sync, 128 x 64 tiles";
  static constexpr char kAliases[] = "gemm_mma_e4m3_128x64";
};

constexpr gpuopt_signature kSignatures[] = {
    {{GPUOPT_E4M3, GPUOPT_E4M3, GPUOPT_ANY, GPUOPT_ANY}, GPUOPT_COMPUTE_F32},
    {{GPUOPT_E4M3, GPUOPT_E4M3, GPUOPT_ANY, GPUOPT_ANY}, GPUOPT_COMPUTE_F8_FAST},
};
constexpr gpuopt_kernel kKernels[] = {mma_kernel<MmaFp8Of128x64>(kSignatures)};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
