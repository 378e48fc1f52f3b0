// For kernels that may be launched while what precedes them still runs (dependent_launch.cuh).
#pragma once
namespace gpuopt {

// Every thread calls this before its first access to global memory.
__device__ __forceinline__ void wait_for_predecessors() {
#if __CUDA_ARCH__ >= 900
  cudaGridDependencySynchronize();
#endif
}
__device__ __forceinline__ void allow_successor() {  // from here on the next kernel may come up; it waits, too
#if __CUDA_ARCH__ >= 900
  cudaTriggerProgrammaticLaunchCompletion();
#endif
}
__device__ __forceinline__ void wait_for_stream() {  // for kernels that have nothing to do before they wait
  allow_successor();
  wait_for_predecessors();
}
}  // namespace gpuopt
