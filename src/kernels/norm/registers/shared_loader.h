// row_loader() of kernels that take as much shared memory as their rows are long.
#pragma once

#include "norm/common/row_launch.h"

namespace gpuopt {

constexpr int64_t kBesideWeights = 2048;  // bytes of a block's shared memory

// They are allowed what a block may have beside kBesideWeights bytes, whatever this problem needs: one that needs less,
// prepared later or by another thread, would else take the rest away.
inline auto shared_row_loader(const gpuopt_launch *launch, const char *name, size_t dynamic_smem) {
  const size_t all = static_cast<size_t>(launch->device->smem_per_block_optin - kBesideWeights);
  return row_loader(launch, name, dynamic_smem == 0 || dynamic_smem > all ? dynamic_smem : all);
}

}  // namespace gpuopt
