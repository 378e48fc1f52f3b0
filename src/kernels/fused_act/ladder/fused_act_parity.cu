// fused_act_parity_*: a gelu whose even elements go one way and whose odd elements another, and three ways for warps to meet
// that choice. Teaching rungs.
//
//   mixed       neighbouring threads have neighbouring elements: every warp has both parities, runs both sides one after
//               the other, and half of its threads wait at each
//   regrouped   even elements have one half of the threads and odd ones the other: no warp has both, and neighbours in a
//               warp are two elements apart
//   warps       neighbouring threads have neighbouring elements, and the choice is the warp's number's: no warp has both,
//               and accesses are whole. It is another choice, which a problem must allow for; a gelu does not mind
//
// The two sides are one function in two forms of some 40 instructions each, so that either gives a right result:
// x * normcdf(x), and x / 2 * (1 + erf(x / sqrt 2)). Chains of up to 8 GELU repeat the choice and put arithmetic before
// memory. fused_act_branchy has the case of short sides, which selects mend.
// Needs: f32, chains of GELU, packed and by rows.
// Prediction: with four stages, mixed takes twice the time of the other two: 16 of 32 threads an instruction. The texts that
// this ladder follows have 1.5 to 3 times.
// arch class: teaching

#include "common/descriptor.h"
#include "common/launch.h"
#include "common/stage_values.h"
#include "fused_act/ladder/elementwise.cuh"

namespace gpuopt {

enum class Parity { kMixed, kRegrouped, kWarps };

struct ParityWork {
  const float *x;
  float *out;
  int64_t count;
  int32_t stages;
};

// The empty asm keeps the compiler from working out both sides and selecting one.
__device__ __forceinline__ float gelu_by_distribution(float x) {
  float y = x * normcdff(x);
  asm volatile("" : "+f"(y));
  return y;
}
__device__ __forceinline__ float gelu_by_error_function(float x) {
  float y = 0.5f * x * (1.0f + erff(0.70710678f * x));
  asm volatile("" : "+f"(y));
  return y;
}

template <Parity kParity>
__global__ void __launch_bounds__(kElementwiseThreads) fused_act_parity_kernel(ParityWork work) {
  const int64_t thread = int64_t{blockIdx.x} * kElementwiseThreads + threadIdx.x;
  const int64_t half = (work.count + 1) / 2;  // even elements
  int64_t e = thread;
  if (kParity == Parity::kRegrouped) e = thread < half ? 2 * thread : 2 * (thread - half) + 1;
  if (e >= work.count) return;
  const bool odd = kParity == Parity::kWarps ? threadIdx.x / 32 % 2 != 0 : e % 2 != 0;
  float x = work.x[e];
#pragma unroll 1
  for (int32_t s = 0; s < work.stages; ++s) {
    if (odd) {
      x = gelu_by_distribution(x);
    } else {
      x = gelu_by_error_function(x);
    }
  }
  work.out[e] = x;
}

namespace {

template <Parity kParity>
constexpr const char *kName = kParity == Parity::kMixed       ? "fused_act_parity_mixed"
                              : kParity == Parity::kRegrouped ? "fused_act_parity_regrouped"
                                                              : "fused_act_parity_warps";

template <Parity kParity>
gpuopt_status prepare(const gpuopt_problem *, const gpuopt_launch *launch) {
  return load_kernel(launch, kName<kParity>, fused_act_parity_kernel<kParity>);
}

template <Parity kParity>
gpuopt_status launch(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  const ParityWork work = {static_cast<const float *>(problem->operand[GPUOPT_OPERAND_X].m.data),
                           static_cast<float *>(problem->operand[GPUOPT_OPERAND_OUT].m.data),
                           problem->batch * problem->m * problem->n, problem->stage_count};
  return launch_kernel(launch, kName<kParity>, dim3(static_cast<unsigned>(ceil_div(work.count, kElementwiseThreads))),
                       dim3(kElementwiseThreads), 0, fused_act_parity_kernel<kParity>, work);
}

constexpr gpuopt_signature kSignatures[] = {{{GPUOPT_F32, GPUOPT_ANY, GPUOPT_F32, GPUOPT_ANY}, GPUOPT_COMPUTE_F32}};

template <Parity kParity>
constexpr gpuopt_kernel make_kernel(const char *summary) {
  gpuopt_kernel k =
      kernel_descriptor(GPUOPT_OP_FUSED_ACT, kName<kParity>, summary, GPUOPT_FEATURE_BATCH | GPUOPT_FEATURE_LARGE);
  k.flags = GPUOPT_KERNEL_TEACHING;
  k.stage_kinds = stage_bits(GPUOPT_STAGE_GELU);
  k.max_stages = GPUOPT_MAX_STAGES;
  k.layouts[GPUOPT_OPERAND_X] = GPUOPT_LAYOUT_ROW;
  k.operands_packed = 1u << GPUOPT_OPERAND_X | 1u << GPUOPT_OPERAND_OUT;
  k.can_run = elementwise_can_run;
  set_signatures(k, kSignatures);
  set_functions(k, nullptr, prepare<kParity>, launch<kParity>,
                kResourcesOf<kElementwiseThreads, 0, fused_act_parity_kernel<kParity>>);
  return k;
}

constexpr gpuopt_kernel kKernels[] = {
    make_kernel<Parity::kMixed>("gelu, even and odd elements by two ways: every warp takes both"),
    make_kernel<Parity::kRegrouped>("gelu, even and odd elements by two ways, regrouped: a warp takes one"),
    make_kernel<Parity::kWarps>("gelu, even and odd warps by two ways: a warp takes one")};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
