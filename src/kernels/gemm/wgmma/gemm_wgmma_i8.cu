// Exact products of 8-bit integers by wgmma, sums in int32.
//
// Idea and data movement: wgmma_kernel.cuh. The instruction reads 8-bit operands along k only: others are transposed, and
// lines that do not lie on 16 bytes packed, at copy speed (wgmma_pack.h). Sums become D where they are, times alpha in
// fp64 (wgmma_exact.cuh); stages, D's scale and C are gemm/common/gemm_finish.h's.
// Needs: sm_90 (machine code of sm_90a). Any extents, alignment, layouts, batch.
// Prediction: a stage of 128 of k in the clocks of 64 of 16-bit operands, so twice their rate, less the packing.
// arch class: sm90a
#include "gemm/wgmma/wgmma_launch.cuh"
#include "gemm/wgmma/wgmma_tiles_i8.h"

namespace gpuopt {
namespace {

constexpr gpuopt_signature kSignatures[] = {
    {{GPUOPT_I8, GPUOPT_I8, GPUOPT_ANY, GPUOPT_ANY}, GPUOPT_COMPUTE_I32},
};

constexpr char k128x256[] = "gemm_wgmma_i8_128x256", k128x192[] = "gemm_wgmma_i8_128x192",
               kTurns128x128[] = "gemm_wgmma_i8_pingpong_128x128";
template <const char *kKernel, const WgmmaShape &kShape, class Tile>
using WgmmaI8 = WgmmaAlongK<kKernel, kShape, WgmmaI8Types, Tile>;
constexpr gpuopt_kernel kKernels[] = {
    wgmma_kernel<WgmmaI8<k128x256, kWgmmaShared128x256, TileI8Shared128x256>>(kSignatures),
    wgmma_kernel<WgmmaI8<k128x192, kWgmmaShared128x192, TileI8Shared128x192>>(kSignatures),
    wgmma_kernel<WgmmaI8<kTurns128x128, kWgmmaPingPong128x128, TileI8PingPong128x128>>(kSignatures)};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
