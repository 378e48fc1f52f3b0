// f16 and bf16 products by wgmma.
//
// Idea and data movement: wgmma_kernel.cuh. 128 x 256 tiles read least, and are for products of many tiles and long k, 128
// x 192 for those that they fill the chip with in fewer rounds, 128 x 64 for those of few tiles; ping-pong hides the end of a
// tile, over 128 x 192 tiles where there are many, over 128 x 128 for short k and where those leave fewer multiprocessors idle.
// Operands whose lines do not lie on 16 bytes are packed first (wgmma_pack.h), at copy speed.
// Needs: sm_90 (machine code of sm_90a). Any extents, alignment, layouts, batch, alpha, beta; D anywhere. A C, or a residual that
// is the only stage, which is like D and lies on 16 bytes comes through the ring (wgmma_fold.cuh), but for 128 x 192 in turn. Those
// that take turns apply a bias, an activation and (128 x 128) a matrix or C to sums in registers (wgmma_chain.h), behind the other
// warpgroup's products; other stages, D's scale, a C unlike D, and any C of 128 x 192 in turn go through gemm/common/gemm_finish.h.
// Prediction: the tensor cores' time at the clock that their power leaves (about three quarters of the peak on random
// data), the same as cuBLASLt's within a few per cent where tiles fill the chip; behind it below one wave, as k is never
// split. Unaligned, that and a copy of the operands: four times cuBLASLt's speed from 4096 on.
// arch class: sm90a
#include "gemm/common/signatures_16bit.h"
#include "gemm/wgmma/wgmma_launch.cuh"
#include "gemm/wgmma/wgmma_tiles_16bit.h"

namespace gpuopt {
namespace {

constexpr WgmmaShape kShared128x64 = {
    "wgmma, 128 x 64 tiles shared by two warpgroups, persistent blocks, TMA in and out", wgmma_shared_128x64_speed};

#define GPUOPT_WGMMA_ENTRY_(Tile, a, b) \
  { Tile::kThreads, Tile::kShared, reinterpret_cast<const void *>(gemm_wgmma_kernel<Tile, a, b>) }
#define GPUOPT_WGMMA_ENTRIES_(Tile)                                              \
  GPUOPT_WGMMA_ENTRY_(Tile, true, true), GPUOPT_WGMMA_ENTRY_(Tile, true, false), \
      GPUOPT_WGMMA_ENTRY_(Tile, false, true), GPUOPT_WGMMA_ENTRY_(Tile, false, false)

template <const char *kKernel, const WgmmaShape &kTile, template <class> class Tile>
struct Wgmma16Bit : Wgmma16BitTypes {
  static constexpr const char *kName = kKernel;
  static constexpr const WgmmaShape &kShape = kTile;
  using FirstTile = Tile<__half>;
  inline static gpuopt_resource resources[8] = {GPUOPT_WGMMA_ENTRIES_(Tile<__half>),
                                                GPUOPT_WGMMA_ENTRIES_(Tile<__nv_bfloat16>)};
};

constexpr char k128x256[] = "gemm_wgmma_16bit_128x256", k128x192[] = "gemm_wgmma_16bit_128x192",
               k128x64[] = "gemm_wgmma_16bit_128x64", kTurns128x128[] = "gemm_wgmma_16bit_pingpong_128x128",
               kTurns128x192[] = "gemm_wgmma_16bit_pingpong_128x192";
constexpr gpuopt_kernel kKernels[] = {
    wgmma_kernel<Wgmma16Bit<k128x256, kWgmmaShared128x256, Tile16BitShared128x256>>(kGemm16BitSignatures),
    wgmma_kernel<Wgmma16Bit<k128x192, kWgmmaShared128x192, Tile16BitShared128x192>>(kGemm16BitSignatures, 3),
    wgmma_kernel<Wgmma16Bit<k128x64, kShared128x64, Tile16BitShared128x64>>(kGemm16BitSignatures),
    wgmma_kernel<Wgmma16Bit<kTurns128x128, kWgmmaPingPong128x128, Tile16BitPingPong128x128>>(kGemm16BitSignatures),
    wgmma_kernel<Wgmma16Bit<kTurns128x192, kWgmmaPingPong128x192, Tile16BitPingPong128x192>>(kGemm16BitSignatures)};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
