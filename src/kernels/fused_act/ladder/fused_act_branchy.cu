// fused_act_branchy: each choice that depends on x is a branch, at which random data splits every warp.
// A teaching rung; its counterpart is fused_act_predicated, and divergence.cuh says what the pair shows.
//
// Data movement: one f32 element a thread, read and written once.
// Needs: f32, chains of RELU, LEAKY_RELU, ABS, STEP and TANH.
// Prediction: none, it is a rung; the pair shows which way is quicker.
// arch class: teaching

#include "fused_act/ladder/divergence.cuh"

namespace gpuopt {
namespace {

constexpr gpuopt_kernel kKernels[] = {
    divergence_kernel<true>("data-dependent choices by branches: a divergent warp runs both sides")};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
