// fp32 products at fp32's accuracy by mma.sync, on operands in two f16 parts each.
//
// Idea and data movement: mma_parts.cuh; what the parts keep, and when they are not taken, is docs/f32-tensor.md. Four warps share a
// tile of 64 x 64, 32 x 32 sums each, three blocks an SM (two where it has 100 KB: sm_86, 89, 120). Larger tiles read L2 less, but
// with as many registers fewer warps hide what barriers and the way from L2 take.
// Needs: sm_80; compute F32_TENSOR. Any extents (k below 2^21), alignment, layouts, batch, alpha, beta; stages and a C unlike D
// through gemm/common/gemm_finish.h.
// Prediction: three products of 16-bit operands, with an addition in fp32 for each, at three fourths of what mma.sync gives, and the
// splitting's bytes. On an A100 three to four times fp32's speed on CUDA cores; on sm_86, 89 and 120, whose tensor cores are half as
// wide and CUDA cores twice, no faster than fp32. On sm_90 gemm_wgmma_f32_tensor_* take two thirds of its time. Operands that do not fit
// take fp32's time and the splitting's.
#include "gemm/common/f32_split_fits.h"
#include "gemm/mma/mma_host.cuh"
#include "gemm/mma/mma_parts.cuh"
#include "gemm/mma/mma_parts.h"

namespace gpuopt {
namespace {

struct MmaF32Tensor64x64 {
  static constexpr char kName[] = "gemm_mma_f32_tensor_64x64";
  static constexpr char kSummary[] =
      "mma.sync, fp32 in two scaled f16 parts, 64 x 64 tiles; by fp32 where a scan of A and B finds that inaccurate";
  using Tile = MmaTile<__half, __half, 64, 64, 128, 2, 2, 3, 3, false, 1, true>;
  inline static gpuopt_resource resources[] = {
      {Tile::kThreads, Tile::kShared, reinterpret_cast<const void *>(gemm_mma_parts_kernel<Tile>)}};
};

template <class Kernel>
constexpr MmaPartsHost kHost = {Kernel::kName, mma_facts<typename Kernel::Tile>(),
                                gemm_mma_parts_kernel<typename Kernel::Tile>};

template <class Kernel>
struct MmaPartsWhole {
  static void workspace(const gpuopt_problem *problem, size_t *scratch, size_t *zeroed) {
    mma_parts_workspace(kHost<Kernel>.tile, problem, scratch, zeroed);
  }
  static double predict_us(const gpuopt_problem *problem) { return mma_parts_us(kHost<Kernel>.tile, problem); }
  static gpuopt_status prepare(const gpuopt_problem *, const gpuopt_launch *launch) {
    return mma_parts_prepare(kHost<Kernel>, launch);
  }
  static gpuopt_status launch(const gpuopt_problem *problem, const gpuopt_launch *launch) {
    return mma_parts_launch(kHost<Kernel>, problem, launch);
  }
};

template <class Kernel, size_t kSignatures>
constexpr gpuopt_kernel mma_parts_kernel(const gpuopt_signature (&signatures)[kSignatures]) {
  gpuopt_kernel kernel = gemm_descriptor(Kernel::kName, Kernel::kSummary);
  kernel.cc_min = kHost<Kernel>.tile.least_cc;
  kernel.data_paths = kF32SplitDataPaths;
  set_signatures(kernel, signatures);
  kernel.can_run = [](const gpuopt_problem *problem, gpuopt_reject *reject) {
    return mma_parts_can_run(kHost<Kernel>.tile, problem, reject);
  };
  using Whole = MmaPartsWhole<Kernel>;
  set_functions_in_parts<Whole::workspace, Whole::predict_us, Whole::prepare, Whole::launch>(kernel);
  set_resources(kernel, Kernel::resources);
  return kernel;
}

constexpr gpuopt_signature kSignatures[] = {
    {{GPUOPT_F32, GPUOPT_F32, GPUOPT_ANY, GPUOPT_F32}, GPUOPT_COMPUTE_F32_TENSOR},
};
constexpr gpuopt_kernel kKernels[] = {mma_parts_kernel<MmaF32Tensor64x64>(kSignatures)};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
