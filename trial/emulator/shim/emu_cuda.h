#pragma once
#include <cuda_runtime_api.h>
#define cudaSetDevice(x) cudaSuccess
#define cudaDeviceGetAttribute(p, a, d) (*(p) = 3, cudaSuccess)
template <class T> int emu_malloc(T **p, size_t n) { void *v; posix_memalign(&v, 256, n); *p = (T *)v; return 0; }
#define cudaMalloc(p, n) ((cudaError_t)emu_malloc(p, n))
#define cudaMemset(p, v, n) (memset(p, v, n), cudaSuccess)
#define cudaMemcpy(d, s, n, k) (memcpy(d, s, n), cudaSuccess)
#define cudaFree(p) free(p)
#define cudaStreamCreate(s) cudaSuccess
#define cudaStreamSynchronize(s) cudaSuccess
#define cudaDeviceSynchronize() cudaSuccess
#define cudaGetErrorString(e) ""
