// 16-bit sums are kept in fp32, as ours are: CUB's own Sum would keep them in 16 bits.
#include <cuda_bf16.h>
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
  __host__ __device__ float operator()(float a, float b) const { return a + b; }
};
struct Square {
  __host__ __device__ float operator()(float x) const { return x * x; }
};
struct Widen {
  __host__ __device__ float operator()(__nv_bfloat16 x) const { return static_cast<float>(x); }
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
auto as_wide(const void *x) { return thrust::make_transform_iterator(static_cast<const __nv_bfloat16 *>(x), Widen()); }

Call whole_f32(int32_t reduce, int64_t count) {
  switch (reduce) {
    case GPUOPT_REDUCE_SUM:
      return [count](Temporary *t, const void *x, void *out, cudaStream_t stream) {
        return cub::DeviceReduce::Sum(t->data, t->bytes, as_f32(x), static_cast<float *>(out), count, stream);
      };
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
    return p.type == GPUOPT_F32 ? segmented<const float *, float>(p, as_f32)
                                : segmented<decltype(as_wide(nullptr)), float>(p, as_wide);
  if (p.type == GPUOPT_F32) return whole_f32(p.reduce, count);
  if (p.type == GPUOPT_F64)
    return [count](Temporary *t, const void *x, void *out, cudaStream_t stream) {
      return cub::DeviceReduce::Sum(t->data, t->bytes, static_cast<const double *>(x), static_cast<double *>(out),
                                    count, stream);
    };
  return [count](Temporary *t, const void *x, void *out, cudaStream_t stream) {
    return cub::DeviceReduce::Reduce(t->data, t->bytes, as_wide(x), static_cast<float *>(out), count, Plus(), 0.0f,
                                     stream);
  };
}

}  // namespace

bool cub_takes(const CubReduction &p) {
  const bool sum = p.reduce == GPUOPT_REDUCE_SUM;
  if (p.axis == GPUOPT_EACH_ROW) return sum && (p.type == GPUOPT_F32 || p.type == GPUOPT_BF16);
  if (p.axis != GPUOPT_ALL) return false;
  if (p.type == GPUOPT_F32)
    return sum || p.reduce == GPUOPT_REDUCE_MAX || p.reduce == GPUOPT_REDUCE_SUMSQ || p.reduce == GPUOPT_REDUCE_ARGMAX;
  return sum && (p.type == GPUOPT_BF16 || p.type == GPUOPT_F64);
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
