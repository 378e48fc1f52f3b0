// Exact products of 8-bit integers by wgmma, sums in int32.
//
// Idea and data movement: wgmma_kernel.cuh. The instruction reads 8-bit operands along k only: others are transposed, and
// lines that do not lie on 16 bytes packed, at copy speed (wgmma_pack.h). Sums that are D already (alpha 1, no C, D i32) are
// stored as they are; all else takes gemm/common/gemm_finish.h's epilogue in fp64.
// Needs: sm_90 (machine code of sm_90a). Any extents, alignment, layouts, batch.
// Prediction: a stage of 128 of k in the clocks of 64 of 16-bit operands, so twice their rate, less the packing.
// arch class: sm90a
#include "gemm/wgmma/wgmma_kernel.cuh"
#include "gemm/wgmma/wgmma_launch.cuh"

namespace gpuopt {
namespace {

struct WgmmaI8 {
  static constexpr WgmmaTypes kTypes[] = {{GPUOPT_I8, GPUOPT_I8}};
  static constexpr bool kAnyLayout = false;
};

struct WgmmaI8Shared128x256 : WgmmaI8, WgmmaShared128x256 {
  static constexpr char kName[] = "gemm_wgmma_i8_128x256";
  using FirstTile = WgmmaTile<int8_t, int8_t, 128, 256, 4, false>;
  inline static gpuopt_resource resources[] = {GPUOPT_WGMMA_ENTRY_(FirstTile, true, true)};
};

struct WgmmaI8Shared128x192 : WgmmaI8, WgmmaShared128x192 {
  static constexpr char kName[] = "gemm_wgmma_i8_128x192";
  using FirstTile = WgmmaTile<int8_t, int8_t, 128, 192, 4, false>;
  inline static gpuopt_resource resources[] = {GPUOPT_WGMMA_ENTRY_(FirstTile, true, true)};
};

struct WgmmaI8PingPong128x128 : WgmmaI8, WgmmaPingPong128x128 {
  static constexpr char kName[] = "gemm_wgmma_i8_pingpong_128x128";
  using FirstTile = WgmmaTile<int8_t, int8_t, 128, 128, 5, true>;
  inline static gpuopt_resource resources[] = {GPUOPT_WGMMA_ENTRY_(FirstTile, true, true)};
};

constexpr gpuopt_signature kSignatures[] = {
    {{GPUOPT_I8, GPUOPT_I8, GPUOPT_ANY, GPUOPT_ANY}, GPUOPT_COMPUTE_I32},
};
constexpr gpuopt_kernel kKernels[] = {wgmma_kernel<WgmmaI8Shared128x256>(kSignatures),
                                      wgmma_kernel<WgmmaI8Shared128x192>(kSignatures),
                                      wgmma_kernel<WgmmaI8PingPong128x128>(kSignatures)};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
