// The reductions of CUB (part of the CUDA toolkit) over a matrix: the library that a CUDA programmer would call, as a
// named kernel to force and to compare with. Never chosen by itself.
//
// Data movement: CUB reads f32 and f64 by 16-byte loads where the base allows it, 16-bit types one element at a time;
// its blocks leave partials in scratch, and a second launch of one block combines them (one launch up to 4,096
// elements). CUB has no NaN-propagating extreme, no index of the first NaN and no 64-bit sum of integers of its own, so
// only sums of floats are taken, in fp32 (fp64 of f64).
// Needs: one matrix (padded ones are read an element at a time), out of the computing type (f32, or f64 of f64).
// arch class: teaching
//
// Symbols. What DeviceReduce leaves in an object file besides its kernels: libcu++'s exception class and its constants,
// weak or unique, in namespace cuda. CUB goes into namespace gpuopt, libcu++ into an ABI namespace of our own, and both
// are hidden, so that they never meet a program's own copies, which may be of another version. Nothing is traced.
#define THRUST_CUB_WRAPPED_NAMESPACE gpuopt
#define _LIBCUDACXX_ABI_NAMESPACE gpuopt_cccl
#define NVTX_DISABLE
#include <ostream>
// CUB includes <iostream> for std::ostream alone; of libstdc++ that header puts a static constructor into every file.
#define _GLIBCXX_IOSTREAM 1
#pragma GCC visibility push(hidden)
#include <thrust/iterator/counting_iterator.h>

#include <cub/device/device_reduce.cuh>
#pragma GCC visibility pop

#include "common/divider.cuh"
#include "common/dtypes.cuh"
#include "common/launch.h"
#include "reduce/common/descriptor.h"
#include "reduce/common/problem.h"

namespace gpuopt {

// The term of an element.
template <class C, class T>
struct CubTerm {
  int32_t map;
  __host__ __device__ C operator()(T x) const {
    const C value = widen<C>(x);
    return map == kSquare ? value * value : map == kMagnitude ? (value < 0 ? -value : value) : value;
  }
};

// The term of element e of a padded matrix.
template <class C, class T>
struct CubTermAt {
  View x;
  Divider per_row;
  CubTerm<C, T> term;
  __host__ __device__ C operator()(int64_t e) const {
    int64_t j;
    const int64_t i = per_row.divide(e, j);
    return term(static_cast<const T *>(x.data)[x.offset(0, i, j)]);
  }
};

struct CubPlus {
  template <class C>
  __host__ __device__ C operator()(C a, C b) const {
    return a + b;
  }
};

template <class C>
__global__ void cub_finish(const C *total, C *out, ReduceOutput output) {
  const double x = static_cast<double>(*total);
  *out = static_cast<C>(output.finish == kMean ? divided_by_count(x, output) : sqrt(x));
}

namespace {

constexpr char kName[] = "reduce_cub";
constexpr size_t kTotalBytes = 256;  // of scratch, before CUB's

// temporary NULL: only asks for the bytes.
template <class T>
cudaError_t reduce_with_cub(const gpuopt_problem &problem, void *temporary, size_t *bytes, void *out,
                            cudaStream_t stream) {
  using C = typename TypesOf<dtype_of<T>>::Computed;
  const T *x = static_cast<const T *>(problem.operand[GPUOPT_OPERAND_X].m.data);
  const int64_t count = problem.m * problem.n;
  const CubTerm<C, T> term{state_of(problem.variant).map};
  if (problem.m > 1 && problem.operand[GPUOPT_OPERAND_X].m.ld != problem.n) {
    const CubTermAt<C, T> at{matrix_view(problem.operand[GPUOPT_OPERAND_X]), Divider(problem.n, count), term};
    return cub::DeviceReduce::TransformReduce(temporary, *bytes, thrust::counting_iterator<int64_t>(0),
                                              static_cast<C *>(out), count, CubPlus(), at, C(0), stream);
  }
  if constexpr (std::is_same_v<T, C>) {
    if (term.map == kValue) return cub::DeviceReduce::Sum(temporary, *bytes, x, static_cast<C *>(out), count, stream);
  }
  return cub::DeviceReduce::TransformReduce(temporary, *bytes, x, static_cast<C *>(out), count, CubPlus(), term, C(0),
                                            stream);
}

template <class F>
auto with_type(int32_t dtype, F &&f) {
  switch (dtype) {
    case GPUOPT_F64:
      return f(Type<double>{});
    case GPUOPT_F16:
      return f(Type<__half>{});
    case GPUOPT_BF16:
      return f(Type<__nv_bfloat16>{});
    default:
      return f(Type<float>{});
  }
}

// Asking CUB makes a CUDA call, which a workspace function may not: its partials are at most a few thousand, one for
// each block of a grid of up to five waves.
void workspace(const gpuopt_problem *problem, size_t *scratch, size_t *zeroed) {
  *scratch = kTotalBytes + static_cast<size_t>(problem->device->sm_count) * 32 * 5 * sizeof(double) + 4096;
  *zeroed = 0;
}

gpuopt_status launch(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  const ReduceOutput output = reduce_output(*problem);
  void *const out = output.out.data, *const total = launch->scratch;
  const bool finished = output.finish == kAsIs;
  size_t given = 0, unused = 0;
  workspace(problem, &given, &unused);
  return with_type(problem->operand[GPUOPT_OPERAND_X].m.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    using C = typename TypesOf<dtype_of<T>>::Computed;
    size_t bytes = 0;
    cudaError_t code = reduce_with_cub<T>(*problem, nullptr, &bytes, out, launch->stream);
    if (code == cudaSuccess && bytes > given - kTotalBytes) code = cudaErrorMemoryAllocation;
    if (code == cudaSuccess)
      code = reduce_with_cub<T>(*problem, static_cast<char *>(launch->scratch) + kTotalBytes, &bytes,
                                finished ? out : total, launch->stream);
    if (code != cudaSuccess || finished) return cuda_status(launch, kName, code);
    return launch_kernel(launch, kName, dim3(1), dim3(1), 0, cub_finish<C>, static_cast<const C *>(total),
                         static_cast<C *>(out), output);
  });
}

// CUB's kernels are loaded by their first launch, which may be in a capture under lazy loading; asking for the sizes
// makes CUB query their occupancy, which loads them.
gpuopt_status prepare(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  return with_type(problem->operand[GPUOPT_OPERAND_X].m.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    using C = typename TypesOf<dtype_of<T>>::Computed;
    size_t bytes = 0;
    const cudaError_t code = reduce_with_cub<T>(*problem, nullptr, &bytes, nullptr, launch->stream);
    return code == cudaSuccess ? load_kernel(launch, kName, cub_finish<C>) : cuda_status(launch, kName, code);
  });
}

constexpr gpuopt_signature kSignatures[] = {{{GPUOPT_F32, GPUOPT_ANY, GPUOPT_F32, GPUOPT_ANY}, GPUOPT_ANY},
                                            {{GPUOPT_F64, GPUOPT_ANY, GPUOPT_F64, GPUOPT_ANY}, GPUOPT_ANY},
                                            {{GPUOPT_F16, GPUOPT_ANY, GPUOPT_F32, GPUOPT_ANY}, GPUOPT_ANY},
                                            {{GPUOPT_BF16, GPUOPT_ANY, GPUOPT_F32, GPUOPT_ANY}, GPUOPT_ANY}};

constexpr gpuopt_kernel make_kernel() {
  gpuopt_kernel k = kernel_descriptor(GPUOPT_OP_REDUCE, kName, "CUB's DeviceReduce: sums of floats over a matrix",
                                      GPUOPT_FEATURE_LARGE);
  k.variants = kSums;
  k.axes = 1u << GPUOPT_ALL;
  set_signatures(k, kSignatures);
  k.workspace = workspace;
  k.prepare = prepare;
  k.launch = launch;
  set_resources(k, kResourcesOf<1, 0, cub_finish<float>, cub_finish<double>>);
  return k;
}

constexpr gpuopt_kernel kKernels[] = {make_kernel()};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
