// fp32 products at fp32's accuracy by wgmma, on operands in two f16 parts each.
//
// Idea and data movement: a row of A and a column of B times a power of two each are high + low, f16 numbers that keep 22 bits
// or more of fp32's 24 (f32_split.h), and A * B is high * high + high * low + low * high; what low * low would add is less
// than a rounding. So a product takes three of 16-bit operands. Parts are made first, in scratch memory, panel by panel where they
// do not fit, 32 of k to a line of 128 bytes: high ones, then low ones. A stage of shared memory so has four tiles, of which
// six instructions read each high part twice. The tensor core cuts its sums off at 25 bits: they move to fp32 after each
// 32 of k, while the other warpgroup multiplies.
// Which operands the parts are good enough for is found out on the device in front of each product, from the operands
// themselves, also where a graph is replayed; the others are multiplied on CUDA cores, in fp32, by the next launch. So
// either of two launches leaves at once.
// Needs: sm_90 (machine code of sm_90a); compute F32_TENSOR. Any extents (k below 2^21), alignment, layouts, batch, alpha,
// beta; stages and a C unlike D through gemm/common/gemm_finish.h.
// Prediction: three times the clocks of 16-bit operands, less what is read twice, and the splitting's bytes: three to three and a half
// times the speed of fp32 on CUDA cores from 4096 on. Operands that do not fit take their time and the splitting's.
// arch class: sm90a
#include "gemm/common/f32_split_fits.h"
#include "gemm/wgmma/wgmma_launch.cuh"
#include "gemm/wgmma/wgmma_tiles_f32_tensor.h"

namespace gpuopt {
namespace {

struct WgmmaF32Tensor {
  static constexpr WgmmaTypes kTypes[] = {{GPUOPT_F32, GPUOPT_F32}};
  static constexpr bool kAnyLayout = false;
  static constexpr const char *kDataPaths = kF32SplitDataPaths;
};

constexpr WgmmaShape kSplit128x128 = {
    "wgmma, fp32 in two scaled f16 parts, 128 x 128 tiles; by fp32 where a scan of A and B finds that inaccurate",
    wgmma_split_128x128_speed};
constexpr WgmmaShape kSplit128x192 = {
    "wgmma, fp32 in two scaled f16 parts, 128 x 192 tiles; by fp32 where a scan of A and B finds that inaccurate",
    wgmma_split_128x192_speed};

constexpr gpuopt_signature kSignatures[] = {
    {{GPUOPT_F32, GPUOPT_F32, GPUOPT_ANY, GPUOPT_F32}, GPUOPT_COMPUTE_F32_TENSOR},
};

constexpr char k128x128[] = "gemm_wgmma_f32_tensor_128x128", k128x192[] = "gemm_wgmma_f32_tensor_128x192";
constexpr gpuopt_kernel kKernels[] = {
    wgmma_kernel<WgmmaAlongK<k128x128, kSplit128x128, WgmmaF32Tensor, TileF32Tensor128x128>>(kSignatures),
    wgmma_kernel<WgmmaAlongK<k128x192, kSplit128x192, WgmmaF32Tensor, TileF32Tensor128x192>>(kSignatures)};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
