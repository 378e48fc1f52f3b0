// Tiles in vectors of 8 bytes on both sides: half the registers of 16-byte vectors, so that more threads share a tile,
// and a warp that reads one whole run of 256 bytes with one instruction. The large tiles are the fastest on big
// matrices of 4-byte and 8-byte elements, the small ones on matrices that the L2 cache could hold.
//
// Data movement: vector_tile.cuh. The small tiles mark what they move as the first to leave L2.
// Needs: bases, leading dimensions and batch strides that are multiples of 8 bytes (16-byte elements: 16); extents may be
// any. Measured on an H200 (2026-11-21, single call, cold): _64 8192^2 f32 131.5 us, 98 % of copy, 16384^2
// 518.8 us, 97 %; f64 97.5 %; bf16 96 and (16384^2) 97 %. _32 1024^2 f32 6.1 us, 94 %.
#include "vector_tile.cuh"

namespace gpuopt {
namespace {

// The tile of each kernel for each element size: rows, columns, threads.
template <int kBytes>
struct Tile32;
template <>
struct Tile32<1> {
  using type = VectorTile<1, 8, 64, 64, 64, true>;
};
template <>
struct Tile32<2> {
  using type = VectorTile<2, 8, 32, 64, 128, true>;
};
template <>
struct Tile32<4> {
  using type = VectorTile<4, 8, 32, 32, 128, true>;
};
template <>
struct Tile32<8> {
  using type = VectorTile<8, 8, 32, 32, 256, true>;
};
template <>
struct Tile32<16> {
  using type = VectorTile<16, 16, 16, 16, 256, true>;
};
template <int kBytes>
struct Tile64;
template <>
struct Tile64<1> {
  using type = VectorTile<1, 8, 128, 128, 256>;
};
template <>
struct Tile64<2> {
  using type = VectorTile<2, 8, 128, 128, 1024>;
};
template <>
struct Tile64<4> {
  using type = VectorTile<4, 8, 64, 64, 512>;
};
template <>
struct Tile64<8> {
  using type = VectorTile<8, 8, 64, 32, 512>;
};
template <>
struct Tile64<16> {
  using type = VectorTile<16, 16, 16, 16, 128>;
};

// Fitted on an H200.
constexpr TileCost kCost32 = {3.7, {0.57, 0.759, 0.784, 0.828, 0.803}};
constexpr TileCost kCost64 = {4.9, {0.79, 0.854, 0.863, 0.8545, 0.858}};

double predict_32_us(const gpuopt_problem *problem) { return vector_tiles_us<Tile32>(*problem, kCost32); }
double predict_64_us(const gpuopt_problem *problem) { return vector_tiles_us<Tile64>(*problem, kCost64); }

constexpr char kName32[] = "transpose_vec8_32", kName64[] = "transpose_vec8_64";

#define GPUOPT_RESOURCE_32_(kBytes) GPUOPT_VECTOR_RESOURCE(Tile32<kBytes>::type)
#define GPUOPT_RESOURCE_64_(kBytes) GPUOPT_VECTOR_RESOURCE(Tile64<kBytes>::type)
gpuopt_resource kResources32[] = {GPUOPT_BY_WORD(GPUOPT_RESOURCE_32_)};
gpuopt_resource kResources64[] = {GPUOPT_BY_WORD(GPUOPT_RESOURCE_64_)};
#undef GPUOPT_RESOURCE_32_
#undef GPUOPT_RESOURCE_64_

template <template <int> class Tile, const char *kName>
constexpr gpuopt_kernel make_kernel(const char *summary, double (*predict_us)(const gpuopt_problem *),
                                    const gpuopt_resource *resources) {
  gpuopt_kernel k = transpose_kernel(kName, summary, kTransposeFeatures);
  need_vectors(k, 8);
  k.predict_us = predict_us;
  k.prepare = prepare_vector<Tile, kName>;
  k.launch = launch_vector<Tile, kName>;
  k.resources = resources;
  k.resource_count = 5;
  return k;
}

constexpr gpuopt_kernel kKernels[] = {
    make_kernel<Tile32, kName32>("8-byte accesses, small tiles for small matrices", predict_32_us, kResources32),
    make_kernel<Tile64, kName64>("8-byte accesses, 64 x 64 tiles by many threads", predict_64_us, kResources64),
};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
