// gemm_warptile_packed: stream-K on packed operands, in every layout as fast as in the best one.
//
// Idea and data movement: the product wants both operands as [k][x] with lines on 16 bytes. One that lies otherwise
// costs the main loop 4-byte copies, once for every tile that reads it: 4096 / 128 = 32 times each element at 4096. So
// a first kernel turns it around once, through 64 x 64 tiles of shared memory, into scratch memory. That is 8 bytes
// of traffic an element, at 4096 square 1.4 % of the product's time, and the product then is that of tn.
// Packs every operand that would go by 4 bytes, or only one of two where the time model finds the other not worth it.
// Operands too large for the default workspace go panel by panel, and few rows or columns behind whole tiles get tiles
// of 16 (warptile_panels.cuh): 8192 cubed nn is two panels of 4096 rows, 4097 x 4099 a piece of 4096 x 4096 and two
// strips. The product's blocks come up while the last of the packing runs.
// Needs: as gemm_warptile_128x256, and scratch memory for the packed panels.
// Recorded (H200, 2026-11-21, single call, cold; of the best peer in brackets), by _256x128 in the order nn, nt, tn,
// tt: 4096 cubed 54.1, 53.4, 54.8, 53.7 TFLOP/s (1.06, 1.05, 1.02, 1.03), 8192 cubed 55.1, 52.8, 55.4 (nothing to
// pack), 55.0 (1.07, 1.05, 1.02, 1.06), 4097 x 4099 x 4101 50.9, 50.9, 50.9, 51.0 (1.18, 1.13, 1.08, 1.09); by tiles of
// 128 x 128 9477 x 1152 x 588 278 to 279 us in every layout (1.11, 1.08, 1.07, 1.03). nn 4096 cubed in the suite ladder
// 54.0 with each of the three tiles, 1.06, 81 % of the fp32 peak; 1024 cubed 62.6 us, 0.90.
#include "common/dependent_launch.cuh"
#include "gemm/warptile_packed_launch.cuh"

namespace gpuopt {
namespace {

constexpr int kPackThreads = 256;

}  // namespace

// Tiles of A, then of B. Threads run along the operand's contiguous dimension to read and along x to write.
__global__ void __launch_bounds__(kPackThreads) gemm_warptile_pack_kernel(const __grid_constant__ WarptilePack pack) {
  allow_successor();
  constexpr int kTile = kWarptilePackTile, kRows = kPackThreads / kTile, kPasses = kTile / kRows;
  __shared__ float turned[kTile][kTile + 1];
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
    for (int pass = 0; pass < kPasses; ++pass) turned[row + pass * kRows][lane] = v[pass];
    __syncthreads();
#pragma unroll
    for (int pass = 0; pass < kPasses; ++pass) v[pass] = turned[lane][row + pass * kRows];
  }
  if (first_x + lane >= o.to_ld) return;
#pragma unroll
  for (int pass = 0; pass < kPasses; ++pass) {
    const int k = row + pass * kRows;
    if (first_k + k < o.k) to[k * o.to_ld + lane] = v[pass];
  }
}

gpuopt_status load_warptile_pack(const gpuopt_launch *launch, const char *name) {
  return load_kernel(launch, name, gemm_warptile_pack_kernel);
}
gpuopt_status run_warptile_pack(const gpuopt_launch *launch, const char *name, const WarptilePack &pack) {
  return launch_kernel(launch, name, static_cast<uint32_t>(pack.a.tiles + pack.b.tiles), kPackThreads, 0,
                       gemm_warptile_pack_kernel, pack);
}

namespace {

struct Packed128x128 {
  static constexpr char kName[] = "gemm_warptile_packed";
  static constexpr char kSummary[] = "gemm_warptile_streamk on operands that are first packed as [k][x]";
  using Shape = WarpTile128x128;
  using Kernels = WarptileKernels<Shape>;
  static constexpr WarptileFigures kFigures = kFigures128x128;
  static constexpr bool kPacks = true, kBoth = false;
};
struct Packed128x256 : Packed128x128 {
  static constexpr char kName[] = "gemm_warptile_packed_128x256";
  static constexpr char kSummary[] = "gemm_warptile_packed with tiles of 128 x 256";
  using Shape = WarpTile128x256;
  using Kernels = WarptileKernels<Shape>;
  static constexpr WarptileFigures kFigures = kFigures128x256;
};
struct Packed256x128 : Packed128x128 {
  static constexpr char kName[] = "gemm_warptile_packed_256x128";
  static constexpr char kSummary[] = "gemm_warptile_packed with tiles of 256 x 128";
  using Shape = WarpTile256x128;
  using Kernels = WarptileKernels<Shape>;
  static constexpr WarptileFigures kFigures = kFigures256x128;
};

constexpr gpuopt_kernel kKernels[] = {warptile_kernel<Packed128x128>(), warptile_kernel<Packed128x256>(),
                                      warptile_kernel<Packed256x128>()};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
