// Products whose sums do not fit the workspace, part by part (gemm/common/gemm_parts.h), against the oracle.
#include <algorithm>

#include "gpu_support.h"
#include "many_kernels.h"

using namespace gpuopt_test;

TEST_CASE(
    "gpu: products are right with next to no workspace, and most kernels for tensor cores still run most of them") {
  GPUOPT_NEED_GPU();
  std::vector<const gpuopt_kernel *> kernels;
  for (size_t i = 0; i < gpuopt_kernel_count(); ++i) {
    const gpuopt_kernel *k = gpuopt_kernel_get(i);
    if (k->op == GPUOPT_OP_GEMM && (k->flags & GPUOPT_KERNEL_HOST) == 0 && k->workspace != nullptr)
      kernels.push_back(k);
  }
  gpuopt_check::CheckOptions o;
  o.seed = 29;
  o.problems = 12;
  o.declared = false;
  o.workspace_limit = size_t{256} << 10;
  int64_t ran = 0, refused = 0;
  const std::string error =
      gpuopt_check::check_many(0, kernels, o, 8, [&](const gpuopt_kernel &k, const gpuopt_check::KernelReport &r) {
        CAPTURE(k.name);
        for (const std::string &failure : r.failures) FAIL_CHECK(failure);
        ran += r.ran;
        refused += r.refused;
      });
  CHECK(error == "");
  CAPTURE(ran);
  CAPTURE(refused);
  CHECK(ran > refused);
}
