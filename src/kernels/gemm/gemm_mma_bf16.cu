// bf16 products by mma.sync, rows aligned to 16 bytes: ldmatrix, cp.async, several tiles (mma_kernel.cuh).
//
// Needs: sm_80; A and B, their leading dimensions and batch strides on 16 bytes. Any extents, layouts, batch, alpha,
// beta; stages, scales and a C unlike D through common/gemm_finish.h.
// Recorded (H200, 2026-11-21, cold, nn; in brackets the best peer's time over ours): 32x32 at 128 cubed 1.66 us in a
// graph (1.53) and 4.96 as a single call (0.97), at 256 cubed 2.30 (1.21) and 5.34 (0.97); 64x64 at 1024 cubed 9.92 us
// in a graph (0.59); 128x128 at 4096 cubed 314 us, 438 TFLOP/s (0.54), at 8192 2.72 ms (0.51), single calls. In a graph
// with resident operands (in brackets cuBLASLt's first): 64^3 1.15 us (2.07), 128x128x1024 2.19 (3.46) by 32x32, 384^3
// 2.56 (2.81), 512^3 3.20 (3.22) by 32x64, 256x256x4096 6.42 (6.12) by 64x64.
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
