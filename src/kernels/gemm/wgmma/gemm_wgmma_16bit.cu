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
#include "gemm/wgmma/wgmma_launch.cuh"
#include "gemm/wgmma/wgmma_tiles_16bit.h"

namespace gpuopt {
namespace {

struct Wgmma16Bit {
  static constexpr WgmmaTypes kTypes[] = {{GPUOPT_F16, GPUOPT_F16}, {GPUOPT_BF16, GPUOPT_BF16}};
  static constexpr bool kAnyLayout = true;
};
#define GPUOPT_WGMMA_16BIT_RESOURCES_ \
  { GPUOPT_WGMMA_ENTRIES_(Tile<__half>), GPUOPT_WGMMA_ENTRIES_(Tile<__nv_bfloat16>) }

struct Wgmma16BitShared128x256 : Wgmma16Bit, WgmmaShared128x256 {
  static constexpr char kName[] = "gemm_wgmma_16bit_128x256";
  template <class T>
  using Tile = Tile16BitShared128x256<T>;
  using FirstTile = Tile<__half>;
  inline static gpuopt_resource resources[] = GPUOPT_WGMMA_16BIT_RESOURCES_;
};

struct Wgmma16BitShared128x192 : Wgmma16Bit, WgmmaShared128x192 {
  static constexpr char kName[] = "gemm_wgmma_16bit_128x192";
  template <class T>
  using Tile = Tile16BitShared128x192<T>;
  using FirstTile = Tile<__half>;
  inline static gpuopt_resource resources[] = GPUOPT_WGMMA_16BIT_RESOURCES_;
};

struct Wgmma16BitShared128x64 : Wgmma16Bit, WgmmaShared128x64 {
  static constexpr char kName[] = "gemm_wgmma_16bit_128x64";
  template <class T>
  using Tile = Tile16BitShared128x64<T>;
  using FirstTile = Tile<__half>;
  inline static gpuopt_resource resources[] = GPUOPT_WGMMA_16BIT_RESOURCES_;
};

struct Wgmma16BitPingPong128x128 : Wgmma16Bit, WgmmaPingPong128x128 {
  static constexpr char kName[] = "gemm_wgmma_16bit_pingpong_128x128";
  template <class T>
  using Tile = Tile16BitPingPong128x128<T>;
  using FirstTile = Tile<__half>;
  inline static gpuopt_resource resources[] = GPUOPT_WGMMA_16BIT_RESOURCES_;
};

struct Wgmma16BitPingPong128x192 : Wgmma16Bit, WgmmaPingPong128x192 {
  static constexpr char kName[] = "gemm_wgmma_16bit_pingpong_128x192";
  template <class T>
  using Tile = Tile16BitPingPong128x192<T>;
  using FirstTile = Tile<__half>;
  inline static gpuopt_resource resources[] = GPUOPT_WGMMA_16BIT_RESOURCES_;
};

constexpr gpuopt_signature kSignatures[] = {
    {{GPUOPT_F16, GPUOPT_F16, GPUOPT_ANY, GPUOPT_F16}, GPUOPT_COMPUTE_F32},
    {{GPUOPT_F16, GPUOPT_F16, GPUOPT_ANY, GPUOPT_F16}, GPUOPT_COMPUTE_F16},
    {{GPUOPT_F16, GPUOPT_F16, GPUOPT_ANY, GPUOPT_F32}, GPUOPT_COMPUTE_F32},
    {{GPUOPT_BF16, GPUOPT_BF16, GPUOPT_ANY, GPUOPT_BF16}, GPUOPT_COMPUTE_F32},
    {{GPUOPT_BF16, GPUOPT_BF16, GPUOPT_ANY, GPUOPT_F32}, GPUOPT_COMPUTE_F32},
};
constexpr gpuopt_kernel kKernels[] = {
    wgmma_kernel<Wgmma16BitShared128x256>(kSignatures), wgmma_kernel<Wgmma16BitShared128x192>(kSignatures),
    wgmma_kernel<Wgmma16BitShared128x64>(kSignatures), wgmma_kernel<Wgmma16BitPingPong128x128>(kSignatures),
    wgmma_kernel<Wgmma16BitPingPong128x192>(kSignatures)};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
