// DeviceTransform takes sequences of equal length, so the bias comes as b[i % cols] through an index sequence.
#include <cuda_bf16.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <cub/device/device_transform.cuh>

#include "../core/error.h"
#include "cub_transform.h"
#include "gpuopt/gpuopt.h"

namespace gpuopt_bench {
namespace {

template <class T>
struct BiasAt {
  const T *bias;
  unsigned cols;
  __host__ __device__ T operator()(unsigned i) const { return bias[i % cols]; }
};

template <class T>
struct Relu {
  __device__ T operator()(T x) const { return T(fmaxf(float(x), 0.0f)); }
};
template <class T>
struct ReluBiasScale {
  float scale;
  __device__ T operator()(T x, T bias) const { return T((fmaxf(float(x), 0.0f) + float(bias)) * scale); }
};
template <class T>
struct BiasGeluTanh {
  __device__ T operator()(T x, T bias) const {
    const float v = float(x) + float(bias);
    return T(0.5f * v * (1.0f + tanhf(0.7978845608f * (v + 0.044715f * v * v * v))));
  }
};
template <class T>
struct BiasGelu {
  __device__ T operator()(T x, T bias) const {
    const float v = float(x) + float(bias);
    return T(0.5f * v * (1.0f + erff(0.7071067812f * v)));
  }
};
template <class T>
struct SiluMul {
  __device__ T operator()(T x, T y) const { return T(float(x) / (1.0f + __expf(-float(x))) * float(y)); }
};
template <class T>
struct BiasGeluResidual {
  __device__ T operator()(T x, T bias, T residual) const {
    const float v = float(x) + float(bias);
    return T(0.5f * v * (1.0f + erff(0.7071067812f * v)) + float(residual));
  }
};

template <class T>
Contender make(const OperandSets &sets, Chain chain, int64_t rows, int64_t cols, double scale) {
  const int count = static_cast<int>(rows * cols);
  const auto call = [&sets, chain, count, cols, scale](cudaStream_t stream, int set) {
    const T *x = static_cast<const T *>(sets.at(0, set)), *matrix = static_cast<const T *>(sets.at(3, set));
    T *out = static_cast<T *>(sets.at(1, set));
    const auto bias = thrust::make_transform_iterator(
        thrust::counting_iterator<unsigned>(0),
        BiasAt<T>{static_cast<const T *>(sets.at(2, set)), static_cast<unsigned>(cols)});
    switch (chain) {
      case Chain::relu:
        BENCH_CUDA(cub::DeviceTransform::Transform(x, out, count, Relu<T>(), stream));
        return;
      case Chain::relu_bias_scale:
        BENCH_CUDA(cub::DeviceTransform::Transform(cuda::std::make_tuple(x, bias), out, count,
                                                   ReluBiasScale<T>{static_cast<float>(scale)}, stream));
        return;
      case Chain::bias_gelu_tanh:
        BENCH_CUDA(
            cub::DeviceTransform::Transform(cuda::std::make_tuple(x, bias), out, count, BiasGeluTanh<T>(), stream));
        return;
      case Chain::bias_gelu:
        BENCH_CUDA(cub::DeviceTransform::Transform(cuda::std::make_tuple(x, bias), out, count, BiasGelu<T>(), stream));
        return;
      case Chain::silu_mul:
        BENCH_CUDA(cub::DeviceTransform::Transform(cuda::std::make_tuple(x, matrix), out, count, SiluMul<T>(), stream));
        return;
      case Chain::bias_gelu_residual:
        BENCH_CUDA(cub::DeviceTransform::Transform(cuda::std::make_tuple(x, bias, matrix), out, count,
                                                   BiasGeluResidual<T>(), stream));
        return;
      default:
        throw Refused("no such CUB chain here");
    }
  };
  return {"cub_transform", call, nullptr};
}

}  // namespace

bool cub_takes(Chain chain, int32_t type, int64_t rows, int64_t cols) {
  return chain < Chain::five_relu && (type == GPUOPT_F32 || type == GPUOPT_BF16) && rows * cols <= INT32_MAX;
}

Contender cub_transform(const OperandSets &sets, Chain chain, int32_t type, int64_t rows, int64_t cols, double scale) {
  if (!cub_takes(chain, type, rows, cols)) throw Refused("no such CUB transform here");
  return type == GPUOPT_F32 ? make<float>(sets, chain, rows, cols, scale)
                            : make<__nv_bfloat16>(sets, chain, rows, cols, scale);
}

}  // namespace gpuopt_bench
