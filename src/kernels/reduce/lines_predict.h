// What the kernels on lines cost: the reading at the rate that blocks of that number and size reach, and the meeting.
#ifndef GPUOPT_KERNELS_REDUCE_LINES_PREDICT_H
#define GPUOPT_KERNELS_REDUCE_LINES_PREDICT_H

#include "lines.h"

namespace gpuopt {
namespace reduce {

// Blocks of kMaxLineThreads that share the lines. Two a multiprocessor, which one warp can join at the end; eight and
// more where the reading takes so long that evening out what blocks differ by is worth more. Very short lines: one
// block.
inline int64_t most_splits(const gpuopt_problem &problem, const LineFacts &facts) {
  const double bytes = facts.read_bytes;
  const int64_t a_multiprocessor = bytes < 500e6 ? 2 : 4;
  const int64_t blocks = int64_t{problem.device->sm_count} * a_multiprocessor;
  const bool is_short = facts.vectors <= 2 * kMaxLineThreads * kLineInFlight;
  return facts.results > blocks || is_short ? 1 : blocks / (facts.results > 0 ? facts.results : 1);
}

// How lines are split over blocks; second_launch as in LinePlan.
inline LinePlan plan_lines(const gpuopt_problem &problem, bool second_launch = false) {
  LinePlan plan = {};
  plan.second_launch = second_launch;
  const LineFacts facts = line_facts(problem);
  split_line(facts, most_splits(problem, facts), &plan);
  return plan;
}

// base: microseconds of an empty launch with what every block does once.
inline double line_us(const gpuopt_problem &problem, const LineFacts &facts, const LinePlan &plan, double base) {
  const gpuopt_device_facts &device = *problem.device;
  const double per_unit = static_cast<double>(plan.range < facts.vectors ? plan.range : facts.vectors);
  const double units = static_cast<double>(plan.results) * static_cast<double>(plan.splits);
  // Threads beyond the vectors idle; a unit costs about as much as `fixed` vectors of its threads besides.
  const double steps = per_unit / kMaxLineThreads;
  const double efficiency = steps / (steps + 2.5 * (steps < 1 ? 1 : 0.25));
  // Bytes under way at once: memory needs about 40 KB a multiprocessor.
  const double resident = 1024.0 * device.sm_count, threads = units * kMaxLineThreads;
  const double in_flight =
      (threads < resident ? threads : resident) * 16 * (steps < kLineInFlight ? steps : kLineInFlight);
  const double filled = in_flight / (40e3 * device.sm_count);
  double rate = 0.97 * device.memory_gbs * 1e3 * (filled < 1 ? filled : 1) * efficiency;
  if (units == 1 && rate < 60e3) rate = 60e3;  // one multiprocessor alone
  const double meeting = plan.splits > 1 ? 1.4 : 0.0;
  return base + meeting + facts.read_bytes / rate;
}

}  // namespace reduce
}  // namespace gpuopt

#endif
