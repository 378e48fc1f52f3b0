// fp8 products of every mix of types by wgmma.
//
// Idea and data movement: wgmma_kernel.cuh. The instruction reads 8-bit operands along k only: others are transposed, and
// lines that do not lie on 16 bytes packed, at copy speed (wgmma_pack.h). The tensor core's own sums keep 13 bits of
// fraction: compute F8_FAST takes them as they are; for compute F32 they are added up in fp32 after each 128 of k, by
// 128 x 128 and 256 x 128 tiles of two warpgroups and 192 x 128 tiles of three, 64 rows at a time. Scales of A and B join alpha,
// those of blocks multiply what is added (wgmma_scales.cuh).
// Needs: sm_90 (machine code of sm_90a). Any extents, alignment, layouts, batch, alpha, beta; stages, an fp8 D and a C
// unlike D through gemm/common/gemm_finish.h.
// Prediction: a stage of 128 of k in the clocks of 64 of 16-bit operands, so twice their rate, less the packing; with sums in
// fp32 a fifth more.
// arch class: sm90a
#include "gemm/wgmma/wgmma_launch.cuh"
#include "gemm/wgmma/wgmma_tiles_fp8.h"
#include "gemm/wgmma/wgmma_tiles_fp8_promoting.h"

namespace gpuopt {
namespace {

struct WgmmaFp8 {
  static constexpr WgmmaTypes kTypes[] = {
      {GPUOPT_E4M3, GPUOPT_E4M3}, {GPUOPT_E4M3, GPUOPT_E5M2}, {GPUOPT_E5M2, GPUOPT_E4M3}, {GPUOPT_E5M2, GPUOPT_E5M2}};
  static constexpr bool kAnyLayout = false;
};

#define GPUOPT_WGMMA_FP8_ENTRY_(T, a, b) \
  { T<a, b>::kThreads, T<a, b>::kShared, reinterpret_cast<const void *>(gemm_wgmma_kernel<T<a, b>, true, true>) }
#define GPUOPT_WGMMA_FP8_ENTRIES_(T)                                                                                  \
  GPUOPT_WGMMA_FP8_ENTRY_(T, __nv_fp8_e4m3, __nv_fp8_e4m3), GPUOPT_WGMMA_FP8_ENTRY_(T, __nv_fp8_e4m3, __nv_fp8_e5m2), \
      GPUOPT_WGMMA_FP8_ENTRY_(T, __nv_fp8_e5m2, __nv_fp8_e4m3),                                                       \
      GPUOPT_WGMMA_FP8_ENTRY_(T, __nv_fp8_e5m2, __nv_fp8_e5m2)

struct WgmmaFp8Shared128x256 : WgmmaFp8, WgmmaShared128x256 {
  static constexpr char kName[] = "gemm_wgmma_fp8_128x256";
  template <class A, class B>
  using Tile = TileFp8Shared128x256<A, B>;
  using FirstTile = Tile<__nv_fp8_e4m3, __nv_fp8_e4m3>;
  inline static gpuopt_resource resources[] = {GPUOPT_WGMMA_FP8_ENTRIES_(Tile)};
};

struct WgmmaFp8Shared128x192 : WgmmaFp8, WgmmaShared128x192 {
  static constexpr char kName[] = "gemm_wgmma_fp8_128x192";
  template <class A, class B>
  using Tile = TileFp8Shared128x192<A, B>;
  using FirstTile = Tile<__nv_fp8_e4m3, __nv_fp8_e4m3>;
  inline static gpuopt_resource resources[] = {GPUOPT_WGMMA_FP8_ENTRIES_(Tile)};
};

struct WgmmaFp8PingPong128x128 : WgmmaFp8, WgmmaPingPong128x128 {
  static constexpr char kName[] = "gemm_wgmma_fp8_pingpong_128x128";
  template <class A, class B>
  using Tile = TileFp8PingPong128x128<A, B>;
  using FirstTile = Tile<__nv_fp8_e4m3, __nv_fp8_e4m3>;
  inline static gpuopt_resource resources[] = {GPUOPT_WGMMA_FP8_ENTRIES_(Tile)};
};

struct WgmmaFp8Promoting128x128 : WgmmaFp8 {
  static constexpr char kName[] = "gemm_wgmma_fp8_promoting_128x128";
  static constexpr char kSummary[] =
      "wgmma, 128 x 128 tiles shared by two warpgroups, sums to fp32 after each 128 of k, persistent blocks";
  template <class A, class B>
  using Tile = TileFp8Promoting128x128<A, B>;
  using FirstTile = Tile<__nv_fp8_e4m3, __nv_fp8_e4m3>;
  template <class A, class B>
  using ScaledTile = TileFp8Promoting128x128<A, B, true>;
  static constexpr auto speed = wgmma_promoting_128x128_speed;
  inline static gpuopt_resource resources[] = {GPUOPT_WGMMA_FP8_ENTRIES_(Tile), GPUOPT_WGMMA_FP8_ENTRIES_(ScaledTile)};
};

struct WgmmaFp8Promoting256x128 : WgmmaFp8 {
  static constexpr char kName[] = "gemm_wgmma_fp8_promoting_256x128";
  static constexpr char kSummary[] =
      "wgmma, 256 x 128 tiles shared by two warpgroups, sums to fp32 after each 128 of k, persistent blocks";
  template <class A, class B>
  using Tile = TileFp8Promoting256x128<A, B>;
  using FirstTile = Tile<__nv_fp8_e4m3, __nv_fp8_e4m3>;
  template <class A, class B>
  using ScaledTile = TileFp8Promoting256x128<A, B, true>;
  static constexpr auto speed = wgmma_promoting_256x128_speed;
  inline static gpuopt_resource resources[] = {GPUOPT_WGMMA_FP8_ENTRIES_(Tile), GPUOPT_WGMMA_FP8_ENTRIES_(ScaledTile)};
};

struct WgmmaFp8Promoting192x128 : WgmmaFp8 {
  static constexpr char kName[] = "gemm_wgmma_fp8_promoting_192x128";
  static constexpr char kSummary[] =
      "wgmma, 192 x 128 tiles shared by three warpgroups, sums to fp32 after each 128 of k, persistent blocks";
  template <class A, class B>
  using Tile = TileFp8Promoting192x128<A, B>;
  using FirstTile = Tile<__nv_fp8_e4m3, __nv_fp8_e4m3>;
  template <class A, class B>
  using ScaledTile = TileFp8Promoting192x128<A, B, true>;
  static constexpr auto speed = wgmma_promoting_192x128_speed;
  inline static gpuopt_resource resources[] = {GPUOPT_WGMMA_FP8_ENTRIES_(Tile), GPUOPT_WGMMA_FP8_ENTRIES_(ScaledTile)};
};

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
constexpr gpuopt_kernel kKernels[] = {
    wgmma_kernel<WgmmaFp8Shared128x256>(kFast),        wgmma_kernel<WgmmaFp8Shared128x192>(kFast),
    wgmma_kernel<WgmmaFp8PingPong128x128>(kFast),      wgmma_kernel<WgmmaFp8Promoting128x128>(kAccurate),
    wgmma_kernel<WgmmaFp8Promoting256x128>(kAccurate), wgmma_kernel<WgmmaFp8Promoting192x128>(kAccurate)};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
