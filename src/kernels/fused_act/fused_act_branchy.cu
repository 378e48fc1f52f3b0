// fused_act_branchy: each choice that depends on x is a branch, at which random data splits every warp.
// A teaching rung; its counterpart is fused_act_predicated, and divergence.cuh says what the pair shows.
//
// Data movement: one f32 element a thread, read and written once.
// Needs: f32, chains of RELU, LEAKY_RELU, ABS, STEP and TANH.
// Recorded (H200, 2026-11-21, single call, cold), f32 8192 square: tanh 320.5 us, 40 % of copy (predicated 310.6).
// Measured once, not in a record: leaky_relu 294 us (predicated 285).
// arch class: teaching

#include "fused_act/divergence.cuh"

namespace gpuopt {
namespace {

gpuopt_resource kResources[] = {
    {kElementwiseThreads, 0, reinterpret_cast<const void *>(fused_act_divergence_kernel<true>)}};

constexpr gpuopt_kernel kKernels[] = {
    divergence_kernel<true>("data-dependent choices by branches: a divergent warp runs both sides", kResources)};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
