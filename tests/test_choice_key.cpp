// By what of a problem a choice is remembered (choice_cache.h): all that a kernel may look at (kernel.h), and nothing else.
#include "choice_cache.h"

#include <doctest/doctest.h>

using namespace gpuopt;

namespace {

gpuopt_problem problem_of(int32_t compute) {
  gpuopt_problem p = {};
  p.op = GPUOPT_OP_GEMM;
  p.compute = compute;
  p.m = p.n = p.k = 64;
  p.batch = 1;
  p.alpha = 1;
  return p;
}

}  // namespace

TEST_CASE("choices: of alpha, what makes a sum of integers a result is told apart, and nothing else") {
  const float factor = 1;
  for (const int32_t compute : {GPUOPT_COMPUTE_F32, GPUOPT_COMPUTE_F64, GPUOPT_COMPUTE_I32}) {
    CAPTURE(compute);
    const bool exact = compute == GPUOPT_COMPUTE_I32;
    const gpuopt_problem one = problem_of(compute);
    gpuopt_problem two = one, half = one, pointed = one;
    two.alpha = 2;
    half.alpha = 0.5;
    pointed.alpha_ptr = &factor;
    CHECK((ProblemKey(one) == ProblemKey(two)) == !exact);
    CHECK((ProblemKey(one) == ProblemKey(pointed)) == !exact);
    CHECK(ProblemKey(two) == ProblemKey(half));
    two.beta = 3;
    CHECK(ProblemKey(two) == ProblemKey(half));
    two.swapped = 1;
    CHECK_FALSE(ProblemKey(two) == ProblemKey(half));
  }
}
