// Gemm against cuBLAS and cuBLASLt, of the arithmetic units' limit.
#include "gemm_peers.h"
#include "plans.h"

namespace gpuopt_bench {
namespace {

constexpr gpuopt_dtype kF32 = GPUOPT_F32, kF64 = GPUOPT_F64, kF16 = GPUOPT_F16, kBf16 = GPUOPT_BF16,
                       kE4m3 = GPUOPT_E4M3, kI8 = GPUOPT_I8;
constexpr int32_t kAsF32 = GPUOPT_COMPUTE_F32;
constexpr GemmShape kShapes[] = {
    // squares
    {128, 128, 128, kBf16, kBf16, kAsF32, "nn", false},
    {256, 256, 256, kBf16, kBf16, kAsF32, "nn", false},
    {512, 512, 512, kBf16, kBf16, kAsF32, "nn", true},
    {1024, 1024, 1024, kBf16, kBf16, kAsF32, "nn", true},
    {1024, 1024, 1024, kBf16, kBf16, kAsF32, "nt", false},
    {2048, 2048, 2048, kBf16, kBf16, kAsF32, "nn", false},
    {4096, 4096, 4096, kBf16, kBf16, kAsF32, "nn", true},
    {4096, 4096, 4096, kBf16, kBf16, kAsF32, "nt", false},
    {4096, 4096, 4096, kBf16, kBf16, kAsF32, "tn", false},
    {4096, 4096, 4096, kBf16, kBf16, kAsF32, "tt", false},
    {8192, 8192, 8192, kBf16, kBf16, kAsF32, "nn", false},
    {4096, 4096, 4096, kF16, kF16, kAsF32, "nn", false},
    {4096, 4096, 4096, kBf16, kF32, kAsF32, "nn", false},
    // few rows, as in decoding
    {1, 4096, 4096, kBf16, kBf16, kAsF32, "nt", false},
    {16, 4096, 4096, kBf16, kBf16, kAsF32, "nt", true},
    {64, 4096, 4096, kBf16, kBf16, kAsF32, "nt", false},
    {128, 8192, 28672, kBf16, kBf16, kAsF32, "nt", false},
    {2048, 4096, 14336, kBf16, kBf16, kAsF32, "nt", false},
    // small k, long k
    {4096, 4096, 64, kBf16, kBf16, kAsF32, "nn", false},
    {16384, 16384, 64, kBf16, kBf16, kAsF32, "nn", false},
    {256, 256, 16384, kBf16, kBf16, kAsF32, "nn", false},
    // what no 16-byte copy can read
    {1001, 1001, 1001, kBf16, kBf16, kAsF32, "nn", true},
    {2048, 2048, 2050, kBf16, kBf16, kAsF32, "nn", false},
    {4097, 4099, 4101, kBf16, kBf16, kAsF32, "nn", false},
    {9477, 1152, 588, kBf16, kBf16, kAsF32, "nn", false},
    // fp32, tf32, fp64
    {512, 512, 512, kF32, kF32, kAsF32, "nn", false},
    {1024, 1024, 1024, kF32, kF32, kAsF32, "nn", true},
    {4096, 4096, 4096, kF32, kF32, kAsF32, "nn", false},
    {4097, 4099, 4101, kF32, kF32, kAsF32, "nn", false},
    {1024, 1024, 1024, kF32, kF32, GPUOPT_COMPUTE_TF32, "nn", false},
    {4096, 4096, 4096, kF32, kF32, GPUOPT_COMPUTE_TF32, "nn", true},
    {4096, 4096, 4096, kF32, kF32, GPUOPT_COMPUTE_F32_TENSOR, "nn", false},
    {1024, 1024, 1024, kF64, kF64, GPUOPT_COMPUTE_F64, "nn", false},
    {4096, 4096, 4096, kF64, kF64, GPUOPT_COMPUTE_F64, "nn", false},
    // fp8 and int8
    {1024, 1024, 1024, kE4m3, kBf16, GPUOPT_COMPUTE_F8_FAST, "nt", false},
    {4096, 4096, 4096, kE4m3, kBf16, GPUOPT_COMPUTE_F8_FAST, "nt", true},
    {4096, 4096, 4096, kE4m3, kBf16, kAsF32, "nt", false},
    {8192, 8192, 8192, kE4m3, kBf16, GPUOPT_COMPUTE_F8_FAST, "nt", false},
    {4096, 4096, 4096, kI8, GPUOPT_I32, GPUOPT_COMPUTE_I32, "nt", false},
};

}  // namespace

Plan plan_gemm(const std::string &suite, const GemmShape &shape) {
  Plan p;
  p.names = gemm_case(suite, shape);
  p.quick = shape.quick;
  p.build = [shape](Context &context, Case *c) {
    c->add_library(context, gemm_operands(context, shape, c));
    if (context.options.peers) add_gemm_peers(context, shape, c);
  };
  return p;
}
Plan plan_gemm(const std::string &suite, const std::string &shape) { return plan_gemm(suite, read_gemm_shape(shape)); }

void check_gemm_shape(const std::string &text) { read_gemm_shape(text); }

void run_gemm(Context &context) { run_shapes(context, "gemm", read_gemm_shape, kShapes, plan_gemm); }

}  // namespace gpuopt_bench
