// Aligned words in, aligned vectors of 16 bytes out: for leading dimensions that no vector divides.
//
// Data movement: unaligned_tile.cuh. Rows of the result are cut where their own memory is aligned, at sectors of 32 bytes,
// unless they all lie at vectors of 16: then tiles read no rows beside their own.
// Needs: nothing of extents, ld and alignment.
// Predicted: near copy for elements of 4 bytes and more; what counts below are instructions for every element.
#include "transpose/common/traffic.h"
#include "transpose/tile/figures.h"
#include "transpose/tile/unaligned_tile.cuh"

namespace gpuopt {
namespace {

constexpr char kName[] = "transpose_unaligned";

struct UnalignedCost {
  double share, whole_us, edge_us, cols_us, parts_us;
};

// Cut, units across, rows of a warp, warps, rows, blocks on an SM.
template <int kBytes, bool kByVectors>
using TileOf = std::conditional_t<kByVectors,
                                  BySize<kBytes, UnalignedTile<1, 1, 1, 16, 8, 128, 4>,
                                         UnalignedTile<2, 2, 1, 16, 8, 128, 4>, UnalignedTile<4, 4, 4, 8, 8, 64, 4>,
                                         UnalignedTile<8, 8, 2, 8, 8, 64, 3>, UnalignedTile<16, 16, 1, 4, 8, 32, 4>>,
                                  BySize<kBytes, UnalignedTile<1, 32, 1, 20, 8, 128, 4>,
                                         UnalignedTile<2, 32, 1, 16, 9, 128, 4>, UnalignedTile<4, 32, 4, 9, 8, 64, 4>,
                                         UnalignedTile<8, 32, 2, 7, 10, 64, 3>, UnalignedTile<16, 16, 1, 4, 8, 32, 4>>>;

// f(the tile's tag).
template <class F>
gpuopt_status with_tile(const gpuopt_problem &problem, F &&f) {
  return with_bytes(problem, [&](auto bytes) {
    constexpr int kBytes = decltype(bytes)::value;
    if (row_alignment(problem.operand[GPUOPT_OPERAND_DST]) >= 16) return f(Type<TileOf<kBytes, true>>{});
    return f(Type<TileOf<kBytes, false>>{});
  });
}

// Source rows are cut anywhere, so tiles side by side share accesses of memory, 64 bytes each. Where L2 does not hold all
// that is read and written from one tile column to the next, that reads a tile's rows of 128 bytes one and a half times.
template <class Tile>
int64_t columns_beside(const gpuopt_problem &problem) {
  constexpr int64_t kRunBytes = 1024, kTileBytes = Tile::kTileCols * Tile::kWordBytes;
  constexpr int64_t kFewBytes = 2 << 20;  // of a column of tiles
  constexpr int64_t kLeastUse = 16;       // of so many columns of tiles at most one lies beyond the matrix
  const int64_t columns = ceil_div(problem.n, Tile::kTileCols);
  if (problem.m * kTileBytes <= kFewBytes) return 1;
  int64_t beside = 1;
  while (2 * beside * kTileBytes <= kRunBytes && 2 * beside <= columns) beside *= 2;
  while ((ceil_div(columns, beside) * beside - columns) * kLeastUse > columns) beside /= 2;
  return beside;
}

gpuopt_status launch(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  return with_tile(*problem, [&](auto tag) {
    using Tile = typename decltype(tag)::type;
    return launch_tiles(kName, *problem, launch, problem->m + Tile::kCut - 1, Tile::kTileRows, Tile::kTileCols,
                        dim3(Tile::kTileThreads), Tile::kSmem, transpose_unaligned_kernel<Tile>,
                        columns_beside<Tile>(*problem));
  });
}

gpuopt_status prepare(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  return with_tile(*problem, [&](auto tag) {
    using Tile = typename decltype(tag)::type;
    return load_kernel(launch, kName, transpose_unaligned_kernel<Tile>, Tile::kSmem);
  });
}

// Tiles at the matrix's edges take a check for every vector, elements one by one where these are in part, and the last
// source rows, whose words may lie partly beyond the matrix, element by element. Rows of the result with the same shift
// meet in the same banks.
template <class Tile>
double tiles_us(const gpuopt_problem &problem, const UnalignedCost &cost) {
  const TransposeTileFigures &f = transpose_tile_figures;
  constexpr int64_t kRows = Tile::kTileRows, kCols = Tile::kTileCols, kCut = Tile::kCut, kSide = Tile::kSide;
  const gpuopt_operand &src = problem.operand[GPUOPT_OPERAND_SRC], &dst = problem.operand[GPUOPT_OPERAND_DST];
  const double batch = static_cast<double>(problem.batch);
  const int64_t down = ceil_div(problem.m + kCut - 1, kRows), across = ceil_div(problem.n, kCols);
  const int64_t whole_down = problem.m / kRows - (Tile::kByVectors ? 0 : 1);
  const double tiles = batch * static_cast<double>(down * across);
  if (tiles == 0) return f.unaligned_us;
  const double whole = whole_down > 0 ? batch * static_cast<double>(whole_down * (problem.n / kCols)) : 0;
  const double edge_cols = batch * static_cast<double>(down * problem.n) / kCols - whole;  // of whole tiles
  const bool by_vectors = row_alignment(dst) >= 16;
  const int in_part = by_vectors ? (problem.m % kSide != 0 ? 1 : 0) : problem.m > kSide ? 2 : 1;
  const double parts = kSide > 1 ? batch * static_cast<double>(problem.n) * in_part / kCols : 0;
  double by_elements = 0;  // rows
  if (Tile::kPer > 1 && src.m.ld > 0) {
    const int64_t left = (problem.n - 1) % kCols + 1, rows = ceil_div(kCols + 2 * Tile::kPer - left, src.m.ld);
    by_elements = batch * static_cast<double>(rows < problem.m ? rows : problem.m);
  }
  const int64_t apart = dst.m.ld & -dst.m.ld;  // the largest power of two that divides it
  const double same = static_cast<double>(apart < 1 ? 1 : apart < kCut ? apart : kCut);
  const double conflicts = kCut > 1 ? (same - 1) / (kCut - 1) * tiles : 0;
  const double times = Tile::kByVectors && kSide > 1 ? f.unaligned_vectors : 1;
  const double us = times * whole * cost.whole_us + (tiles - whole) * cost.edge_us + edge_cols * cost.cols_us +
                    parts * cost.parts_us + by_elements * f.unaligned_element_row_us + conflicts * f.unaligned_bank_us;
  const Traffic traffic = traffic_of(problem);
  const double bytes = traffic.read + traffic.written + f.unaligned_partial * traffic.partial;
  return f.unaligned_us +
         overlapped_us(memory_us(problem, bytes, cost.share), us / problem.device->sm_count, f.unaligned_overlap) +
         f.unaligned_last * us / tiles * Tile::kMinBlocks;
}

double predict_us(const gpuopt_problem *problem) {
  const TransposeTileFigures &f = transpose_tile_figures;
  const UnalignedCost costs[] = {
      {f.unaligned1_share, f.unaligned1_whole_us, f.unaligned1_edge_us, f.unaligned1_cols_us, f.unaligned1_parts_us},
      {f.unaligned2_share, f.unaligned2_whole_us, f.unaligned2_edge_us, f.unaligned2_cols_us, f.unaligned2_parts_us},
      {f.unaligned4_share, f.unaligned4_whole_us, f.unaligned4_edge_us, f.unaligned4_cols_us, f.unaligned4_parts_us},
      {f.unaligned8_share, f.unaligned8_whole_us, f.unaligned8_edge_us, f.unaligned8_cols_us, f.unaligned8_parts_us},
      {f.unaligned16_share, f.unaligned16_whole_us, f.unaligned16_edge_us, f.unaligned16_cols_us, 0}};
  double us = 0;
  with_tile(*problem, [&](auto tag) {
    us = tiles_us<typename decltype(tag)::type>(*problem, costs[word_log2(*problem)]);
    return GPUOPT_OK;
  });
  return us;
}

#define GPUOPT_TILE_(...)                                                       \
  {                                                                             \
    __VA_ARGS__::kTileThreads, __VA_ARGS__::kSmem,                              \
        reinterpret_cast<const void *>(transpose_unaligned_kernel<__VA_ARGS__>) \
  }
#define GPUOPT_CUT_(kBytes) GPUOPT_TILE_(TileOf<kBytes, false>)
#define GPUOPT_BY_VECTORS_(kBytes) GPUOPT_TILE_(TileOf<kBytes, true>)
gpuopt_resource kResources[] = {GPUOPT_BY_WORD(GPUOPT_CUT_), GPUOPT_BY_VECTORS_(1), GPUOPT_BY_VECTORS_(2),
                                GPUOPT_BY_VECTORS_(4), GPUOPT_BY_VECTORS_(8)};  // of 16 bytes: the same
#undef GPUOPT_TILE_
#undef GPUOPT_CUT_
#undef GPUOPT_BY_VECTORS_

constexpr gpuopt_kernel make_kernel() {
  gpuopt_kernel k =
      transpose_kernel(kName, "aligned words in, aligned 16-byte vectors out: any alignment", kViewFeatures);
  k.aliases = "transpose_realigned";
  k.version = 4;
  set_functions(k, predict_us, prepare, launch, kResources);
  return k;
}

constexpr gpuopt_kernel kKernels[] = {make_kernel()};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
