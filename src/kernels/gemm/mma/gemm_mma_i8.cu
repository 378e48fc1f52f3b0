// Exact products of 8-bit integers by mma.sync, sums in int32.
//
// Idea and data movement: mma_kernel.cuh. A column-major A, or row-major B, is transposed on its way to the registers:
// ldmatrix.trans on pairs of bytes, then byte permutations (mma_shared_tile.cuh). Sums become D where they are, times alpha in
// fp64 (gemm/common/exact_result.cuh); stages, D's scale and C are common/gemm_finish.h's. 64 x 64 tiles bring rows on 16 bytes by
// cp.async and others, and all on sm_75 (m8n8k16), through registers.
// Needs: sm_80 and A and B on 16 bytes for 128 x 128 tiles, sm_75 for 64 x 64. Any extents, layouts, batch.
// Prediction: twice the products a clock of 16-bit operands, with the same bytes of shared memory for each stage: large
// tiles reach half of it, small ones a third.
#include "gemm/mma/mma_launch.cuh"

namespace gpuopt {
namespace {

using MmaI8Tile64x64 = MmaTile<int8_t, int8_t, 64, 64, 128, 4, 2, 4, 1>;

using MmaI8Tile128x128 = MmaTile<int8_t, int8_t, 128, 128, 128, 2, 4, 3, 1>;

struct MmaI8Of64x64 : MmaTiles<MmaI8Tile64x64, MmaUnaligned64x64<int8_t>> {
  static constexpr char kName[] = "gemm_mma_i8_64x64";
  static constexpr char kSummary[] =
      "mma.sync, 64 x 64 tiles, up to eight blocks share k; rows that begin anywhere through registers";
  static constexpr char kAliases[] = "gemm_mma_i8_unaligned_64x64";
};
struct MmaI8Of128x128 : MmaTiles<MmaI8Tile128x128> {
  static constexpr char kName[] = "gemm_mma_i8_128x128";
  static constexpr char kSummary[] = "mma.sync, 128 x 128 tiles";
  static constexpr const char *kAliases = nullptr;
};

constexpr gpuopt_signature kSignatures[] = {
    {{GPUOPT_I8, GPUOPT_I8, GPUOPT_ANY, GPUOPT_ANY}, GPUOPT_COMPUTE_I32},
};
constexpr gpuopt_kernel kKernels[] = {mma_kernel<MmaI8Of64x64>(kSignatures), mma_kernel<MmaI8Of128x128>(kSignatures)};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
