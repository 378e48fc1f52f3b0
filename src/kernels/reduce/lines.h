// The reductions of whole lines - a line is a row, or a packed matrix - share one set of device functions, compiled
// once in reduce_vec16.cu. A kernel is a way to plan them: how many blocks share a line, and how they meet.
#ifndef GPUOPT_KERNELS_REDUCE_LINES_H
#define GPUOPT_KERNELS_REDUCE_LINES_H

#include "reduce/descriptor.h"

namespace gpuopt {
namespace reduce {

constexpr int kMaxLineThreads = 512;
constexpr int64_t kMostUnitsOfLine = 8192;  // splits of a line: keeps the number of blocks below 2^31
constexpr int kLineInFlight = 4;            // 16-byte loads a thread

struct LinePlan {
  int64_t results, length;  // lines, and the elements of each
  bool by_rows;             // a result has a line a row, each a split of its own
  int64_t splits, range;    // of a line, and the 16-byte vectors of each
  bool second_launch;       // partials meet in a launch of their own, not within this one
};

struct LineFacts {
  int64_t results, rows, length, vectors;  // rows: lines of a result; more than one of a padded matrix
  int32_t bytes;                           // of an element
  double read_bytes;                       // of all operands
};
LineFacts line_facts(const gpuopt_problem &problem);

// Cuts vectors into at most `most` splits of whole steps of a block.
void split_line(const LineFacts &facts, int64_t most, LinePlan *plan);

int can_run_lines(const gpuopt_problem *problem, gpuopt_reject *reject);
void workspace_of_lines(const gpuopt_problem &problem, const LinePlan &plan, size_t *scratch, size_t *zeroed);
gpuopt_status prepare_lines(const gpuopt_problem *problem, const gpuopt_launch *launch, const char *name);
gpuopt_status launch_lines(const gpuopt_problem *problem, const gpuopt_launch *launch, const char *name,
                           const LinePlan &plan);

constexpr int kLineResources = 82;
extern gpuopt_resource line_resources[kLineResources];

// What the descriptors of all kernels on lines have in common.
constexpr gpuopt_kernel line_kernel_descriptor(const char *name, const char *summary, int32_t axis) {
  gpuopt_kernel k = kernel_descriptor(GPUOPT_OP_REDUCE, name, summary, kViewFeatures | GPUOPT_FEATURE_VALUE_OUT);
  k.variants = kAllReductions;
  k.axes = 1u << axis;
  set_signatures(k, kReduceSignatures);
  k.can_run = can_run_lines;
  set_resources(k, line_resources);
  return k;
}

}  // namespace reduce
}  // namespace gpuopt

#endif
