// f16 and bf16 products of few rows or columns, on CUDA cores.
//
// Idea and data movement: gemv_kernel.cuh, eight elements a load, products and sums in fp32.
// Needs: sm_80. Any extents, alignment, layouts, batch, alpha, beta; stages and a C unlike D through
// gemm/common/gemm_finish.h.
// Prediction: a start, and the bytes of the large operand at the speed of memory for up to four lines of the small one; beyond that
// it is read again, from L2, for every four, and tensor cores serve better.
#include "gemm/gemv/gemv_launch.cuh"

namespace gpuopt {
namespace {

struct Gemv16Bit {
  static constexpr char kName[] = "gemm_gemv_16bit";
  static constexpr char kSummary[] =
      "16 bits, 1 to 8 rows or columns: dot products or sums of columns by 16-byte loads";
  using Acc = float;
  static constexpr int32_t kTypes[] = {GPUOPT_F16, GPUOPT_BF16};
  inline static gpuopt_resource resources[] = {GPUOPT_GEMV_ENTRIES_(GPUOPT_GEMV_TWO_, __half),
                                               GPUOPT_GEMV_ENTRIES_(GPUOPT_GEMV_TWO_, __nv_bfloat16)};
};
constexpr gpuopt_signature kSignatures[] = {{{GPUOPT_F16, GPUOPT_F16, GPUOPT_ANY, GPUOPT_ANY}, GPUOPT_ANY},
                                            {{GPUOPT_BF16, GPUOPT_BF16, GPUOPT_ANY, GPUOPT_ANY}, GPUOPT_ANY}};
constexpr gpuopt_kernel kKernels[] = {gemv_kernel<Gemv16Bit>(kSignatures)};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
