// From a grouped wgmma kernel to its descriptor.
#pragma once

#include "gemm_grouped/common/grouped_descriptor.h"
#include "gemm_grouped/wgmma/grouped_wgmma.h"

namespace gpuopt {

// function_of: the GroupedFunction of a problem.
template <auto function_of, size_t kSignatures, size_t kResources>
constexpr gpuopt_kernel grouped_wgmma_kernel(const char *name, const char *summary,
                                             const gpuopt_signature (&signatures)[kSignatures],
                                             decltype(gpuopt_kernel::predict_us) predict_us,
                                             const gpuopt_resource (&resources)[kResources]) {
  gpuopt_kernel kernel = grouped_descriptor(name, summary);
  kernel.version = 2;
  kernel.cc_min = kernel.cc_exact = 90;
  take_by_vectors(kernel);
  set_signatures(kernel, signatures);
  kernel.can_run = grouped_wgmma_can_run;
  kernel.workspace = grouped_wgmma_workspace;
  set_functions(
      kernel, predict_us,
      [](const gpuopt_problem *problem, const gpuopt_launch *launch) {
        return grouped_wgmma_prepare(function_of(*problem), problem, launch);
      },
      [](const gpuopt_problem *problem, const gpuopt_launch *launch) {
        return grouped_wgmma_launch(function_of(*problem), problem, launch);
      },
      resources);
  return kernel;
}

}  // namespace gpuopt
