// Strict fp32 products of few rows or columns, on CUDA cores.
//
// Idea and data movement: gemv_kernel.cuh. The large operand is read once by 16 bytes, for up to eight lines of the small one.
// Needs: sm_80. Any extents, alignment, layouts, batch, alpha, beta; stages and a C unlike D through
// gemm/common/gemm_finish.h. Sums in fp32, parts of k in a fixed order.
// Prediction: a start, and the bytes of the large operand at the speed of memory, which 48 KB under way on each multiprocessor
// reach; of eight lines multiply-adds and shared memory take as long.
#include "gemm/gemv/gemv_launch.cuh"

namespace gpuopt {
namespace {

struct GemvF32 {
  static constexpr char kName[] = "gemm_gemv_f32";
  static constexpr char kSummary[] = "fp32, 1 to 8 rows or columns: dot products or sums of columns by 16-byte loads";
  using Acc = float;
  static constexpr int32_t kTypes[] = {GPUOPT_F32};
  inline static gpuopt_resource resources[] = {GPUOPT_GEMV_ENTRIES_(GPUOPT_GEMV_THREE_, float)};
};
constexpr gpuopt_signature kSignatures[] = {{{GPUOPT_F32, GPUOPT_F32, GPUOPT_ANY, GPUOPT_ANY}, GPUOPT_ANY}};
constexpr gpuopt_kernel kKernels[] = {gemv_kernel<GemvF32>(kSignatures)};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
