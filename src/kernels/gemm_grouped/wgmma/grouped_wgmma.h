// Grouped wgmma kernels on the host: what both have in common.
#pragma once

#include "gpuopt/kernel.h"

namespace gpuopt {

struct GroupedTileFacts {
  int rows, cols, depth;  // of D, and k of a stage
};

int grouped_wgmma_can_run(const gpuopt_problem *problem, gpuopt_reject *reject);
void grouped_wgmma_workspace(const gpuopt_problem *problem, size_t *scratch, size_t *zeroed);
void grouped_skinny_workspace(const gpuopt_problem *problem, size_t *scratch, size_t *zeroed);
// The rows that a group has if all have as many; what the host knows of the groups.
double grouped_mean_rows(const gpuopt_problem &problem);
// Of 16-bit types the device takes one of three widths of tiles (grouped_work.h).
double grouped_wgmma_us(const gpuopt_problem &problem, const GroupedTileFacts &tile);
// A call's whose tiles take a multiprocessor so many clocks, of D's elements; all but what goes in front.
double grouped_tiles_us(const gpuopt_problem &problem, double tiles_clocks, double elements, bool by_panels);
double grouped_skinny_us(const gpuopt_problem &problem, const GroupedTileFacts &tile);

// Whether D is alpha, a number of the host, times the product.
bool grouped_is_plain(const gpuopt_problem &problem);
// Of a multiprocessor, for a stage of a tile of the width-th of three widths, and for its beginning and end.
struct GroupedClocks {
  double stage, end;
};
GroupedClocks grouped_clocks(int width);

// B lies along k: a column of it is contiguous.
inline bool grouped_b_along_k(const gpuopt_problem &problem) {
  return problem.operand[GPUOPT_OPERAND_B].m.layout == GPUOPT_COL;
}

struct GroupedFunction {
  const char *name;
  const void *entry;
  int threads, shared, blocks;  // blocks of a multiprocessor
  GroupedTileFacts tile;
  bool swapped;  // the few rows are the instruction's columns
};
gpuopt_status grouped_wgmma_prepare(const GroupedFunction &function, const gpuopt_problem *problem,
                                    const gpuopt_launch *launch);
gpuopt_status grouped_wgmma_launch(const GroupedFunction &function, const gpuopt_problem *problem,
                                   const gpuopt_launch *launch);

}  // namespace gpuopt
