// A row-major product is the column-major product of the transposes in reverse order: D^T = B^T * A^T. So cuBLAS's first
// operand is our B, its m is our n.
#include "cublas.h"

#include <climits>
#include <memory>

#include "cublas_handle.h"
#include "gpuopt/gpuopt.h"

namespace gpuopt_bench {
namespace {

// 1 and 0 in the type that a compute type takes its scalars in.
union Scalar {
  float f32;
  double f64;
  int32_t i32;
  uint16_t f16;
};

struct Rule {
  cublasComputeType_t compute;
  Scalar one, zero;
};

Rule rule_of(int32_t compute) {
  Rule r = {CUBLAS_COMPUTE_32F, {}, {}};
  r.one.f32 = 1, r.zero.f32 = 0;
  switch (compute) {
    case GPUOPT_COMPUTE_TF32:
      r.compute = CUBLAS_COMPUTE_32F_FAST_TF32;
      break;
    case GPUOPT_COMPUTE_F64:
      r.compute = CUBLAS_COMPUTE_64F;
      r.one.f64 = 1, r.zero.f64 = 0;
      break;
    case GPUOPT_COMPUTE_I32:
      r.compute = CUBLAS_COMPUTE_32I;
      r.one.i32 = 1, r.zero.i32 = 0;
      break;
    case GPUOPT_COMPUTE_F16:
      r.compute = CUBLAS_COMPUTE_16F;
      r.one.f16 = 0x3C00, r.zero.f16 = 0;
      break;
    default:
      break;
  }
  return r;
}

}  // namespace

Contender cublas_contender(const GemmProblem &p, const OperandSets &sets, cudaStream_t stream) {
  if (gpuopt_dtype_size(p.type) == 1 && p.type != GPUOPT_I8) throw Refused("cuBLAS has no fp8 product");
  if (p.m > INT_MAX || p.n > INT_MAX || p.k > INT_MAX) throw Refused("extents beyond cuBLAS's int");
  const auto handle = std::make_shared<CublasHandle>(stream);
  const int m = static_cast<int>(p.n), n = static_cast<int>(p.m), k = static_cast<int>(p.k);
  const cublasOperation_t op_a = p.b_transposed ? CUBLAS_OP_T : CUBLAS_OP_N,
                          op_b = p.a_transposed ? CUBLAS_OP_T : CUBLAS_OP_N;
  const int lda = p.b_transposed ? k : m, ldb = p.a_transposed ? n : k;
  const Rule rule = rule_of(p.compute);
  if (p.type == GPUOPT_F32 && p.compute == GPUOPT_COMPUTE_F32) {
    const auto call = [=, &sets](cudaStream_t, int set) {
      BENCH_BLAS(cublasSgemm(
          handle->get(), op_a, op_b, m, n, k, &rule.one.f32, static_cast<const float *>(sets.at(1, set)), lda,
          static_cast<const float *>(sets.at(0, set)), ldb, &rule.zero.f32, static_cast<float *>(sets.at(2, set)), m));
    };
    return {"cublasSgemm", call, nullptr};
  }
  if (p.type == GPUOPT_F64) {
    const auto call = [=, &sets](cudaStream_t, int set) {
      BENCH_BLAS(cublasDgemm(handle->get(), op_a, op_b, m, n, k, &rule.one.f64,
                             static_cast<const double *>(sets.at(1, set)), lda,
                             static_cast<const double *>(sets.at(0, set)), ldb, &rule.zero.f64,
                             static_cast<double *>(sets.at(2, set)), m));
    };
    return {"cublasDgemm", call, nullptr};
  }
  const cudaDataType_t type = data_type(p.type), d_type = data_type(p.d_type);
  const auto call = [=, &sets](cudaStream_t, int set) {
    BENCH_BLAS(cublasGemmEx(handle->get(), op_a, op_b, m, n, k, &rule.one, sets.at(1, set), type, lda, sets.at(0, set),
                            type, ldb, &rule.zero, sets.at(2, set), d_type, m, rule.compute, CUBLAS_GEMM_DEFAULT));
  };
  return {"cublasGemmEx", call, nullptr};
}

}  // namespace gpuopt_bench
