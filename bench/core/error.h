// How a benchmark stops. CudaError: the device or a library failed, nothing measured after it can be trusted.
// Refused: one contender cannot do this problem; the others go on.
#pragma once
#include <cuda_runtime_api.h>

#include <stdexcept>
#include <string>

namespace gpuopt_bench {

struct CudaError : std::runtime_error {
  using std::runtime_error::runtime_error;
};
struct Refused : std::runtime_error {
  using std::runtime_error::runtime_error;
};

inline void check_cuda(cudaError_t code, const char *call, const char *file, int line) {
  if (code == cudaSuccess) return;
  throw CudaError(std::string(file) + ":" + std::to_string(line) + ": " + call + ": " + cudaGetErrorName(code) + ": " +
                  cudaGetErrorString(code));
}

}  // namespace gpuopt_bench

#define BENCH_CUDA(call) ::gpuopt_bench::check_cuda((call), #call, __FILE__, __LINE__)
