// fp64 products of few rows or columns, on CUDA cores.
//
// Idea and data movement: gemv_kernel.cuh, two elements a load, sums in fp64.
// Needs: sm_80. Any extents, alignment, layouts, batch, alpha, beta; stages and a C unlike D through
// gemm/common/gemm_finish.h.
// Prediction: a start, and the bytes of the large operand at the speed of memory for up to four lines of the small one.
#include "gemm/gemv/gemv_launch.cuh"

namespace gpuopt {
namespace {

struct GemvF64 {
  static constexpr char kName[] = "gemm_gemv_f64";
  static constexpr char kSummary[] = "fp64, 1 to 8 rows or columns: dot products or sums of columns by 16-byte loads";
  using Acc = double;
  static constexpr int32_t kTypes[] = {GPUOPT_F64};
  inline static gpuopt_resource resources[] = {GPUOPT_GEMV_ENTRIES_(GPUOPT_GEMV_TWO_, double)};
};
constexpr gpuopt_signature kSignatures[] = {{{GPUOPT_F64, GPUOPT_F64, GPUOPT_ANY, GPUOPT_ANY}, GPUOPT_ANY}};
constexpr gpuopt_kernel kKernels[] = {gemv_kernel<GemvF64>(kSignatures)};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
