// fp8 and i8 products of few rows or columns by wgmma.
//
// Idea and data movement: wgmma_skinny_kernel.cuh. The instruction reads 8-bit operands along k only: others, and what does
// not lie on 16 bytes, are packed first, so this pays where the large operand lies along k. Sums of fp8, of which the
// tensor core keeps 13 bits of fraction, move to fp32 after each 128 of k: memory is slower than both, so there is no faster
// kernel for compute F8_FAST. Sums of i8 are exact.
// Needs: sm_90 (machine code of sm_90a). Any extents, alignment, layouts, batch, alpha, beta. Scales of A and B join alpha;
// stages, an fp8 D, and a C unlike D (of i8 any C) through gemm/common/gemm_finish.h.
// Prediction: as of 16-bit operands, with half of the bytes.
// arch class: sm90a
#include "gemm/wgmma/wgmma_skinny_launch.cuh"
#include "gemm/wgmma/wgmma_skinny_tiles_8bit.h"

namespace gpuopt {
namespace {

struct WgmmaSkinnyFp8 : WgmmaFp8Types {
  static constexpr char kName[] = "gemm_wgmma_skinny_fp8";
  static constexpr char kSummary[] =
      "wgmma for few rows or columns of fp8, sums to fp32 after each 128 of k, k split over clusters";
  template <class Many, class Few, int M, int N, bool AlongFew>
  using Tile = SkinnyTileFp8<Many, Few, M, N, AlongFew>;
  using FirstTile = Tile<__nv_fp8_e4m3, __nv_fp8_e4m3, 64, 8, true>;
  inline static gpuopt_resource resources[] = {
      GPUOPT_WGMMA_SKINNY_SHAPES(GPUOPT_WGMMA_SKINNY_ALONG_, __nv_fp8_e4m3, __nv_fp8_e4m3)
          GPUOPT_WGMMA_SKINNY_SHAPES(GPUOPT_WGMMA_SKINNY_ALONG_, __nv_fp8_e4m3, __nv_fp8_e5m2)
              GPUOPT_WGMMA_SKINNY_SHAPES(GPUOPT_WGMMA_SKINNY_ALONG_, __nv_fp8_e5m2, __nv_fp8_e4m3)
                  GPUOPT_WGMMA_SKINNY_SHAPES(GPUOPT_WGMMA_SKINNY_ALONG_, __nv_fp8_e5m2, __nv_fp8_e5m2)};
};

struct WgmmaSkinnyI8 : WgmmaI8Types {
  static constexpr char kName[] = "gemm_wgmma_skinny_i8";
  static constexpr char kSummary[] = "wgmma for few rows or columns of i8, exact sums, k split over clusters";
  template <class Many, class Few, int M, int N, bool AlongFew>
  using Tile = SkinnyTileI8<Many, Few, M, N, AlongFew>;
  using FirstTile = Tile<int8_t, int8_t, 64, 8, true>;
  inline static gpuopt_resource resources[] = {GPUOPT_WGMMA_SKINNY_SHAPES(GPUOPT_WGMMA_SKINNY_ALONG_, int8_t, int8_t)};
};

#define GPUOPT_WGMMA_SKINNY_FP8_(a, b) \
  {{a, b, GPUOPT_ANY, GPUOPT_ANY}, GPUOPT_COMPUTE_F32}, { {a, b, GPUOPT_ANY, GPUOPT_ANY}, GPUOPT_COMPUTE_F8_FAST }
constexpr gpuopt_signature kFp8[] = {
    GPUOPT_WGMMA_SKINNY_FP8_(GPUOPT_E4M3, GPUOPT_E4M3), GPUOPT_WGMMA_SKINNY_FP8_(GPUOPT_E4M3, GPUOPT_E5M2),
    GPUOPT_WGMMA_SKINNY_FP8_(GPUOPT_E5M2, GPUOPT_E4M3), GPUOPT_WGMMA_SKINNY_FP8_(GPUOPT_E5M2, GPUOPT_E5M2)};
constexpr gpuopt_signature kI8[] = {{{GPUOPT_I8, GPUOPT_I8, GPUOPT_ANY, GPUOPT_ANY}, GPUOPT_COMPUTE_I32}};
constexpr gpuopt_kernel kKernels[] = {wgmma_skinny_kernel<WgmmaSkinnyFp8>(kFp8),
                                      wgmma_skinny_kernel<WgmmaSkinnyI8>(kI8)};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
