// Names of enum values, expanded from gpuopt/tables.h, and what the library says of itself.
#include "build_info.h"
#include "gpuopt/dist.h"
#include "gpuopt/gpuopt.h"

extern "C" {

const char *gpuopt_status_name(gpuopt_status status) {
  switch (status) {
#define X(name, value, text) \
  case value:                \
    return #name;
    GPUOPT_STATUS_TABLE(X)
    GPUOPT_DIST_STATUS_TABLE(X)
#undef X
  }
  return "?";
}

const char *gpuopt_dtype_name(gpuopt_dtype dtype) {
  switch (dtype) {
#define X(name, value, bytes, text, cls, what) \
  case value:                                  \
    return text;
    GPUOPT_DTYPE_TABLE(X)
#undef X
  }
  return "?";
}

int64_t gpuopt_dtype_size(gpuopt_dtype dtype) {
  switch (dtype) {
#define X(name, value, bytes, text, cls, what) \
  case value:                                  \
    return bytes;
    GPUOPT_DTYPE_TABLE(X)
#undef X
  }
  return 0;
}

const char *gpuopt_compute_name(int32_t compute) {
  switch (compute) {
#define X(name, value, text, what) \
  case value:                      \
    return text;
    GPUOPT_COMPUTE_TABLE(X)
#undef X
  }
  return "?";
}

const char *gpuopt_op_name(int32_t op) {
  switch (op) {
    case GPUOPT_OP_GEMM:
      return "gemm";
    case GPUOPT_OP_TRANSPOSE:
      return "transpose";
    case GPUOPT_OP_REDUCE:
      return "reduce";
    case GPUOPT_OP_FUSED_ACT:
      return "fused_act";
    case GPUOPT_OP_NORM:
      return "norm";
    case GPUOPT_OP_GEMM_GROUPED:
      return "gemm_grouped";
  }
  return "?";
}

const char *gpuopt_stage_name(int32_t kind) {
  switch (kind) {
#define X(name, value, operands, scalars, what) \
  case value:                                   \
    return #name;
    GPUOPT_STAGE_TABLE(X)
#undef X
  }
  return "?";
}

const char *gpuopt_reduce_name(int32_t reduce) {
  switch (reduce) {
#define X(name, value, what, empty) \
  case value:                       \
    return #name;
    GPUOPT_REDUCE_TABLE(X)
#undef X
  }
  return "?";
}

const char *gpuopt_norm_name(int32_t norm) {
  switch (norm) {
#define X(name, value, what) \
  case value:                \
    return #name;
    GPUOPT_NORM_TABLE(X)
#undef X
  }
  return "?";
}

const char *gpuopt_reject_name(int32_t reject) {
  switch (reject) {
#define X(name, value, what) \
  case value:                \
    return #name;
    GPUOPT_REJECT_TABLE(X)
#undef X
  }
  return "?";
}

int32_t gpuopt_version(void) { return GPUOPT_VERSION_NUMBER; }
const char *gpuopt_build_info(void) { return GPUOPT_BUILD_INFO; }

}  // extern "C"
