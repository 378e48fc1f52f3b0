// What the kernels that call cuBLASLt and cuBLAS share: data types, messages, and what surrounds a call.
#pragma once

#include <cuda_runtime_api.h>
#include <library_types.h>

#include "gpuopt/kernel.h"

namespace gpuopt {

inline cudaDataType_t cublas_data_type(int32_t dtype) {
  switch (dtype) {
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
    default:
      return CUDA_R_32F;
  }
}

// status, with the message in launch.error.
__attribute__((format(printf, 3, 4))) gpuopt_status cublas_fail(const gpuopt_launch &launch, gpuopt_status status,
                                                                const char *format, ...);

// While it lives, this thread's allocations and module loads break no capture, its own or another thread's.
class CublasRelaxedCapture {
 public:
  CublasRelaxedCapture() { cudaThreadExchangeStreamCaptureMode(&mode_); }
  ~CublasRelaxedCapture() { cudaThreadExchangeStreamCaptureMode(&mode_); }
  CublasRelaxedCapture(const CublasRelaxedCapture &) = delete;
  CublasRelaxedCapture &operator=(const CublasRelaxedCapture &) = delete;

 private:
  cudaStreamCaptureMode mode_ = cudaStreamCaptureModeRelaxed;
};

// While it lives, this device is the thread's current one: library handles belong to the device they are created on.
class CublasDevice {
 public:
  explicit CublasDevice(int device) {
    if (cudaGetDevice(&before_) == cudaSuccess && before_ != device) changed_ = cudaSetDevice(device) == cudaSuccess;
  }
  ~CublasDevice() {
    if (changed_) cudaSetDevice(before_);
  }
  CublasDevice(const CublasDevice &) = delete;
  CublasDevice &operator=(const CublasDevice &) = delete;

 private:
  int before_ = 0;
  bool changed_ = false;
};

}  // namespace gpuopt
