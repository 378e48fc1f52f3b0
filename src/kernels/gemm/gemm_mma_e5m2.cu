// fp8 products with e5m2 operands by mma.sync: one tile, which takes rows that begin anywhere, for each mix of types.
//
// Needs: sm_89. Any alignment, extents, layouts, batch, alpha, beta, scales; stages, an fp8 D and a C unlike D through
// common/gemm_finish.h.
// Recorded (H200, 2026-11-21, single call, cold), k contiguous, where cuBLASLt has no product: e5m2 x e5m2 4096 cubed
// 1372 us (100 TFLOP/s), e4m3 x e5m2 and e5m2 x e4m3 4097 x 4099 x 4101 1505 and 1507 us (91.5 and 91.4 TFLOP/s).
#include "gemm/mma_tiles.cuh"

namespace gpuopt {

struct MmaE4m3E5m2Unaligned64x64 : MmaUnaligned64x64<__nv_fp8_e4m3, __nv_fp8_e5m2> {
  static constexpr char kName[] = "gemm_mma_e4m3_e5m2_64x64";
};
struct MmaE5m2E4m3Unaligned64x64 : MmaUnaligned64x64<__nv_fp8_e5m2, __nv_fp8_e4m3> {
  static constexpr char kName[] = "gemm_mma_e5m2_e4m3_64x64";
};
struct MmaE5m2E5m2Unaligned64x64 : MmaUnaligned64x64<__nv_fp8_e5m2, __nv_fp8_e5m2> {
  static constexpr char kName[] = "gemm_mma_e5m2_e5m2_64x64";
};

namespace {

constexpr gpuopt_signature kE4m3E5m2[] = {
    {{GPUOPT_E4M3, GPUOPT_E5M2, GPUOPT_ANY, GPUOPT_ANY}, GPUOPT_COMPUTE_F32},
    {{GPUOPT_E4M3, GPUOPT_E5M2, GPUOPT_ANY, GPUOPT_ANY}, GPUOPT_COMPUTE_F8_FAST},
};
constexpr gpuopt_signature kE5m2E4m3[] = {
    {{GPUOPT_E5M2, GPUOPT_E4M3, GPUOPT_ANY, GPUOPT_ANY}, GPUOPT_COMPUTE_F32},
    {{GPUOPT_E5M2, GPUOPT_E4M3, GPUOPT_ANY, GPUOPT_ANY}, GPUOPT_COMPUTE_F8_FAST},
};
constexpr gpuopt_signature kE5m2E5m2[] = {
    {{GPUOPT_E5M2, GPUOPT_E5M2, GPUOPT_ANY, GPUOPT_ANY}, GPUOPT_COMPUTE_F32},
    {{GPUOPT_E5M2, GPUOPT_E5M2, GPUOPT_ANY, GPUOPT_ANY}, GPUOPT_COMPUTE_F8_FAST},
};
constexpr gpuopt_kernel kKernels[] = {mma_kernel<MmaE4m3E5m2Unaligned64x64>(kE4m3E5m2),
                                      mma_kernel<MmaE5m2E4m3Unaligned64x64>(kE5m2E4m3),
                                      mma_kernel<MmaE5m2E5m2Unaligned64x64>(kE5m2E5m2)};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
