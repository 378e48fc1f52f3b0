// A product by whole tiles of 64 x 64 that a kernel in front of it may call off: for kernels that find out on the device
// whether their own way keeps the accuracy that a call asks for.
#pragma once

#include "gemm/warptile/warptile_plan.h"

namespace gpuopt {

// Whether it can run, for can_run().
int warptile_guarded_can_run(const gpuopt_problem *problem, gpuopt_reject *reject);
// All of w but its work is set. What it has to be told of the product: warptile_plan.h. Does nothing where *unless is not 0.
gpuopt_status warptile_guarded(const gpuopt_launch *launch, const char *name, const WarptileSize &size, Warptile w,
                               WarptileWay a, WarptileWay b, const uint32_t *unless);
// For prepare() of a kernel that may call it.
gpuopt_status load_warptile_guarded(const gpuopt_launch *launch, const char *name);

}  // namespace gpuopt
