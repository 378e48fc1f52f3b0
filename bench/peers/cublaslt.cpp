// A row-major product is the column-major product of the transposes in reverse order: D^T = B^T * A^T. So cuBLASLt's first
// operand is our B, its m is our n.
#include "cublaslt.h"

#include "cublas_handle.h"
#include "gemm/library/common/cublaslt_name.h"
#include "gpuopt/gpuopt.h"

namespace gpuopt_bench {
namespace {

constexpr int kAlgorithms = 16;

void set_attribute(cublasLtMatmulDesc_t d, cublasLtMatmulDescAttributes_t which, int32_t value) {
  BENCH_BLAS(cublasLtMatmulDescSetAttribute(d, which, &value, sizeof value));
}

// A column-major matrix whose transpose, or itself when `transposed`, is rows x cols.
cublasLtMatrixLayout_t layout_of(int32_t type, int64_t rows, int64_t cols, bool transposed) {
  cublasLtMatrixLayout_t layout = nullptr;
  const auto r = static_cast<uint64_t>(transposed ? rows : cols), c = static_cast<uint64_t>(transposed ? cols : rows);
  BENCH_BLAS(cublasLtMatrixLayoutCreate(&layout, data_type(type), r, c, static_cast<int64_t>(r)));
  return layout;
}

}  // namespace

cudaDataType_t data_type(int32_t type) {
  switch (type) {
    case GPUOPT_F32:
      return CUDA_R_32F;
    case GPUOPT_F64:
      return CUDA_R_64F;
    case GPUOPT_F16:
      return CUDA_R_16F;
    case GPUOPT_BF16:
      return CUDA_R_16BF;
    case GPUOPT_E4M3:
      return CUDA_R_8F_E4M3;
    case GPUOPT_E5M2:
      return CUDA_R_8F_E5M2;
    case GPUOPT_I8:
      return CUDA_R_8I;
    case GPUOPT_I32:
      return CUDA_R_32I;
    default:
      throw Refused("cuBLAS has no such data type");
  }
}

CublasLt::CublasLt(const GemmProblem &problem, bool accurate_split) : workspace_(kPeerWorkspaceBytes) {
  BENCH_BLAS(cublasLtCreate(&handle_));
  try {
    describe(problem);
    choose(accurate_split);
  } catch (...) {
    release();
    throw;
  }
}

CublasLt::~CublasLt() { release(); }

void CublasLt::release() {
  for (cublasLtMatrixLayout_t *layout : {&a_, &b_, &d_})
    if (*layout != nullptr) cublasLtMatrixLayoutDestroy(*layout);
  if (operation_ != nullptr) cublasLtMatmulDescDestroy(operation_);
  if (handle_ != nullptr) cublasLtDestroy(handle_);
}

void CublasLt::describe(const GemmProblem &p) {
  cublasComputeType_t compute = CUBLAS_COMPUTE_32F;
  cudaDataType_t scalars = CUDA_R_32F;
  switch (p.compute) {
    case GPUOPT_COMPUTE_TF32:
      compute = CUBLAS_COMPUTE_32F_FAST_TF32;
      break;
    case GPUOPT_COMPUTE_F64:
      compute = CUBLAS_COMPUTE_64F;
      scalars = CUDA_R_64F;
      f64_scalars_ = true;
      break;
    case GPUOPT_COMPUTE_F16:
      compute = CUBLAS_COMPUTE_16F;
      scalars = CUDA_R_16F;
      f16_scalars_ = true;
      break;
    case GPUOPT_COMPUTE_I32:
      compute = CUBLAS_COMPUTE_32I;
      scalars = CUDA_R_32I;
      i32_scalars_ = true;
      break;
    default:
      break;
  }
  BENCH_BLAS(cublasLtMatmulDescCreate(&operation_, compute, scalars));
  set_attribute(operation_, CUBLASLT_MATMUL_DESC_TRANSA, p.b_transposed ? CUBLAS_OP_T : CUBLAS_OP_N);
  set_attribute(operation_, CUBLASLT_MATMUL_DESC_TRANSB, p.a_transposed ? CUBLAS_OP_T : CUBLAS_OP_N);
  if (p.compute == GPUOPT_COMPUTE_F8_FAST) {
    const int8_t fast = 1;
    BENCH_BLAS(cublasLtMatmulDescSetAttribute(operation_, CUBLASLT_MATMUL_DESC_FAST_ACCUM, &fast, sizeof fast));
  }
  adds_matrix_ = p.end == GemmEnd::residual;
  adds_vector_ = p.end != GemmEnd::none && !adds_matrix_;
  if (p.end == GemmEnd::bias_gelu || p.end == GemmEnd::bias_silu) throw Refused("cuBLASLt has no such function");
  if (adds_vector_) {
    set_attribute(operation_, CUBLASLT_MATMUL_DESC_EPILOGUE,
                  p.end == GemmEnd::bias ? CUBLASLT_EPILOGUE_BIAS : CUBLASLT_EPILOGUE_GELU_BIAS);
    set_attribute(operation_, CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE, data_type(p.d_type));
  }
  a_ = layout_of(p.type, p.m, p.k, p.a_transposed);
  b_ = layout_of(p.b_type, p.k, p.n, p.b_transposed);
  d_ = layout_of(p.d_type, p.m, p.n, false);
}

void CublasLt::choose(bool accurate_split) {
  cublasLtMatmulPreference_t preference = nullptr;
  BENCH_BLAS(cublasLtMatmulPreferenceCreate(&preference));
  const uint32_t schemes = CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE;
  cublasStatus_t status = cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
                                                               &kPeerWorkspaceBytes, sizeof kPeerWorkspaceBytes);
  if (status == CUBLAS_STATUS_SUCCESS && accurate_split)
    status = cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, &schemes,
                                                  sizeof schemes);
  int found = 0;
  algorithms_.resize(kAlgorithms);
  if (status == CUBLAS_STATUS_SUCCESS)
    status = cublasLtMatmulAlgoGetHeuristic(handle_, operation_, b_, a_, d_, d_, preference, kAlgorithms,
                                            algorithms_.data(), &found);
  cublasLtMatmulPreferenceDestroy(preference);
  BENCH_BLAS(status);
  algorithms_.resize(static_cast<size_t>(found));
  std::vector<cublasLtMatmulHeuristicResult_t> usable;
  for (const auto &a : algorithms_)
    if (a.state == CUBLAS_STATUS_SUCCESS) usable.push_back(a);
  algorithms_ = usable;
  if (algorithms_.empty()) throw Refused("cuBLASLt's heuristic knows no algorithm");
}

std::string CublasLt::name(size_t algorithm) const {
  char text[gpuopt::kCublasLtNameBytes];
  gpuopt::write_name(gpuopt::configuration_of(cublasLtMatmulAlgoConfigGetAttribute, algorithms_[algorithm].algo), text);
  return text;
}

void CublasLt::run(size_t algorithm, const void *a, const void *b, void *d, cudaStream_t stream,
                   const void *more) const {
  static const float one = 1, zero = 0;
  static const double one64 = 1, zero64 = 0;
  static const int32_t one32 = 1, zero32 = 0;
  static const uint16_t one16 = 0x3C00, zero16 = 0;  // in fp16
  const void *alpha = f64_scalars_   ? static_cast<const void *>(&one64)
                      : i32_scalars_ ? static_cast<const void *>(&one32)
                      : f16_scalars_ ? static_cast<const void *>(&one16)
                                     : &one;
  const void *beta = f64_scalars_   ? static_cast<const void *>(&zero64)
                     : i32_scalars_ ? static_cast<const void *>(&zero32)
                     : f16_scalars_ ? static_cast<const void *>(&zero16)
                     : adds_matrix_ ? &one
                                    : &zero;
  if (adds_vector_)
    BENCH_BLAS(cublasLtMatmulDescSetAttribute(operation_, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &more, sizeof more));
  BENCH_BLAS(cublasLtMatmul(handle_, operation_, alpha, b, b_, a, a_, beta, adds_matrix_ ? more : d, d_, d, d_,
                            &algorithms_[algorithm].algo, workspace_.data(), kPeerWorkspaceBytes, stream));
}

Contender cublaslt_contender(const char *name, std::shared_ptr<const CublasLt> lt, size_t algorithm,
                             const OperandSets &sets) {
  return {name,
          [lt, algorithm, &sets](cudaStream_t stream, int set) {
            lt->run(algorithm, sets.at(0, set), sets.at(1, set), sets.at(2, set), stream,
                    sets.operands() > 3 ? sets.at(3, set) : nullptr);
          },
          nullptr};
}

}  // namespace gpuopt_bench
