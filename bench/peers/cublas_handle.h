// cuBLAS's handle as a careful user has it, and what its answers mean for a benchmark.
#pragma once
#include <cublas_v2.h>

#include <string>

#include "../core/error.h"
#include "../core/memory.h"

namespace gpuopt_bench {

constexpr size_t kPeerWorkspaceBytes = size_t{64} << 20;

inline void check_blas(cublasStatus_t status, const char *call, const char *file, int line) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  const std::string text = std::string(file) + ":" + std::to_string(line) + ": " + call + ": " +
                           cublasGetStatusName(status) + ": " + cublasGetStatusString(status);
  const bool cannot = status == CUBLAS_STATUS_NOT_SUPPORTED || status == CUBLAS_STATUS_INVALID_VALUE ||
                      status == CUBLAS_STATUS_ARCH_MISMATCH;
  if (cannot) throw Refused(text);
  throw CudaError(text);
}
#define BENCH_BLAS(call) ::gpuopt_bench::check_blas((call), #call, __FILE__, __LINE__)

// Calls go to this stream.
class CublasHandle {
 public:
  explicit CublasHandle(cudaStream_t stream) : workspace_(kPeerWorkspaceBytes) {
    BENCH_BLAS(cublasCreate(&handle_));
    BENCH_BLAS(cublasSetStream(handle_, stream));
    BENCH_BLAS(cublasSetWorkspace(handle_, workspace_.data(), workspace_.bytes()));
  }
  ~CublasHandle() { cublasDestroy(handle_); }
  CublasHandle(const CublasHandle &) = delete;
  CublasHandle &operator=(const CublasHandle &) = delete;
  cublasHandle_t get() const { return handle_; }

 private:
  DeviceMemory workspace_;
  cublasHandle_t handle_ = nullptr;
};

}  // namespace gpuopt_bench
