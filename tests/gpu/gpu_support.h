// Helpers of the GPU tests. A case begins with GPUOPT_NEED_GPU(): where there is no device it says SKIP, which ctest shows
// as skipped; with GPUOPT_TEST_REQUIRE_GPU set that is a failure.
#pragma once
#include <cuda_runtime.h>

#include <cmath>
#include <random>

#include "gpuopt_call/run_args.h"
#include "support.h"

#define GPUOPT_NEED_GPU()                                                                              \
  do {                                                                                                 \
    int gpu_devices_ = 0;                                                                              \
    if (cudaGetDeviceCount(&gpu_devices_) != cudaSuccess || gpu_devices_ == 0) {                       \
      REQUIRE_MESSAGE(!std::getenv("GPUOPT_TEST_REQUIRE_GPU"), "a GPU is required and there is none"); \
      MESSAGE("SKIP: no GPU");                                                                         \
      return;                                                                                          \
    }                                                                                                  \
  } while (0)

#define GPUOPT_CUDA(call)                                                                      \
  do {                                                                                         \
    const cudaError_t cuda_error_ = (call);                                                    \
    REQUIRE_MESSAGE(cuda_error_ == cudaSuccess, std::string(cudaGetErrorString(cuda_error_))); \
  } while (0)

namespace gpuopt_test {

// A handle on the first GPU with a stream of its own and the CPU fallback off.
struct Gpu {
  cudaStream_t stream = nullptr;
  gpuopt_handle *handle = nullptr;
  explicit Gpu(int32_t fallback = GPUOPT_FALLBACK_NEVER, const char *kernel = nullptr, bool own_allocator = false) {
    GPUOPT_CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    gpuopt_options o = GPUOPT_OPTIONS_INIT;
    o.device = 0;
    o.cpu_fallback = fallback;
    o.stream = stream;
    o.kernel = kernel;
    if (own_allocator) {
      o.allocate = [](void *, size_t bytes, CUstream_st *) {
        void *data = nullptr;
        return cudaMalloc(&data, bytes) == cudaSuccess ? data : nullptr;
      };
      o.deallocate = [](void *, void *data, CUstream_st *) { cudaFree(data); };
    }
    REQUIRE_MESSAGE(gpuopt_create(&handle, &o) == GPUOPT_OK, last_error());
  }
  Gpu(const Gpu &) = delete;
  ~Gpu() {
    gpuopt_destroy(handle);
    cudaStreamDestroy(stream);
  }
  void sync() const { GPUOPT_CUDA(cudaStreamSynchronize(stream)); }
};

// Device memory filled from host values.
template <class T>
struct DeviceArray {
  T *data = nullptr;
  size_t count;
  explicit DeviceArray(size_t n) : count(n) {
    GPUOPT_CUDA(cudaMalloc(reinterpret_cast<void **>(&data), n * sizeof(T)));
  }
  explicit DeviceArray(const std::vector<T> &values) : DeviceArray(values.size()) { set(values); }
  DeviceArray(const DeviceArray &) = delete;
  ~DeviceArray() { cudaFree(data); }
  void set(const std::vector<T> &values) {
    GPUOPT_CUDA(cudaMemcpy(data, values.data(), count * sizeof(T), cudaMemcpyHostToDevice));
    GPUOPT_CUDA(cudaDeviceSynchronize());
  }
  // Waits: the default stream that this runs on does not order the non-blocking streams of the handles.
  void fill(int byte) {
    GPUOPT_CUDA(cudaMemset(data, byte, count * sizeof(T)));
    GPUOPT_CUDA(cudaDeviceSynchronize());
  }
  std::vector<T> get() const {
    std::vector<T> values(count);
    GPUOPT_CUDA(cudaMemcpy(values.data(), data, count * sizeof(T), cudaMemcpyDeviceToHost));
    return values;
  }
};

inline std::vector<float> normal_values(size_t n, uint32_t seed) {
  std::mt19937 engine(seed);
  std::normal_distribution<float> normal;
  std::vector<float> v(n);
  for (float &x : v) x = normal(engine);
  return v;
}
// The same as powers of e, for scales.
inline std::vector<float> positive_values(size_t n, uint32_t seed) {
  std::vector<float> v = normal_values(n, seed);
  for (float &x : v) x = std::exp(x);
  return v;
}
// Finite numbers of either fp8 type.
inline std::vector<uint8_t> fp8_values(size_t n) {
  std::vector<uint8_t> v(n);
  for (size_t i = 0; i < n; ++i) v[i] = static_cast<uint8_t>((i * 2654435761u >> 13) & 0xbb);
  return v;
}

// What a call by one kernel leaves in an array: bytes of 0x7f where it writes nothing.
template <class T>
std::vector<T> result_of(const Gpu &g, const std::string &kernel, const void *args, DeviceArray<T> &out) {
  out.fill(0x7f);
  REQUIRE_MESSAGE(gpuopt_set_kernel(g.handle, kernel.c_str()) == GPUOPT_OK, last_error());
  REQUIRE_MESSAGE(gpuopt_call::run_args(g.handle, args) == GPUOPT_OK, last_error());
  g.sync();
  return out.get();
}

// A known problem of each op on device memory, small enough for every kernel, f32, and its output.
struct SampleProblem {
  static constexpr int64_t m = 67, n = 45, k = 83;
  DeviceArray<float> a{normal_values(m * k, 1)}, b{normal_values(k * n, 2)}, c{normal_values(m * n, 3)},
      out{static_cast<size_t>(2 * m * k)};
  DeviceArray<float> bias{normal_values(n, 4)};
  gpuopt_stage stages[2];
  gpuopt_gemm_args gemm = GPUOPT_GEMM_ARGS_INIT;
  gpuopt_transpose_args transpose = GPUOPT_TRANSPOSE_ARGS_INIT;
  gpuopt_reduce_args reduce = GPUOPT_REDUCE_ARGS_INIT;
  gpuopt_fused_act_args fused_act = GPUOPT_FUSED_ACT_ARGS_INIT;
  gpuopt_norm_args norm = GPUOPT_NORM_ARGS_INIT;
  gpuopt_gemm_grouped_args gemm_grouped = GPUOPT_GEMM_GROUPED_ARGS_INIT;
  DeviceArray<int64_t> offsets{std::vector<int64_t>{0, m / 3, m}};

  SampleProblem() {
    gemm.a = gpuopt_mat(a.data, m, k, GPUOPT_F32);
    gemm.b = gpuopt_mat(b.data, k, n, GPUOPT_F32);
    gemm.d = gpuopt_mat(out.data, m, n, GPUOPT_F32);
    transpose.src = gpuopt_mat(a.data, m, k, GPUOPT_F32);
    transpose.dst = gpuopt_mat(out.data, k, m, GPUOPT_F32);
    reduce.x = gpuopt_mat(a.data, m, k, GPUOPT_F32);
    reduce.axis = GPUOPT_EACH_ROW;
    reduce.out = gpuopt_mat(out.data, m, 1, GPUOPT_F32);
    stages[0] = gpuopt_act_with(GPUOPT_STAGE_ADD, GPUOPT_PER_COL, gpuopt_mat(bias.data, 1, n, GPUOPT_F32));
    stages[1] = gpuopt_act(GPUOPT_STAGE_RELU, 0, 0);
    fused_act.x = gpuopt_mat(c.data, m, n, GPUOPT_F32);
    fused_act.out = gpuopt_mat(out.data, m, n, GPUOPT_F32);
    fused_act.stages = stages;
    fused_act.stage_count = 2;
    norm.x = gpuopt_mat(c.data, m, n, GPUOPT_F32);
    norm.gamma = gpuopt_mat(bias.data, 1, n, GPUOPT_F32);
    norm.out = gpuopt_mat(out.data, m, n, GPUOPT_F32);
    gemm_grouped.a = gemm.a;
    gemm_grouped.b = gemm.b;
    gemm_grouped.b.batch_stride = 0;
    gemm_grouped.d = gemm.d;
    gemm_grouped.groups = 2;
    gemm_grouped.offsets = gpuopt_mat(offsets.data, 1, 3, GPUOPT_I64);
  }
  const void *args(int32_t op) const {
    switch (op) {
      case GPUOPT_OP_GEMM:
        return &gemm;
      case GPUOPT_OP_TRANSPOSE:
        return &transpose;
      case GPUOPT_OP_REDUCE:
        return &reduce;
      case GPUOPT_OP_NORM:
        return &norm;
      case GPUOPT_OP_GEMM_GROUPED:
        return &gemm_grouped;
      default:
        return &fused_act;
    }
  }
  gpuopt_status run(gpuopt_handle *h, int32_t op) const { return gpuopt_call::run_args(h, args(op)); }
  // New inputs of the same shapes.
  void refill(uint32_t seed) {
    a.set(normal_values(m * k, seed));
    b.set(normal_values(k * n, seed + 1));
    c.set(normal_values(m * n, seed + 2));
    bias.set(normal_values(n, seed + 3));
  }
};

// The GPU kernels of the process whose declared types and needs take the sample problem.
inline std::vector<const gpuopt_kernel *> kernels_for(gpuopt_handle *h, const SampleProblem &s) {
  std::vector<const gpuopt_kernel *> found;
  for (size_t i = 0; gpuopt_kernel_get(i); ++i) {
    const gpuopt_kernel *k = gpuopt_kernel_get(i);
    Candidates Seen;
    gpuopt_explain(h, s.args(k->op), nullptr, Candidates::add, &Seen);
    const Candidate *c = Seen.find(k->name);
    if (c && c->verdict != GPUOPT_VERDICT_REJECTED && !(k->flags & GPUOPT_KERNEL_HOST)) found.push_back(k);
  }
  return found;
}

}  // namespace gpuopt_test
