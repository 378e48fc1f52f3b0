// Tiles in vectors of 16 bytes on both sides: register sub-transposes in a tile of shared memory without bank
// conflicts.
//
// Data movement: vector_tile.cuh. A thread keeps 64 to 256 bytes in flight; a warp reads and writes runs of 256 bytes
// or more in every row, for which the tile is 64 elements wide at 4 bytes, 128 at 2 and 256 at 1: shorter runs, as in
// the smaller tiles, cost bandwidth and pay where a matrix has too few large tiles for the device.
// Needs: bases, leading dimensions and batch strides that are multiples of 16 bytes; extents may be any.
// Measured on an H200 (2026-11-21, single call, cold), _64
// and _128: 8192^2 f32 132.9 and 132.8 us, 97 % of copy; f64 97.5 and 97 %; bf16 94 and 97 %; i8 93 and 93 %.
#include "vector_tile.cuh"

namespace gpuopt {
namespace {

// The tile of each kernel for each element size: rows, columns, threads.
template <int kBytes>
struct Tile64;
template <>
struct Tile64<1> {
  using type = VectorTile<1, 16, 128, 256, 128>;
};
template <>
struct Tile64<2> {
  using type = VectorTile<2, 16, 64, 64, 64>;
};
template <>
struct Tile64<4> {
  using type = VectorTile<4, 16, 64, 64, 256>;
};
template <>
struct Tile64<8> {
  using type = VectorTile<8, 16, 32, 32, 256>;
};
template <>
struct Tile64<16> {
  using type = VectorTile<16, 16, 32, 16, 256>;
};
template <int kBytes>
struct Tile128;
template <>
struct Tile128<1> {
  using type = VectorTile<1, 16, 256, 256, 128>;
};
template <>
struct Tile128<2> {
  using type = VectorTile<2, 16, 128, 128, 256>;
};
template <>
struct Tile128<4> {
  using type = VectorTile<4, 16, 128, 64, 512>;
};
template <>
struct Tile128<8> {
  using type = VectorTile<8, 16, 64, 64, 1024>;
};
template <>
struct Tile128<16> {
  using type = VectorTile<16, 16, 32, 32, 512>;
};

// Fitted on an H200.
constexpr TileCost kCost64 = {4.4, {0.828, 0.815, 0.849, 0.853, 0.857}};
constexpr TileCost kCost128 = {4.6, {0.845, 0.849, 0.850, 0.847, 0.858}};

double predict_64_us(const gpuopt_problem *problem) { return vector_tiles_us<Tile64>(*problem, kCost64); }
double predict_128_us(const gpuopt_problem *problem) { return vector_tiles_us<Tile128>(*problem, kCost128); }

constexpr char kName64[] = "transpose_vec16_64", kName128[] = "transpose_vec16_128";

#define GPUOPT_RESOURCE_64_(kBytes) GPUOPT_VECTOR_RESOURCE(Tile64<kBytes>::type)
#define GPUOPT_RESOURCE_128_(kBytes) GPUOPT_VECTOR_RESOURCE(Tile128<kBytes>::type)
gpuopt_resource kResources64[] = {GPUOPT_BY_WORD(GPUOPT_RESOURCE_64_)};
gpuopt_resource kResources128[] = {GPUOPT_BY_WORD(GPUOPT_RESOURCE_128_)};
#undef GPUOPT_RESOURCE_64_
#undef GPUOPT_RESOURCE_128_

template <template <int> class Tile, const char *kName>
constexpr gpuopt_kernel make_kernel(const char *summary, double (*predict_us)(const gpuopt_problem *),
                                    const gpuopt_resource *resources) {
  gpuopt_kernel k = transpose_kernel(kName, summary, kTransposeFeatures);
  need_vectors(k, 16);
  k.predict_us = predict_us;
  k.prepare = prepare_vector<Tile, kName>;
  k.launch = launch_vector<Tile, kName>;
  k.resources = resources;
  k.resource_count = 5;
  return k;
}

constexpr gpuopt_kernel kKernels[] = {
    make_kernel<Tile64, kName64>("16-byte accesses, register sub-transposes; tiles of 64 x 64 and thereabouts",
                                 predict_64_us, kResources64),
    make_kernel<Tile128, kName128>("16-byte accesses, register sub-transposes; tiles of 128 x 128 and thereabouts",
                                   predict_128_us, kResources128),
};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
