// cuBLAS geam: C = 1 * A^T + 0 * B, the transpose that every CUDA installation has.
//
// geam computes, so a NaN comes out as another NaN: a second pass restores the bits of such values
// (special_values.h), for which the source is read again. Never chosen automatically.
// Needs: the library, whose absence is NO_LIBRARY; f32 or f64. A batch is one call a matrix.
//
// Read column by column, our m x n source is an n x m matrix with the same leading dimension. Beta 0 means that B is
// not read; geam wants one all the same, and takes C.
// arch class: performance
#include <cstdint>

#include "common/descriptor.h"
#include "gpuopt/kernel.h"

#if !defined(GPUOPT_CUBLAS_OFF)
#include "common/cublas/cublas_handle.h"
#endif
#include "common/cublas/cublas_loader.h"
#include "transpose/library/common/special_values.h"

namespace {

using gpuopt::refuse;

constexpr char kName[] = "transpose_cublas";

int can_run(const gpuopt_problem *problem, gpuopt_reject *reject) {
  constexpr int64_t kMaxBatch = 1024;
  if (problem->device->cublaslt == 0)
    return refuse(reject, GPUOPT_REJECT_NO_LIBRARY, GPUOPT_OPERAND_NONE, 0, 0, "cuBLAS was not found");
  if (problem->batch > kMaxBatch)
    return refuse(reject, GPUOPT_REJECT_SIZE_LIMIT, GPUOPT_OPERAND_NONE, problem->batch, kMaxBatch, "batch");
  return 1;
}

#if defined(GPUOPT_CUBLAS_OFF)

gpuopt_status prepare(const gpuopt_problem *, const gpuopt_launch *launch) {
  gpuopt::cublas_load(launch->error, launch->error_bytes);
  return GPUOPT_NOT_SUPPORTED;
}
gpuopt_status launch(const gpuopt_problem *problem, const gpuopt_launch *launch) { return prepare(problem, launch); }

#else

gpuopt_status prepare(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  {
    const gpuopt::CublasHandle handle(*launch, kName);
    if (handle.status() != GPUOPT_OK) return handle.status();
  }
  return gpuopt::load_special_values(*problem, launch);
}

// T is float or double, geam the call for it.
template <class T, class Geam>
cublasStatus_t transpose(Geam geam, cublasHandle_t handle, const gpuopt_problem &p) {
  const gpuopt_matrix &src = p.operand[GPUOPT_OPERAND_SRC].m, &dst = p.operand[GPUOPT_OPERAND_DST].m;
  const T one = 1, zero = 0;
  for (int64_t matrix = 0; matrix < p.batch; ++matrix) {
    const T *from = static_cast<const T *>(src.data) + matrix * src.batch_stride;
    T *to = static_cast<T *>(dst.data) + matrix * dst.batch_stride;
    const cublasStatus_t code =
        geam(handle, CUBLAS_OP_T, CUBLAS_OP_N, p.m, p.n, &one, from, src.ld, &zero, to, dst.ld, to, dst.ld);
    if (code != CUBLAS_STATUS_SUCCESS) return code;
  }
  return CUBLAS_STATUS_SUCCESS;
}

gpuopt_status launch(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  {
    const gpuopt::CublasHandle handle(*launch, kName);
    if (handle.status() != GPUOPT_OK) return handle.status();
    const gpuopt::CublasApi &api = handle.api();
    cublasStatus_t code = api.set_stream(handle.get(), launch->stream);
    if (code == CUBLAS_STATUS_SUCCESS) {
      const bool f64 = problem->operand[GPUOPT_OPERAND_SRC].m.dtype == GPUOPT_F64;
      code = f64 ? transpose<double>(api.dgeam, handle.get(), *problem)
                 : transpose<float>(api.sgeam, handle.get(), *problem);
    }
    if (code != CUBLAS_STATUS_SUCCESS) return gpuopt::cublas_fail_with(api, *launch, kName, "geam", code);
  }
  return gpuopt::restore_special_values(*problem, launch);
}

#endif

constexpr gpuopt_signature kSignatures[] = {
    {{GPUOPT_F32, GPUOPT_F32, GPUOPT_ANY, GPUOPT_ANY}, GPUOPT_ANY},
    {{GPUOPT_F64, GPUOPT_F64, GPUOPT_ANY, GPUOPT_ANY}, GPUOPT_ANY},
};

constexpr gpuopt_kernel make_kernel() {
  gpuopt_kernel k = gpuopt::kernel_descriptor(GPUOPT_OP_TRANSPOSE, kName, "NVIDIA cuBLAS geam; loaded when first used",
                                              GPUOPT_FEATURE_BATCH | GPUOPT_FEATURE_BROADCAST);
  gpuopt::set_signatures(k, kSignatures);
  k.can_run = can_run;
  k.prepare = prepare;
  k.launch = launch;
  return k;
}

constexpr gpuopt_kernel kKernels[] = {make_kernel()};

}  // namespace

GPUOPT_REGISTER_KERNELS(kKernels);
