// f16 and bf16 products of few rows or columns by wgmma.
//
// Idea and data movement: wgmma_skinny_kernel.cuh. The larger side is the 64 rows of the instruction, the smaller one its 8, 16,
// 32, 64 or 128 columns, in tiles of up to 64 or 128 lines of the larger one, as many as make all multiprocessors read the same; k is
// split over clusters of up to 16 blocks.
// Needs: sm_90 (machine code of sm_90a). Any extents, alignment, layouts, batch, alpha, beta; what does not lie on 16 bytes
// is packed first. Stages, D's scale and a C unlike D through gemm/common/gemm_finish.h.
// Prediction: the large operand's bytes once at the speed of memory, or what its tiles and the small operand take from L2
// beside it: a quarter more with 16 or 32 lines, half as much with 64.
// arch class: sm90a
#include "gemm/common/signatures_16bit.h"
#include "gemm/wgmma/wgmma_skinny_launch.cuh"
#include "gemm/wgmma/wgmma_skinny_tiles_16bit.h"

namespace gpuopt {
namespace {

struct WgmmaSkinny16Bit : Wgmma16BitTypes {
  static constexpr char kName[] = "gemm_wgmma_skinny_16bit";
  static constexpr char kSummary[] =
      "wgmma for few rows or columns: the larger side is the instruction's rows, k split over clusters";
  template <class Many, class Few, int M, int N, bool AlongFew>
  using Tile = SkinnyTile16Bit<Many, Few, M, N, AlongFew>;
  using FirstTile = Tile<__half, __half, 64, 8, true>;
  inline static gpuopt_resource resources[] = {
      GPUOPT_WGMMA_SKINNY_16BIT_SHAPES(GPUOPT_WGMMA_SKINNY_LAYOUTS_, __half, __half)
          GPUOPT_WGMMA_SKINNY_16BIT_SHAPES(GPUOPT_WGMMA_SKINNY_LAYOUTS_, __nv_bfloat16, __nv_bfloat16)};
};

constexpr gpuopt_kernel kKernels[] = {wgmma_skinny_kernel<WgmmaSkinny16Bit>(kGemm16BitSignatures)};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
