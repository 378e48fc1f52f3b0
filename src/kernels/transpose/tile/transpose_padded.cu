// 32 x 32 tiles in shared memory with a column of padding: coalesced accesses and no bank conflicts.
//
// Data movement: as tile32.cuh says. The tile is one element wider than it is used: without that, a column of
// 4-byte elements lies in one memory bank and its 32 reads queue up; with it, a column touches all 32 banks, for
// every element size from 1 to 16 bytes.
// Needs: nothing of extents, ld and alignment. It does not copy between layouts (no corner to turn).
// Predicted: near copy for wide elements; of narrow ones the time of blocks' beginnings and ends.
#include "transpose/common/traffic.h"
#include "transpose/tile/figures.h"
#include "transpose/tile/tile32.cuh"

namespace gpuopt {
namespace {

constexpr char kName[] = "transpose_padded";
constexpr int kTileBlocks = 8;  // of a multiprocessor

// A tile costs its beginning and end, and each row of it that is read or written, more where it is not at a sector. In
// place a block has two tiles, and the blocks of their mirror images leave at once.
double predict_us(const gpuopt_problem *problem) {
  const TransposeTileFigures &f = transpose_tile_figures;
  const double shares[] = {f.padded1_share, f.padded2_share, f.padded4_share, f.padded8_share, f.padded16_share};
  const double begun[] = {f.padded1_tile_us, f.padded2_tile_us, f.padded4_tile_us, f.padded8_tile_us,
                          f.padded16_tile_us};
  const double rows_us[] = {f.padded1_rows_us, f.padded2_rows_us, f.padded4_rows_us, f.padded8_rows_us,
                            f.padded16_rows_us};
  const double unaligned[] = {f.padded1_unaligned, f.padded2_unaligned, f.padded4_unaligned, f.padded8_unaligned,
                              f.padded16_unaligned};
  const int size = word_log2(*problem);
  const bool in_place = problem->features & GPUOPT_FEATURE_IN_PLACE;
  const double batch = static_cast<double>(problem->batch), m = static_cast<double>(problem->m),
               n = static_cast<double>(problem->n);
  const double down = static_cast<double>(ceil_div(problem->m, kTile)),
               across = static_cast<double>(ceil_div(problem->n, kTile)), blocks = batch * down * across;
  if (blocks == 0) return f.padded_us;
  const double working = in_place ? batch * down * (down + 1) / 2 : blocks;
  const double read = batch * across * m / kTile, written = batch * down * n / kTile;  // rows, of whole tiles
  const double apart = sector_misfit(problem->operand[GPUOPT_OPERAND_DST]) / kSectorBytes;
  const double tiles_us = working * begun[size] + (read + written * (1 + unaligned[size] * apart)) * rows_us[size] +
                          (blocks - working) * f.padded_leaving_us;
  const Traffic traffic = traffic_of(*problem);
  const double bytes = traffic.read + traffic.written + f.padded_partial * traffic.partial;
  const double memory = memory_us(*problem, bytes, shares[size]) * (in_place ? f.padded_in_place : 1);
  return f.padded_us + overlapped_us(memory, tiles_us / problem->device->sm_count, f.padded_overlap) +
         f.padded_last * tiles_us / blocks * kTileBlocks;
}

constexpr gpuopt_kernel kKernels[] = {tile32_descriptor<TileLayout::padded, kName>(
    "32 x 32 tiles through padded shared memory: coalesced reads and writes", predict_us)};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
