#if !defined(GPUOPT_CUBLAS_OFF)
#include "common/cublas/cublas_handle.h"

#include "common/cublas/cublas_loader.h"

namespace gpuopt {
namespace {

constexpr int kMaxDevices = 64;
std::mutex g_mutex;  // for the handles, and while one is in use
cublasHandle_t g_handles[kMaxDevices];

}  // namespace

gpuopt_status cublas_fail_with(const CublasApi &api, const gpuopt_launch &launch, const char *who, const char *what,
                               cublasStatus_t code) {
  gpuopt_status status = GPUOPT_CUDA_ERROR;
  if (code == CUBLAS_STATUS_ALLOC_FAILED) status = GPUOPT_OUT_OF_MEMORY;
  if (code == CUBLAS_STATUS_NOT_SUPPORTED || code == CUBLAS_STATUS_ARCH_MISMATCH) status = GPUOPT_NOT_SUPPORTED;
  return cublas_fail(launch, status, "%s: %s: %s", who, what, api.status_name(code));
}

CublasHandle::CublasHandle(const gpuopt_launch &launch, const char *who) : lock_(g_mutex), status_(find(launch, who)) {}

gpuopt_status CublasHandle::find(const gpuopt_launch &launch, const char *who) {
  char reason[1024];
  api_ = cublas_load(reason, sizeof(reason));
  if (api_ == nullptr) return cublas_fail(launch, GPUOPT_NOT_SUPPORTED, "%s: %s", who, reason);
  const int ordinal = launch.device->ordinal;
  if (ordinal < 0 || ordinal >= kMaxDevices) {
    return cublas_fail(launch, GPUOPT_NOT_SUPPORTED, "%s: device %d is not one of the first %d", who, ordinal,
                       kMaxDevices);
  }
  handle_ = g_handles[ordinal];
  if (handle_ != nullptr) return GPUOPT_OK;
  const CublasRelaxedCapture relaxed;  // a first call may be inside a capture
  const CublasDevice device(ordinal);
  cublasStatus_t code = api_->create(&handle_);
  if (code != CUBLAS_STATUS_SUCCESS) return cublas_fail_with(*api_, launch, who, "cublasCreate", code);
  code = api_->set_pointer_mode(handle_, CUBLAS_POINTER_MODE_HOST);
  if (code == CUBLAS_STATUS_SUCCESS) code = api_->set_atomics_mode(handle_, CUBLAS_ATOMICS_NOT_ALLOWED);
  if (code != CUBLAS_STATUS_SUCCESS) return cublas_fail_with(*api_, launch, who, "setting the handle's modes", code);
  g_handles[ordinal] = handle_;
  return GPUOPT_OK;
}

}  // namespace gpuopt
#endif
