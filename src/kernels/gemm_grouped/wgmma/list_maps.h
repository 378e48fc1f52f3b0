// What the wgmma kernel of lists finds of each product, made by a launch in front of it: tensor maps, extents, where results go.
#pragma once

#include "gemm_grouped/wgmma/list_work.h"

namespace gpuopt {

// For prepare() and launch(): into scratch memory, of which `work` gets to know. by_panels: D may, where a product's lies so.
gpuopt_status load_list_maps(const char *name, const gpuopt_problem &problem, const gpuopt_launch *launch);
gpuopt_status make_list_maps(const char *name, const gpuopt_problem &problem, const gpuopt_launch *launch,
                             bool by_panels, ListWgmmaWork *work);

}  // namespace gpuopt
