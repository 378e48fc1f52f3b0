// The cuBLAS handle that kernels calling cuBLAS share: one a device, created on first use and kept. Stream, workspace
// and modes are the handle's state, so it is locked while a call is enqueued.
#pragma once

#include <mutex>

#include "common/cublas/cublas_api.h"
#include "common/cublas/cublas_call.h"

namespace gpuopt {

// GPUOPT_CUDA_ERROR, OUT_OF_MEMORY or NOT_SUPPORTED, with "<who>: <what>: <status>" in launch.error.
gpuopt_status cublas_fail_with(const CublasApi &api, const gpuopt_launch &launch, const char *who, const char *what,
                               cublasStatus_t code);

// Loads the library, and holds the device's handle while it lives; status() says what kept it from that. Loading,
// creating a handle and the first run of one of cuBLAS's kernels break no capture meanwhile; a handle is not created
// within one.
class CublasHandle {
 public:
  CublasHandle(const gpuopt_launch &launch, const char *who);
  gpuopt_status status() const { return status_; }
  const CublasApi &api() const { return *api_; }
  cublasHandle_t get() const { return handle_; }

 private:
  gpuopt_status find(const gpuopt_launch &launch, const char *who);

  const std::lock_guard<std::mutex> lock_;
  const CublasRelaxedCapture relaxed_;
  const CublasApi *api_ = nullptr;
  cublasHandle_t handle_ = nullptr;
  gpuopt_status status_;
};

}  // namespace gpuopt
