// Who gets which tile of a product, and how long that takes: the host's side of the warptile kernels but for the launch.
#pragma once

#include <algorithm>
#include <cmath>

#include "common/descriptor.h"
#include "gemm/common/gemm_finish.h"
#include "gemm/warptile/figures.h"
#include "gemm/warptile/warptile_shape.cuh"

namespace gpuopt {

// How an operand comes: widths of its copies in bytes, and whether it is packed first (warptile_pack.cuh).
struct WarptileWay {
  int bytes;
  bool packs;
};

struct WarptilePlan {
  WarptileWork work;
  double us;  // that the choice went by
  WarptileWay a, b;
  double blocks_us, waves_us, join_us;  // of it: multiplying, filling and emptying of waves, joining of parts
  double gather_us = 0;  // which no choice goes by: the last block of a tile adds up its parts, one after the other
};

// What the plan needs of a shape of tiles, as numbers.
struct WarptileFigures {
  int32_t m, n, depth, blocks_per_sm;
  bool streams;  // tiles may be dealt out by stream-K, too
  // Part of the multiply-add peak that a full SM reaches, by bytes of the copies: {16, 16}, {4, 16}, {16, 4}, {4, 4}.
  double full[4];
  double alone;  // an SM with one block reaches this part of `full`
};

// A product, or a piece of one.
struct WarptileSize {
  int64_t m, n, k, batch;
  const gpuopt_device_facts *device;
  size_t most_bytes;   // of slots and tickets
  bool whole = false;  // k is not cut
};

inline WarptileWork warptile_work(const WarptileSize &size, const WarptileFigures &f) {
  WarptileWork work = {};
  work.tiles_m = static_cast<uint32_t>(ceil_div(size.m, f.m));
  work.tiles_n = static_cast<uint32_t>(ceil_div(size.n, f.n));
  work.tiles = work.tiles_m * work.tiles_n * static_cast<uint32_t>(size.batch);
  work.stripe = static_cast<uint32_t>(1024 / f.m);
  work.k_tiles = static_cast<uint32_t>(std::max<int64_t>(1, ceil_div(size.k, f.depth)));
  work.slots = 1;
  return work;
}

// Memory of a product that is not dealt out by whole tiles: slots of partial sums, and tickets.
inline size_t warptile_slot_bytes(const WarptileWork &work, const WarptileFigures &f) {
  return size_t{work.stream_blocks} * work.slots * static_cast<size_t>(f.m) * static_cast<size_t>(f.n) * sizeof(float);
}
inline size_t warptile_ticket_bytes(const WarptileWork &work) { return size_t{work.streamed} * sizeof(uint32_t); }

// The k-contiguous or unaligned operands go by 4 bytes.
inline int warptile_copy_bytes(const gpuopt_operand &o, bool along_k, int64_t extent) {
  return !along_k && extent % 4 == 0 && has_aligned_lines(o) ? 16 : 4;
}
inline int warptile_bytes_a(const gpuopt_problem &problem) {
  const gpuopt_operand &a = problem.operand[GPUOPT_OPERAND_A];
  return warptile_copy_bytes(a, a.m.layout == GPUOPT_ROW, problem.m);
}
inline int warptile_bytes_b(const gpuopt_problem &problem) {
  const gpuopt_operand &b = problem.operand[GPUOPT_OPERAND_B];
  return warptile_copy_bytes(b, b.m.layout != GPUOPT_ROW, problem.n);
}

inline double warptile_bandwidth(const gpuopt_device_facts &device) {  // bytes a us
  return (device.memory_gbs > 0 ? device.memory_gbs : 1000) * 1e3;
}

// The time model: equal blocks run in waves of as many as SMs hold; one that has an SM to itself runs at `alone` of
// the rate. Split tiles add the way of their partial sums through L2. Nothing is faster than its operands come.
struct WarptileModel {
  const GemmWarptileFigures &g = gemm_warptile_figures;
  const WarptileFigures &f;
  WarptileWay a, b;
  double sms, clock_mhz, fma_per_clock, full;

  WarptileModel(const WarptileSize &size, const WarptileFigures &figures, WarptileWay way_a, WarptileWay way_b)
      : f(figures), a(way_a), b(way_b) {
    const gpuopt_device_facts &device = *size.device;
    sms = std::max(device.sm_count, 1);
    clock_mhz = device.clock_mhz > 0 ? device.clock_mhz : 1500;
    fma_per_clock = device.cc <= 80 ? 64 : 128;
    full = f.full[(a.bytes == 4 ? 1 : 0) + (b.bytes == 4 ? 2 : 0)];
  }

  double blocks_us(double blocks, double k_tiles) const {
    if (blocks <= 0) return 0;
    const double block_us = static_cast<double>(f.m) * f.n * f.depth * k_tiles / fma_per_clock / clock_mhz / full;
    const double on_busiest = std::ceil(blocks / sms);
    const double waves = std::floor(on_busiest / f.blocks_per_sm), rest = on_busiest - waves * f.blocks_per_sm;
    return (waves * f.blocks_per_sm + (rest > 0 ? std::max(rest, 1 / f.alone) : 0)) * block_us;
  }
  double waves_us(double blocks) const { return std::min(std::ceil(blocks / sms / f.blocks_per_sm), 2.0) * g.wave_us; }
  double gather_us(double parts_of_tile) const {
    const double part_clocks = g.part_clocks + static_cast<double>(f.m) * f.n * 4 / g.part_bytes_per_clock;
    return parts_of_tile > 1 ? parts_of_tile * part_clocks / clock_mhz : 0;
  }
  double join_us(double parts) const { return g.ticket_us + parts * f.m * f.n * 8 / g.slot_bytes_per_us; }
  // Blocks that are at different steps of k and far from each other find what they share in L2 nevertheless.
  static bool fits_l2(const WarptileSize &size) {
    const double words =
        static_cast<double>(size.m + size.n) * static_cast<double>(size.k) * static_cast<double>(size.batch);
    return 4 * words <= static_cast<double>(size.device->l2_bytes) / 2;
  }
  double memory_us(const WarptileSize &size) const {
    const double m = static_cast<double>(size.m), n = static_cast<double>(size.n);
    const double k = static_cast<double>(size.k), batch = static_cast<double>(size.batch);
    const double words =
        m * k * (a.bytes == 4 ? g.by_4_factor : 1) + k * n * (b.bytes == 4 ? g.by_4_factor : 1) + m * n;
    return 4 * batch * words / (g.memory_share * warptile_bandwidth(*size.device));
  }
};

// Tiles whole, or where that is faster each split along k over the same number of blocks, or the tiles of the last waves
// dealt out as one line of steps of k to all blocks that fit the device (warptile_work.cuh).
inline WarptilePlan warptile_plan(const WarptileSize &size, const WarptileFigures &f, WarptileWay a, WarptileWay b) {
  const WarptileModel model(size, f, a, b);
  const WarptileWork whole = warptile_work(size, f);
  const uint32_t slots = static_cast<uint32_t>(model.sms) * static_cast<uint32_t>(f.blocks_per_sm);
  const double memory_us = model.memory_us(size);
  const double whole_us = model.blocks_us(whole.tiles, whole.k_tiles);
  const double whole_waves_us = model.waves_us(whole.tiles);
  WarptilePlan best = {whole, std::max(whole_us + whole_waves_us, memory_us), a, b, whole_us, whole_waves_us, 0};
  const auto propose = [&](const WarptileWork &work, double blocks_us, double waves_us, double join_us) {
    const double us = std::max(blocks_us + waves_us, memory_us) + join_us;
    if (us >= best.us || warptile_slot_bytes(work, f) + warptile_ticket_bytes(work) > size.most_bytes) return;
    best.us = us;
    best.work = work;
    best.blocks_us = blocks_us;
    best.waves_us = waves_us;
    best.join_us = join_us;
    best.gather_us = model.gather_us(static_cast<double>(work.stream_blocks) / work.streamed);
  };

  constexpr uint32_t kMostSplit = 32, kLeastUnits = 4;
  for (uint32_t split = 2; !size.whole && split <= kMostSplit && whole.k_tiles >= kLeastUnits * split; ++split) {
    if (uint64_t{whole.tiles} * split > 4 * uint64_t{slots}) break;
    WarptileWork work = whole;
    work.streamed = whole.tiles;
    work.stream_blocks = whole.tiles * split;
    const double parts = static_cast<double>(whole.tiles) * split;
    const double blocks_us = model.blocks_us(parts, static_cast<double>(ceil_div(whole.k_tiles, split)));
    propose(work, blocks_us, model.waves_us(parts), model.join_us(parts));
  }
  if (f.streams && !size.whole && whole.tiles % slots != 0) {
    // Evenly over all slots: everything where L2 holds the operands, as then blocks do not all end a tile at the same
    // time; else the last wave and a part, and all full waves but one whole.
    constexpr uint64_t kLeastUnitsOfBlock = 8;
    const uint32_t waves = whole.tiles / slots;
    const uint32_t kept = waves > 1 && !WarptileModel::fits_l2(size) ? (waves - 1) * slots : 0;
    const uint64_t streamed = whole.tiles - kept;
    WarptileWork work = whole;
    work.streamed = static_cast<uint32_t>(streamed);
    work.stream_blocks = static_cast<uint32_t>(
        std::max<uint64_t>(1, std::min<uint64_t>(slots, streamed * whole.k_tiles / kLeastUnitsOfBlock)));
    work.slots = 2;
    const double tiles_of_block = static_cast<double>(streamed) / work.stream_blocks;
    const double even = tiles_of_block * whole.k_tiles;
    const double blocks_us = model.blocks_us(kept, whole.k_tiles) + model.blocks_us(work.stream_blocks, even);
    // Each further part of a block fills its ring and leaves its sums once more.
    propose(work, blocks_us, model.waves_us(kept) + model.waves_us(work.stream_blocks),
            model.join_us(work.stream_blocks) + model.g.next_tile_us * std::max(1.0, tiles_of_block - 1));
  }
  best.us += model.g.start_us;
  return best;
}

// Blocks that share a line of steps of k end tiles at different times: others multiply while they store and join.
inline bool warptile_streams(const WarptileWork &work) { return work.slots == 2; }

inline bool warptile_limit(gpuopt_reject *reject, int operand, double have, int64_t most, const char *what) {
  if (have <= static_cast<double>(most)) return true;
  return refuse(reject, GPUOPT_REJECT_SIZE_LIMIT, operand, static_cast<int64_t>(std::min(have, 9e18)), most, what);
}
inline int warptile_can_run(const gpuopt_problem *problem, gpuopt_reject *reject) {
  constexpr int64_t kLongestLine = (int64_t{1} << 22) - 1;  // 256 lines of it in 32 bits of byte offset
  constexpr int64_t kMostTiles = (int64_t{1} << 31) - 1, kLeastTile = 16, kMostK = (int64_t{1} << 31) - 1;
  for (int i : {GPUOPT_OPERAND_A, GPUOPT_OPERAND_B}) {
    const double ld = static_cast<double>(problem->operand[i].m.ld);
    if (!warptile_limit(reject, i, ld, kLongestLine, "leading dimension")) return 0;
  }
  if (!warptile_limit(reject, GPUOPT_OPERAND_NONE, static_cast<double>(problem->k), kMostK, "k")) return 0;
  const double tiles = std::ceil(static_cast<double>(problem->m) / kLeastTile) *
                       std::ceil(static_cast<double>(problem->n) / kLeastTile) * static_cast<double>(problem->batch);
  return warptile_limit(reject, GPUOPT_OPERAND_NONE, tiles, kMostTiles, "tiles of D") ? 1 : 0;
}

}  // namespace gpuopt
