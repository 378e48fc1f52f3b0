#include <cuda_runtime.h>

#include "gemm/wgmma/wgmma_skinny_plan.h"

#include <algorithm>
#include <cmath>

#include "common/cluster_places.h"
#include "gemm/common/gemm_demand.h"
#include "gemm/common/gemm_order.h"
#include "gemm/wgmma/figures.h"

namespace gpuopt {
namespace {

constexpr int kMostFew = 64;  // of tiles of which two fit a multiprocessor, each with a ring that is long enough

// A shape whose tiles have so many lines of the many, k split over clusters of 2^log_ranks blocks.
struct SkinnySplit {
  int many, few, lines;
  int32_t log_ranks;
  double places, blocks;  // multiprocessors that have a block at once, and blocks in all
};

double sm_count(const gpuopt_problem &problem) { return std::max(problem.device->sm_count, 1); }

// Multiprocessors that have a block at once.
double places(const gpuopt_problem &problem, int32_t log_ranks) {
  return static_cast<double>(clusters_at_once(*problem.device, int64_t{1} << log_ranks, 1) << log_ranks);
}
// Whether every block has a multiprocessor to itself, and then all of its shared memory for a deeper ring. Only where the ring of
// one of two is short: else the next launch's blocks, which find no room beside it, lose as much.
bool stays_alone(const gpuopt_problem &problem, const SkinnySplit &x) {
  const bool one_tile = wgmma_few_lines(problem) <= x.few;
  const bool is_short = x.few > kMostFew || (x.few == kMostFew && (x.log_ranks != 0 || one_tile)) ||
                        (x.few == kMostFew / 2 && is_batch_invariant(problem) && !one_tile);
  return is_short && x.blocks <= x.places;
}
// Tiles of the many may be smaller than a shape, by eights of lines, where those lie along k: so that all multiprocessors have as much
// to read. So many tiles at the most; 0: of more lines than a shape has.
int even_lines(int64_t many, double tiles, int most) {
  if (tiles < 1) return 0;
  const int64_t lines = ceil_div(ceil_div(many, static_cast<int64_t>(tiles)), 8) * 8;
  return lines > most ? 0 : static_cast<int>(lines);
}

// What a block copies: stages of k, and lines in each.
struct SkinnyBlock {
  double stages, lines;
};
// How much of a line comes, of the few and of the many (wgmma_copied).
struct SkinnyCopied {
  double few, many;
};
SkinnyBlock block_of(const gpuopt_problem &problem, int64_t stages, const SkinnySplit &split, bool few_along_k,
                     const SkinnyCopied &copied) {
  const int64_t few = few_along_k ? std::min<int64_t>(wgmma_few_lines(problem), split.few) : (split.few + 63) / 64 * 64;
  return {std::ceil(static_cast<double>(stages) / (1 << split.log_ranks)),
          copied.many * split.lines + copied.few * static_cast<double>(few)};
}
double clock_mhz(const gpuopt_problem &problem) {
  return problem.device->clock_mhz > 0 ? problem.device->clock_mhz : 1500;
}

// Bytes per clock of a block that is alone: what its ring brings, or its part of what all are given at once.
double alone_rate(const gpuopt_problem &problem, const SkinnySplit &x, double deep, double of_all) {
  return std::min(deep, of_all * sm_count(problem) / x.blocks);
}

// Rounds of blocks, and how much longer memory takes than for boxes of many lines by blocks that fill every place.
struct SkinnyRounds {
  double count, memory_factor;
};
SkinnyRounds rounds_of(const SkinnySplit &split, bool is_alone) {
  const GemmWgmmaFigures &f = gemm_wgmma_figures;
  const double at_once = (is_alone ? 1 : 2) * split.places, count = std::ceil(split.blocks / at_once);
  const double idle = 1 - split.blocks / (count * at_once), doublings = std::max(split.log_ranks - 1, 0);
  return {count, 1 + f.plan_skinny_line_share / split.lines + f.plan_skinny_idle_share * idle / count +
                     f.plan_skinny_cluster_share * doublings};
}

// By which plans are made: blocks one after the other, two of which share what passes from L2, whether there are two or the next
// launch's come beside them. However few lines a stage has, its products and its barriers take their time.
double planned_us(const gpuopt_problem &problem, const SkinnySplit &split, const SkinnyBlock &x, double rounds,
                  bool is_alone) {
  const GemmWgmmaFigures &f = gemm_wgmma_figures;
  const double turns = (is_alone ? 1 : 2) * rounds;
  const double of_ring =
      split.few > kMostFew ? f.plan_skinny_deep_bytes_per_clock : f.plan_skinny_alone_bytes_per_clock;
  const double deep = alone_rate(problem, split, of_ring, f.plan_skinny_bytes_per_clock);
  constexpr double kLongRing = 5;  // stages; of fewer, too little is under way
  const double in_ring =
      (kWgmmaSkinnyShared - (split.log_ranks != 0 ? split.many * split.few * 4 : 0)) / (x.lines * 128);
  const double rate = is_alone ? deep : f.plan_skinny_bytes_per_clock * std::min(std::floor(in_ring) / kLongRing, 1.0);
  const double least = rounds * x.stages * f.plan_skinny_stage_clocks * (split.many / 64);
  return (turns * f.plan_skinny_block_clocks + std::max(least, turns * x.stages * x.lines * 128 / rate)) /
         clock_mhz(problem);
}
double planned_exchange_us(const gpuopt_problem &problem, const SkinnySplit &split) {
  const GemmWgmmaFigures &f = gemm_wgmma_figures;
  if (split.log_ranks == 0) return 0;
  const double more = std::max(split.many * split.few - 128 * kMostFew, 0);  // sums than those that it was taken from
  return (split.log_ranks == 1 ? f.plan_skinny_pair_us : f.plan_skinny_cluster_us) +
         more * f.plan_skinny_sum_clocks / clock_mhz(problem);
}

// Blocks run two to a multiprocessor, and the next begins when one ends: with many rounds, they end at any time. The last
// have their multiprocessor to themselves.
double multiply_us(const gpuopt_problem &problem, const SkinnySplit &split, const SkinnyBlock &x, bool is_alone) {
  const GemmWgmmaFigures &f = gemm_wgmma_figures;
  const double of_sm = split.blocks / split.places, bytes = x.stages * x.lines * 128;
  const double fill = x.lines * f.skinny_line_clocks;  // of a block's ring
  const double deep = alone_rate(problem, split, f.skinny_deep_bytes_per_clock, f.skinny_bytes_per_clock);
  const double rate = is_alone          ? deep
                      : split.many > 64 ? f.skinny_wide_alone_bytes_per_clock
                                        : f.skinny_alone_bytes_per_clock;
  const double least = x.stages * f.plan_skinny_stage_clocks * (split.many / 64);
  const double alone = fill + std::max(bytes / rate, least);
  const double shared = fill + std::max(bytes / f.skinny_bytes_per_clock, least / 2);
  const double clocks = of_sm <= 1   ? alone
                        : of_sm <= 2 ? 2 * shared
                                     : of_sm * shared + f.skinny_last_factor * alone / std::ceil(of_sm / 2);
  return clocks / clock_mhz(problem);
}
double sums_of_thread(const SkinnySplit &split) { return split.many * split.few / 128.0; }
// Elements of D go one by one; those of 16 bits by eights where D goes by panels and a rank's lines are neighbours by eights.
// Where the few are D's rows, neighbours of the many are neighbours in memory. A thread's elements that C is added to are read
// one after the other, and two blocks share a multiprocessor.
double store_us(const gpuopt_problem &problem, const WgmmaFacts &facts, const SkinnySplit &split) {
  const GemmWgmmaFigures &f = gemm_wgmma_figures;
  // Where gemm_finish comes after, sums are stored.
  const bool direct = wgmma_stores_directly(problem, facts);
  const bool adds = direct && (problem.features & GPUOPT_FEATURE_BETA) != 0;
  const bool is_short = direct && gpuopt_dtype_size(problem.operand[GPUOPT_OPERAND_D].m.dtype) == 2;
  const bool by_vectors = wgmma_goes_by_panels(problem, facts) && split.log_ranks <= kWgmmaSkinnyVectorsLog;
  const double one = (is_short ? f.skinny_short_clocks : f.skinny_word_clocks) *
                     (wgmma_few_are_rows(problem) ? f.skinny_rows_share : 1);
  const double clocks = is_short && by_vectors ? f.skinny_vector_clocks / 8 : one;
  const double stored = gemm_demand(problem).elements * clocks / std::min(sm_count(problem), split.blocks);
  const double of_thread = sums_of_thread(split) / (1 << split.log_ranks);
  const double turns = std::ceil(split.blocks / (2 * sm_count(problem)));
  return (stored + (adds ? turns * of_thread * f.skinny_c_clocks : 0)) / clock_mhz(problem);
}
// Without a split the store of each of a thread's sums, for each type that D may have, is code of its own, which comes from memory.
double code_us(const gpuopt_problem &problem, const WgmmaFacts &facts, const SkinnySplit &split) {
  if (split.log_ranks != 0) return 0;
  const int types = facts.exact ? 1 : facts.depth == 128 ? 3 : 2;
  return gemm_wgmma_figures.skinny_code_clocks * types * sums_of_thread(split) / clock_mhz(problem);
}
// A split costs the exchange of sums; more than two blocks are not always found side by side.
double exchange_us(int32_t log_ranks) {
  const GemmWgmmaFigures &f = gemm_wgmma_figures;
  if (log_ranks == 0) return 0;
  return log_ranks == 1 ? f.skinny_pair_us : f.skinny_cluster_us;
}

}  // namespace

AnyLayout wgmma_skinny_layouts(const gpuopt_problem &problem, const WgmmaFacts &facts) {
  constexpr int64_t kFew = 32;
  constexpr double kLongBytes = 32 << 20;
  AnyLayout any = {facts.any_layout, facts.any_layout};
  const int few = wgmma_few_operand(problem);
  const gpuopt_operand &many = problem.operand[wgmma_many_operand(problem)];
  if (wgmma_few_lines(problem) > kFew ||
      (!packed_way(problem, few, any, facts.splits).packs && operand_bytes(problem, many) < kLongBytes))
    return any;
  (few == GPUOPT_OPERAND_A ? any.a : any.b) = false;
  return any;
}

WgmmaSkinnyPlan plan_wgmma_skinny(const gpuopt_problem &problem, const WgmmaFacts &facts) {
  const GemmWgmmaFigures &f = gemm_wgmma_figures;
  const int64_t few = wgmma_few_lines(problem), many = wgmma_many_lines(problem);
  const int64_t stages = ceil_div(problem.k, facts.depth);
  const double gbs = (problem.device->memory_gbs > 0 ? problem.device->memory_gbs : 1000) * 1e3;
  const GemmDemand x = gemm_demand(problem);
  // What the blocks share comes from memory once.
  const double at_peak_us = (x.a_bytes + x.b_bytes + x.d_bytes + x.c_bytes) / gbs;
  const AnyLayout layouts = wgmma_skinny_layouts(problem, facts);
  const int few_operand = wgmma_few_operand(problem), many_operand = wgmma_many_operand(problem);
  const PackedWay few_way = packed_way(problem, few_operand, layouts, facts.splits);
  int width = 8;
  while (width < few && width < kMostFew) width *= 2;
  constexpr double kAgainShare = 0.5;
  WgmmaSkinnyPlan best = {0, 64, 0, false, HUGE_VAL};
  SkinnySplit best_split = {};
  double best_multiply_us = 0;
  const int shapes = wgmma_skinny_shapes(facts.depth == 128);
  const PackedWay many_way = packed_way(problem, many_operand, layouts, facts.splits);
  const SkinnyCopied copied = {wgmma_copied(problem, few_operand, few_way),
                               wgmma_copied(problem, many_operand, many_way)};
  for (int turn = 0; turn < shapes; ++turn) {
    const int i = few > kMostFew ? shapes - 1 - turn : turn;  // of two as long, the one that reads the many less often
    const WgmmaSkinnyShape &shape = kWgmmaSkinnyShapes[i];
    // Of k that cannot be split, tiles of half as many lines are twice as many.
    const bool halved = is_batch_invariant(problem) && width == kMostFew && 2 * shape.few == width;
    if (shape.few != width && !halved && (shape.few <= kMostFew || few <= kMostFew)) continue;
    // Large clusters fit fewer places, and are for the tile that takes least from L2: long k, both sides small.
    const int32_t large_log =
        shape.many == 128 && shape.few == kMostFew ? kWgmmaSkinnyMostLog : kWgmmaSkinnyPortableLog;
    const int32_t most_log = is_batch_invariant(problem) ? 0 : large_log;
    // Tiles of other lines of the few read the many again, later: half of it from memory.
    const double again = static_cast<double>(ceil_div(few, shape.few) - 1) * kAgainShare;
    const double reading_us =
        (at_peak_us + again * operand_bytes(problem, problem.operand[many_operand]) / gbs) / f.plan_memory_share;
    const double tiles_few = static_cast<double>(ceil_div(few, shape.few) * problem.batch);
    for (int32_t log_ranks = 0; log_ranks <= most_log; ++log_ranks) {
      if (log_ranks > 0 && int64_t{1} << log_ranks > stages) break;
      const double of_tile = tiles_few * (1 << log_ranks), in_places = places(problem, log_ranks);  // blocks
      for (const int of_each : {0, 1, 2, 4}) {  // 0: the shape as it is
        if (of_each != 0 && !many_way.along_k) break;
        const int lines = of_each == 0 ? shape.many : even_lines(many, of_each * in_places / of_tile, shape.many);
        if (lines == 0 || (of_each != 0 && lines == shape.many)) continue;
        const SkinnySplit split = {shape.many, shape.few, lines,
                                   log_ranks,  in_places, of_tile * static_cast<double>(ceil_div(many, lines))};
        const bool alone = stays_alone(problem, split);
        if ((shape.few > kMostFew || halved) && !alone) continue;  // two such rings are too short
        const SkinnyRounds rounds = rounds_of(split, alone);
        const double multiply =
            planned_us(problem, split, block_of(problem, stages, split, few_way.along_k, copied), rounds.count, alone);
        const double memory_us = reading_us * rounds.memory_factor + f.plan_skinny_round_us * (rounds.count - 1) +
                                 (alone ? f.plan_skinny_alone_us : 0);
        const double us = std::max(multiply, memory_us) + planned_exchange_us(problem, split);
        // Of two that memory takes longer for, the one that can be later.
        if (us > best.us || (us == best.us && multiply >= best_multiply_us)) continue;
        best = {i, lines, log_ranks, alone, us};
        best_split = split;
        best_multiply_us = multiply;
      }
    }
  }
  const SkinnyBlock block = block_of(problem, stages, best_split, few_way.along_k, copied);
  const double factor = rounds_of(best_split, best.alone).memory_factor;
  best.us = f.skinny_start_us + code_us(problem, facts, best_split) +
            overlapped_us(multiply_us(problem, best_split, block, best.alone) + store_us(problem, facts, best_split),
                          factor * at_peak_us / f.memory_share, 0, f.skinny_sharpness) +
            exchange_us(best.log_ranks);
  return best;
}

}  // namespace gpuopt
