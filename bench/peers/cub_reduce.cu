// Sums of 16- and 8-bit floats are kept in fp32, those of integers in 64 bits, as ours are: CUB's own Sum would keep them
// in the elements' type.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <cub/device/device_reduce.cuh>
#include <cub/device/device_segmented_reduce.cuh>

#include <functional>
#include <memory>

#include "../core/error.h"
#include "cub_reduce.h"
#include "gpuopt/gpuopt.h"

namespace gpuopt_bench {
namespace {

struct Plus {
  template <class C>
  __host__ __device__ C operator()(C a, C b) const {
    return a + b;
  }
};
struct Square {
  __host__ __device__ float operator()(float x) const { return x * x; }
};
template <class T, class C>
struct Widen {
  __host__ __device__ C operator()(T x) const { return static_cast<C>(x); }
};
struct RowStart {
  int64_t cols;
  __host__ __device__ int64_t operator()(int64_t row) const { return row * cols; }
};

// What one CUB call needs besides the operands.
struct Temporary {
  void *data;
  size_t bytes;
};
using Call = std::function<cudaError_t(Temporary *, const void *x, void *out, cudaStream_t)>;

template <class In, class Out>
Call segmented(const CubReduction &p, In (*input)(const void *)) {
  const auto starts = thrust::make_transform_iterator(thrust::counting_iterator<int64_t>(0), RowStart{p.cols});
  const int64_t rows = p.rows;
  return [starts, rows, input](Temporary *t, const void *x, void *out, cudaStream_t stream) {
    return cub::DeviceSegmentedReduce::Reduce(t->data, t->bytes, input(x), static_cast<Out *>(out), rows, starts,
                                              starts + 1, Plus(), Out(0), stream);
  };
}

const float *as_f32(const void *x) { return static_cast<const float *>(x); }
template <class T, class C>
auto as_wide(const void *x) {
  return thrust::make_transform_iterator(static_cast<const T *>(x), Widen<T, C>());
}

template <class T>
Call sum_alike(int64_t count) {
  return [count](Temporary *t, const void *x, void *out, cudaStream_t stream) {
    return cub::DeviceReduce::Sum(t->data, t->bytes, static_cast<const T *>(x), static_cast<T *>(out), count, stream);
  };
}
template <class T, class C>
Call sum_widened(int64_t count) {
  return [count](Temporary *t, const void *x, void *out, cudaStream_t stream) {
    return cub::DeviceReduce::Reduce(t->data, t->bytes, as_wide<T, C>(x), static_cast<C *>(out), count, Plus(), C(0),
                                     stream);
  };
}

Call whole_f32(int32_t reduce, int64_t count) {
  switch (reduce) {
    case GPUOPT_REDUCE_SUM:
      return sum_alike<float>(count);
    case GPUOPT_REDUCE_MAX:
      return [count](Temporary *t, const void *x, void *out, cudaStream_t stream) {
        return cub::DeviceReduce::Max(t->data, t->bytes, as_f32(x), static_cast<float *>(out), count, stream);
      };
    case GPUOPT_REDUCE_SUMSQ:
      return [count](Temporary *t, const void *x, void *out, cudaStream_t stream) {
        return cub::DeviceReduce::TransformReduce(t->data, t->bytes, as_f32(x), static_cast<float *>(out), count,
                                                  Plus(), Square(), 0.0f, stream);
      };
    default: {
      auto value = std::make_shared<DeviceMemory>(256);
      return [count, value](Temporary *t, const void *x, void *out, cudaStream_t stream) {
        return cub::DeviceReduce::ArgMax(t->data, t->bytes, as_f32(x), static_cast<float *>(value->data()),
                                         static_cast<int64_t *>(out), count, stream);
      };
    }
  }
}

Call make_call(const CubReduction &p) {
  const int64_t count = p.rows * p.cols;
  if (p.axis == GPUOPT_EACH_ROW)
    return p.type == GPUOPT_F32
               ? segmented<const float *, float>(p, as_f32)
               : segmented<decltype(as_wide<__nv_bfloat16, float>(nullptr)), float>(p, as_wide<__nv_bfloat16, float>);
  switch (p.type) {
    case GPUOPT_F64:
      return sum_alike<double>(count);
    case GPUOPT_F16:
      return sum_widened<__half, float>(count);
    case GPUOPT_BF16:
      return sum_widened<__nv_bfloat16, float>(count);
    case GPUOPT_E4M3:
      return sum_widened<__nv_fp8_e4m3, float>(count);
    case GPUOPT_E5M2:
      return sum_widened<__nv_fp8_e5m2, float>(count);
    case GPUOPT_I8:
      return sum_widened<int8_t, int64_t>(count);
    case GPUOPT_U8:
      return sum_widened<uint8_t, int64_t>(count);
    case GPUOPT_I32:
      return sum_widened<int32_t, int64_t>(count);
    case GPUOPT_I64:
      return sum_alike<int64_t>(count);
    default:
      return whole_f32(p.reduce, count);
  }
}

}  // namespace

bool cub_takes(const CubReduction &p) {
  const bool sum = p.reduce == GPUOPT_REDUCE_SUM;
  if (p.axis == GPUOPT_EACH_ROW) return sum && (p.type == GPUOPT_F32 || p.type == GPUOPT_BF16);
  if (p.axis != GPUOPT_ALL) return false;
  if (p.type == GPUOPT_F32)
    return sum || p.reduce == GPUOPT_REDUCE_MAX || p.reduce == GPUOPT_REDUCE_SUMSQ || p.reduce == GPUOPT_REDUCE_ARGMAX;
  return sum && p.type != GPUOPT_B128;
}

Contender cub_contender(const OperandSets &sets, const CubReduction &p, cudaStream_t stream) {
  if (!cub_takes(p)) throw Refused("no such CUB reduction here");
  const Call call = make_call(p);
  Temporary needed = {nullptr, 0};
  BENCH_CUDA(call(&needed, sets.at(0, 0), sets.at(1, 0), stream));
  auto temporary = std::make_shared<DeviceMemory>(needed.bytes);
  const char *name = p.axis == GPUOPT_EACH_ROW ? "cub_segmented_reduce" : "cub_reduce";
  return {name,
          [call, temporary, &sets](cudaStream_t s, int set) {
            Temporary t = {temporary->data(), temporary->bytes()};
            BENCH_CUDA(call(&t, sets.at(0, set), sets.at(1, set), s));
          },
          nullptr};
}

}  // namespace gpuopt_bench
