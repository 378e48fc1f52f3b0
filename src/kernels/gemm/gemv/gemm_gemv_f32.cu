// Strict fp32 products of few rows or columns, on CUDA cores.
//
// Idea and data movement: gemv_along_k.cuh where the many lie along k, gemv_across_k.cuh where they do not. The large operand
// is read once by 16 bytes, for up to eight lines of the small one, which shared memory holds.
// Needs: sm_80. Any extents, alignment, layouts, batch, alpha, beta; stages and a C unlike D through
// gemm/common/gemm_finish.h. Sums in fp32, parts of k in a fixed order.
// Prediction: the bytes of the large operand at 0.88 of the bandwidth; beyond eight lines it is read again for every
// eight.
#include "gemm/gemv/gemv_launch.cuh"

namespace gpuopt {
namespace {

struct GemvF32 {
  static constexpr char kName[] = "gemm_gemv_f32";
  static constexpr char kSummary[] = "fp32, 1 to 8 rows or columns: dot products or sums of columns by 16-byte loads";
  using Acc = float;
  static constexpr int32_t kTypes[] = {GPUOPT_F32};
  inline static gpuopt_resource resources[] = {GPUOPT_GEMV_ENTRIES_(GPUOPT_GEMV_FOUR_, float)};
};
constexpr gpuopt_signature kSignatures[] = {{{GPUOPT_F32, GPUOPT_F32, GPUOPT_ANY, GPUOPT_ANY}, GPUOPT_ANY}};
constexpr gpuopt_kernel kKernels[] = {gemv_kernel<GemvF32>(kSignatures)};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
