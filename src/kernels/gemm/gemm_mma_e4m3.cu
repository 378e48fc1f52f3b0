// e4m3 products by mma.sync. The tensor core sums at most 128 of k with its few bits; then the sums move to fp32.
//
// A column-major A, or row-major B, is turned on its way to the registers, as in gemm_mma_i8. Scales of A and B join
// alpha.
// Needs: sm_89. The plain tiles want A and B on 16 bytes, the unaligned one brings rows that begin anywhere through
// registers. Any extents, layouts, batch, alpha, beta; stages, an fp8 D and a C unlike D through common/gemm_finish.h.
// Recorded (H200, 2026-11-21, single call, cold), k contiguous, fast sums: 128x64 14.1 us for 1024 cubed (0.55 of the
// best peer), 534 us for 4096 (258 TFLOP/s, 0.17), 4.33 ms for 8192; unaligned_64x64, on aligned rows, 1370 us for
// 4096. 4097 x 4099 x 4101, which cuBLASLt does not take, 1506 us (91.5 TFLOP/s) by unaligned_64x64. We take it that
// there fp8 mma.sync is f16 products after a conversion.
#include "gemm/mma_tiles.cuh"

namespace gpuopt {

struct MmaE4m3Unaligned64x64 : MmaUnaligned64x64<__nv_fp8_e4m3, __nv_fp8_e4m3> {
  static constexpr char kName[] = "gemm_mma_e4m3_unaligned_64x64";
};

namespace {

constexpr gpuopt_signature kSignatures[] = {
    {{GPUOPT_E4M3, GPUOPT_E4M3, GPUOPT_ANY, GPUOPT_ANY}, GPUOPT_COMPUTE_F32},
    {{GPUOPT_E4M3, GPUOPT_E4M3, GPUOPT_ANY, GPUOPT_ANY}, GPUOPT_COMPUTE_F8_FAST},
};
constexpr gpuopt_kernel kKernels[] = {mma_kernel<MmaE4m3Tile128x64>(kSignatures),
                                      mma_kernel<MmaE4m3Unaligned64x64>(kSignatures)};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
