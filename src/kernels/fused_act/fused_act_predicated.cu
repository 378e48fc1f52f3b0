// fused_act_predicated: each choice that depends on x computes both sides and selects one.
// A teaching rung; its counterpart is fused_act_branchy, and divergence.cuh says what the pair shows.
//
// Data movement: one f32 element a thread, read and written once.
// Needs: f32, chains of RELU, LEAKY_RELU, ABS, STEP and TANH.
// Recorded (H200, 2026-11-21, single call, cold), f32 8192 square: tanh 310.6 us, 41 % of copy (branchy 320.5).
// Measured once, not in a record: leaky_relu 285 us (branchy 294).
// arch class: teaching

#include "fused_act/divergence.cuh"

namespace gpuopt {
namespace {

gpuopt_resource kResources[] = {
    {kElementwiseThreads, 0, reinterpret_cast<const void *>(fused_act_divergence_kernel<false>)}};

constexpr gpuopt_kernel kKernels[] = {
    divergence_kernel<false>("data-dependent choices by selects: no warp diverges", kResources)};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
