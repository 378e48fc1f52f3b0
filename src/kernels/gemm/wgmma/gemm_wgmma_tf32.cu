// fp32 products by wgmma with operands rounded to tf32 (nearest, halves away from zero: the tensor core alone would cut bits
// off and be farther from the truth).
//
// Idea and data movement: wgmma_kernel.cuh. The tensor memory accelerator rounds what it brings. The instruction reads fp32
// operands along k only: others are transposed, and lines that do not lie on 16 bytes packed, at copy speed
// (wgmma_pack.h).
// Needs: sm_90 (machine code of sm_90a); compute TF32. Any extents, alignment, layouts, batch, alpha, beta; stages and a C
// unlike D through gemm/common/gemm_finish.h.
// Prediction: a stage of 32 of k in the clocks of 64 of 16-bit operands, so half their rate, less the packing.
// arch class: sm90a
#include "gemm/wgmma/wgmma_launch.cuh"
#include "gemm/wgmma/wgmma_tiles_tf32.h"

namespace gpuopt {
namespace {

struct WgmmaTf32Types {
  static constexpr WgmmaTypes kTypes[] = {{GPUOPT_F32, GPUOPT_F32}};
  static constexpr bool kAnyLayout = false;
};

constexpr gpuopt_signature kSignatures[] = {
    {{GPUOPT_F32, GPUOPT_F32, GPUOPT_ANY, GPUOPT_F32}, GPUOPT_COMPUTE_TF32},
};

constexpr char k128x256[] = "gemm_wgmma_tf32_128x256", k128x192[] = "gemm_wgmma_tf32_128x192";
template <const char *kKernel, const WgmmaShape &kShape, class Tile>
using WgmmaTf32 = WgmmaAlongK<kKernel, kShape, WgmmaTf32Types, Tile>;
constexpr gpuopt_kernel kKernels[] = {
    wgmma_kernel<WgmmaTf32<k128x256, kWgmmaShared128x256, TileTf32Shared128x256>>(kSignatures),
    wgmma_kernel<WgmmaTf32<k128x192, kWgmmaShared128x192, TileTf32Shared128x192>>(kSignatures)};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
