// Packing for the warptile kernels: operands that cannot be copied by 16 bytes (contiguous along k, or not aligned) are
// brought into scratch memory once, as [k][x] with aligned lines, before the product starts.
#ifndef GPUOPT_KERNELS_GEMM_WARPTILE_PACK_CUH
#define GPUOPT_KERNELS_GEMM_WARPTILE_PACK_CUH

#include <cstdint>

#include "common/launch.h"

namespace gpuopt {

struct WarptilePackOperand {
  const float *from;
  int64_t x_step, k_step, batch_step;  // one of the first two is 1
  float *to;
  int64_t x, k, to_ld;              // extents; floats of a packed line
  int64_t tiles_x, tiles_k, tiles;  // tiles: of all matrices of the batch; 0 where nothing is packed
};

struct WarptilePack {
  WarptilePackOperand a, b;
};

constexpr int64_t kWarptilePackTile = 64;
// Floats of a packed line: whole groups of 128 bytes.
inline int64_t warptile_packed_ld(int64_t x) { return (x + 31) / 32 * 32; }

// Defined in gemm_warptile_packed.cu.
gpuopt_status load_warptile_pack(const gpuopt_launch *launch, const char *name);
gpuopt_status run_warptile_pack(const gpuopt_launch *launch, const char *name, const WarptilePack &pack);

}  // namespace gpuopt

#endif
