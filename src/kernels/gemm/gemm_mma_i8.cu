// Exact products of 8-bit integers by mma.sync, sums in int32.
//
// A column-major A, or row-major B, is turned on its way to the registers: ldmatrix.trans on pairs of bytes, then byte
// permutations (mma_shared_tile.cuh). Sums that are D already (alpha 1, no C, D i32) are stored as they are; all else
// takes common/gemm_finish.h's epilogue in fp64.
// Needs: sm_80, where the plain tiles want A and B on 16 bytes; the unaligned ones run from sm_75 (m8n8k16) and bring
// rows that begin anywhere through registers.
// Recorded (H200, 2026-11-21, single call, cold), k contiguous: 64x64 10.8 us for 1024 cubed (0.84 of the best peer; in
// a graph 7.00 us, 0.92), 128x128 231 us for 4096 (596 TFLOP/s, 0.40; in a graph 263 us, 0.36), 1.94 ms for 8192
// (0.37); unaligned_64x64, on aligned rows, 1.16 ms for 4096, 4097 x 4099 x 4101 1.28 ms.
#include "gemm/mma_tiles.cuh"

namespace gpuopt {

struct MmaI8Unaligned64x64 : MmaUnaligned64x64<int8_t, int8_t> {
  static constexpr char kName[] = "gemm_mma_i8_unaligned_64x64";
};

namespace {

constexpr gpuopt_signature kSignatures[] = {
    {{GPUOPT_I8, GPUOPT_I8, GPUOPT_ANY, GPUOPT_ANY}, GPUOPT_COMPUTE_I32},
};
constexpr gpuopt_kernel kKernels[] = {mma_kernel<MmaI8Tile64x64>(kSignatures),
                                      mma_kernel<MmaI8Tile128x128>(kSignatures),
                                      mma_kernel<MmaI8Unaligned64x64>(kSignatures)};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
