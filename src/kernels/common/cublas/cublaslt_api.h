// The entry points of cuBLASLt that gpuopt calls, as a table that the loader fills.
#pragma once

#include <cublasLt.h>

namespace gpuopt {

// X(member, symbol). The _internal ones are what the header's inline cublasLtMatmulDescInit() and its like
// call.
#define GPUOPT_CUBLASLT_API(X)                              \
  X(create, cublasLtCreate)                                 \
  X(status_name, cublasLtGetStatusName)                     \
  X(desc_init, cublasLtMatmulDescInit_internal)             \
  X(desc_set, cublasLtMatmulDescSetAttribute)               \
  X(layout_init, cublasLtMatrixLayoutInit_internal)         \
  X(layout_set, cublasLtMatrixLayoutSetAttribute)           \
  X(preference_init, cublasLtMatmulPreferenceInit_internal) \
  X(preference_set, cublasLtMatmulPreferenceSetAttribute)   \
  X(heuristic, cublasLtMatmulAlgoGetHeuristic)              \
  X(config_get, cublasLtMatmulAlgoConfigGetAttribute)       \
  X(matmul, cublasLtMatmul)

struct CublasLtApi {
#define GPUOPT_X_(member, symbol) decltype(&symbol) member;
  GPUOPT_CUBLASLT_API(GPUOPT_X_)
#undef GPUOPT_X_
};

}  // namespace gpuopt
