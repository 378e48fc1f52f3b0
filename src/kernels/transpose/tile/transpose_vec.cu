// Tiles in vectors on both sides: register sub-transposes in a tile of shared memory without bank conflicts.
//
// Data movement: vector_tile.cuh; in place in_place.cuh. The plan picks the tile. A warp reads and writes runs of 256
// bytes or more in every row, for which large tiles are 64 elements wide at 4 bytes, 128 at 2: shorter runs, as in small
// tiles, cost bandwidth and pay where a matrix has too few large tiles for the device. Vectors of 8 bytes take half the
// registers of 16-byte ones, so that more threads share a tile, and one instruction of a warp reads a whole run of 256
// bytes. Vectors of 16 bytes take fewer instructions, which counts at 1 byte: wide and widest tiles are theirs. Small
// tiles mark what they move as the first to leave L2, for matrices that L2 could hold; large ones ask L2 for the tiles
// of blocks to come. Matrices of whole tiles have kernels of their own.
// Needs: bases, leading dimensions and batch strides that are multiples of 8 bytes (16-byte elements: 16); extents may
// be any.
// Predicted: within a few percent of copy for large matrices, launch-bound for small ones.
#include "transpose/tile/in_place.cuh"
#include "transpose/tile/tile_cost.h"

namespace gpuopt {
namespace {

constexpr char kName[] = "transpose_vec";

// Rows, columns, threads for each element size.
template <int kBytes>
using SmallTile = BySize<kBytes, VectorTile<1, 8, 64, 64, 64, true>, VectorTile<2, 8, 32, 64, 128, true>,
                         VectorTile<4, 8, 32, 32, 128, true>, VectorTile<8, 8, 32, 32, 256, true>,
                         VectorTile<16, 16, 16, 16, 256, true>>;
template <int kBytes>
using LargeTile = BySize<kBytes, VectorTile<1, 8, 128, 128, 256>, VectorTile<2, 8, 128, 128, 1024, false, 64>,
                         VectorTile<4, 8, 64, 64, 512, false, 32>, VectorTile<8, 8, 64, 32, 512, false, 32>,
                         VectorTile<16, 16, 32, 16, 256, false, 32>>;
using WideTile = VectorTile<1, 16, 128, 256, 128>;  // of bytes
using WidestTile = VectorTile<1, 16, 256, 256, 128>;

enum class Choice { small, large, wide, widest, in_place };
struct VectorPlan {
  Choice choice;
  double us;
};
VectorPlan plan(const gpuopt_problem &problem) {
  const TransposeTileFigures &f = transpose_tile_figures;
  const TileCost small[] = {{f.small_us, f.small1_share, f.small1_edge_us},
                            {f.small_us, f.small2_share, f.small2_edge_us},
                            {f.small_us, f.small4_share, f.small4_edge_us},
                            {f.small_us, f.small8_share, f.small8_edge_us},
                            {f.small_us, f.small16_share, f.small16_edge_us}};
  const TileCost large[] = {{f.large_us, f.large1_share, f.large1_edge_us},
                            {f.large_us, f.large2_share, f.large2_edge_us},
                            {f.large_us, f.large4_share, f.large4_edge_us},
                            {f.large_us, f.large8_share, f.large8_edge_us},
                            {f.large_us, f.large16_share, f.large16_edge_us}};
  const TileCost in_place[] = {{f.in_place_us, f.in_place1_share, f.in_place1_edge_us},
                               {f.in_place_us, f.in_place2_share, f.in_place2_edge_us},
                               {f.in_place_us, f.in_place4_share, f.in_place4_edge_us},
                               {f.in_place_us, f.in_place8_share, f.in_place8_edge_us},
                               {f.in_place_us, f.in_place16_share, f.in_place16_edge_us}};
  const int size = word_log2(problem);
  const gpuopt_operand &src = problem.operand[GPUOPT_OPERAND_SRC], &dst = problem.operand[GPUOPT_OPERAND_DST];
  const bool by_16 = row_alignment(src) >= 16 && row_alignment(dst) >= 16;
  VectorPlan best = {Choice::small, 0};
  const auto consider = [&](Choice choice, const TileExtent &tile, const TileCost &cost) {
    const double us = tiles_us(problem, tile, cost);
    if (best.us == 0 || us < best.us) best = {choice, us};
  };
  with_bytes(problem, [&](auto bytes) {
    constexpr int kBytes = decltype(bytes)::value;
    if (problem.features & GPUOPT_FEATURE_IN_PLACE) {
      consider(Choice::in_place, kExtentOf<InPlaceTile<kBytes>>, in_place[size]);
      return GPUOPT_OK;
    }
    consider(Choice::small, kExtentOf<SmallTile<kBytes>>, small[size]);
    consider(Choice::large, kExtentOf<LargeTile<kBytes>>, large[size]);
    if (kBytes == 1 && by_16) {
      consider(Choice::wide, kExtentOf<WideTile>, {f.wide_us, f.wide1_share, f.wide1_edge_us});
      consider(Choice::widest, kExtentOf<WidestTile>, {f.widest_us, f.widest1_share, f.widest1_edge_us});
    }
    return GPUOPT_OK;
  });
  return best;
}

// Calls f(Type<Tile>{}) for the tile of the plan, out of place.
template <class F>
gpuopt_status with_tile(const gpuopt_problem &problem, Choice choice, F &&f) {
  if (choice == Choice::wide) return f(Type<WideTile>{});
  if (choice == Choice::widest) return f(Type<WidestTile>{});
  return with_bytes(problem, [&](auto bytes) {
    constexpr int kBytes = decltype(bytes)::value;
    return choice == Choice::small ? f(Type<SmallTile<kBytes>>{}) : f(Type<LargeTile<kBytes>>{});
  });
}

template <class Tile>
bool whole_tiles(const gpuopt_problem &problem) {
  constexpr int64_t kMax = 0x7fffffff, kMaxAcross = 0xffff;
  return problem.m % Tile::kTileRows == 0 && problem.n % Tile::kTileCols == 0 && problem.m <= kMax &&
         problem.n / Tile::kTileCols <= kMaxAcross && problem.batch <= kMaxAcross &&
         problem.operand[GPUOPT_OPERAND_SRC].m.ld <= kMax && problem.operand[GPUOPT_OPERAND_DST].m.ld <= kMax;
}

int can_run(const gpuopt_problem *problem, gpuopt_reject *reject) {
  if (!(problem->features & GPUOPT_FEATURE_IN_PLACE)) return 1;
  constexpr int64_t kMaxGrid = 0x7fffffff;
  int64_t blocks = 0;
  with_bytes(*problem, [&](auto bytes) {
    blocks = pairs_of_tiles(*problem, ceil_div(problem->n, InPlaceTile<decltype(bytes)::value>::kTileRows));
    return GPUOPT_OK;
  });
  if (blocks <= kMaxGrid) return 1;
  return refuse(reject, GPUOPT_REJECT_SIZE_LIMIT, GPUOPT_OPERAND_SRC, blocks, kMaxGrid, "the number of pairs of tiles");
}

gpuopt_status launch_in_place(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  return with_bytes(*problem, [&](auto bytes) {
    constexpr int kBytes = decltype(bytes)::value;
    using Tile = InPlaceTile<kBytes>;
    const int64_t tiles = ceil_div(problem->n, Tile::kTileRows);
    const int64_t total = pairs_of_tiles(*problem, tiles), per_matrix = total / problem->batch;
    const PairGrid grid = {problem->n, tiles, Divider(per_matrix, total), Divider(tiles + 1, per_matrix)};
    return launch_kernel(early_launch(*problem), launch, kName, dim3(static_cast<unsigned>(total)),
                         dim3(Tile::kTileThreads), 2 * Tile::kSmem, transpose_in_place_kernel<kBytes>,
                         matrix_view(problem->operand[GPUOPT_OPERAND_DST]), grid);
  });
}

gpuopt_status launch(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  const Choice choice = plan(*problem).choice;
  if (choice == Choice::in_place) return launch_in_place(problem, launch);
  return with_tile(*problem, choice, [&](auto tile) {
    using T = typename decltype(tile)::type;
    const dim3 threads(T::kTileThreads);
    if (!whole_tiles<T>(*problem))
      return launch_tiles(kName, *problem, launch, problem->m, T::kTileRows, T::kTileCols, threads, T::kSmem,
                          transpose_vector_kernel<T>);
    const gpuopt_matrix &src = problem->operand[GPUOPT_OPERAND_SRC].m, &dst = problem->operand[GPUOPT_OPERAND_DST].m;
    const WholeTiles matrix = {src.data,
                               dst.data,
                               src.batch_stride,
                               dst.batch_stride,
                               static_cast<uint32_t>(src.ld),
                               static_cast<uint32_t>(dst.ld)};
    const dim3 grid(static_cast<unsigned>(problem->m / T::kTileRows), static_cast<unsigned>(problem->n / T::kTileCols),
                    static_cast<unsigned>(problem->batch));
    return launch_kernel(early_launch(*problem), launch, kName, grid, threads, T::kSmem,
                         transpose_whole_tiles_kernel<T>, matrix);
  });
}

gpuopt_status prepare(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  const Choice choice = plan(*problem).choice;
  if (choice == Choice::in_place)
    return with_bytes(*problem, [&](auto bytes) {
      constexpr int kBytes = decltype(bytes)::value;
      return load_kernel(launch, kName, transpose_in_place_kernel<kBytes>, 2 * InPlaceTile<kBytes>::kSmem);
    });
  return with_tile(*problem, choice, [&](auto tile) {
    using T = typename decltype(tile)::type;
    return whole_tiles<T>(*problem) ? load_kernel(launch, kName, transpose_whole_tiles_kernel<T>, T::kSmem)
                                    : load_kernel(launch, kName, transpose_vector_kernel<T>, T::kSmem);
  });
}

double predict_us(const gpuopt_problem *problem) { return plan(*problem).us; }

// gpuopt_resources, in braces: a function would need a static constructor.
#define GPUOPT_TILE_(...)                                                         \
  {__VA_ARGS__::kTileThreads, __VA_ARGS__::kSmem,                                 \
   reinterpret_cast<const void *>(transpose_vector_kernel<__VA_ARGS__>)},         \
  {                                                                               \
    __VA_ARGS__::kTileThreads, __VA_ARGS__::kSmem,                                \
        reinterpret_cast<const void *>(transpose_whole_tiles_kernel<__VA_ARGS__>) \
  }
#define GPUOPT_TILES_(kBytes)                                             \
  GPUOPT_TILE_(SmallTile<kBytes>), GPUOPT_TILE_(LargeTile<kBytes>), {     \
    InPlaceTile<kBytes>::kTileThreads, 2 * InPlaceTile<kBytes>::kSmem,    \
        reinterpret_cast<const void *>(transpose_in_place_kernel<kBytes>) \
  }
gpuopt_resource kResources[] = {GPUOPT_BY_WORD(GPUOPT_TILES_), GPUOPT_TILE_(WideTile), GPUOPT_TILE_(WidestTile)};
#undef GPUOPT_TILE_
#undef GPUOPT_TILES_

constexpr gpuopt_kernel make_kernel() {
  gpuopt_kernel k = transpose_kernel(kName, "tiles by vectors of 8 or 16 bytes, register sub-transposes; also in place",
                                     kViewFeatures | GPUOPT_FEATURE_IN_PLACE);
  k.aliases = "transpose_vec8_32,transpose_vec8_64,transpose_vec16_64,transpose_vec16_128,transpose_in_place";
  for (const int operand : {GPUOPT_OPERAND_SRC, GPUOPT_OPERAND_DST}) k.align[operand] = k.ld_align[operand] = 8;
  k.can_run = can_run;
  set_functions(k, predict_us, prepare, launch, kResources);
  return k;
}

constexpr gpuopt_kernel kKernels[] = {make_kernel()};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
