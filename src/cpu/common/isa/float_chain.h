/* A problem's chain of stages in fp32, on blocks of at most kSegment elements: operands are brought into the
 * first-level cache as dense fp32 blocks of the same shape, then the stages run over them. */
#pragma once

#include <stdint.h>

#include "gpuopt/kernel.h"
#include "rows.h"
#include "stages.h"

namespace gpuopt {
namespace cpu {

constexpr int64_t kSegment = 512;

/* Elements (i .. i + rows - 1, j .. j + cols - 1) of matrix p, rows * cols <= kSegment. */
struct Block {
  int64_t p, i, rows, j, cols;
};

struct FloatChain {
  const gpuopt_problem *problem;
  const RowsIsa *rows;
  const StagesIsa *stages;

  /* The operand's block as dense rows: where it lies if it lies so already, else copied to buffer. */
  const float *load(const gpuopt_operand &operand, const Block &block, float *buffer) const;
  void store(const gpuopt_operand &operand, const Block &block, const float *x, bool stream) const;
  /* All stages on the dense block x. */
  void run(const Block &block, float *x) const;
};

FloatChain float_chain(const gpuopt_problem &problem, int isa);

}  // namespace cpu
}  // namespace gpuopt
