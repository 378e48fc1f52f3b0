// The truth: for every element that a problem writes, the values a correct kernel may write.
//
// Sums are taken here in long double by the plainest loops, on exact conversions of the operands, in the user's own
// coordinates (no normal form, no shared code with any kernel); their error class comes from error_class.h, and
// alpha, beta and the stages run on ranges. The library's CPU reference in double is held to the same truth.
#pragma once
#include <cstdint>
#include <vector>

#include "problem.h"
#include "range.h"

namespace gpuopt_check {

struct Output {
  const Tensor *tensor = nullptr;
  bool exact = false;         // compare `integers`; else `ranges`
  std::vector<Range> ranges;  // by matrix, row, column
  std::vector<int64_t> integers;
};

struct Truth {
  std::vector<Output> outputs;  // empty for transpose, whose truth is the image itself
  std::vector<int64_t> rows;    // the rows that were worked out, in order: all, or a sample of a large problem
};

// The result points into the problem. At most about as long as max_steps multiplications are spent, on a sample of the rows
// where all take longer.
Truth find_truth(const Problem &problem, double max_steps = 1e9);

// Compares an image that a kernel has written with the problem's truth: results, padding, guard bands and inputs.
// Empty when all is right; else what is wrong, first place and count.
std::string compare(const Problem &problem, const Truth &truth, const std::vector<uint8_t> &after);

}  // namespace gpuopt_check
