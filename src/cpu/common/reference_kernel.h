/* What the reference kernels have in common: they take anything valid, and no other kernel is as slow.
 */
#pragma once

#include "host_kernel.h"

namespace gpuopt {
namespace cpu {

/* Predicted time of `steps` inner steps. The constant part keeps it behind every other kernel on tiny
 * problems too; being finite, the prediction lets the reference run where nothing else can. */
static inline double reference_us(double steps, double steps_per_us) { return 1000 + steps / steps_per_us; }

}  // namespace cpu
}  // namespace gpuopt
