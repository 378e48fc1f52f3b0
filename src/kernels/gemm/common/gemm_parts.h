// Products whose sums do not fit: kernels that leave sums in scratch memory (gemm_finish.h) take such a call part by part, some
// matrices of the batch or some rows of one at a time, each part's sums in the place of those before it. So no call is too large
// for them. Where not even the sums of 16 rows fit, the kernel says what those would need.
//
// A part is a product like any other, whose own plan (a split of k, say) may differ from the whole's; bits depend on the call's
// shape and workspace limit alone.
#pragma once

#include "common/descriptor.h"

namespace gpuopt {

// A kernel's functions for products whose sums fit.
struct GemmWhole {
  decltype(gpuopt_kernel::workspace) workspace;
  decltype(gpuopt_kernel::predict_us) predict_us;
  decltype(gpuopt_kernel::prepare) prepare;
  decltype(gpuopt_kernel::launch) launch;
};
void gemm_parts_workspace(const GemmWhole &whole, const gpuopt_problem &problem, size_t *scratch, size_t *zeroed);
double gemm_parts_us(const GemmWhole &whole, const gpuopt_problem &problem);
gpuopt_status gemm_parts_prepare(const GemmWhole &whole, const gpuopt_problem &problem, const gpuopt_launch *launch);
gpuopt_status gemm_parts_launch(const GemmWhole &whole, const gpuopt_problem &problem, const gpuopt_launch *launch);

// A kernel's functions, by those for whole products.
template <auto kWorkspace, auto kPredictUs, auto kPrepare, auto kLaunch>
constexpr void set_functions_in_parts(gpuopt_kernel &k) {
  k.workspace = [](const gpuopt_problem *problem, size_t *scratch, size_t *zeroed) {
    gemm_parts_workspace({kWorkspace, nullptr, nullptr, nullptr}, *problem, scratch, zeroed);
  };
  k.predict_us = [](const gpuopt_problem *problem) {
    return gemm_parts_us({kWorkspace, kPredictUs, nullptr, nullptr}, *problem);
  };
  k.prepare = [](const gpuopt_problem *problem, const gpuopt_launch *launch) {
    return gemm_parts_prepare({kWorkspace, nullptr, kPrepare, nullptr}, *problem, launch);
  };
  k.launch = [](const gpuopt_problem *problem, const gpuopt_launch *launch) {
    return gemm_parts_launch({kWorkspace, nullptr, nullptr, kLaunch}, *problem, launch);
  };
}

}  // namespace gpuopt
