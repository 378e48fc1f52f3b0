// f16 products by mma.sync for rows that begin anywhere, and for sm_75: tiles pass through registers (mma_copy.cuh).
//
// Needs: sm_75 (m16n8k8; m16n8k16 from sm_80). Any alignment, extents, layouts, batch, alpha, beta; stages, scales and
// a C unlike D through common/gemm_finish.h.
// Recorded (H200, 2026-11-21, cold, nn): on rows that are aligned, where it is not chosen, 38.8 us for 1024 cubed in a
// graph, 2.49 ms for 4096 (55.2 TFLOP/s, 0.07 of the best peer) as a single call; 1001 cubed 50.0 us, 0.62 of the best
// peer.
#include "gemm/mma_tiles.cuh"

namespace gpuopt {

struct MmaF16Unaligned64x64 : MmaUnaligned64x64<__half, __half> {
  static constexpr char kName[] = "gemm_mma_f16_unaligned_64x64";
};

namespace {

constexpr gpuopt_signature kSignatures[] = {
    {{GPUOPT_F16, GPUOPT_F16, GPUOPT_ANY, GPUOPT_F16}, GPUOPT_COMPUTE_F32},
    {{GPUOPT_F16, GPUOPT_F16, GPUOPT_ANY, GPUOPT_F16}, GPUOPT_COMPUTE_F16},
    {{GPUOPT_F16, GPUOPT_F16, GPUOPT_ANY, GPUOPT_F32}, GPUOPT_COMPUTE_F32},
};
constexpr gpuopt_kernel kKernels[] = {mma_kernel<MmaF16Unaligned64x64>(kSignatures)};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
