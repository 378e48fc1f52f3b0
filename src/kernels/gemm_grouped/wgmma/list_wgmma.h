// The wgmma kernel of lists on the host.
#pragma once

#include "gpuopt/kernel.h"

namespace gpuopt {

// Of what is made of each product in front of the kernel (list_maps.h): bytes of scratch memory, time of the launches.
size_t list_maps_bytes(const gpuopt_problem &problem);
double list_maps_us(const gpuopt_problem &problem);

// function: of gemm_grouped_wgmma_list_kernel. tiles: the most that there can be.
gpuopt_status list_wgmma_prepare(const char *name, const gpuopt_resource &function, const gpuopt_problem *problem,
                                 const gpuopt_launch *launch);
gpuopt_status list_wgmma_launch(const char *name, const gpuopt_resource &function, double tiles,
                                const gpuopt_problem *problem, const gpuopt_launch *launch);

}  // namespace gpuopt
