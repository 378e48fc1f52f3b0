// fused_act_trips_*: a loop over elements whose threads go round equally often, and one whose threads do not. Teaching rungs.
//
// A warp takes 1024 elements, one a lane and trip, and stays in the loop until its last lane leaves it.
//
//   even     every lane goes round 32 times
//   uneven   lane l goes round 2 l + 1 times: 1 to 63. The lanes that are left take the elements that come next, so accesses
//            are as whole as those of even; only lanes without work are added
//
// It is what rows of different lengths, a thread each, do to a warp; a warp a row, or rows sorted by their lengths, mend it.
// fused_act_parity has the same for a choice.
// Needs: f32, chains of GELU, packed and by rows.
// Prediction: with four stages, uneven takes 63 / 32 of even's time: 16.25 of 32 threads an instruction.
// arch class: teaching

#include "fused_act/ladder/packed_gelu.cuh"

namespace gpuopt {

constexpr int kTripsWarpElements = 1024;

template <bool kEven>
__global__ void __launch_bounds__(kElementwiseThreads) fused_act_trips_kernel(PackedGelu work) {
  const int64_t warp = (int64_t{blockIdx.x} * kElementwiseThreads + threadIdx.x) / 32;
  const int lane = threadIdx.x % 32, trips = kEven ? 32 : 2 * lane + 1;
#pragma unroll 1
  for (int t = 0; t < trips; ++t) {
    // Before trip t, (t + 1) / 2 lanes have left uneven's loop, and t * t / 4 elements fewer than 32 a trip are done.
    const int64_t e = warp * kTripsWarpElements + 32 * t + lane - (kEven ? 0 : t * t / 4 + (t + 1) / 2);
    if (e >= work.count) return;
    float x = work.x[e];
#pragma unroll 1
    for (int32_t s = 0; s < work.stages; ++s) x = gelu_by_error_function(x);
    work.out[e] = x;
  }
}

namespace {

template <bool kEven>
struct Rung {
  static constexpr const char *kName = kEven ? "fused_act_trips_even" : "fused_act_trips_uneven";
  static constexpr const char *kSummary = kEven ? "gelu, a loop that all lanes of a warp go round 32 times"
                                                : "gelu, a loop that lanes of a warp go round 1 to 63 times";
  static constexpr int64_t kBlockElements = kElementwiseThreads / 32 * kTripsWarpElements;
  static constexpr auto kKernel = fused_act_trips_kernel<kEven>;
};

constexpr gpuopt_kernel kKernels[] = {packed_gelu_kernel<Rung<false>>(), packed_gelu_kernel<Rung<true>>()};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
