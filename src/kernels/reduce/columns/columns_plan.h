// How a column reduction cuts its matrices: strips of columns, splits of their rows.
#pragma once

#include <cmath>

#include "common/cluster.h"
#include "common/dependent_launch.cuh"
#include "common/dtypes.cuh"
#include "reduce/columns/columns.h"
#include "reduce/columns/figures.h"
#include "reduce/common/choices.h"
#include "reduce/common/lines.h"

namespace gpuopt {

struct ColumnPlan {
  ColumnWalk walk;
  int32_t threads;
  int64_t strips, splits, blocks;  // strips of all matrices
};

// The boundary that all rows of the operand begin at.
inline int64_t row_alignment(const gpuopt_problem &problem, int operand) {
  const gpuopt_operand &x = problem.operand[operand];
  int64_t align = x.align;
  if (problem.m > 1 && x.ld_align < align) align = x.ld_align;
  if (problem.batch > 1 && x.stride_align < align) align = x.stride_align;
  return align;
}

// Rows, and bytes of a matrix, from which on a wave or an idle multiprocessor costs more than narrow strips or splits.
constexpr int64_t kManyRows = 1024, kLargeRead = 24'000'000;
// Bytes of a matrix from which on strips are whole lines of memory; where rows begin anywhere they are wide, though splits then
// meet.
constexpr int64_t kWideRead = 150'000'000;

constexpr int64_t kMostOfCluster = 8;  // blocks, on any device that has clusters

// Strips of `lanes` pieces, and the blocks that share each, `cluster` of them a cluster.
struct ColumnCut {
  int64_t lanes, splits, cluster;
};

// Of the totals of a strip, so many columns, a power of two, are a block's.
inline int log_share(int64_t width, int64_t cluster) {
  int log = 0;
  while (int64_t{1} << log < ceil_div(width, cluster)) ++log;
  return log;
}

// How many pieces of 16 bytes a row has, the fewest and most of a strip, and how many more lanes it takes.
struct ColumnPieces {
  int64_t all, least, widest, spare;
};
inline ColumnPieces column_pieces(const gpuopt_problem &problem) {
  const int bytes = dtype_bytes(problem.operand[GPUOPT_OPERAND_X].m.dtype), columns = columns_of_thread(bytes);
  const int64_t all = problem.n > 0 ? ceil_div(problem.n, columns) : 1, least = 64 / (columns * bytes);
  const int64_t spare = row_alignment(problem, GPUOPT_OPERAND_X) < columns * bytes ? 1 : 0;
  return {all, least < all ? least : all, kWarp - spare, spare};
}

// What a cut that is one wave takes: the memory's time and that of a block's turns, more where multiprocessors are idle;
// and the meetings, of blocks in a cluster, and of clusters, where each thread asks for eight partials of its column at a time.
inline double cut_us(const gpuopt_problem &problem, const ColumnCut &cut, const ColumnPieces &pieces, int op) {
  constexpr int64_t kLine = 128;
  constexpr double kBusy = 0.91;  // of the multiprocessors, as good as all
  const ReduceColumnsFigures &f = reduce_columns_figures;
  const int bytes = dtype_bytes(problem.operand[GPUOPT_OPERAND_X].m.dtype), columns = columns_of_thread(bytes);
  const int64_t threads = column_threads(bytes, op), lanes = cut.lanes + pieces.spare, row_lanes = threads / lanes;
  const int64_t rows = ceil_div(problem.m, cut.splits), at_once = row_lanes * rows_under_way(bytes, op);
  // A strip begins at any multiple of `apart` of a line, and so touches more lines than it would fill.
  const int64_t strip = cut.lanes * columns * bytes, start = strip | kLine | row_alignment(problem, GPUOPT_OPERAND_X),
                apart = pieces.spare != 0 ? columns * bytes : start & -start;
  const double more_lines = static_cast<double>(kLine - apart) / static_cast<double>(strip);
  const double memory = static_cast<double>(problem.batch * problem.m * pieces.all * columns * bytes) *
                        (1 + f.plan_lines * more_lines) / (f.plan_share * problem.device->memory_gbs * 1e3);
  const double turns = rows > at_once ? static_cast<double>(rows) / static_cast<double>(at_once) : 1;
  const double of_turns = f.plan_turn_us * turns;
  const double blocks = static_cast<double>(ceil_div(pieces.all, cut.lanes) * problem.batch * cut.splits);
  const double idle = 1 - blocks / (kBusy * problem.device->sm_count);
  const double reading = std::sqrt(memory * memory + of_turns * of_turns) * (1 + (idle > 0 ? f.plan_idle * idle : 0));
  const int64_t share = int64_t{1} << log_share(cut.lanes * columns, cut.cluster), clusters = cut.splits / cut.cluster;
  const double meeting =
      (cut.cluster > 1 ? f.plan_cluster_us : 0) +
      (clusters > 1 ? f.plan_meet_us + f.plan_ask_us * static_cast<double>(ceil_div(clusters * share, 8 * threads))
                    : 0);
  return reading + (turns > 1 ? f.plan_more_us : 0) + meeting;
}

// One wave: strips of one width, or the narrowest one's multiprocessors would be idle, of whole sectors, of large matrices whole
// lines, shared by as many blocks as there are multiprocessors for, of large matrices most of them. `single`: the best cut without
// splits, which is taken where others are not clearly better.
inline ColumnCut best_cut(const gpuopt_problem &problem, const ColumnCut &single, const ColumnPieces &pieces, int op) {
  const int bytes = dtype_bytes(problem.operand[GPUOPT_OPERAND_X].m.dtype), columns = columns_of_thread(bytes);
  constexpr double kClearly = 0.9;
  const bool is_large = problem.batch * problem.m * problem.n >= kLargeRead / bytes;
  const int64_t unit = pieces.spare != 0 ? 1 : (is_large ? 128 : 32) / (columns * bytes),
                sms = problem.device->sm_count;
  const int64_t most_blocks = has_waiting_code(problem.device->cc) ? kMostOfCluster : 1;
  ColumnCut best = single;
  double best_us = cut_us(problem, best, pieces, op) * kClearly;
  const auto take_better = [&](const ColumnCut &cut, int64_t strips) {
    if (is_large && strips * cut.splits * 4 < sms * 3) return;
    const double us = cut_us(problem, cut, pieces, op);
    if (us >= best_us) return;
    best_us = us;
    best = cut;
  };
  for (int64_t strips = ceil_div(pieces.all, pieces.widest), last = 0; strips <= ceil_div(pieces.all, pieces.least);
       ++strips) {
    const int64_t whole = ceil_div(ceil_div(pieces.all, strips), unit) * unit;
    const int64_t lanes = whole < pieces.widest ? whole : pieces.widest;
    const int64_t of_all = ceil_div(pieces.all, lanes) * problem.batch;
    if (of_all * 2 > sms) break;
    if (lanes == last) continue;
    last = lanes;
    for (int64_t cluster = 1; cluster <= most_blocks; cluster *= 2) {
      const int64_t clusters = clusters_at_once(sms, cluster) / of_all;
      if (clusters > 1) take_better({lanes, cluster * clusters, cluster}, of_all);
      if (clusters > 0 && cluster > 1) take_better({lanes, cluster, cluster}, of_all);
    }
  }
  return best;
}

// A block a multiprocessor. Where even the widest strips are more than the multiprocessors, strips for whole waves: a block of
// many rows fills its multiprocessor, and a few in a last wave would take as long as all others. Else as many strips, but of at
// least 64 bytes, or such as several blocks share.
inline ColumnCut column_cut(const gpuopt_problem &problem) {
  const int op = op_of(problem), bytes = dtype_bytes(problem.operand[GPUOPT_OPERAND_X].m.dtype),
            columns = columns_of_thread(bytes);
  const ColumnPieces pieces = column_pieces(problem);
  const int64_t sms = problem.device->sm_count;
  const int64_t waves = problem.m >= kManyRows && problem.batch == 1 ? ceil_div(pieces.all, sms * pieces.widest) : 1;
  int64_t lanes = ceil_div(pieces.all * problem.batch, sms * waves);
  lanes = lanes > pieces.widest ? pieces.widest : lanes < pieces.least ? pieces.least : lanes;
  if (problem.m >= kManyRows && problem.batch * problem.m * problem.n >= kWideRead / bytes) {
    const int64_t line = 128 / (columns * bytes);
    if (pieces.spare == 0)
      lanes = ceil_div(lanes, line) * line;
    else if (lanes < 3 * line)
      lanes = pieces.widest;
  }
  const ColumnCut single = {lanes < pieces.all ? lanes : pieces.all, 1, 1};
  const bool is_filled = problem.batch * ceil_div(pieces.all, single.lanes) * 9 >= sms * 7;
  return is_filled ? single : best_cut(problem, single, pieces, op);
}

inline ColumnPlan column_plan_of(const gpuopt_problem &problem, const ColumnCut &cut) {
  ColumnPlan plan = {};
  ColumnWalk &walk = plan.walk;
  walk.x = matrix_view(problem.operand[GPUOPT_OPERAND_X]);
  walk.y = matrix_view(problem.operand[GPUOPT_OPERAND_Y]);
  walk.rows = problem.m;
  walk.cols = problem.n;
  const int op = op_of(problem), bytes = dtype_bytes(walk.x.dtype), columns = columns_of_thread(bytes);
  const int64_t spare = column_pieces(problem).spare, lanes = cut.lanes + spare, sms = problem.device->sm_count;
  walk.any_phase = spare != 0;
  walk.y_pieces = !walk.any_phase && problem.operand[GPUOPT_OPERAND_Y].m.layout == GPUOPT_ROW &&
                  row_alignment(problem, GPUOPT_OPERAND_Y) >= columns * bytes;
  walk.width = static_cast<int32_t>(cut.lanes) * columns;
  const int64_t strips = problem.n > 0 ? ceil_div(problem.n, walk.width) : 1;
  plan.strips = problem.batch * strips;
  // Fewer threads where there are not enough rows; but a thread a column, and rows of a thread a whole phase apart. Of
  // many short-lived blocks smaller ones fill the multiprocessors better.
  const auto row_lanes_of = [&](int64_t of_threads) {
    const int64_t row_lanes = of_threads / lanes;
    return walk.any_phase ? row_lanes / columns * columns : row_lanes;
  };
  const int rows_at_once = rows_under_way(bytes, op);
  const int64_t rows = cut.splits == cut.cluster ? ceil_div(problem.m, cut.cluster) : problem.m;
  plan.threads = column_threads(bytes, op);
  while (plan.threads > 128 && plan.threads / 2 >= walk.width && row_lanes_of(plan.threads / 2) > 0 &&
         row_lanes_of(plan.threads) * rows_at_once + (plan.strips > 2 * sms ? 1 : 0) > rows)
    plan.threads /= 2;
  const int64_t row_lanes = row_lanes_of(plan.threads), step = row_lanes * rows_at_once / 2;
  const int64_t steps = ceil_div(problem.m > 0 ? problem.m : 1, step);
  const int64_t range = ceil_div(steps, cut.splits) * step, longest = kMostRowsOfLane * row_lanes;
  walk.range = range < longest ? range : longest;
  walk.row_lanes = static_cast<int32_t>(row_lanes);
  // A cluster's last blocks may have no rows.
  const int64_t splits = problem.m > 0 ? ceil_div(problem.m, walk.range) : 1;
  walk.cluster = static_cast<int32_t>(cut.cluster < splits ? cut.cluster : splits);
  walk.cluster_count = static_cast<int32_t>(ceil_div(splits, walk.cluster));
  walk.log_share = log_share(walk.width, walk.cluster);
  plan.splits = int64_t{walk.cluster} * walk.cluster_count;
  plan.blocks = plan.strips * plan.splits;
  walk.lanes = UnsignedDivider(lanes);
  walk.strips = UnsignedDivider(strips);
  walk.clusters = UnsignedDivider(walk.cluster_count);
  return plan;
}
inline ColumnPlan column_plan(const gpuopt_problem &problem) { return column_plan_of(problem, column_cut(problem)); }

inline size_t column_ticket_bytes(const ColumnPlan &plan) {
  return (static_cast<size_t>(plan.strips * plan.walk.cluster) * 4 + 255) / 256 * 256;
}

inline PlainColumns plain_columns(const gpuopt_problem &problem, const ColumnPlan &plan) {
  PlainColumns plain = {};
  const ColumnWalk &walk = plan.walk;
  const int columns = columns_of_thread(dtype_bytes(walk.x.dtype));
  const int lanes = walk.width / columns + (walk.any_phase ? 1 : 0);
  plain.x = walk.x.data;
  plain.ld = walk.x.row_step;
  plain.cols = walk.cols;
  plain.out = plain_output(problem);
  plain.each = static_cast<int32_t>(walk.rows / (walk.row_lanes * walk.cluster));
  plain.rest = static_cast<int16_t>(walk.rows % (walk.row_lanes * walk.cluster));
  plain.magic = (1u << 16) / static_cast<uint32_t>(lanes) + 1;  // exact below 2,048 threads for up to 32 lanes
  plain.lanes = static_cast<int16_t>(lanes);
  plain.width = static_cast<int16_t>(walk.width);
  plain.row_lanes = static_cast<int16_t>(walk.row_lanes);
  plain.cluster = static_cast<int16_t>(walk.cluster);
  plain.log_share = static_cast<int16_t>(walk.log_share);
  return plain;
}

}  // namespace gpuopt
