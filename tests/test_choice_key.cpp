// By what of a problem a choice is remembered (choice_cache.h): all that a kernel may look at (kernel.h), and nothing else.
#include "choice_cache.h"
#include "ops/ops.h"

#include <doctest/doctest.h>

#include <cmath>
#include <utility>

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
    CHECK_FALSE(ProblemKey(one) == ProblemKey(pointed));
    CHECK(ProblemKey(two) == ProblemKey(half));
    two.beta = 3;
    CHECK(ProblemKey(two) == ProblemKey(half));
    gpuopt_problem other = pointed;
    std::swap(other.alpha_ptr, other.beta_ptr);
    CHECK_FALSE(ProblemKey(other) == ProblemKey(pointed));
    two.swapped = 1;
    CHECK_FALSE(ProblemKey(two) == ProblemKey(half));
  }
}

TEST_CASE("choices: alpha is zero where its type has no smaller number, and of fp16 normal numbers alone are scalars") {
  const auto zero = [](int32_t compute, double alpha, double beta = 0) {
    return (factor_features(compute, {alpha, beta, nullptr, nullptr}) & GPUOPT_FEATURE_ALPHA_ZERO) != 0;
  };
  const float one = 1;
  CHECK(zero(GPUOPT_COMPUTE_F32, 0));
  CHECK(zero(GPUOPT_COMPUTE_F32, 1e-46));
  CHECK_FALSE(zero(GPUOPT_COMPUTE_F32, 1e-45));
  CHECK(zero(GPUOPT_COMPUTE_TF32, -1e-60));
  CHECK_FALSE(zero(GPUOPT_COMPUTE_F64, 1e-300));
  CHECK_FALSE(zero(GPUOPT_COMPUTE_I32, 1e-300));
  CHECK_FALSE(zero(GPUOPT_COMPUTE_F16, 1, 0));
  CHECK_FALSE(zero(GPUOPT_COMPUTE_F16, 65504, -0x1p-14));
  for (const double out : {65520.0, -1e5, 1e-5, 1e-9}) {
    CHECK(zero(GPUOPT_COMPUTE_F16, out));
    CHECK(zero(GPUOPT_COMPUTE_F16, 1, out));
    CHECK_FALSE(zero(GPUOPT_COMPUTE_F32, out));
  }
  CHECK_FALSE(zero(GPUOPT_COMPUTE_F16, HUGE_VAL, NAN));
  CHECK(factor_features(GPUOPT_COMPUTE_F16, {1e9, 1e9, &one, &one}) == GPUOPT_FEATURE_SCALAR_POINTERS);
}
