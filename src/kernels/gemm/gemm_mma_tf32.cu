// fp32 products by mma.sync with operands rounded to tf32 (nearest, halves away from zero: the tensor core alone would
// cut bits off and be 2.6 times farther from the truth).
//
// A column-major A, or row-major B, is read from shared memory as single words: ldmatrix turns 16-bit elements only.
// Needs: sm_80; compute TF32. The plain tiles want A and B on 16 bytes, the unaligned ones bring them through
// registers. Any extents, layouts, batch, alpha, beta; stages and a C unlike D through common/gemm_finish.h.
// Recorded (H200, 2026-11-21, single call, cold), nn: 64x64 27.4 us for 1024 cubed (0.56 of the best peer), 1.36 ms for
// 4096 (101 TFLOP/s, 0.25), 11.7 ms for 8192; 128x128 39.2 us, 1.62 ms, 14.3 ms; unaligned_64x64, on aligned rows, 5.21
// ms for 4096. 128 cubed 6.75 us by 64x64 (0.90; in a graph 3.07 us, 1.26).
#include "gemm/mma_tiles.cuh"

namespace gpuopt {

struct MmaTf32Unaligned64x64 : MmaUnaligned64x64<float, float> {
  static constexpr char kName[] = "gemm_mma_tf32_unaligned_64x64";
};

namespace {

constexpr gpuopt_signature kSignatures[] = {
    {{GPUOPT_F32, GPUOPT_F32, GPUOPT_ANY, GPUOPT_F32}, GPUOPT_COMPUTE_TF32},
};
constexpr gpuopt_kernel kKernels[] = {mma_kernel<MmaTf32Tile64x64>(kSignatures),
                                      mma_kernel<MmaTf32Tile128x128>(kSignatures),
                                      mma_kernel<MmaTf32Unaligned64x64>(kSignatures)};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
