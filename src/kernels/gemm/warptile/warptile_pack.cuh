// Packing for the warptile kernels: operands that cannot be copied by 16 bytes (contiguous along k, or not aligned) are
// brought into scratch memory once, as [k][x] with aligned lines, before the product starts.
#pragma once

#include <cstdint>

#include "common/dependent_launch.cuh"

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

constexpr int kWarptilePackTile = 64, kWarptilePackThreads = 256;
// Floats of a packed line: whole groups of 128 bytes.
inline int64_t warptile_packed_ld(int64_t x) { return (x + 31) / 32 * 32; }

// Tiles of A, then of B. Threads run along the operand's contiguous dimension to read and along x to write.
template <int kTile>
__global__ void __launch_bounds__(kWarptilePackThreads)
    gemm_warptile_pack_kernel(const __grid_constant__ WarptilePack pack) {
  allow_successor();
  constexpr int kRows = kWarptilePackThreads / kTile, kPasses = kTile / kRows;
  __shared__ float transposed[kTile][kTile + 1];
  const bool is_a = blockIdx.x < pack.a.tiles;
  const WarptilePackOperand &o = is_a ? pack.a : pack.b;
  const int64_t tile = is_a ? blockIdx.x : blockIdx.x - pack.a.tiles;
  const int64_t per_matrix = o.tiles_x * o.tiles_k, p = tile / per_matrix, in_matrix = tile - p * per_matrix;
  const int64_t tile_x = in_matrix / o.tiles_k;
  const int64_t first_x = tile_x * kTile, first_k = (in_matrix - tile_x * o.tiles_k) * kTile;
  const int lane = threadIdx.x % kTile, row = threadIdx.x / kTile;
  const float *const from = o.from + p * o.batch_step;
  float *const to = o.to + (p * o.k + first_k) * o.to_ld + first_x;

  float v[kPasses];
  const bool along_k = o.k_step == 1;
#pragma unroll
  for (int pass = 0; pass < kPasses; ++pass) {
    const int64_t x = first_x + (along_k ? row + pass * kRows : lane),
                  k = first_k + (along_k ? lane : row + pass * kRows);
    v[pass] = x < o.x && k < o.k ? from[x * o.x_step + k * o.k_step] : 0.0f;
  }
  if (along_k) {
#pragma unroll
    for (int pass = 0; pass < kPasses; ++pass) transposed[row + pass * kRows][lane] = v[pass];
    __syncthreads();
#pragma unroll
    for (int pass = 0; pass < kPasses; ++pass) v[pass] = transposed[lane][row + pass * kRows];
  }
  if (first_x + lane >= o.to_ld) return;
#pragma unroll
  for (int pass = 0; pass < kPasses; ++pass) {
    const int k = row + pass * kRows;
    if (first_k + k < o.k) to[k * o.to_ld + lane] = v[pass];
  }
}

inline gpuopt_status load_warptile_pack(const gpuopt_launch *launch, const char *name) {
  return load_kernel(launch, name, gemm_warptile_pack_kernel<kWarptilePackTile>);
}
inline gpuopt_status run_warptile_pack(const gpuopt_launch *launch, const char *name, const WarptilePack &pack) {
  return launch_kernel(launch, name, static_cast<uint32_t>(pack.a.tiles + pack.b.tiles), kWarptilePackThreads, 0,
                       gemm_warptile_pack_kernel<kWarptilePackTile>, pack);
}

}  // namespace gpuopt
