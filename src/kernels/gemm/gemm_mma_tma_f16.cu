// f16 products by mma.sync, tiles brought by the tensor memory accelerator (mma_tma.cuh): what mma.sync can give on
// Hopper.
//
// Needs: sm_90; A and B, their leading dimensions and batch strides on 16 bytes. Any extents, layouts, batch, alpha,
// beta; stages, scales and a C unlike D through common/gemm_finish.h.
// Recorded (H200, 2026-11-21, single call, cold), nn: 4096 cubed 254 us, 541 TFLOP/s, 0.70 of the best peer; 8192 cubed
// 2.21 ms, 497 TFLOP/s, 0.66.
// arch class: sm90a
#include "gemm/mma_tma_launch.cuh"

namespace gpuopt {

struct MmaTmaF16Tile128x256 : MmaTmaTile<__half, 128, 256, 2, 4, 4, 8> {
  static constexpr char kName[] = "gemm_mma_tma_f16_128x256";
  static constexpr char kSummary[] = "mma.sync, 128 x 256 tiles by the tensor memory accelerator, persistent blocks";
  static constexpr MmaSpeed kSpeed = {5, 3000, 0, 2000};
};

namespace {

constexpr gpuopt_signature kSignatures[] = {
    {{GPUOPT_F16, GPUOPT_F16, GPUOPT_ANY, GPUOPT_F16}, GPUOPT_COMPUTE_F32},
    {{GPUOPT_F16, GPUOPT_F16, GPUOPT_ANY, GPUOPT_F16}, GPUOPT_COMPUTE_F16},
    {{GPUOPT_F16, GPUOPT_F16, GPUOPT_ANY, GPUOPT_F32}, GPUOPT_COMPUTE_F32},
};
constexpr gpuopt_kernel kKernels[] = {mma_tma_kernel<MmaTmaF16Tile128x256>(kSignatures)};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
