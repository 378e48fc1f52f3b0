// Single copies from global to shared memory, and values that are to stay in registers.
#pragma once

#include <cuda_pipeline_primitives.h>

#include <cstdint>

namespace gpuopt {

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
#define GPUOPT_WARPTILE_STAGED 1
#else
#define GPUOPT_WARPTILE_STAGED 0
#endif

// The compiler would rather compute it again in the loop.
__device__ __forceinline__ uint32_t keep_in_register(uint32_t x) {
  asm volatile("" : "+r"(x));
  return x;
}
__device__ __forceinline__ const char *keep_in_register(const char *x) {
  asm volatile("" : "+l"(x));
  return x;
}

// Zeros where !valid, without reading.
template <int kBytes>
__device__ __forceinline__ void copy_async(uint32_t shared, const char *from, bool valid) {
#if !GPUOPT_WARPTILE_STAGED
  if constexpr (kBytes == 16) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared), "l"(from), "r"(valid ? 16 : 0));
  } else {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(shared), "l"(from), "r"(valid ? 4 : 0));
  }
#endif
}

}  // namespace gpuopt
