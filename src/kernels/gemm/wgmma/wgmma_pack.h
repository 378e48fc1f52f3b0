// Packing for the wgmma kernels: an operand that the tensor memory accelerator or the instruction cannot read as it lies is
// brought into scratch memory once, with lines on 128 bytes: such that begin anywhere; 8-bit and fp32 ones that do not lie
// along k, and 16-bit ones of few lines, transposed; fp32 ones that are packed for tf32, rounded to nearest (the tensor core
// would cut bits off).
#pragma once

#include "gpuopt/kernel.h"

namespace gpuopt {

struct WgmmaPackOperand {
  const char *from;
  int64_t pitch, batch_pitch;  // bytes
  char *to;
  int64_t to_pitch, to_batch_pitch;
  int64_t lines, line_bytes;        // of a matrix as it is
  int64_t tiles_l, tiles_c, tiles;  // tiles: of all matrices; 0 where nothing is packed
  bool transposes;
};

struct WgmmaPack {
  WgmmaPackOperand a, b;
};

// Of a block: lines as they lie, and bytes of each.
constexpr int wgmma_pack_lines(bool transposes) { return transposes ? 128 : 32; }
constexpr int wgmma_pack_bytes(bool transposes) { return transposes ? 128 : 512; }

// Tiles of A, then of B, of elements of so many bytes: 1, 2 or, fp32 for tf32, 4.
gpuopt_status wgmma_pack(const gpuopt_problem &problem, const gpuopt_launch *launch, int size, const WgmmaPack &pack);
// For prepare() of a kernel that may call it.
gpuopt_status load_wgmma_pack(const gpuopt_launch *launch, int size);

}  // namespace gpuopt
