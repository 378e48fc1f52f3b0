// The device's part: a thread an element.
#include <cstdio>

#include "relu.h"

constexpr int kThreads = 256;

static __global__ void relu_kernel(const float *x, float *out, long long count) {
  const long long i = blockIdx.x * static_cast<long long>(kThreads) + threadIdx.x;
  if (i < count) out[i] = x[i] < 0 ? 0 : x[i];
}

gpuopt_status relu_launch_cuda(const gpuopt_problem *p, const gpuopt_launch *launch) {
  long long count = p->m * p->n;
  void *x = p->operand[GPUOPT_OPERAND_X].m.data, *out = p->operand[GPUOPT_OPERAND_OUT].m.data;
  void *arguments[] = {&x, &out, &count};
  const dim3 grid(static_cast<unsigned>((count + kThreads - 1) / kThreads));
  const cudaError_t code =
      cudaLaunchKernel(reinterpret_cast<const void *>(relu_kernel), grid, kThreads, arguments, 0, launch->stream);
  if (code == cudaSuccess) return GPUOPT_OK;
  std::snprintf(launch->error, launch->error_bytes, "relu_kernel: %s", cudaGetErrorString(code));
  return GPUOPT_CUDA_ERROR;
}
