// The entry points of cuBLAS that gpuopt calls, as a table that the loader fills.
#pragma once

#include <cublas_v2.h>

namespace gpuopt {

// X(member, symbol)
#define GPUOPT_CUBLAS_API(X)                   \
  X(create, cublasCreate_v2)                   \
  X(status_name, cublasGetStatusName)          \
  X(set_stream, cublasSetStream_v2)            \
  X(set_workspace, cublasSetWorkspace_v2)      \
  X(set_pointer_mode, cublasSetPointerMode_v2) \
  X(set_math_mode, cublasSetMathMode)          \
  X(set_atomics_mode, cublasSetAtomicsMode)    \
  X(sgemm, cublasSgemm_v2_64)                  \
  X(dgemm, cublasDgemm_v2_64)                  \
  X(sgeam, cublasSgeam_64)                     \
  X(dgeam, cublasDgeam_64)                     \
  X(gemm_ex, cublasGemmEx_64)                  \
  X(gemm_batched, cublasGemmStridedBatchedEx_64)

struct CublasApi {
#define GPUOPT_X_(member, symbol) decltype(&symbol) member;
  GPUOPT_CUBLAS_API(GPUOPT_X_)
#undef GPUOPT_X_
};

}  // namespace gpuopt
