// fp8 products of few rows or columns, of every mix of types, on CUDA cores.
//
// Idea and data movement: gemv_kernel.cuh, sixteen elements a load, products and sums in fp32, a line of the small operand at a
// time.
// Needs: sm_80 (conversions are instructions from sm_89 on). Any extents, alignment, layouts, batch, alpha, beta; scales,
// stages, and a C unlike D through gemm/common/gemm_finish.h.
// Prediction: conversions and multiply-adds, a byte of the large operand one of each: half of the bandwidth.
#include "gemm/gemv/gemv_launch.cuh"

namespace gpuopt {
namespace {

struct GemvFp8 {
  static constexpr char kName[] = "gemm_gemv_fp8";
  static constexpr char kSummary[] = "fp8, 1 to 8 rows or columns: dot products or sums of columns by 16-byte loads";
  using Acc = float;
  static constexpr int32_t kTypes[] = {GPUOPT_E4M3, GPUOPT_E5M2};
  inline static gpuopt_resource resources[] = {GPUOPT_GEMV_ENTRIES_(GPUOPT_GEMV_ONE_, __nv_fp8_e4m3),
                                               GPUOPT_GEMV_ENTRIES_(GPUOPT_GEMV_ONE_, __nv_fp8_e5m2)};
};
constexpr gpuopt_signature kSignatures[] = {{{GPUOPT_E4M3, GPUOPT_E4M3, GPUOPT_ANY, GPUOPT_ANY}, GPUOPT_ANY},
                                            {{GPUOPT_E4M3, GPUOPT_E5M2, GPUOPT_ANY, GPUOPT_ANY}, GPUOPT_ANY},
                                            {{GPUOPT_E5M2, GPUOPT_E4M3, GPUOPT_ANY, GPUOPT_ANY}, GPUOPT_ANY},
                                            {{GPUOPT_E5M2, GPUOPT_E5M2, GPUOPT_ANY, GPUOPT_ANY}, GPUOPT_ANY}};
constexpr gpuopt_kernel kKernels[] = {gemv_kernel<GemvFp8>(kSignatures)};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
