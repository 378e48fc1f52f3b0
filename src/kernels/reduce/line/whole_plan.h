// Which lines reduce_one_launch reads, and by how many blocks and threads.
#pragma once

#include "reduce/common/choices.h"
#include "reduce/common/lines.h"
#include "reduce/common/output.cuh"
#include "reduce/line/whole_line.h"

namespace gpuopt {

// Those that a multiprocessor of the device has room for.
inline int resident_blocks(const gpuopt_device_facts &device, int dtype, int op) {
  const int room = device.cc >= 100 ? 3 : device.max_threads_per_sm / kWholeThreads;
  return room < whole_blocks(dtype, op) ? room : whole_blocks(dtype, op);
}

// Threads and blocks. Where there are many more tiles than blocks that run at once, each block has several, a grid
// apart, so that what is read at one time lies together.
struct WholePlan {
  int32_t threads, tile;
  int64_t blocks;
  bool early;  // may begin before the launch before it has ended
};
inline WholePlan whole_plan(const gpuopt_problem &problem, const LineFacts &facts) {
  const int64_t vectors = facts.length * facts.bytes / 16;  // the most that the body has, wherever the line begins
  const int32_t dtype = problem.operand[GPUOPT_OPERAND_X].m.dtype;
  const gpuopt_device_facts &device = *problem.device;
  const int choice = choice_of(problem), loads = whole_loads(dtype, choice);
  // Where the larger blocks are a single one, or so few that a warp gathers their partials, and the smaller ones not.
  const auto fits = [&](int64_t blocks) {
    return vectors <= blocks * kWholeThreads * loads && vectors > blocks * kFewThreads * loads;
  };
  const bool is_best = is_best_element(dtype, choice);
  const bool is_few =
      (choice == kSum || is_best) && vectors <= int64_t{4096} * device.sm_count && !fits(1) && !fits(kWarp);
  const int threads = is_few ? kFewThreads : kWholeThreads, tile = threads * loads;
  const int64_t running = int64_t{device.sm_count} * resident_blocks(device, dtype, choice) * (kWholeThreads / threads);
  // Sums stay short; those of integers are exact, and a grid of a little more than runs at once would end with a wave
  // of idle multiprocessors.
  const bool is_exact = computed_dtype(dtype) == GPUOPT_I64;
  const int64_t tiles = vectors > tile ? ceil_div(vectors, tile) : 1, least = is_exact ? 1 : ceil_div(tiles, 256);
  // Four waves of short lives at most, and no more than four partials for a thread of the block that gathers them.
  const int64_t lives = choice == kArg && !is_best ? running : 4 * running, gathered = int64_t{4} * kWholeThreads;
  // 16-bit sums of one wave to four: two blocks on each multiprocessor, each with as many tiles, end together. Not
  // early: the blocks of two launches would share multiprocessors unevenly.
  if (choice == kSum && is_16bit_float(dtype) && tiles > running && tiles <= lives)
    return {threads, tile, ceil_div(tiles, ceil_div(tiles, int64_t{2} * device.sm_count)), false};
  const int64_t most = tiles <= lives && tiles <= gathered ? tiles : running;
  return {threads, tile, most > least ? most : least, true};
}

// Rows of a grid: sums, and indices of extremes, of 16-bit and single-precision rows, with totals of the commonest kind.
// A tile a block where all of them run at once; else as many blocks as do, with as many tiles each. Sums stay short.
struct RowsPlan {
  int64_t splits, rows;  // splits: blocks of a row; 0: not of this kind
  int32_t threads;
  size_t ticket_bytes() const {
    return (static_cast<size_t>(rows) * 4 + kTicketBytes - 1) / kTicketBytes * kTicketBytes;
  }
};
inline RowsPlan rows_plan(const gpuopt_problem &problem, const LineFacts &facts) {
  constexpr int64_t kMostRows = 65535;  // of a grid
  const gpuopt_operand &x = problem.operand[GPUOPT_OPERAND_X];
  const int32_t dtype = x.m.dtype;
  const int choice = choice_of(problem);
  if (!has_rows(dtype, choice) || problem.axis != GPUOPT_EACH_ROW || problem.batch != 1 || facts.results < 2 ||
      facts.results > kMostRows || facts.length > kMostElementsOfWord || x.m.layout != GPUOPT_ROW || !is_plain(problem))
    return {};
  const gpuopt_device_facts &device = *problem.device;
  const int64_t running = int64_t{device.sm_count} * resident_blocks(device, dtype, choice);
  const auto tiles_of = [&](int threads) {
    return ceil_div(facts.vectors, int64_t{threads} * whole_loads(dtype, choice));
  };
  const int64_t few = tiles_of(kFewThreads), tiles = tiles_of(kWholeThreads);
  if (few < 2) return {};
  if (facts.results * few <= running * (kWholeThreads / kFewThreads)) return {few, facts.results, kFewThreads};
  const int64_t of_row = running / facts.results, least = ceil_div(tiles, 256);
  const int64_t splits = of_row < 2 ? 1 : ceil_div(tiles, ceil_div(tiles, of_row));
  return splits < 2 ? RowsPlan{} : RowsPlan{splits > least ? splits : least, facts.results, kWholeThreads};
}

// What reduce_one_launch reads.
inline bool is_whole_line(const gpuopt_problem &problem) {
  const LineFacts facts = line_facts(problem);
  const int op = op_of(problem);
  const bool is_best = is_best_element(problem.operand[GPUOPT_OPERAND_X].m.dtype, op);
  const bool is_single = facts.results == 1 && facts.rows == 1 && op != kDot && op != kProduct &&
                         (!is_best || facts.length <= kMostElementsOfWord);
  return is_single || rows_plan(problem, facts).splits > 0;
}

}  // namespace gpuopt
