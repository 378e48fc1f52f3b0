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
#include "gemm/wgmma/wgmma_kernel.cuh"
#include "gemm/wgmma/wgmma_launch.cuh"

namespace gpuopt {
namespace {

struct WgmmaTf32 {
  static constexpr WgmmaTypes kTypes[] = {{GPUOPT_F32, GPUOPT_F32}};
  static constexpr bool kAnyLayout = false;
};

struct WgmmaTf32Shared128x256 : WgmmaTf32, WgmmaShared128x256 {
  static constexpr char kName[] = "gemm_wgmma_tf32_128x256";
  using FirstTile = WgmmaTile<float, float, 128, 256, 4, false>;
  inline static gpuopt_resource resources[] = {GPUOPT_WGMMA_ENTRY_(FirstTile, true, true)};
};

struct WgmmaTf32Shared128x192 : WgmmaTf32, WgmmaShared128x192 {
  static constexpr char kName[] = "gemm_wgmma_tf32_128x192";
  using FirstTile = WgmmaTile<float, float, 128, 192, 4, false>;
  inline static gpuopt_resource resources[] = {GPUOPT_WGMMA_ENTRY_(FirstTile, true, true)};
};

constexpr gpuopt_signature kSignatures[] = {
    {{GPUOPT_F32, GPUOPT_F32, GPUOPT_ANY, GPUOPT_F32}, GPUOPT_COMPUTE_TF32},
};
constexpr gpuopt_kernel kKernels[] = {wgmma_kernel<WgmmaTf32Shared128x256>(kSignatures),
                                      wgmma_kernel<WgmmaTf32Shared128x192>(kSignatures)};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
