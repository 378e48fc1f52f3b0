// A chain of stages on the device: the list of gpuopt_stage as a plain struct, passed by value as a
// __grid_constant__ kernel parameter, and its evaluation on a run of elements in registers. Shared by
// fused_act and gemm's epilogue.
//
// C, float or double, is the type the chain is evaluated in; the caller rounds once, when it stores. The
// stages are walked by a loop over constant memory whose branches are the same for all threads; operands of
// every form are views that differ in their steps only. Functions are the accurate ones.
#pragma once

#include "common/run.cuh"
#include "common/stages.cuh"

namespace gpuopt {

template <class C>
struct Chain {
  struct Stage {
    int32_t kind, form;
    C value[2];
    View a, b;
  };
  int32_t count;
  Stage stage[GPUOPT_MAX_STAGES];
};

// count stages of the problem, from first on.
template <class C>
Chain<C> make_chain(const gpuopt_problem &problem, int32_t first, int32_t count) {
  Chain<C> chain = {};
  chain.count = count;
  for (int32_t s = 0; s < count; ++s) {
    const gpuopt_problem_stage &from = problem.stage[first + s];
    typename Chain<C>::Stage &to = chain.stage[s];
    to.kind = from.kind;
    to.form = from.form;
    to.value[0] = static_cast<C>(from.value[0]);
    to.value[1] = static_cast<C>(from.value[1]);
    to.a = stage_view(from);
    to.b = outer_view(from);
  }
  return chain;
}
template <class C>
Chain<C> make_chain(const gpuopt_problem &problem) {
  return make_chain<C>(problem, 0, problem.stage_count);
}

// x[e] becomes the chain's value at element e of the run. Values past run.count come out undefined, and touch
// no memory.
template <class C, int N>
__device__ __forceinline__ void apply_chain(const Chain<C> &chain, const Run &run, C (&x)[N]) {
#pragma unroll 1
  for (int32_t s = 0; s < chain.count; ++s) {
    const typename Chain<C>::Stage &st = chain.stage[s];
    const C v0 = st.value[0];
    C a[N], b[N];
#pragma unroll
    for (int e = 0; e < N; ++e) a[e] = C(1);
    if (st.a.dtype != 0 && st.kind != GPUOPT_STAGE_STORE) load_run(st.a, run, a);
    if (st.b.dtype != 0) load_run(st.b, run, b);
    apply_stage<kAllStageKinds, AccurateMath>(st.kind, v0, st.value[1], a, b, x, [&] { store_run(st.a, run, x); });
  }
}

}  // namespace gpuopt
