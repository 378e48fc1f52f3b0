// cuBLAS geam: C = 1 * A^T + 0 * B, the transpose that every CUDA installation has.
//
// geam computes, so a NaN comes out as another NaN: a second pass restores the bits of such values (special_values.h), for
// which the source is read again; together 351 us at 8192 x 8192 f32. Never chosen automatically: geam alone takes 143 us at 8192 x 8192 f32 where
// transpose_vec8_64 takes 131.5, and 435 us for 4194304 x 3 where transpose_skinny takes 27 (H200, 2026-11-21, single
// call, cold).
// Needs: the library, whose absence is NO_LIBRARY; f32 or f64. A batch is one call a matrix.
//
// Read column by column, our m x n source is an n x m matrix with the same leading dimension. Beta 0 means that B is not
// read; geam wants one all the same, and takes C. The handle is one a device, created by prepare and kept, under a lock
// while a call is enqueued because the stream is the handle's state.
#include <cstdint>

#include "gpuopt/kernel.h"

#if !defined(GPUOPT_CUBLAS_OFF)
#include <mutex>

#include "common/cublas_api.h"
#include "common/cublas_call.h"
#endif
#include "common/cublas_loader.h"
#include "special_values.h"

namespace {

constexpr char kName[] = "transpose_cublas";

int can_run(const gpuopt_problem *problem, gpuopt_reject *reject) {
  constexpr int64_t kMaxBatch = 1024;
  if (problem->device->cublaslt == 0) {
    *reject = {GPUOPT_REJECT_NO_LIBRARY, GPUOPT_OPERAND_NONE, 0, 0, "cuBLAS was not found"};
    return 0;
  }
  if (problem->batch > kMaxBatch) {
    *reject = {GPUOPT_REJECT_SIZE_LIMIT, GPUOPT_OPERAND_NONE, problem->batch, kMaxBatch, "batch"};
    return 0;
  }
  return 1;
}

#if defined(GPUOPT_CUBLAS_OFF)

gpuopt_status prepare(const gpuopt_problem *, const gpuopt_launch *launch) {
  gpuopt::cublas_load(launch->error, launch->error_bytes);
  return GPUOPT_NOT_SUPPORTED;
}
gpuopt_status launch(const gpuopt_problem *problem, const gpuopt_launch *launch) { return prepare(problem, launch); }

#else

using gpuopt::cublas_fail;
using gpuopt::CublasApi;

constexpr int kMaxDevices = 64;
std::mutex g_mutex;  // for the handles, and while one is in use
cublasHandle_t g_handles[kMaxDevices];

gpuopt_status fail_with(const CublasApi &api, const gpuopt_launch &launch, const char *what, cublasStatus_t code) {
  const gpuopt_status status = code == CUBLAS_STATUS_ALLOC_FAILED ? GPUOPT_OUT_OF_MEMORY : GPUOPT_CUDA_ERROR;
  return cublas_fail(launch, status, "%s: %s: %s", kName, what, api.status_name(code));
}

// Under g_mutex. The device's handle, created on first use and kept.
gpuopt_status get_handle(const CublasApi &api, const gpuopt_problem &problem, const gpuopt_launch &launch,
                         cublasHandle_t *handle) {
  const int ordinal = launch.device->ordinal;
  if (ordinal < 0 || ordinal >= kMaxDevices) {
    return cublas_fail(launch, GPUOPT_NOT_SUPPORTED, "%s: device %d is not one of the first %d", kName, ordinal,
                       kMaxDevices);
  }
  *handle = g_handles[ordinal];
  if (*handle != nullptr) return GPUOPT_OK;
  if (problem.capturing) {
    return cublas_fail(launch, GPUOPT_NOT_CAPTURABLE,
                       "%s: the stream is being captured and cuBLAS has no handle yet; call gpuopt_prepare() before "
                       "the capture",
                       kName);
  }
  const gpuopt::CublasDevice device(ordinal);
  cublasStatus_t code = api.create(handle);
  if (code == CUBLAS_STATUS_SUCCESS) code = api.set_pointer_mode(*handle, CUBLAS_POINTER_MODE_HOST);
  if (code != CUBLAS_STATUS_SUCCESS) return fail_with(api, launch, "cublasCreate", code);
  g_handles[ordinal] = *handle;
  return GPUOPT_OK;
}

gpuopt_status prepare(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  char reason[1024];
  const gpuopt::CublasRelaxedCapture relaxed;
  const CublasApi *api = gpuopt::cublas_load(reason, sizeof(reason));
  if (api == nullptr) return cublas_fail(*launch, GPUOPT_NOT_SUPPORTED, "%s: %s", kName, reason);
  {
    const std::lock_guard<std::mutex> lock(g_mutex);
    cublasHandle_t handle;
    const gpuopt_status status = get_handle(*api, *problem, *launch, &handle);
    if (status != GPUOPT_OK) return status;
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
  char reason[1024];
  const CublasApi *api = gpuopt::cublas_load(reason, sizeof(reason));
  if (api == nullptr) return cublas_fail(*launch, GPUOPT_NOT_SUPPORTED, "%s: %s", kName, reason);
  {
    const std::lock_guard<std::mutex> lock(g_mutex);
    const gpuopt::CublasRelaxedCapture relaxed;  // the first run of a kernel loads its module
    cublasHandle_t handle;
    const gpuopt_status status = get_handle(*api, *problem, *launch, &handle);
    if (status != GPUOPT_OK) return status;
    cublasStatus_t code = api->set_stream(handle, launch->stream);
    if (code == CUBLAS_STATUS_SUCCESS) {
      const bool f64 = problem->operand[GPUOPT_OPERAND_SRC].m.dtype == GPUOPT_F64;
      code = f64 ? transpose<double>(api->dgeam, handle, *problem) : transpose<float>(api->sgeam, handle, *problem);
    }
    if (code != CUBLAS_STATUS_SUCCESS) return fail_with(*api, *launch, "geam", code);
  }
  return gpuopt::restore_special_values(*problem, launch);
}

#endif

constexpr gpuopt_signature kSignatures[] = {
    {{GPUOPT_F32, GPUOPT_F32, GPUOPT_ANY, GPUOPT_ANY}, GPUOPT_ANY},
    {{GPUOPT_F64, GPUOPT_F64, GPUOPT_ANY, GPUOPT_ANY}, GPUOPT_ANY},
};

constexpr gpuopt_kernel make_kernel() {
  gpuopt_kernel k = {};
  k.struct_size = sizeof k;
  k.name = kName;
  k.summary = "NVIDIA cuBLAS geam; loaded when first used";
  k.op = GPUOPT_OP_TRANSPOSE;
  k.version = 1;
  k.understands = GPUOPT_FEATURE_BATCH | GPUOPT_FEATURE_BROADCAST;
  k.cc_min = 75;
  k.signatures = kSignatures;
  k.signature_count = sizeof kSignatures / sizeof kSignatures[0];
  k.can_run = can_run;
  k.prepare = prepare;
  k.launch = launch;
  return k;
}

constexpr gpuopt_kernel kKernels[] = {make_kernel()};

}  // namespace

GPUOPT_REGISTER_KERNELS(kKernels);
