// f16 products by mma.sync, rows aligned to 16 bytes: ldmatrix, cp.async, several tiles (mma_kernel.cuh).
//
// Needs: sm_80; A and B, their leading dimensions and batch strides on 16 bytes. Any extents, layouts, batch, alpha, beta;
// stages, scales and a C unlike D through common/gemm_finish.h.
// Measured on an H200 (2026-11-21, in a graph, resident): 64^3 1.14 us, 256^3 1.88, 512^3 3.22, as gemm_mma_bf16.
#include "gemm/mma_tiles.cuh"

namespace gpuopt {

struct MmaF16Tile32x32 : Mma16Tile32x32<__half> {
  static constexpr char kName[] = "gemm_mma_f16_32x32";
};
struct MmaF16Tile32x64 : Mma16Tile32x64<__half> {
  static constexpr char kName[] = "gemm_mma_f16_32x64";
};
struct MmaF16Tile64x64 : Mma16Tile64x64<__half> {
  static constexpr char kName[] = "gemm_mma_f16_64x64";
};
struct MmaF16Tile128x128 : Mma16Tile128x128<__half> {
  static constexpr char kName[] = "gemm_mma_f16_128x128";
};

namespace {

constexpr gpuopt_signature kSignatures[] = {
    {{GPUOPT_F16, GPUOPT_F16, GPUOPT_ANY, GPUOPT_F16}, GPUOPT_COMPUTE_F32},
    {{GPUOPT_F16, GPUOPT_F16, GPUOPT_ANY, GPUOPT_F16}, GPUOPT_COMPUTE_F16},
    {{GPUOPT_F16, GPUOPT_F16, GPUOPT_ANY, GPUOPT_F32}, GPUOPT_COMPUTE_F32},
};
constexpr gpuopt_kernel kKernels[] = {
    mma_kernel<MmaF16Tile32x32>(kSignatures), mma_kernel<MmaF16Tile32x64>(kSignatures),
    mma_kernel<MmaF16Tile64x64>(kSignatures), mma_kernel<MmaF16Tile128x128>(kSignatures)};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
