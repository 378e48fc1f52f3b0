// bf16 products by mma.sync for rows that begin anywhere: tiles pass through registers (mma_copy.cuh).
//
// Needs: sm_80. Any alignment, extents, layouts, batch, alpha, beta; stages, scales and a C
// unlike D through common/gemm_finish.h.
// Recorded (H200, 2026-11-21, cold, nn): on rows that are aligned, where it is not chosen, 38.9 us for 1024 cubed in a
// graph, 2.48 ms for 4096 (55.3 TFLOP/s, 0.07 of the best peer) as a single call; 1001 cubed 50.1 us, 0.61 of the best
// peer.
// Measured once, not in a record (H200, 2026-11-21, single call, cold): 4097x4099x4101 2.05 ms, half of cuBLASLt's
// speed.
#include "gemm/mma_tiles.cuh"

namespace gpuopt {

struct MmaBf16Unaligned64x64 : MmaUnaligned64x64<__nv_bfloat16, __nv_bfloat16> {
  static constexpr char kName[] = "gemm_mma_bf16_unaligned_64x64";
};

namespace {

constexpr gpuopt_signature kSignatures[] = {
    {{GPUOPT_BF16, GPUOPT_BF16, GPUOPT_ANY, GPUOPT_BF16}, GPUOPT_COMPUTE_F32},
    {{GPUOPT_BF16, GPUOPT_BF16, GPUOPT_ANY, GPUOPT_F32}, GPUOPT_COMPUTE_F32},
};
constexpr gpuopt_kernel kKernels[] = {mma_kernel<MmaBf16Unaligned64x64>(kSignatures)};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
