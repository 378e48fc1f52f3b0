// What the one-element-a-thread kernels of fused_act share: out(i, j) = round(chain(x(i, j))).
#pragma once

#include "common/chain.cuh"
#include "common/chain_descriptor.h"
#include "common/divider.cuh"
#include "common/launch.h"

namespace gpuopt {

constexpr int kElementwiseThreads = 256;

template <class C>
struct Elementwise {
  View x, out;
  int64_t count;  // elements of the whole batch
  Divider cols, rows;
  Chain<C> chain;
};

template <class C>
Elementwise<C> make_elementwise(const gpuopt_problem &problem, const View &x, const View &out, const Chain<C> &chain) {
  const int64_t count = problem.batch * problem.m * problem.n;
  return {x, out, count, Divider(problem.n, count), Divider(problem.m, count), chain};
}

// Threads count along the rows of out, which the normal form keeps row-major.
template <class C>
__device__ __forceinline__ void elementwise(const Elementwise<C> &work) {
  const int64_t index = static_cast<int64_t>(blockIdx.x) * kElementwiseThreads + threadIdx.x;
  if (index >= work.count) return;
  Run run = {0, 0, 0, 0, 0, 1};
  run.p = work.rows.divide(work.cols.divide(index, run.j), run.i);
  C x[1];
  load_run(work.x, run, x);
  apply_chain(work.chain, run, x);
  store_run(work.out, run, x);
}

template <class C>
gpuopt_status launch_elementwise(const gpuopt_launch *launch, const char *name, void (*kernel)(Elementwise<C>),
                                 const Elementwise<C> &work) {
  const auto blocks = static_cast<unsigned>(ceil_div(work.count, kElementwiseThreads));
  return launch_kernel(launch, name, blocks, kElementwiseThreads, 0, kernel, work);
}

// Calls f(C{}) for the chain's type and returns what it returns.
template <class F>
gpuopt_status with_chain_type(const gpuopt_problem &problem, F &&f) {
  return problem.compute == GPUOPT_COMPUTE_F64 ? f(double{}) : f(float{});
}

// The grid is one-dimensional, a thread an element.
inline int elementwise_can_run(const gpuopt_problem *problem, gpuopt_reject *reject) {
  constexpr int64_t kMost = int64_t{0x7fffffff} * kElementwiseThreads;
  const int64_t matrix = problem->m * problem->n;
  if (matrix == 0 || problem->batch <= kMost / matrix) return 1;
  return refuse(reject, GPUOPT_REJECT_SIZE_LIMIT, GPUOPT_OPERAND_OUT, problem->batch, kMost / matrix,
                "matrices of a batch of this shape");
}

// The descriptor but for its functions and resources.
constexpr gpuopt_kernel elementwise_kernel(const char *name, const char *summary) {
  gpuopt_kernel kernel = any_chain_descriptor(GPUOPT_OP_FUSED_ACT, name, summary);
  kernel.can_run = elementwise_can_run;
  return kernel;
}

}  // namespace gpuopt
