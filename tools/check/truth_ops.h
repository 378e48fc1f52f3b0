// The truth of reductions and norms, and what they share; truth.cpp has the other ops.
#pragma once
#include "truth.h"

namespace gpuopt_check {
void reduce_truth(const Problem &problem, double max_steps, Truth *truth);
void norm_truth(const Problem &problem, double max_steps, Truth *truth);

// What an element of a chain or a norm takes, and one of a gemm beside its sum, in multiplications of a gemm.
constexpr double kStepsOfElement = 10;

// The unit and limits of the type that a problem's chain is evaluated in.
Arithmetic chain_arithmetic(const Problem &problem);

// Runs the chain on x at (p, i, j) and hands STORE's ranges to their outputs.
class ChainTruth {
 public:
  ChainTruth(const Problem &problem, Truth *truth);
  // outputs[0] is the result; then one for every STORE in order.
  void apply(Range x, int64_t p, int64_t i, int64_t j, double output_scale) const;
  const Arithmetic &arithmetic() const { return arithmetic_; }

 private:
  const Problem &problem_;
  Truth *truth_;
  Arithmetic arithmetic_;
  std::vector<gpuopt_stage> stages_;
};

// The rows of a result that are worked out: all, or where that takes more than max_steps some, the first and last among them.
std::vector<int64_t> sampled_rows(int64_t rows, double steps, double max_steps);

// Adds the result's output, and one for every STORE.
void add_outputs(const Problem &problem, int result, Truth *truth);

}  // namespace gpuopt_check
