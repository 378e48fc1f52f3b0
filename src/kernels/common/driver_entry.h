// Functions of the CUDA driver, which the library does not link.
#pragma once

#include <cuda.h>
#include <cuda_runtime.h>

namespace gpuopt {

// The function as driver 12.0 has it, NULL where there is none. F: a pointer to a function. For a caller that keeps it.
template <class F>
F driver_entry(const char *name, unsigned long long flags = cudaEnableDefault) {
  void *entry = nullptr;
  cudaDriverEntryPointQueryResult found = cudaDriverEntryPointSymbolNotFound;
#if CUDART_VERSION >= 12050
  const cudaError_t code = cudaGetDriverEntryPointByVersion(name, &entry, 12000, flags, &found);
#else
  const cudaError_t code = cudaGetDriverEntryPoint(name, &entry, flags, &found);
#endif
  return code == cudaSuccess && found == cudaDriverEntryPointSuccess ? reinterpret_cast<F>(entry) : nullptr;
}

// cudaFuncSetAttribute, which would do but that it clears an error the application has left pending (CUDA 13.0).
inline cudaError_t set_function_attribute(const void *entry, CUfunction_attribute attribute, int value) {
  static const auto set = driver_entry<decltype(&cuFuncSetAttribute)>("cuFuncSetAttribute");
  if (set == nullptr) return cudaErrorInsufficientDriver;
  cudaFunction_t function;
  const cudaError_t code = cudaGetFuncBySymbol(&function, entry);
  return code != cudaSuccess ? code : static_cast<cudaError_t>(set(function, attribute, value));
}

}  // namespace gpuopt
