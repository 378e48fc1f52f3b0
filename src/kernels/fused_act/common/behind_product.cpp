#include <algorithm>

#include "fused_act/common/figures.h"
#include "gpuopt/kernel.h"

namespace gpuopt {

// Its launch is hidden in part behind the product's, and the second-level cache holds some of the sums, which lie packed.
double behind_product_us(const gpuopt_problem &problem) {
  const gpuopt_operand &x = problem.operand[GPUOPT_OPERAND_X];
  if (x.user_operand != GPUOPT_OPERAND_NONE) return 0;
  constexpr double kHeldPart = 1.0 / 3;  // of the cache, beside what else the product moves
  const FusedActCommonFigures &f = fused_act_common_figures;
  const double sums = static_cast<double>(problem.m) * static_cast<double>(problem.n) *
                      static_cast<double>(problem.batch) * static_cast<double>(gpuopt_dtype_size(x.m.dtype));
  const double held = std::min(sums, kHeldPart * static_cast<double>(problem.device->l2_bytes));
  return f.behind_us + f.held_share * held / (problem.device->memory_gbs * 1e3);
}

}  // namespace gpuopt
