// The truth of values near the ends of fp64, and of large problems with short sums.
#include <cmath>

#include "gpuopt_call/text.h"
#include "of_call.h"
#include "session.h"
#include "support.h"
#include "truth.h"
#include "values.h"

using namespace gpuopt_test;
using namespace gpuopt_check;

namespace {

// A call whose operands have these values, in the order of their elements, over and over.
Problem problem_with(const char *text, std::initializer_list<std::pair<int, std::vector<double>>> values) {
  Problem p = problem_of(gpuopt_call::read_call(text), Data::normal, 1);
  for (const auto &[operand, numbers] : values) {
    const Tensor &t = p.t[operand];
    for (int64_t i = 0; i < t.rows; ++i)
      for (int64_t j = 0; j < t.cols; ++j)
        encode(t.dtype, numbers[static_cast<size_t>(i * t.cols + j) % numbers.size()], p.image.data() + t.at(0, i, j));
  }
  return p;
}

// Is it right that the call writes x to every element of this operand?
bool right(const Problem &p, int operand, double x) {
  std::vector<uint8_t> after = p.image;
  const Tensor &t = p.t[operand];
  for (int64_t i = 0; i < t.rows; ++i)
    for (int64_t j = 0; j < t.cols; ++j) encode(t.dtype, x, after.data() + t.at(0, i, j));
  return compare(p, find_truth(p), after).empty();
}

std::string wrong_of_reference(const Problem &p, const char *kernel) {
  const Handle h = cpu_handle();
  Session session(h.get());
  const Outcome ran = session.run(p, kernel);
  return ran.status == GPUOPT_OK ? compare(p, find_truth(p), ran.after) : ran.error;
}

constexpr const char *kGemm = "gemm compute=f64 a=4x8:f64 b=8x4:f64 d=4x4:f64";

}  // namespace

TEST_CASE("check: a product of doubles that is near 0 is held to itself, not to the least float") {
  const Problem p = problem_with("reduce reduce=PROD axis=all x=1x2:f64 out=1x1:f64", {{GPUOPT_OPERAND_X, {1e-30}}});
  CHECK(right(p, GPUOPT_OPERAND_OUT, 1e-30 * 1e-30));
  CHECK_FALSE(right(p, GPUOPT_OPERAND_OUT, 0));
  CHECK_FALSE(right(p, GPUOPT_OPERAND_OUT, -1e-40));
  CHECK_FALSE(right(p, GPUOPT_OPERAND_OUT, 1.0001e-60));
  CHECK(wrong_of_reference(p, "reduce_cpu_reference") == "");
  // Below its least normal number a double, too, may have gone to 0; so may a float.
  const Problem least =
      problem_with("reduce reduce=PROD axis=all x=1x2:f64 out=1x1:f64", {{GPUOPT_OPERAND_X, {1e-155}}});
  CHECK(right(least, GPUOPT_OPERAND_OUT, 0));
  CHECK(wrong_of_reference(least, "reduce_cpu_reference") == "");
  const Problem floats =
      problem_with("reduce reduce=PROD axis=all x=1x2:f32 out=1x1:f32", {{GPUOPT_OPERAND_X, {1e-20}}});
  CHECK(right(floats, GPUOPT_OPERAND_OUT, 0));
  CHECK_FALSE(right(floats, GPUOPT_OPERAND_OUT, 1e-30));
}

TEST_CASE("check: sums of doubles whose squares leave fp64 have an error class like others") {
  for (const double scale : {1e90, 1e-90}) {  // squares of products of 1e360 and 1e-360
    CAPTURE(scale);
    const Problem p = problem_with(kGemm, {{GPUOPT_OPERAND_A, {scale}}, {GPUOPT_OPERAND_B, {scale}}});
    const double exact = 8 * scale * scale;
    CHECK(right(p, GPUOPT_OPERAND_D, exact));
    CHECK(right(p, GPUOPT_OPERAND_D, exact * (1 + 0x1p-51)));
    for (const double other : {0.0, 1.0, -exact, exact * (1 + 1e-12)}) CHECK_FALSE(right(p, GPUOPT_OPERAND_D, other));
    CHECK(wrong_of_reference(p, "gemm_cpu_reference") == "");
    // Terms that cancel leave an error of the order of the terms.
    const Problem cancels = problem_with(kGemm, {{GPUOPT_OPERAND_A, {scale, -scale}}, {GPUOPT_OPERAND_B, {scale}}});
    CHECK(right(cancels, GPUOPT_OPERAND_D, 0));
    CHECK(right(cancels, GPUOPT_OPERAND_D, scale * scale * 0x1p-52));
    CHECK_FALSE(right(cancels, GPUOPT_OPERAND_D, scale * scale * 1e-12));
  }
}

TEST_CASE("check: of a large product with a short sum a sample of rows is worked out") {
  for (const char *text : {"gemm compute=f32 a=200x1:f32 b=1x100:f32 d=200x100:f32",
                           "gemm compute=f32 a=200x0:f32 b=0x100:f32 d=200x100:f32"}) {
    const Problem p = problem_of(gpuopt_call::read_call(text), Data::normal, 1);
    CHECK(find_truth(p).rows.size() == 200);
    const Truth some = find_truth(p, 2e4);  // multiplications, as one of the two has
    CHECK(some.rows.size() < 30);
    CHECK(some.rows.back() == 199);
    CHECK(some.outputs[0].ranges.size() == some.rows.size() * 100);
  }
}
