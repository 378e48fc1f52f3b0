// What tiles of vectors cost: a launch before the first and after the last; then the memory's time at a share of its
// bandwidth, or that of blocks' beginnings and ends. Edges have a longer kernel, and what is done there, some of it
// element by element, overlaps less well with the rest; a part of a block's time passes at the end, when fewer and
// fewer run.
#pragma once

#include "transpose/common/traffic.h"
#include "transpose/tile/figures.h"

namespace gpuopt {

struct TileExtent {
  int rows, cols, threads, side;  // side: elements of a vector
};
template <class Tile>
constexpr TileExtent kExtentOf = {Tile::kTileRows, Tile::kTileCols, Tile::kTileThreads, Tile::kSide};

struct TileCost {
  double launch_us, share, edge_us;  // edge_us: a tile at an edge, empty
};

namespace {

// Sectors that a run of a tile's row touches besides those that it fills.
inline double misfit_of_run(const gpuopt_operand &o, double tile_run, double row) {
  const double longest = row > kSectorBytes ? row : kSectorBytes;
  return sector_misfit(o) / (tile_run < longest ? tile_run : longest);
}

inline double tiles_us(const gpuopt_problem &problem, const TileExtent &tile, const TileCost &cost) {
  const TransposeTileFigures &f = transpose_tile_figures;
  const double batch = static_cast<double>(problem.batch), m = static_cast<double>(problem.m),
               n = static_cast<double>(problem.n), threads = tile.threads, bytes = word_bytes(problem);
  const double down = static_cast<double>(ceil_div(problem.m, tile.rows)),
               across = static_cast<double>(ceil_div(problem.n, tile.cols)), tiles = batch * down * across;
  if (tiles == 0) return cost.launch_us;
  const double whole = batch * static_cast<double>(problem.m / tile.rows * (problem.n / tile.cols)),
               edge = tiles - whole;
  const double filled = batch * m * n / (tile.rows * tile.cols) - whole;  // tiles at edges, by their elements
  const double vectors = (batch * down * n - whole * tile.cols) * (tile.rows / tile.side) / threads;  // a thread
  const double right = static_cast<double>(problem.n % tile.side), bottom = static_cast<double>(problem.m % tile.side);
  const double elements = batch * (m * right + bottom * n) / threads;
  const double sm_count = problem.device->sm_count;
  const double whole_us = whole * (f.block_us + f.thread_us * threads) / sm_count;
  const double edge_us = (edge * (f.edge_us + cost.edge_us) + f.edge_filled * cost.edge_us * filled +
                          (vectors > edge ? vectors : edge) * f.edge_vector_us + elements * f.edge_element_us) /
                         sm_count;
  const gpuopt_operand &src = problem.operand[GPUOPT_OPERAND_SRC], &dst = problem.operand[GPUOPT_OPERAND_DST];
  const Traffic traffic = traffic_of(problem);
  const double moved = traffic.read * (1 + f.read_misfit * misfit_of_run(src, tile.cols * bytes, n * bytes)) +
                       traffic.written * (1 + f.write_misfit * misfit_of_run(dst, tile.rows * bytes, m * bytes)) +
                       f.partial_factor * traffic.partial;
  const double memory = memory_us(problem, moved, cost.share), longer = memory > whole_us ? memory : whole_us;
  if (edge == 0) return cost.launch_us + longer;
  const double both = overlapped_us(memory, whole_us + edge_us, f.overlap);
  return cost.launch_us + f.edge_launch_us + (longer > both ? longer : both) +
         f.last_share * edge_us * sm_count / tiles * (2048 / tile.threads);
}

}  // namespace
}  // namespace gpuopt
