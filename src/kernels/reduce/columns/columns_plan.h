// How a column reduction cuts its matrices: strips of columns, splits of their rows.
#pragma once

#include <cmath>

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

// Strips of `lanes` pieces, and the blocks that share each.
struct ColumnCut {
  int64_t lanes, splits;
};

// What a cut that is one wave takes: the memory's time, or that of a block's turns, of which each waits for a load and asks
// for many lines of memory; and the meeting, where each thread asks for eight partials of its column at a time.
inline double cut_us(const gpuopt_problem &problem, const ColumnCut &cut, int64_t pieces, int64_t spare, int op) {
  const ReduceColumnsFigures &f = reduce_columns_figures;
  const int bytes = dtype_bytes(problem.operand[GPUOPT_OPERAND_X].m.dtype), columns = columns_of_thread(bytes);
  const int64_t threads = column_threads(bytes, op), lanes = cut.lanes + spare, row_lanes = threads / lanes;
  const int64_t rows = ceil_div(problem.m, cut.splits), at_once = row_lanes * rows_under_way(bytes, op);
  const double line = 128, strip = static_cast<double>(cut.lanes * columns * bytes);
  const double lines = static_cast<double>(lanes * columns * bytes) / line + (spare != 0 ? 0.5 : 0);
  const double narrow = strip < line ? 1 + f.plan_narrow * (1 - strip / line) : 1;
  const double memory = static_cast<double>(problem.batch * problem.m * pieces * columns * bytes) * narrow /
                        (f.plan_share * problem.device->memory_gbs * 1e3);
  const double turns = static_cast<double>(ceil_div(rows, at_once));
  const double of_turns =
      turns * (f.plan_turn_us + f.plan_line_us * static_cast<double>(at_once) * (lines < 1 ? 1 : lines));
  const int64_t parts = threads / power_of_two(cut.lanes * columns, static_cast<int32_t>(threads));
  const double meeting =
      cut.splits == 1 ? 0 : f.plan_meet_us + f.plan_ask_us * static_cast<double>(ceil_div(cut.splits, 8 * parts));
  return std::sqrt(memory * memory + of_turns * of_turns) + (turns > 1 ? f.plan_more_us : 0) + meeting;
}

// The widest strips, shared by as many blocks as there are multiprocessors for; or narrower ones, or fewer blocks, where that
// is clearly better. Strips of one width, or the narrowest one's multiprocessors would be idle; of whole sectors.
inline ColumnCut best_cut(const gpuopt_problem &problem, int64_t pieces, int64_t least, int64_t widest, int64_t spare,
                          int64_t sector, int op) {
  constexpr double kClearly = 0.94;
  const int64_t fewest = ceil_div(pieces, widest), most = ceil_div(pieces, least), sms = problem.device->sm_count;
  ColumnCut best = {};
  double best_us = 0;
  for (int64_t strips = fewest; strips <= most; strips += strips < 4 * fewest ? fewest : strips) {
    const int64_t even = ceil_div(pieces, strips), whole = ceil_div(even, sector) * sector;
    const int64_t lanes = whole > widest || whole > pieces ? even : whole;
    const int64_t blocks = ceil_div(pieces, lanes) * problem.batch, shares = sms / blocks > 1 ? sms / blocks : 1;
    if (blocks > sms && best.lanes != 0) break;
    for (int64_t splits = shares; splits > 0; splits = splits > 4 ? splits / 2 : splits > 1 ? 1 : 0) {
      const ColumnCut cut = {lanes, splits};
      const double us = cut_us(problem, cut, pieces, spare, op);
      if (best.lanes != 0 && us >= best_us) continue;
      best_us = best.lanes == 0 ? us * kClearly : us;
      best = cut;
    }
  }
  return best;
}

inline ColumnPlan column_plan(const gpuopt_problem &problem) {
  ColumnPlan plan = {};
  ColumnWalk &walk = plan.walk;
  walk.x = matrix_view(problem.operand[GPUOPT_OPERAND_X]);
  walk.y = matrix_view(problem.operand[GPUOPT_OPERAND_Y]);
  walk.rows = problem.m;
  walk.cols = problem.n;
  const int op = op_of(problem), bytes = dtype_bytes(walk.x.dtype), columns = columns_of_thread(bytes);
  walk.any_phase = row_alignment(problem, GPUOPT_OPERAND_X) < columns * bytes;
  walk.y_pieces = !walk.any_phase && problem.operand[GPUOPT_OPERAND_Y].m.layout == GPUOPT_ROW &&
                  row_alignment(problem, GPUOPT_OPERAND_Y) >= columns * bytes;
  // A block a multiprocessor. Best without splits, which would have to meet: as many strips, but of at least 64 bytes.
  // Where even the widest are more than the multiprocessors, strips for whole waves: a block of many rows fills its
  // multiprocessor, and a few in a last wave would take as long as all others.
  const int64_t pieces = problem.n > 0 ? ceil_div(problem.n, columns) : 1, sms = problem.device->sm_count;
  const int64_t spare = walk.any_phase ? 1 : 0;  // lanes
  const int64_t least = 64 / (columns * bytes), widest = kWarp - spare;
  const int64_t waves = problem.m >= kManyRows && problem.batch == 1 ? ceil_div(pieces, sms * widest) : 1;
  int64_t lanes = ceil_div(pieces * problem.batch, sms * waves);
  lanes = lanes > widest ? widest : lanes < least ? least : lanes;
  if (problem.m >= kManyRows && problem.batch * problem.m * problem.n >= kWideRead / bytes) {
    const int64_t line = 128 / (columns * bytes);
    if (!walk.any_phase)
      lanes = ceil_div(lanes, line) * line;
    else if (lanes < 3 * line)
      lanes = widest;
  }
  if (lanes > pieces) lanes = pieces;
  // The meeting pays where it fills the multiprocessors twice; of a large matrix, where it fills them a little better.
  const bool is_large = problem.m >= kManyRows && problem.batch * problem.m * problem.n >= kLargeRead / bytes;
  const bool is_filled = problem.batch * ceil_div(pieces, lanes) * 9 >= sms * (is_large ? 7 : 4);
  int64_t most = 1;  // splits
  if (!is_filled) {
    const int64_t sector = walk.any_phase ? 1 : 32 / (columns * bytes);
    const ColumnCut cut = best_cut(problem, pieces, least < pieces ? least : pieces, widest, spare, sector, op);
    lanes = cut.lanes;
    most = cut.splits;
  }
  walk.width = static_cast<int32_t>(lanes) * columns;
  while (1 << walk.log_width < walk.width) ++walk.log_width;
  lanes += spare;
  const int64_t strips = problem.n > 0 ? ceil_div(problem.n, walk.width) : 1;
  plan.strips = problem.batch * strips;
  // Fewer threads where there are not enough rows; but a thread a column, and rows of a thread a whole phase apart. Of
  // many short-lived blocks smaller ones fill the multiprocessors better.
  const auto row_lanes_of = [&](int64_t of_threads) {
    const int64_t row_lanes = of_threads / lanes;
    return walk.any_phase ? row_lanes / columns * columns : row_lanes;
  };
  const int rows_at_once = rows_under_way(bytes, op);
  plan.threads = column_threads(bytes, op);
  while (plan.threads > 128 && plan.threads / 2 >= 1 << walk.log_width && row_lanes_of(plan.threads / 2) > 0 &&
         row_lanes_of(plan.threads) * rows_at_once + (plan.strips > 2 * sms ? 1 : 0) > problem.m)
    plan.threads /= 2;
  const int64_t row_lanes = row_lanes_of(plan.threads), step = row_lanes * rows_at_once / 2;
  const int64_t steps = ceil_div(problem.m > 0 ? problem.m : 1, step);
  const int64_t range = ceil_div(steps, most) * step, longest = kMostRowsOfLane * row_lanes;
  walk.range = range < longest ? range : longest;
  walk.row_lanes = static_cast<int32_t>(row_lanes);
  plan.splits = problem.m > 0 ? ceil_div(problem.m, walk.range) : 1;
  plan.blocks = plan.strips * plan.splits;
  walk.split_count = static_cast<int32_t>(plan.splits);
  walk.lanes = UnsignedDivider(lanes);
  walk.strips = UnsignedDivider(strips);
  walk.splits = UnsignedDivider(plan.splits);
  return plan;
}

inline size_t column_ticket_bytes(const ColumnPlan &plan) {
  return (static_cast<size_t>(plan.strips) * 4 + 255) / 256 * 256;
}

inline PlainColumns plain_columns(const gpuopt_problem &problem, const ColumnPlan &plan) {
  PlainColumns plain = {};
  const ColumnWalk &walk = plan.walk;
  const int columns = columns_of_thread(dtype_bytes(walk.x.dtype));
  const int lanes = walk.width / columns + (walk.any_phase ? 1 : 0);
  plain.x = walk.x.data;
  plain.ld = walk.x.row_step;
  plain.cols = walk.cols;
  plain.out = static_cast<float *>(plain_output(problem));
  plain.each = static_cast<int32_t>(walk.rows / walk.row_lanes);
  plain.rest = static_cast<int16_t>(walk.rows % walk.row_lanes);
  plain.magic = (1u << 16) / static_cast<uint32_t>(lanes) + 1;  // exact below 2,048 threads for up to 32 lanes
  plain.lanes = static_cast<int16_t>(lanes);
  plain.width = static_cast<int16_t>(walk.width);
  plain.row_lanes = static_cast<int16_t>(walk.row_lanes);
  return plain;
}

}  // namespace gpuopt
