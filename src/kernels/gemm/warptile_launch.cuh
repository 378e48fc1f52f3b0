// The host's side of the warptile kernels: who gets which tile, what it will take, launch and descriptor.
#ifndef GPUOPT_KERNELS_GEMM_WARPTILE_LAUNCH_CUH
#define GPUOPT_KERNELS_GEMM_WARPTILE_LAUNCH_CUH

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "gemm/warptile.cuh"

namespace gpuopt {

// How tiles are dealt out, see warptile_work.cuh.
enum class WarptileDeal { whole, split_k, stream_k };

// How an operand comes: widths of its copies in bytes, and whether it is packed first (warptile_pack.cuh).
struct WarptileWay {
  int bytes;
  bool packs;
};

struct WarptilePlan {
  WarptileWork work;
  double us;
  WarptileWay a, b;
};

// What the plan needs of a WarpTileShape, as numbers, and what was measured of it.
struct WarptileFigures {
  int32_t m, n, depth, blocks_per_sm;
  // Part of the multiply-add peak that an SM full of blocks reaches, by the widths of the copies of A and B in bytes:
  // {16, 16}, {4, 16}, {16, 4}, {4, 4}.
  double full[4];
  double alone;  // an SM with one block reaches this part of `full`
};

// A product, or a piece of one.
struct WarptileSize {
  int64_t m, n, k, batch;
  const gpuopt_device_facts *device;
};
inline WarptileSize warptile_size(const gpuopt_problem &problem) {
  return {problem.m, problem.n, problem.k, problem.batch, problem.device};
}

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

// The time model: equal blocks run in waves of as many as SMs hold; one that has an SM to itself runs at `alone` of
// the rate. Split tiles add the way of their partial sums through L2. Nothing is faster than its operands come.
struct WarptileModel {
  const WarptileFigures &f;
  WarptileWay a, b;
  double sms, clock_mhz, bandwidth, fma_per_clock, full;

  WarptileModel(const WarptileSize &size, const WarptileFigures &figures, WarptileWay way_a, WarptileWay way_b)
      : f(figures), a(way_a), b(way_b) {
    const gpuopt_device_facts &device = *size.device;
    sms = std::max(device.sm_count, 1);
    clock_mhz = device.clock_mhz > 0 ? device.clock_mhz : 1500;
    bandwidth = (device.memory_gbs > 0 ? device.memory_gbs : 1000) * 1e3;  // bytes a us
    fma_per_clock = device.cc <= 80 ? 64 : 128;
    full = f.full[(a.bytes == 4 ? 1 : 0) + (b.bytes == 4 ? 2 : 0)];
  }

  double blocks_us(double blocks, double k_tiles) const {
    constexpr double kWaveUs = 3;  // first tiles in, last sums out
    if (blocks <= 0) return 0;
    const double block_us = static_cast<double>(f.m) * f.n * f.depth * k_tiles / fma_per_clock / clock_mhz / full;
    const double on_busiest = std::ceil(blocks / sms);
    const double waves = std::floor(on_busiest / f.blocks_per_sm), rest = on_busiest - waves * f.blocks_per_sm;
    double us = waves * f.blocks_per_sm * block_us;
    if (rest > 0) us += std::max(rest, 1 / f.alone) * block_us;
    return us + std::min(waves + (rest > 0 ? 1 : 0), 2.0) * kWaveUs;
  }
  double join_us(double parts) const {
    constexpr double kTicketUs = 1.5, kSlotTbs = 3;
    return kTicketUs + parts * f.m * f.n * 8 / (kSlotTbs * 1e6);
  }
  // Blocks that are at different steps of k and far from each other find what they share in L2 nevertheless.
  static bool fits_l2(const WarptileSize &size) {
    const double words =
        static_cast<double>(size.m + size.n) * static_cast<double>(size.k) * static_cast<double>(size.batch);
    return 4 * words <= static_cast<double>(size.device->l2_bytes) / 2;
  }
  double memory_us(const WarptileSize &size) const {
    constexpr double kRate = 0.59, kBy4 = 1.45;  // of the bandwidth; more time by 4 bytes
    const double m = static_cast<double>(size.m), n = static_cast<double>(size.n);
    const double k = static_cast<double>(size.k), batch = static_cast<double>(size.batch);
    const double words = m * k * (a.bytes == 4 ? kBy4 : 1) + k * n * (b.bytes == 4 ? kBy4 : 1) + m * n;
    return 4 * batch * words / (kRate * bandwidth);
  }
};

inline WarptilePlan warptile_plan(const WarptileSize &size, const WarptileFigures &f, WarptileDeal deal, WarptileWay a,
                                  WarptileWay b) {
  constexpr double kStartUs = 2.5;
  const WarptileModel model(size, f, a, b);
  WarptilePlan best = {warptile_work(size, f), 0, a, b};
  const WarptileWork whole = best.work;
  const uint32_t slots = static_cast<uint32_t>(model.sms) * static_cast<uint32_t>(f.blocks_per_sm);
  const double memory_us = model.memory_us(size);
  best.us = std::max(model.blocks_us(whole.tiles, whole.k_tiles), memory_us);

  if (deal == WarptileDeal::split_k) {
    constexpr uint32_t kMostSplit = 32, kLeastUnits = 4;
    for (uint32_t split = 2; split <= kMostSplit && whole.k_tiles >= kLeastUnits * split; ++split) {
      if (uint64_t{whole.tiles} * split > 4 * uint64_t{slots}) break;
      const double parts = static_cast<double>(whole.tiles) * split;
      const double blocks_us = model.blocks_us(parts, static_cast<double>(ceil_div(whole.k_tiles, split)));
      const double us = std::max(blocks_us, memory_us) + model.join_us(parts);
      if (us >= best.us) continue;
      best.us = us;
      best.work.streamed = whole.tiles;
      best.work.stream_blocks = whole.tiles * split;
    }
  } else if (deal == WarptileDeal::stream_k && whole.tiles % slots != 0) {
    // Evenly over all slots: everything where L2 holds the operands, as then blocks do not all end a tile at the same
    // time; else the last wave and a part, and all full waves but one whole.
    const uint32_t waves = whole.tiles / slots;
    const uint32_t kept = waves > 1 && !WarptileModel::fits_l2(size) ? (waves - 1) * slots : 0;
    const uint64_t streamed = whole.tiles - kept;
    constexpr uint64_t kLeastUnits = 8;
    constexpr double kNextTileUs = 4;  // each further part of a block fills its ring and leaves its sums once more
    best.work.streamed = static_cast<uint32_t>(streamed);
    best.work.stream_blocks =
        static_cast<uint32_t>(std::max<uint64_t>(1, std::min<uint64_t>(slots, streamed * whole.k_tiles / kLeastUnits)));
    best.work.slots = 2;
    const double tiles_of_block = static_cast<double>(streamed) / best.work.stream_blocks;
    const double even = tiles_of_block * whole.k_tiles;
    best.us =
        std::max(model.blocks_us(kept, whole.k_tiles) + model.blocks_us(best.work.stream_blocks, even), memory_us) +
        model.join_us(best.work.stream_blocks) + kNextTileUs * std::max(1.0, tiles_of_block - 1);
  }
  best.us += kStartUs;
  return best;
}

inline size_t warptile_slot_bytes(const WarptileWork &work, const WarptileFigures &f) {
  return size_t{work.stream_blocks} * work.slots * static_cast<size_t>(f.m) * static_cast<size_t>(f.n) * sizeof(float);
}

// The whole product but for its work. Sums (not NULL) are for finish_gemm().
inline Warptile make_warptile(const gpuopt_problem &problem, float *parts, float *sums, const gpuopt_launch *launch) {
  const auto operand = [&](int index) {
    const gpuopt_matrix &m = problem.operand[index].m;
    return WarptileOperand{static_cast<const float *>(m.data), m.ld, m.batch_stride,
                           (m.layout == GPUOPT_ROW) == (index == GPUOPT_OPERAND_A)};
  };
  const gpuopt_operand &c = problem.operand[GPUOPT_OPERAND_C], &d = problem.operand[GPUOPT_OPERAND_D];
  Warptile w = {};
  w.m = problem.m;
  w.n = problem.n;
  w.k = problem.k;
  w.a = operand(GPUOPT_OPERAND_A);
  w.b = operand(GPUOPT_OPERAND_B);
  w.out = make_plain_gemm<float>(problem, TileSpace(1, 1, 1, 1, 1), sums).out;
  w.packed =
      sums != nullptr ? problem.n % 4 == 0 : has_aligned_lines(d) && (w.out.c == nullptr || has_aligned_lines(c));
  w.parts = parts;
  w.tickets = static_cast<uint32_t *>(launch->zeroed);
  return w;
}

inline int warptile_can_run(const gpuopt_problem *problem, gpuopt_reject *reject) {
  constexpr int64_t kLongestLine = (int64_t{1} << 22) - 1;  // 256 lines of it in 32 bits of byte offset
  for (int i : {GPUOPT_OPERAND_A, GPUOPT_OPERAND_B}) {
    const int64_t ld = problem->operand[i].m.ld;
    if (ld <= kLongestLine) continue;
    *reject = {GPUOPT_REJECT_SIZE_LIMIT, i, ld, kLongestLine, "leading dimension"};
    return 0;
  }
  constexpr int64_t kMostTiles = (int64_t{1} << 31) - 1, kLeastTile = 16;
  constexpr int64_t kMostK = (int64_t{1} << 31) - 1;
  if (problem->k > kMostK) {
    *reject = {GPUOPT_REJECT_SIZE_LIMIT, GPUOPT_OPERAND_NONE, problem->k, kMostK, "k"};
    return 0;
  }
  const double tiles = std::ceil(static_cast<double>(problem->m) / kLeastTile) *
                       std::ceil(static_cast<double>(problem->n) / kLeastTile) * static_cast<double>(problem->batch);
  if (tiles > static_cast<double>(kMostTiles)) {
    *reject = {GPUOPT_REJECT_SIZE_LIMIT, GPUOPT_OPERAND_NONE, static_cast<int64_t>(std::min(tiles, 9e18)), kMostTiles,
               "tiles of D"};
    return 0;
  }
  return 1;
}

// Launches of one shape, defined where it is instantiated: a shape's kernels are compiled in one file, whoever uses
// them.
template <class Shape>
struct WarptileKernels {
  static gpuopt_status load(const gpuopt_launch *launch, const char *name, int bytes_a, int bytes_b);
  static gpuopt_status run(const gpuopt_launch *launch, const char *name, int bytes_a, int bytes_b, const Warptile &w);
  // Behind a kernel that allows its successor, see dependent_launch.cuh.
  static gpuopt_status run_early(const gpuopt_launch *launch, const char *name, int bytes_a, int bytes_b,
                                 const Warptile &w);
  static gpuopt_resource resources[4];
};

// The descriptor's functions for a Rung with kName, Shape, kFigures and kDeal.
template <class Rung>
struct WarptileLaunch {
  using Kernels = WarptileKernels<typename Rung::Shape>;

  static WarptilePlan plan(const gpuopt_problem &problem) {
    return warptile_plan(warptile_size(problem), Rung::kFigures, Rung::kDeal, {warptile_bytes_a(problem), false},
                         {warptile_bytes_b(problem), false});
  }
  // Slots of partial sums; behind them, where the epilogue is finish_gemm()'s, the sums that it reads.
  static float *sums(const gpuopt_problem &problem, const WarptilePlan &p, const gpuopt_launch *launch) {
    if (is_plain_gemm(problem)) return nullptr;
    return static_cast<float *>(launch->scratch) + warptile_slot_bytes(p.work, Rung::kFigures) / sizeof(float);
  }

  static double predict_us(const gpuopt_problem *problem) {
    return plan(*problem).us + (is_plain_gemm(*problem) ? 0 : finish_gemm_us(*problem, 1, sizeof(float)));
  }
  static void workspace(const gpuopt_problem *problem, size_t *scratch, size_t *zeroed) {
    const WarptilePlan p = plan(*problem);
    *scratch = warptile_slot_bytes(p.work, Rung::kFigures) +
               (is_plain_gemm(*problem) ? 0 : gemm_partials_bytes(*problem, 1, sizeof(float)));
    *zeroed = size_t{p.work.streamed} * sizeof(uint32_t);
  }
  static gpuopt_status prepare(const gpuopt_problem *problem, const gpuopt_launch *launch) {
    const WarptilePlan p = plan(*problem);
    const gpuopt_status status = Kernels::load(launch, Rung::kName, p.a.bytes, p.b.bytes);
    return status != GPUOPT_OK || is_plain_gemm(*problem) ? status : load_finish_gemm<float>(launch);
  }
  static gpuopt_status launch(const gpuopt_problem *problem, const gpuopt_launch *launch) {
    const WarptilePlan p = plan(*problem);
    float *const to = sums(*problem, p, launch);
    Warptile w = make_warptile(*problem, static_cast<float *>(launch->scratch), to, launch);
    w.work = p.work;
    const gpuopt_status status = Kernels::run(launch, Rung::kName, p.a.bytes, p.b.bytes, w);
    return status != GPUOPT_OK || to == nullptr ? status : finish_gemm<float>(*problem, launch, to, 1);
  }
};

// The same for one that packs its operands, see warptile_packed_launch.cuh.
template <class Rung>
struct WarptilePackedLaunch;

// fp32 sums are at least as accurate as what F32_TENSOR asks for.
inline constexpr gpuopt_signature kWarptileSignatures[] = {
    kPlainGemmF32, {{GPUOPT_F32, GPUOPT_F32, GPUOPT_F32, GPUOPT_F32}, GPUOPT_COMPUTE_F32_TENSOR}};

template <class Rung>
constexpr gpuopt_kernel warptile_kernel() {
  using Launch = std::conditional_t<Rung::kPacks, WarptilePackedLaunch<Rung>, WarptileLaunch<Rung>>;
  gpuopt_kernel kernel = simt_gemm_kernel(Rung::kName, Rung::kSummary);
  set_signatures(kernel, kWarptileSignatures);
  kernel.can_run = warptile_can_run;
  kernel.predict_us = Launch::predict_us;
  kernel.workspace = Launch::workspace;
  kernel.prepare = Launch::prepare;
  kernel.launch = Launch::launch;
  kernel.resources = WarptileKernels<typename Rung::Shape>::resources;
  kernel.resource_count = 4;
  return kernel;
}

}  // namespace gpuopt

#endif
