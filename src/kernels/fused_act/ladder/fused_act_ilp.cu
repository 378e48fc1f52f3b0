// fused_act_ilp_4: four independent elements a thread. A teaching rung between fused_act_scalar and fused_act_vec16.
//
// Idea and data movement: accesses are one element wide as in fused_act_scalar, and a warp's elements are neighbours,
// but a thread takes four elements a block apart: four loads are under way before the first value is needed, four
// chains of arithmetic interleave, and a stage is interpreted once for the four. Instruction-level parallelism hides
// latency with fewer threads; it saves no access, which is what vectors do.
//
// Needs: a chain evaluated in fp32. Every layout, leading dimension, extent, batch and stage, in place or not.
// Prediction: none, it is a rung; instructions of an element still cost more than its bytes.
// arch class: teaching

#include "common/fast_stages.cuh"
#include "common/with_dtype.cuh"
#include "fused_act/ladder/elementwise.cuh"

namespace gpuopt {

constexpr int kIlp = 4;

__global__ void __launch_bounds__(kElementwiseThreads)
    fused_act_ilp_kernel(const __grid_constant__ Elementwise<float> work) {
  const int64_t first = static_cast<int64_t>(blockIdx.x) * (kElementwiseThreads * kIlp) + threadIdx.x;
  int64_t p[kIlp], i[kIlp], j[kIlp];
  float x[kIlp];
  const auto count = static_cast<int>(work.count - first <= 0 ? 0 : ceil_div(work.count - first, kElementwiseThreads));
  const auto load = [&](const View &view, float(&to)[kIlp]) {
#pragma unroll
    for (int e = 0; e < kIlp; ++e) {
      to[e] = e < count ? load_element<float>(view.data, view.offset(p[e], i[e], j[e]), view.dtype) : 0.0f;
    }
  };
  const auto store = [&](const View &view) {
#pragma unroll
    for (int e = 0; e < kIlp; ++e) {
      if (e < count) store_element(view.data, view.offset(p[e], i[e], j[e]), view.dtype, x[e]);
    }
  };
#pragma unroll
  for (int e = 0; e < kIlp; ++e)
    p[e] = work.rows.divide(work.cols.divide(e < count ? first + e * kElementwiseThreads : 0, j[e]), i[e]);
  load(work.x, x);
#pragma unroll 1
  for (int32_t s = 0; s < work.chain.count; ++s) {
    const Chain<float>::Stage &stage = work.chain.stage[s];
    float a[kIlp], b[kIlp];
#pragma unroll
    for (int e = 0; e < kIlp; ++e) a[e] = b[e] = 1.0f;
    if (stage.a.dtype != 0 && stage.kind != GPUOPT_STAGE_STORE) load(stage.a, a);
    if (stage.b.dtype != 0) load(stage.b, b);
    apply_stage<kAllStageKinds, FastMath>(stage.kind, stage.value[0], stage.value[1], a, b, x, [&] { store(stage.a); });
  }
  store(work.out);
}

namespace {

constexpr char kName[] = "fused_act_ilp_4";

gpuopt_status prepare(const gpuopt_problem *, const gpuopt_launch *launch) {
  return load_kernel(launch, kName, fused_act_ilp_kernel);
}

gpuopt_status launch(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  const Elementwise<float> work =
      make_elementwise<float>(*problem, matrix_view(problem->operand[GPUOPT_OPERAND_X]),
                              matrix_view(problem->operand[GPUOPT_OPERAND_OUT]), make_chain<float>(*problem));
  const auto blocks = static_cast<unsigned>(ceil_div(work.count, kElementwiseThreads * kIlp));
  return launch_kernel(launch, kName, blocks, kElementwiseThreads, 0, fused_act_ilp_kernel, work);
}

constexpr gpuopt_kernel make_kernel() {
  gpuopt_kernel k =
      elementwise_kernel(kName, "four independent elements a thread: latency hidden by parallel instructions");
  k.flags = GPUOPT_KERNEL_TEACHING;
  k.signature_count = 1;  // fp32
  set_functions(k, nullptr, prepare, launch, kResourcesOf<kElementwiseThreads, 0, fused_act_ilp_kernel>);
  return k;
}
constexpr gpuopt_kernel kKernels[] = {make_kernel()};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
