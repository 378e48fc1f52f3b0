// Random normal data, made on the device: a counter-based hash per element and Box-Muller.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include <algorithm>

#include "error.h"
#include "gpuopt/gpuopt.h"
#include "memory.h"

namespace gpuopt_bench {
namespace {

struct Bits128 {
  uint64_t low, high;
};

__device__ uint64_t mixed(uint64_t x) {  // a bijection whose output bits all depend on all input bits
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
  return x ^ (x >> 31);
}

__device__ float normal(uint64_t bits) {
  const float u = (static_cast<float>(bits >> 40) + 0.5f) * 0x1p-24f;  // in (0, 1)
  const float v = static_cast<float>((bits >> 8) & 0xFFFFFF) * 0x1p-24f;
  return sqrtf(-2.0f * logf(u)) * cospif(2.0f * v);
}

template <class T>
__device__ T element(uint64_t bits) {
  return T(normal(bits));
}
__device__ float integer_value(uint64_t bits, float least, float most) {
  return fminf(fmaxf(rintf(20.0f * normal(bits)), least), most);
}
template <>
__device__ int8_t element<int8_t>(uint64_t bits) {
  return static_cast<int8_t>(integer_value(bits, -128, 127));
}
template <>
__device__ uint8_t element<uint8_t>(uint64_t bits) {
  return static_cast<uint8_t>(integer_value(bits, 0, 255));
}
template <>
__device__ int32_t element<int32_t>(uint64_t bits) {
  return static_cast<int32_t>(integer_value(bits, -1e6f, 1e6f));
}
template <>
__device__ int64_t element<int64_t>(uint64_t bits) {
  return static_cast<int64_t>(integer_value(bits, -1e6f, 1e6f));
}
template <>
__device__ Bits128 element<Bits128>(uint64_t bits) {
  return {bits, mixed(bits)};
}

template <class T>
__global__ void fill(T *data, int64_t count, uint64_t seed) {
  const int64_t step = static_cast<int64_t>(gridDim.x) * blockDim.x;
  for (int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += step)
    data[i] = element<T>(mixed(static_cast<uint64_t>(i) + seed * 0x9E3779B97F4A7C15ull));
}

template <class T>
void launch_fill(void *data, int64_t count, uint64_t seed, cudaStream_t stream) {
  const int64_t blocks = std::min<int64_t>((count + 255) / 256, 132 * 32);
  fill<<<static_cast<unsigned>(blocks), 256, 0, stream>>>(static_cast<T *>(data), count, seed);
  BENCH_CUDA(cudaGetLastError());
}

}  // namespace

void fill_normal(void *data, int32_t dtype, int64_t count, uint64_t seed, cudaStream_t stream) {
  if (count <= 0) return;
  switch (dtype) {
    case GPUOPT_F32:
      return launch_fill<float>(data, count, seed, stream);
    case GPUOPT_F64:
      return launch_fill<double>(data, count, seed, stream);
    case GPUOPT_F16:
      return launch_fill<__half>(data, count, seed, stream);
    case GPUOPT_BF16:
      return launch_fill<__nv_bfloat16>(data, count, seed, stream);
    case GPUOPT_E4M3:
      return launch_fill<__nv_fp8_e4m3>(data, count, seed, stream);
    case GPUOPT_E5M2:
      return launch_fill<__nv_fp8_e5m2>(data, count, seed, stream);
    case GPUOPT_I8:
      return launch_fill<int8_t>(data, count, seed, stream);
    case GPUOPT_U8:
      return launch_fill<uint8_t>(data, count, seed, stream);
    case GPUOPT_I32:
      return launch_fill<int32_t>(data, count, seed, stream);
    case GPUOPT_I64:
      return launch_fill<int64_t>(data, count, seed, stream);
    case GPUOPT_B128:
      return launch_fill<Bits128>(data, count, seed, stream);
    default:
      throw Refused("no random data for data type " + std::to_string(dtype));
  }
}

}  // namespace gpuopt_bench
