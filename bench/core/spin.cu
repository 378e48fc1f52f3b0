#include "error.h"
#include "spin.h"

namespace gpuopt_bench {
namespace {

__global__ void spin(long long cycles) {
  const long long start = clock64();
  while (clock64() - start < cycles) {
  }
}

__global__ void read_once(const uint4 *data, size_t count, unsigned *sink) {
  unsigned sum = 0;
  const size_t step = static_cast<size_t>(gridDim.x) * blockDim.x;
  for (size_t i = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += step) {
    const uint4 v = data[i];
    sum ^= v.x ^ v.y ^ v.z ^ v.w;
  }
  // Never true for the memory the timer clears to zero, but the compiler cannot know and keeps the loads.
  if (sum == 0x9E3779B9u) *sink = sum;
}

__global__ void empty() {}

}  // namespace

void launch_spin(long long cycles, cudaStream_t stream) {
  spin<<<1, 1, 0, stream>>>(cycles);
  BENCH_CUDA(cudaGetLastError());
}

void launch_read_once(const void *data, size_t bytes, void *sink, cudaStream_t stream) {
  read_once<<<1056, 512, 0, stream>>>(static_cast<const uint4 *>(data), bytes / sizeof(uint4),
                                      static_cast<unsigned *>(sink));
  BENCH_CUDA(cudaGetLastError());
}

void launch_empty(cudaStream_t stream) {
  empty<<<1, 1, 0, stream>>>();
  BENCH_CUDA(cudaGetLastError());
}

}  // namespace gpuopt_bench
