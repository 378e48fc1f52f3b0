// Clusters of more than eight blocks, which not every device of compute capability 9.0 and up can place: those of Hopper and
// later datacenter chips have room for 16, a slice of one or a chip with smaller groups of multiprocessors may have for none.
#pragma once

#include "gpuopt/kernel.h"

namespace gpuopt {

constexpr int32_t kPortableCluster = 8;  // blocks, of a cluster that every such device places

// For prepare(), after load_kernel(): allows clusters of so many blocks and asks whether the device places one. NOT_SUPPORTED
// where it does not, and the library takes the next best kernel. The driver is asked, as an error that the application has left
// pending in the runtime is not to be touched.
gpuopt_status allow_cluster(const gpuopt_launch *launch, const char *who, const void *entry, int64_t blocks,
                            int64_t threads, int64_t dynamic_smem);

}  // namespace gpuopt
