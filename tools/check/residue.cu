// One block a multiprocessor, for it takes all of its shared memory; 1024 threads with 64 registers each are all that it has.
#include "residue.h"

#include <cuda_runtime.h>

namespace gpuopt_check {
namespace {

constexpr int kThreads = 1024, kRegisters = 54;  // what is left holds addresses
constexpr uint32_t kNan = 0x7fff7fff;
constexpr int kCounted = 48 * 1024;  // bytes

__global__ void __launch_bounds__(kThreads, 1) leave_nan_kernel(int words) {
  extern __shared__ volatile uint32_t shared[];
  const int thread = static_cast<int>(threadIdx.x);
  for (int i = thread; i < words; i += kThreads) shared[i] = kNan;
  __syncthreads();
  // Read, rather than made, so that ptxas knows of no two that they are the same; and all held until all have been read.
  uint32_t held[kRegisters];
#pragma unroll
  for (int i = 0; i < kRegisters; ++i) held[i] = shared[thread + i * 32];
  __syncthreads();
#pragma unroll
  for (int i = 0; i < kRegisters; ++i) shared[thread + i * 32] = held[i];
}

// Words of unwritten shared memory that hold it.
__global__ void __launch_bounds__(kThreads, 1) count_nan_kernel(unsigned long long *count) {
  extern __shared__ volatile uint32_t shared[];
  unsigned long long mine = 0;
  for (int i = static_cast<int>(threadIdx.x); i < kCounted / 4; i += kThreads) mine += shared[i] == kNan;
  atomicAdd(count, mine);
}

}  // namespace

void leave_nan_behind(int32_t ordinal, CUstream_st *stream) {
  int current = 0, multiprocessors = 0, bytes = 0;
  if (ordinal < 0 || cudaGetDevice(&current) != cudaSuccess || cudaSetDevice(ordinal) != cudaSuccess) return;
  cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, ordinal);
  cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, ordinal);
  const bool ready =
      cudaFuncSetAttribute(leave_nan_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes) == cudaSuccess;
  if (ready && multiprocessors > 0) {
    leave_nan_kernel<<<multiprocessors, kThreads, static_cast<size_t>(bytes), stream>>>(bytes / 4);
    if (stream == nullptr) cudaStreamSynchronize(stream);
  }
  cudaGetLastError();  // the check's own affair
  cudaSetDevice(current);
}

double share_left_behind(int32_t ordinal, CUstream_st *stream) {
  int current = 0, multiprocessors = 0;
  unsigned long long *count = nullptr, counted = 0;
  if (ordinal < 0 || cudaGetDevice(&current) != cudaSuccess || cudaSetDevice(ordinal) != cudaSuccess) return -1;
  cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, ordinal);
  bool known = multiprocessors > 0 && cudaMalloc(&count, sizeof *count) == cudaSuccess;
  if (known) {
    cudaMemsetAsync(count, 0, sizeof *count, stream);
    leave_nan_behind(ordinal, stream);  // of what the memory was set by, too
    count_nan_kernel<<<multiprocessors, kThreads, kCounted, stream>>>(count);
    known = cudaMemcpyAsync(&counted, count, sizeof counted, cudaMemcpyDeviceToHost, stream) == cudaSuccess &&
            cudaStreamSynchronize(stream) == cudaSuccess;
    cudaFree(count);
  }
  cudaSetDevice(current);
  return known ? static_cast<double>(counted) / (multiprocessors * (kCounted / 4.0)) : -1;
}

}  // namespace gpuopt_check
