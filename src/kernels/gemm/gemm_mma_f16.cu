// f16 products by mma.sync, rows aligned to 16 bytes: ldmatrix, cp.async, several tiles (mma_kernel.cuh).
//
// Needs: sm_80; A and B, their leading dimensions and batch strides on 16 bytes. Any extents, layouts, batch, alpha,
// beta; stages, scales and a C unlike D through common/gemm_finish.h.
// Recorded (H200, 2026-11-21, cold, nn; in brackets the best peer's time over ours): 32x32 at 128 cubed 1.66 us in a
// graph (1.52) and 4.99 as a single call (0.97); 64x64 at 1024 cubed 9.93 us in a graph (0.59); 128x128 at 4096 cubed
// 320 us, 430 TFLOP/s (0.55), at 8192 2.85 ms (0.51), single calls. Other small products are as those of gemm_mma_bf16.
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
