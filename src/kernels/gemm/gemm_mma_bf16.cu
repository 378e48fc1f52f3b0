// bf16 products by mma.sync, rows aligned to 16 bytes: ldmatrix, cp.async, several tiles (mma_kernel.cuh).
//
// Needs: sm_80; A and B, their leading dimensions and batch strides on 16 bytes. Any extents, layouts, batch, alpha, beta;
// stages, scales and a C unlike D through common/gemm_finish.h.
// Measured on an H200 (2026-11-21, in a graph, resident; in brackets cuBLASLt's first): 64^3 1.29 us (2.06), 128^3 1.47
// (2.24), 256^3 2.08 (2.61), 384^3 2.77 (2.81), 512^3 3.93 (3.18), 128x128x1024 2.27 (3.46), 256x256x4096 6.2 (6.11), 1024^3
// 10.8 (5.5), 4096^3 319 (172), 8192^3 2516 us, 437 TFLOP/s (1380).
#include "gemm/mma_tiles.cuh"

namespace gpuopt {

struct MmaBf16Tile32x32 : Mma16Tile32x32<__nv_bfloat16> {
  static constexpr char kName[] = "gemm_mma_bf16_32x32";
};
struct MmaBf16Tile32x64 : Mma16Tile32x64<__nv_bfloat16> {
  static constexpr char kName[] = "gemm_mma_bf16_32x64";
};
struct MmaBf16Tile64x64 : Mma16Tile64x64<__nv_bfloat16> {
  static constexpr char kName[] = "gemm_mma_bf16_64x64";
};
struct MmaBf16Tile128x128 : Mma16Tile128x128<__nv_bfloat16> {
  static constexpr char kName[] = "gemm_mma_bf16_128x128";
};

namespace {

constexpr gpuopt_signature kSignatures[] = {
    {{GPUOPT_BF16, GPUOPT_BF16, GPUOPT_ANY, GPUOPT_BF16}, GPUOPT_COMPUTE_F32},
    {{GPUOPT_BF16, GPUOPT_BF16, GPUOPT_ANY, GPUOPT_F32}, GPUOPT_COMPUTE_F32},
};
constexpr gpuopt_kernel kKernels[] = {
    mma_kernel<MmaBf16Tile32x32>(kSignatures), mma_kernel<MmaBf16Tile32x64>(kSignatures),
    mma_kernel<MmaBf16Tile64x64>(kSignatures), mma_kernel<MmaBf16Tile128x128>(kSignatures)};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
