// What fused_act_branchy and fused_act_predicated share: chains of the stages that treat two kinds of x differently, in
// two ways of writing the choice.
//
// A warp whose threads disagree at a branch runs both sides one after the other, each for some of its threads: the time
// is the sum, and the branch itself costs instructions that part and join the threads. A select computes both sides for
// all threads and keeps one. So for short sides a select is never slower; a branch wins where a side is long and whole
// warps agree. The compiler turns branches around a few plain instructions into selects by itself; the empty asm keeps
// it from doing so here.
#pragma once

#include "common/fast_stages.cuh"
#include "fused_act/ladder/elementwise.cuh"

namespace gpuopt {

constexpr uint64_t kDivergentStages =
    stage_bits(GPUOPT_STAGE_RELU, GPUOPT_STAGE_LEAKY_RELU, GPUOPT_STAGE_ABS, GPUOPT_STAGE_STEP, GPUOPT_STAGE_TANH);

// The values of stage_values.h with the choice written in one of the two ways.
template <bool kBranches>
struct DivergentMath : FastMath {
  template <class Yes, class No>
  static __device__ __forceinline__ float choose(bool condition, Yes &&yes, No &&no) {
    if constexpr (kBranches) {
      float y;
      if (condition) {
        y = yes();
        asm volatile("" : "+f"(y));
      } else {
        y = no();
        asm volatile("" : "+f"(y));
      }
      return y;
    } else {
      const float a = yes(), b = no();
      return condition ? a : b;
    }
  }
  static __device__ __forceinline__ float relu(float x) {
    return choose(
        x <= 0.0f, [] { return 0.0f; }, [x] { return x; });
  }
  static __device__ __forceinline__ float leaky_relu(float x, float slope) {
    return choose(
        x < 0.0f, [&] { return slope * x; }, [x] { return x; });
  }
  static __device__ __forceinline__ float step(float x) {
    return choose(
        x > 0.0f, [] { return 1.0f; }, [] { return 0.0f; });
  }
  static __device__ __forceinline__ float absolute(float x) {
    return choose(
        x < 0.0f, [x] { return -x; }, [x] { return x + 0.0f; });  // -0 + 0 is 0
  }
  static __device__ __forceinline__ float tanh(float x) {  // sides of 8 and 7 instructions
    return choose(
        fabsf(x) < fast::kTanhFar, [x] { return fast::tanh_near(x); }, [x] { return fast::tanh_far(x); });
  }
};

template <bool kBranches>
__global__ void __launch_bounds__(kElementwiseThreads)
    fused_act_divergence_kernel(const __grid_constant__ Elementwise<float> work) {
  const int64_t index = static_cast<int64_t>(blockIdx.x) * kElementwiseThreads + threadIdx.x;
  if (index >= work.count) return;
  int64_t i, j;
  const int64_t p = work.rows.divide(work.cols.divide(index, j), i);
  float x[1] = {static_cast<const float *>(work.x.data)[work.x.offset(p, i, j)]};
#pragma unroll 1
  for (int32_t s = 0; s < work.chain.count; ++s) {
    const Chain<float>::Stage &stage = work.chain.stage[s];
    apply_stage<kDivergentStages, DivergentMath<kBranches>>(stage.kind, stage.value[0], stage.value[1], x);
  }
  static_cast<float *>(work.out.data)[work.out.offset(p, i, j)] = x[0];
}

template <bool kBranches>
constexpr const char *kDivergenceName = kBranches ? "fused_act_branchy" : "fused_act_predicated";

template <bool kBranches>
gpuopt_status prepare_divergence(const gpuopt_problem *, const gpuopt_launch *launch) {
  return load_kernel(launch, kDivergenceName<kBranches>, fused_act_divergence_kernel<kBranches>);
}
template <bool kBranches>
gpuopt_status launch_divergence(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  return launch_elementwise<float>(
      launch, kDivergenceName<kBranches>, fused_act_divergence_kernel<kBranches>,
      make_elementwise<float>(*problem, matrix_view(problem->operand[GPUOPT_OPERAND_X]),
                              matrix_view(problem->operand[GPUOPT_OPERAND_OUT]), make_chain<float>(*problem)));
}

inline constexpr gpuopt_signature kDivergenceSignatures[] = {
    {{GPUOPT_F32, GPUOPT_ANY, GPUOPT_F32, GPUOPT_ANY}, GPUOPT_COMPUTE_F32}};

template <bool kBranches>
constexpr gpuopt_kernel divergence_kernel(const char *summary) {
  gpuopt_kernel k = elementwise_kernel(kDivergenceName<kBranches>, summary);
  k.flags = GPUOPT_KERNEL_TEACHING;
  k.stage_kinds = kDivergentStages;
  set_signatures(k, kDivergenceSignatures);
  set_functions(k, nullptr, prepare_divergence<kBranches>, launch_divergence<kBranches>,
                kResourcesOf<kElementwiseThreads, 0, fused_act_divergence_kernel<kBranches>>);
  return k;
}

}  // namespace gpuopt
