// bf16 products by mma.sync, tiles brought by the tensor memory accelerator (mma_tma.cuh): what mma.sync can give on
// Hopper.
//
// Needs: sm_90; A and B, their leading dimensions and batch strides on 16 bytes. Any extents, layouts, batch, alpha,
// beta; stages, scales and a C unlike D through common/gemm_finish.h.
// Recorded (H200, 2026-11-21, single call, cold), nn: 4096 cubed 250 us, 551 TFLOP/s, 0.68 of the best peer; 8192 cubed
// 2.09 ms, 525 TFLOP/s, 0.66 (in the suite targets 2.05 ms, 537 TFLOP/s, 0.68); 16384 x 16384 x 64, where it is the
// automatic choice, 170 us, 0.86. Measured once, not in a record: at 8192 cubed the tensor pipe is busy 91 % of the
// elapsed clocks (ncu); alone and cool the kernel has 0.71 of cuBLASLt's speed, hot 0.63 to 0.65.
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
