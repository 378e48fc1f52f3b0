// fp8 products of every mix of types by wgmma.
//
// Idea and data movement: wgmma_kernel.cuh. The instruction reads 8-bit operands along k only: others are transposed, and
// lines that do not lie on 16 bytes packed, at copy speed (wgmma_pack.h). The tensor core's own sums keep 13 bits of
// fraction: compute F8_FAST takes them as they are; for compute F32 they are added up in fp32 after each 128 of k, by
// 128 x 128 and 256 x 128 tiles of two warpgroups and 192 x 128 tiles of three, 64 rows at a time. Scales of A and B join alpha,
// those of blocks multiply what is added (wgmma_scales.cuh). The 128 x 192 tiles in turn have no registers for ends other than by
// panels and, of 16 bits, by lines: fp32 that lies otherwise is refused, C goes through scratch memory. 128 x 128 tiles without
// scales of blocks have chains of stages (wgmma_chain.h) in registers.
// Needs: sm_90 (machine code of sm_90a). Any extents, alignment, layouts, batch, alpha, beta; other stages, an fp8 D and a C
// unlike D through gemm/common/gemm_finish.h.
// Prediction: a stage of 128 of k in the clocks of 64 of 16-bit operands, so twice their rate, less the packing; with sums in
// fp32 a fifth more.
// arch class: sm90a
#include "gemm/wgmma/wgmma_launch.cuh"
#include "gemm/wgmma/wgmma_tiles_fp8.h"
#include "gemm/wgmma/wgmma_tiles_fp8_promoting.h"

namespace gpuopt {
namespace {

template <const char *kKernel, const WgmmaShape &kTile, template <class, class> class Tile>
using WgmmaFp8 =
    WgmmaAlongK<kKernel, kTile, WgmmaFp8Types, Tile<__nv_fp8_e4m3, __nv_fp8_e4m3>, Tile<__nv_fp8_e4m3, __nv_fp8_e5m2>,
                Tile<__nv_fp8_e5m2, __nv_fp8_e4m3>, Tile<__nv_fp8_e5m2, __nv_fp8_e5m2>>;
#define GPUOPT_PROMOTING_TILES_(scaled)                                                   \
  Tile<__nv_fp8_e4m3, __nv_fp8_e4m3, scaled>, Tile<__nv_fp8_e4m3, __nv_fp8_e5m2, scaled>, \
      Tile<__nv_fp8_e5m2, __nv_fp8_e4m3, scaled>, Tile<__nv_fp8_e5m2, __nv_fp8_e5m2, scaled>
template <const char *kKernel, const WgmmaShape &kTile, template <class, class, WgmmaScaled> class Tile>
using WgmmaFp8Promoting = WgmmaAlongK<kKernel, kTile, WgmmaFp8Types, GPUOPT_PROMOTING_TILES_(WgmmaScaled::no),
                                      GPUOPT_PROMOTING_TILES_(WgmmaScaled::by_blocks)>;
template <const char *kKernel, const WgmmaShape &kTile, template <class, class, WgmmaScaled> class Tile>
using WgmmaFp8ByColumns =
    WgmmaAlongK<kKernel, kTile, WgmmaFp8Types, GPUOPT_PROMOTING_TILES_(WgmmaScaled::no),
                GPUOPT_PROMOTING_TILES_(WgmmaScaled::by_blocks), GPUOPT_PROMOTING_TILES_(WgmmaScaled::by_columns)>;

constexpr WgmmaShape kPromoting128x128 = {
    "wgmma, 128 x 128 tiles shared by two warpgroups, sums to fp32 after each 128 of k, persistent blocks",
    wgmma_promoting_128x128_speed};
constexpr WgmmaShape kPromoting256x128 = {
    "wgmma, 256 x 128 tiles shared by two warpgroups, sums to fp32 after each 128 of k, persistent blocks",
    wgmma_promoting_256x128_speed};
constexpr WgmmaShape kPromoting192x128 = {
    "wgmma, 192 x 128 tiles shared by three warpgroups, sums to fp32 after each 128 of k, persistent blocks",
    wgmma_promoting_192x128_speed};

// clang-format off
#define GPUOPT_WGMMA_FP8_SIGNATURES_(compute)                      \
  {{GPUOPT_E4M3, GPUOPT_E4M3, GPUOPT_ANY, GPUOPT_ANY}, compute},   \
  {{GPUOPT_E4M3, GPUOPT_E5M2, GPUOPT_ANY, GPUOPT_ANY}, compute},   \
  {{GPUOPT_E5M2, GPUOPT_E4M3, GPUOPT_ANY, GPUOPT_ANY}, compute},   \
  {{GPUOPT_E5M2, GPUOPT_E5M2, GPUOPT_ANY, GPUOPT_ANY}, compute}
// clang-format on
constexpr gpuopt_signature kFast[] = {GPUOPT_WGMMA_FP8_SIGNATURES_(GPUOPT_COMPUTE_F8_FAST)};
constexpr gpuopt_signature kAccurate[] = {GPUOPT_WGMMA_FP8_SIGNATURES_(GPUOPT_COMPUTE_F32),
                                          GPUOPT_WGMMA_FP8_SIGNATURES_(GPUOPT_COMPUTE_F8_FAST)};

constexpr char k128x256[] = "gemm_wgmma_fp8_128x256", kTurns128x192[] = "gemm_wgmma_fp8_pingpong_128x192",
               kTurns128x128[] = "gemm_wgmma_fp8_pingpong_128x128", kTo128x128[] = "gemm_wgmma_fp8_promoting_128x128",
               kTo256x128[] = "gemm_wgmma_fp8_promoting_256x128", kTo192x128[] = "gemm_wgmma_fp8_promoting_192x128";
constexpr gpuopt_kernel kKernels[] = {
    wgmma_kernel<WgmmaFp8<k128x256, kWgmmaShared128x256, TileFp8Shared128x256>>(kFast),
    wgmma_kernel<WgmmaFp8<kTurns128x192, kWgmmaPingPong128x192, TileFp8PingPong128x192>>(kFast, 3,
                                                                                         "gemm_wgmma_fp8_128x192"),
    wgmma_kernel<WgmmaFp8<kTurns128x128, kWgmmaPingPong128x128, TileFp8PingPong128x128>>(kFast),
    wgmma_kernel<WgmmaFp8ByColumns<kTo128x128, kPromoting128x128, TileFp8Promoting128x128>>(kAccurate),
    wgmma_kernel<WgmmaFp8Promoting<kTo256x128, kPromoting256x128, TileFp8Promoting256x128>>(kAccurate),
    wgmma_kernel<WgmmaFp8Promoting<kTo192x128, kPromoting192x128, TileFp8Promoting192x128>>(kAccurate)};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
