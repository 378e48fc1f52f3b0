// The values whose bits a product with 1 may not keep: NaNs, zeros, subnormal numbers. A transpose made by arithmetic
// is followed by a pass that reads the source once more and writes these again as they are. f32 and f64.
#pragma once

#include "gpuopt/kernel.h"

namespace gpuopt {

gpuopt_status load_special_values(const gpuopt_problem &problem, const gpuopt_launch *launch);
gpuopt_status restore_special_values(const gpuopt_problem &problem, const gpuopt_launch *launch);

}  // namespace gpuopt
