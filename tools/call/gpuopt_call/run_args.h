// A call of the operation that its args name.
#pragma once
#include "gpuopt/gpuopt.h"

namespace gpuopt_call {

inline gpuopt_status run_args(gpuopt_handle *handle, const void *args) {
  switch (static_cast<const gpuopt_args *>(args)->op) {
    case GPUOPT_OP_GEMM:
      return gpuopt_gemm(handle, static_cast<const gpuopt_gemm_args *>(args));
    case GPUOPT_OP_TRANSPOSE:
      return gpuopt_transpose(handle, static_cast<const gpuopt_transpose_args *>(args));
    case GPUOPT_OP_REDUCE:
      return gpuopt_reduce(handle, static_cast<const gpuopt_reduce_args *>(args));
    case GPUOPT_OP_NORM:
      return gpuopt_norm(handle, static_cast<const gpuopt_norm_args *>(args));
    case GPUOPT_OP_GEMM_GROUPED:
      return gpuopt_gemm_grouped(handle, static_cast<const gpuopt_gemm_grouped_args *>(args));
    default:
      return gpuopt_fused_act(handle, static_cast<const gpuopt_fused_act_args *>(args));
  }
}

}  // namespace gpuopt_call
