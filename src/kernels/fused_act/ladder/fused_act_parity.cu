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

#include "fused_act/ladder/packed_gelu.cuh"

namespace gpuopt {

enum class Parity { kMixed, kRegrouped, kWarps };

// The empty asm keeps the compiler from working out both sides and selecting one.
__device__ __forceinline__ float gelu_by_distribution(float x) {
  float y = x * normcdff(x);
  asm volatile("" : "+f"(y));
  return y;
}

template <Parity kParity>
__global__ void __launch_bounds__(kElementwiseThreads) fused_act_parity_kernel(PackedGelu work) {
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
struct Rung {
  static constexpr const char *kName = kParity == Parity::kMixed       ? "fused_act_parity_mixed"
                                       : kParity == Parity::kRegrouped ? "fused_act_parity_regrouped"
                                                                       : "fused_act_parity_warps";
  static constexpr const char *kSummary =
      kParity == Parity::kMixed       ? "gelu, even and odd elements by two ways: every warp takes both"
      : kParity == Parity::kRegrouped ? "gelu, even and odd elements by two ways, regrouped: a warp takes one"
                                      : "gelu, even and odd warps by two ways: a warp takes one";
  static constexpr int64_t kBlockElements = kElementwiseThreads;
  static constexpr auto kKernel = fused_act_parity_kernel<kParity>;
};

constexpr gpuopt_kernel kKernels[] = {packed_gelu_kernel<Rung<Parity::kMixed>>(),
                                      packed_gelu_kernel<Rung<Parity::kRegrouped>>(),
                                      packed_gelu_kernel<Rung<Parity::kWarps>>()};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
