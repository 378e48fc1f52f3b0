// What norm_naive and norm_shared share: a block takes a row in passes over its elements - greatest or mean, sum,
// result - of any type and layout. kCached: the first pass leaves the row in shared memory for the others.
#pragma once

#include "common/chain.cuh"
#include "common/chain_descriptor.h"
#include "common/launch.h"
#include "common/with_dtype.cuh"
#include "norm/common/mean.cuh"
#include "norm/common/norm_views.h"

namespace gpuopt {

constexpr int kPassThreads = 256;

template <class C>
struct PassWork : NormViews {
  int32_t norm;
  int64_t rows, cols;  // rows of one matrix
  C eps;
  Chain<C> chain;
};

// A thread's sum of thousands of terms: what rounding left out of it joins the next one. An infinite sum leaves nothing out.
template <class C>
struct LongSum {
  C sum = 0, left = 0;
  __device__ __forceinline__ void add(C x) {
    const C term = x + left, next = sum + term, lost = term - (next - sum);
    left = isfinite(lost) ? lost : C(0);
    sum = next;
  }
};

// All threads get the sum (or the greatest; a NaN stays) of what each brings, added in the same order every time: of 2 * half
// neighbours of a warp, and, of all of a block, whose warps then meet in shared memory.
template <bool kGreatest, int kThreads, class C>
__device__ __forceinline__ C group_reduce(C value, int half, bool of_block, C *shared) {
  const auto join = [](C a, C b) { return kGreatest ? (b > a || b != b ? b : a) : a + b; };
  for (int offset = half; offset > 0; offset /= 2) value = join(value, __shfl_xor_sync(~0u, value, offset));
  if (!of_block) return value;
  __syncthreads();  // shared may still be read from the last time
  if (threadIdx.x % 32 == 0) shared[threadIdx.x / 32] = value;
  __syncthreads();
  value = shared[0];
  for (int w = 1; w < kThreads / 32; ++w) value = join(value, shared[w]);
  return value;
}
template <bool kGreatest, class C>
__device__ __forceinline__ C block_reduce(C value, C *shared) {
  return group_reduce<kGreatest, kPassThreads>(value, 16, true, shared);
}

// Told nothing of blocks an SM, ptxas would rather spill than give the chain in fp64 the registers that it wants.
template <class C, bool kCached>
__global__ void __launch_bounds__(kPassThreads, sizeof(C) == sizeof(float) ? 4 : 2)
    norm_passes_kernel(const __grid_constant__ PassWork<C> work) {
  extern __shared__ __align__(16) unsigned char memory[];
  __shared__ C sums[kPassThreads / 32];
  C *row = reinterpret_cast<C *>(memory);
  const auto rows = static_cast<uint32_t>(work.rows);  // of the whole batch there are less than 2^31
  const int64_t p = blockIdx.x / rows, i = blockIdx.x % rows, n = work.cols;
  const auto read = [&](int64_t j) {
    C h = load_element<C>(work.x.data, work.x.offset(p, i, j), work.x.dtype);
    if (work.residual.dtype != 0)
      h += load_element<C>(work.residual.data, work.residual.offset(p, i, j), work.residual.dtype);
    return h;
  };
  const auto again = [&](int64_t j) { return kCached ? row[j] : read(j); };
  const bool softmax = work.norm == GPUOPT_NORM_SOFTMAX || work.norm == GPUOPT_NORM_LOG_SOFTMAX;
  if (kCached) {
    for (int64_t j = threadIdx.x; j < n; j += kPassThreads) row[j] = read(j);  // each thread reads its own again
  }

  SplitMean<C> centre = {};  // the mean, 0 or the greatest
  if (softmax) {
    C first = -static_cast<C>(HUGE_VAL);
    for (int64_t j = threadIdx.x; j < n; j += kPassThreads) {
      const C h = again(j);
      first = h > first || h != h ? h : first;
    }
    centre.high = block_reduce<true>(first, sums);
  } else if (work.norm == GPUOPT_NORM_LAYERNORM) {
    // Nothing is written before all threads have it.
    const C origin = n > 0 ? middle_of(read(0), read(n / 2), read(n - 1)) : C(0);
    LongSum<C> distance;
    for (int64_t j = threadIdx.x; j < n; j += kPassThreads) distance.add(again(j) - origin);
    centre = split_mean(origin, block_reduce<false>(distance.sum, sums) / static_cast<C>(n));
  }
  const auto difference = [&](C h) { return (h - centre.high) - centre.low; };
  LongSum<C> terms;
  for (int64_t j = threadIdx.x; j < n; j += kPassThreads) {
    const C d = difference(again(j));
    terms.add(softmax ? std::exp(d) : d * d);
  }
  C second = block_reduce<false>(terms.sum, sums);
  if (!softmax) second = C(1) / std::sqrt(second / static_cast<C>(n) + work.eps);
  if (work.statistics.dtype != 0 && threadIdx.x < 2)
    store_element(work.statistics.data, work.statistics.offset(p, i, threadIdx.x), work.statistics.dtype,
                  threadIdx.x == 0 ? centre.high : second);

  const C factor = work.norm == GPUOPT_NORM_SOFTMAX ? C(1) / second : second;
  const C shift = work.norm == GPUOPT_NORM_LOG_SOFTMAX ? std::log(second) : C(0);
  for (int64_t j = threadIdx.x; j < n; j += kPassThreads) {
    const C h = again(j);
    C y = difference(h);
    if (softmax)
      y = work.norm == GPUOPT_NORM_SOFTMAX ? std::exp(y) * factor : y - shift;
    else
      y *= factor;
    if (work.gamma.dtype != 0) y *= load_element<C>(work.gamma.data, work.gamma.offset(p, j, 0), work.gamma.dtype);
    if (work.beta.dtype != 0) y += load_element<C>(work.beta.data, work.beta.offset(p, j, 0), work.beta.dtype);
    C result[1] = {y};
    const Run run = {p, i, j, 0, 0, 1};
    apply_chain(work.chain, run, result);
    if (work.sum.dtype != 0) store_element(work.sum.data, work.sum.offset(p, i, j), work.sum.dtype, h);
    store_run(work.out, run, result);
  }
}

template <class C>
PassWork<C> make_pass_work(const gpuopt_problem &problem) {
  return {norm_views(problem),         problem.variant,       problem.m, problem.n,
          static_cast<C>(problem.eps), make_chain<C>(problem)};
}

// Bytes of a row in the type it is computed in.
inline int64_t row_bytes(const gpuopt_problem &problem) {
  return problem.n * (problem.compute == GPUOPT_COMPUTE_F64 ? 8 : 4);
}

template <class C, bool kCached>
gpuopt_status launch_passes(const gpuopt_problem &problem, const gpuopt_launch *launch, const char *name) {
  return launch_kernel(launch, name, static_cast<unsigned>(problem.m * problem.batch), kPassThreads,
                       kCached ? static_cast<size_t>(row_bytes(problem)) : 0, norm_passes_kernel<C, kCached>,
                       make_pass_work<C>(problem));
}

// One row a block.
inline int passes_can_run(const gpuopt_problem *problem, gpuopt_reject *reject) {
  constexpr int64_t kMost = 0x7fffffff;
  if (problem->m == 0 || problem->batch <= kMost / problem->m) return 1;
  return refuse(reject, GPUOPT_REJECT_SIZE_LIMIT, GPUOPT_OPERAND_X, problem->batch, kMost / problem->m,
                "matrices of this many rows");
}

// The descriptor but for its functions and resources.
constexpr gpuopt_kernel passes_kernel(const char *name, const char *summary) {
  gpuopt_kernel k = any_chain_descriptor(GPUOPT_OP_NORM, name, summary);
  k.variants = kAllNorms;
  k.can_run = passes_can_run;
  return k;
}

}  // namespace gpuopt
