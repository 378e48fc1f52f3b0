// fused_act_access_*: one relu, five ways for the threads of a warp to lie on its elements. Teaching rungs.
//
//   float        thread t has element t: a warp reads 128 bytes on end, 4 sectors of 32 bytes in a request
//   float4       thread t has elements 4t to 4t + 3 in one access: 16 sectors a request, a quarter of the instructions
//   strided_64   neighbours are 64 elements apart: a warp touches 32 sectors, and wants 4 bytes of each
//   structures   a row is a structure and has a thread, which takes field after field (array of structures): a warp's
//                addresses are a row apart
//   fields       a row is a field and a column has a thread (structure of arrays): a warp's addresses are neighbours
//
// The first three are one problem. Of structures and fields the problem itself is laid out the other way: 4194304 x 8 for the
// one, 8 x 4194304 for the other.
// Needs: f32, RELU alone, packed and by rows; of float4 addresses of 16 bytes, too.
// Prediction: float moves what float4 moves and takes nearly its time where many warps wait, for memory is the limit (the
// texts that this ladder follows have 1.67 times); strided_64 moves 8 times the bytes, since a sector has 8 floats, less what
// L2 merges (the texts have 64 times); structures come near fields while L1 keeps a row's sectors for the fields to come.
// arch class: teaching

#include "common/element.cuh"
#include "fused_act/ladder/packed_relu.cuh"

namespace gpuopt {

constexpr int kAccessThreads = kElementwiseThreads, kAccessStride = 64, kFieldsAtOnce = 4;

__device__ __forceinline__ int64_t access_thread() { return int64_t{blockIdx.x} * kAccessThreads + threadIdx.x; }

__global__ void __launch_bounds__(kAccessThreads) fused_act_access_float_kernel(PackedRelu work) {
  const int64_t e = access_thread();
  if (e < work.count) work.out[e] = relu_of(work.x[e]);
}

// The last thread has what is left of four.
__global__ void __launch_bounds__(kAccessThreads) fused_act_access_float4_kernel(PackedRelu work) {
  const int64_t first = 4 * access_thread();
  if (first + 4 <= work.count) {
    auto four = *reinterpret_cast<const Pack<float, 4> *>(work.x + first);
#pragma unroll
    for (int e = 0; e < 4; ++e) four.v[e] = relu_of(four.v[e]);
    *reinterpret_cast<Pack<float, 4> *>(work.out + first) = four;
    return;
  }
#pragma unroll
  for (int e = 0; e < 3; ++e)
    if (first + e < work.count) work.out[first + e] = relu_of(work.x[first + e]);
}

// 64 groups of threads; of a group each takes the element 64 behind that of the thread before.
__global__ void __launch_bounds__(kAccessThreads) fused_act_access_strided_64_kernel(PackedRelu work) {
  int64_t in_group;
  const int64_t group = work.split.divide(access_thread(), in_group);
  const int64_t e = in_group * kAccessStride + group;
  if (group < kAccessStride && e < work.count) work.out[e] = relu_of(work.x[e]);
}

// A thread's elements, `step` apart: four loads are under way before the first store.
__device__ __forceinline__ void relu_along(const PackedRelu &work, int64_t first, int64_t count, int64_t step) {
  for (int64_t i = 0; i < count; i += kFieldsAtOnce) {
    float x[kFieldsAtOnce];
#pragma unroll
    for (int e = 0; e < kFieldsAtOnce; ++e) x[e] = i + e < count ? work.x[first + (i + e) * step] : 0.0f;
#pragma unroll
    for (int e = 0; e < kFieldsAtOnce; ++e)
      if (i + e < count) work.out[first + (i + e) * step] = relu_of(x[e]);
  }
}

__global__ void __launch_bounds__(kAccessThreads) fused_act_access_structures_kernel(PackedRelu work) {
  const int64_t first = access_thread() * work.cols;
  if (first < work.count) relu_along(work, first, work.cols, 1);
}

__global__ void __launch_bounds__(kAccessThreads) fused_act_access_fields_kernel(PackedRelu work) {
  int64_t col;
  const int64_t first = work.split.divide(access_thread(), col) * work.rows * work.cols;
  if (first < work.count) relu_along(work, first + col, work.rows, work.cols);
}

namespace {

template <int kBytes>
struct AccessRung {
  static constexpr int kThreads = kAccessThreads, kDynamicSmem = 0, kAlign = kBytes;
  static int64_t elements(const gpuopt_problem &p) { return p.batch * p.m * p.n; }
};

struct AccessFloat : AccessRung<4> {
  static constexpr const char *kName = "fused_act_access_float";
  static constexpr const char *kSummary = "relu, a thread an element: coalesced accesses of 4 bytes";
  static constexpr auto kKernel = fused_act_access_float_kernel;
  static PackedReluThreads threads(const gpuopt_problem &p) { return {elements(p), 1}; }
};
struct AccessFloat4 : AccessRung<16> {
  static constexpr const char *kName = "fused_act_access_float4";
  static constexpr const char *kSummary = "relu, a thread four neighbours: coalesced accesses of 16 bytes";
  static constexpr auto kKernel = fused_act_access_float4_kernel;
  static PackedReluThreads threads(const gpuopt_problem &p) { return {ceil_div(elements(p), 4), 1}; }
};
struct AccessStrided : AccessRung<4> {
  static constexpr const char *kName = "fused_act_access_strided_64";
  static constexpr const char *kSummary = "relu, neighbouring threads 64 elements apart: a sector an element";
  static constexpr auto kKernel = fused_act_access_strided_64_kernel;
  static PackedReluThreads threads(const gpuopt_problem &p) {
    const int64_t group = ceil_div(elements(p), kAccessStride);
    return {group * kAccessStride, group};
  }
};
struct AccessStructures : AccessRung<4> {
  static constexpr const char *kName = "fused_act_access_structures";
  static constexpr const char *kSummary = "relu, a thread a row: fields of an array of structures";
  static constexpr auto kKernel = fused_act_access_structures_kernel;
  static PackedReluThreads threads(const gpuopt_problem &p) { return {p.batch * p.m, 1}; }
};
struct AccessFields : AccessRung<4> {
  static constexpr const char *kName = "fused_act_access_fields";
  static constexpr const char *kSummary = "relu, a thread a column: fields of a structure of arrays";
  static constexpr auto kKernel = fused_act_access_fields_kernel;
  static PackedReluThreads threads(const gpuopt_problem &p) { return {p.batch * p.n, p.n}; }
};

constexpr gpuopt_kernel kKernels[] = {packed_relu_kernel<AccessFloat>(), packed_relu_kernel<AccessFloat4>(),
                                      packed_relu_kernel<AccessStrided>(), packed_relu_kernel<AccessStructures>(),
                                      packed_relu_kernel<AccessFields>()};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
