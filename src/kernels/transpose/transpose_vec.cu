// Tiles in vectors on both sides: register sub-transposes in a tile of shared memory without bank conflicts.
//
// Data movement: vector_tile.cuh. A warp reads and writes runs of 256 bytes or more in every row, for which the large
// tiles are 64 elements wide at 4 bytes, 128 at 2 and 256 at 1: shorter runs, as in the small tiles, cost bandwidth and
// pay where a matrix has too few large tiles for the device. Vectors of 8 bytes take half the registers of 16-byte
// ones, so that more threads share a tile, and one instruction of a warp reads a whole run of 256 bytes: the fastest on
// large matrices of 4-byte and 8-byte elements. Vectors of 16 bytes take fewer instructions: the fastest at 1 byte.
// transpose_vec8_32 marks what it moves as the first to leave L2, for matrices that L2 could hold; transpose_vec8_64
// asks L2 for the tiles of blocks to come. Matrices of whole tiles have kernels of their own.
// Needs: bases, leading dimensions and batch strides that are multiples of the vector (16-byte elements: 16); extents
// may be any.
// Recorded (H200, 2026-11-21, single call, cold), of copy: _vec8_64 f32 98.5 % at 8192^2 (130.7 us) and 98.5 % at
// 16384^2 (513 us), f64 99.1 %, 16-byte elements (4096^2) 99.0 %, bf16 97.9 %; _vec16_128 i8 97.1 % at 8192^2 and 96.5
// % at 16384^2; _vec8_32 f32 1024^2 5.82 us, in a graph 3.12, 256^2 3.90 and 1.10 us. Forced, 8192^2 f32: _vec16_64
// and _vec16_128 131.9 us, 97.6 %.
#include "vector_tile.cuh"

namespace gpuopt {
namespace {

// The tile of each kernel for each element size: rows, columns, threads.
template <int kBytes>
using Tile8By32 = BySize<kBytes, VectorTile<1, 8, 64, 64, 64, true>, VectorTile<2, 8, 32, 64, 128, true>,
                         VectorTile<4, 8, 32, 32, 128, true>, VectorTile<8, 8, 32, 32, 256, true>,
                         VectorTile<16, 16, 16, 16, 256, true>>;
template <int kBytes>
using Tile8By64 = BySize<kBytes, VectorTile<1, 8, 128, 128, 256>, VectorTile<2, 8, 128, 128, 1024, false, 64>,
                         VectorTile<4, 8, 64, 64, 512, false, 32>, VectorTile<8, 8, 64, 32, 512, false, 32>,
                         VectorTile<16, 16, 32, 16, 256, false, 32>>;
template <int kBytes>
using Tile16By64 =
    BySize<kBytes, VectorTile<1, 16, 128, 256, 128>, VectorTile<2, 16, 64, 64, 64>, VectorTile<4, 16, 64, 64, 256>,
           VectorTile<8, 16, 32, 32, 256>, VectorTile<16, 16, 32, 16, 256>>;
template <int kBytes>
using Tile16By128 =
    BySize<kBytes, VectorTile<1, 16, 256, 256, 128>, VectorTile<2, 16, 128, 128, 256>, VectorTile<4, 16, 128, 64, 512>,
           VectorTile<8, 16, 64, 64, 1024>, VectorTile<16, 16, 32, 32, 512>>;

// Fitted on an H200.
constexpr TileCost kCost8By32 = {3.7, {0.57, 0.759, 0.784, 0.828, 0.803}};
constexpr TileCost kCost8By64 = {4.9, {0.79, 0.859, 0.868, 0.863, 0.863}};
constexpr TileCost kCost16By64 = {4.4, {0.828, 0.815, 0.849, 0.853, 0.857}};
constexpr TileCost kCost16By128 = {4.6, {0.845, 0.849, 0.850, 0.847, 0.858}};

constexpr char kName8By32[] = "transpose_vec8_32", kName8By64[] = "transpose_vec8_64";
constexpr char kName16By64[] = "transpose_vec16_64", kName16By128[] = "transpose_vec16_128";

#define GPUOPT_WHOLE_8_32_(kBytes) GPUOPT_VECTOR_RESOURCE(transpose_whole_tiles_kernel, Tile8By32<kBytes>)
#define GPUOPT_WHOLE_8_64_(kBytes) GPUOPT_VECTOR_RESOURCE(transpose_whole_tiles_kernel, Tile8By64<kBytes>)
#define GPUOPT_WHOLE_16_64_(kBytes) GPUOPT_VECTOR_RESOURCE(transpose_whole_tiles_kernel, Tile16By64<kBytes>)
#define GPUOPT_WHOLE_16_128_(kBytes) GPUOPT_VECTOR_RESOURCE(transpose_whole_tiles_kernel, Tile16By128<kBytes>)
#define GPUOPT_8_32_(kBytes) GPUOPT_VECTOR_RESOURCE(transpose_vector_kernel, Tile8By32<kBytes>)
#define GPUOPT_8_64_(kBytes) GPUOPT_VECTOR_RESOURCE(transpose_vector_kernel, Tile8By64<kBytes>)
#define GPUOPT_16_64_(kBytes) GPUOPT_VECTOR_RESOURCE(transpose_vector_kernel, Tile16By64<kBytes>)
#define GPUOPT_16_128_(kBytes) GPUOPT_VECTOR_RESOURCE(transpose_vector_kernel, Tile16By128<kBytes>)
gpuopt_resource kResources8By32[] = {GPUOPT_BY_WORD(GPUOPT_8_32_), GPUOPT_BY_WORD(GPUOPT_WHOLE_8_32_)};
gpuopt_resource kResources8By64[] = {GPUOPT_BY_WORD(GPUOPT_8_64_), GPUOPT_BY_WORD(GPUOPT_WHOLE_8_64_)};
gpuopt_resource kResources16By64[] = {GPUOPT_BY_WORD(GPUOPT_16_64_), GPUOPT_BY_WORD(GPUOPT_WHOLE_16_64_)};
gpuopt_resource kResources16By128[] = {GPUOPT_BY_WORD(GPUOPT_16_128_), GPUOPT_BY_WORD(GPUOPT_WHOLE_16_128_)};
#undef GPUOPT_WHOLE_8_32_
#undef GPUOPT_WHOLE_8_64_
#undef GPUOPT_WHOLE_16_64_
#undef GPUOPT_WHOLE_16_128_
#undef GPUOPT_8_32_
#undef GPUOPT_8_64_
#undef GPUOPT_16_64_
#undef GPUOPT_16_128_

template <template <int> class Tile, const char *kName, const TileCost &kCost, size_t kResources>
constexpr gpuopt_kernel make_kernel(const char *summary, int vector, gpuopt_resource (&resources)[kResources]) {
  gpuopt_kernel k = transpose_kernel(kName, summary, kViewFeatures);
  need_vectors(k, vector);
  k.predict_us = [](const gpuopt_problem *problem) { return vector_tiles_us<Tile>(*problem, kCost); };
  k.prepare = prepare_vector<Tile, kName>;
  k.launch = launch_vector<Tile, kName>;
  k.resources = resources;
  k.resource_count = kResources;
  return k;
}

constexpr gpuopt_kernel kKernels[] = {
    make_kernel<Tile8By32, kName8By32, kCost8By32>("8-byte accesses, small tiles for small matrices", 8,
                                                   kResources8By32),
    make_kernel<Tile8By64, kName8By64, kCost8By64>("8-byte accesses, 64 x 64 tiles by many threads", 8,
                                                   kResources8By64),
    make_kernel<Tile16By64, kName16By64, kCost16By64>("16-byte accesses, register sub-transposes; tiles of 64 x 64 and "
                                                      "thereabouts",
                                                      16, kResources16By64),
    make_kernel<Tile16By128, kName16By128, kCost16By128>(
        "16-byte accesses, register sub-transposes; tiles of 128 x 128 and "
        "thereabouts",
        16, kResources16By128),
};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
