// f16 and bf16 products by wgmma.
//
// Idea and data movement: wgmma_kernel.cuh. 128 x 256 tiles read least, and are for products of many tiles and long k;
// ping-pong over 128 x 128 tiles hides the end of a tile, for short k, and leaves fewer multiprocessors idle at the end.
// Needs: sm_90 (machine code of sm_90a); A and B, their leading dimensions and batch strides on 16 bytes. Any extents,
// layouts, batch, alpha, beta; D anywhere. Stages, D's scale and a C unlike D through gemm/common/gemm_finish.h.
// Prediction: the tensor cores' time at the clock that their power leaves (about three quarters of the peak on random
// data), the same as cuBLASLt's within a few per cent where tiles fill the chip; behind it below one wave, as k is never
// split.
// arch class: sm90a
#include "gemm/wgmma/wgmma_launch.cuh"

namespace gpuopt {
namespace {

struct WgmmaShared128x256 {
  static constexpr char kName[] = "gemm_wgmma_16bit_128x256";
  static constexpr char kSummary[] =
      "wgmma, 128 x 256 tiles shared by two warpgroups, persistent blocks, TMA in and out";
  template <class T>
  using Tile = WgmmaTile<T, 128, 256, 4, false>;
  static WgmmaSpeed speed() {
    const GemmWgmmaFigures &f = gemm_wgmma_figures;
    return {&f.shared_128x256_start_us, &f.shared_128x256_end_clocks, &f.shared_128x256_stage_clocks};
  }
  inline static gpuopt_resource resources[] = {GPUOPT_WGMMA_ENTRIES_(Tile<__half>),
                                               GPUOPT_WGMMA_ENTRIES_(Tile<__nv_bfloat16>)};
};

struct WgmmaPingPong128x128 {
  static constexpr char kName[] = "gemm_wgmma_16bit_pingpong_128x128";
  static constexpr char kSummary[] =
      "wgmma, 128 x 128 tiles by two warpgroups in turn, persistent blocks, TMA in and out";
  template <class T>
  using Tile = WgmmaTile<T, 128, 128, 5, true>;
  static WgmmaSpeed speed() {
    const GemmWgmmaFigures &f = gemm_wgmma_figures;
    return {&f.pingpong_128x128_start_us, &f.pingpong_128x128_end_clocks, &f.pingpong_128x128_stage_clocks};
  }
  inline static gpuopt_resource resources[] = {GPUOPT_WGMMA_ENTRIES_(Tile<__half>),
                                               GPUOPT_WGMMA_ENTRIES_(Tile<__nv_bfloat16>)};
};

constexpr gpuopt_signature kSignatures[] = {
    {{GPUOPT_F16, GPUOPT_F16, GPUOPT_ANY, GPUOPT_F16}, GPUOPT_COMPUTE_F32},
    {{GPUOPT_F16, GPUOPT_F16, GPUOPT_ANY, GPUOPT_F16}, GPUOPT_COMPUTE_F16},
    {{GPUOPT_F16, GPUOPT_F16, GPUOPT_ANY, GPUOPT_F32}, GPUOPT_COMPUTE_F32},
    {{GPUOPT_BF16, GPUOPT_BF16, GPUOPT_ANY, GPUOPT_BF16}, GPUOPT_COMPUTE_F32},
    {{GPUOPT_BF16, GPUOPT_BF16, GPUOPT_ANY, GPUOPT_F32}, GPUOPT_COMPUTE_F32},
};
constexpr gpuopt_kernel kKernels[] = {wgmma_kernel<WgmmaShared128x256>(kSignatures, 5),
                                      wgmma_kernel<WgmmaPingPong128x128>(kSignatures, 5)};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
