// Exact products of few rows or columns of 8-bit integers, on CUDA cores.
//
// Idea and data movement: gemv_kernel.cuh, sixteen elements a load, sums in int32, a line of the small operand at a time; alpha and
// beta in fp64.
// Needs: sm_80. Any extents, alignment, layouts, batch, alpha, beta; stages and a C unlike D through
// gemm/common/gemm_finish.h.
// Prediction: an unpacking and a multiply-add for a byte of the large operand: half of the bandwidth.
#include "gemm/gemv/gemv_launch.cuh"

namespace gpuopt {
namespace {

struct GemvI8 {
  static constexpr char kName[] = "gemm_gemv_i8";
  static constexpr char kSummary[] = "i8, 1 to 8 rows or columns: dot products or sums of columns by 16-byte loads";
  using Acc = int32_t;
  static constexpr int32_t kTypes[] = {GPUOPT_I8};
  inline static gpuopt_resource resources[] = {GPUOPT_GEMV_ENTRIES_(GPUOPT_GEMV_ONE_, int8_t)};
};
constexpr gpuopt_signature kSignatures[] = {{{GPUOPT_I8, GPUOPT_I8, GPUOPT_ANY, GPUOPT_ANY}, GPUOPT_ANY}};
constexpr gpuopt_kernel kKernels[] = {gemv_kernel<GemvI8>(kSignatures)};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
