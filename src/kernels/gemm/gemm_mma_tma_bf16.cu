// bf16 products by mma.sync, tiles brought by the tensor memory accelerator (mma_tma.cuh): what mma.sync can give on
// Hopper.
//
// Needs: sm_90; A and B, their leading dimensions and batch strides on 16 bytes. Any extents, layouts, batch, alpha,
// beta; stages, scales and a C unlike D through common/gemm_finish.h.
// Recorded (H200, 2026-11-21, single call, cold), nn: 4096 cubed 252 us, 546 TFLOP/s, 0.68 of the best peer; 8192 cubed
// 2.23 ms, 494 TFLOP/s, 0.63; 16384 x 16384 x 64, where it is the automatic choice, 166 us, 0.89. Alone in a steady
// state it is nearer to cuBLASLt (measured once, not in a record): it holds a higher clock at the power limit.
// arch class: sm90a
#include "gemm/mma_tma_launch.cuh"

namespace gpuopt {

struct MmaTmaBf16Tile128x256 : MmaTmaTile<__nv_bfloat16, 128, 256, 2, 4, 4, 8> {
  static constexpr char kName[] = "gemm_mma_tma_bf16_128x256";
  static constexpr char kSummary[] = "mma.sync, 128 x 256 tiles by the tensor memory accelerator, persistent blocks";
  static constexpr MmaSpeed kSpeed = {5, 3000, 0, 2000};
};

namespace {

constexpr gpuopt_signature kSignatures[] = {
    {{GPUOPT_BF16, GPUOPT_BF16, GPUOPT_ANY, GPUOPT_BF16}, GPUOPT_COMPUTE_F32},
    {{GPUOPT_BF16, GPUOPT_BF16, GPUOPT_ANY, GPUOPT_F32}, GPUOPT_COMPUTE_F32},
};
constexpr gpuopt_kernel kKernels[] = {mma_tma_kernel<MmaTmaBf16Tile128x256>(kSignatures)};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
