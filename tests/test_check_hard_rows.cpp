// check finds kernels that are right on ordinary rows only: layer norms that lose rows far from 0 or near the largest number,
// means and norms of integers that wrap.
#include "support.h"

#include <cmath>
#include <limits>

#include "hard_rows.h"
#include "kernel_report.h"

using namespace gpuopt_check;

namespace {

enum class Way { right, rounded_mean, overflowing_sum, wrapping };
Way way = Way::right;

int takes_plain_rows(const gpuopt_problem *p, gpuopt_reject *r) {
  for (int k = 0; k < 3; ++k)
    if (p->extra[k].m.dtype != 0) {
      *r = {GPUOPT_REJECT_FEATURE, GPUOPT_OPERAND_NONE, 1, 0, "plain rows only"};
      return 0;
    }
  return 1;
}

gpuopt_status layer_norm(const gpuopt_problem *p, const gpuopt_launch *) {
  const gpuopt_matrix &in = p->operand[GPUOPT_OPERAND_X].m, &to = p->operand[GPUOPT_OPERAND_OUT].m;
  for (int64_t i = 0; i < p->m; ++i) {
    const float *x = static_cast<const float *>(in.data) + i * in.ld;
    float *out = static_cast<float *>(to.data) + i * to.ld;
    const double n = double(p->n);
    double sum = 0, squares = 0;
    for (int64_t j = 0; j < p->n; ++j) {
      sum += double(x[j]);
      if (way == Way::overflowing_sum && std::fabs(sum) > double(std::numeric_limits<float>::max()))
        sum = std::numeric_limits<double>::infinity();
    }
    const double mean = way == Way::rounded_mean ? double(float(sum / n)) : sum / n;
    for (int64_t j = 0; j < p->n; ++j) squares += (double(x[j]) - mean) * (double(x[j]) - mean);
    const double rstd = 1 / std::sqrt(squares / n + p->eps);
    for (int64_t j = 0; j < p->n; ++j) out[j] = float((double(x[j]) - mean) * rstd);
  }
  return GPUOPT_OK;
}

gpuopt_status integer_rows(const gpuopt_problem *p, const gpuopt_launch *) {
  const gpuopt_matrix &in = p->operand[GPUOPT_OPERAND_X].m, &to = p->operand[GPUOPT_OPERAND_OUT].m;
  for (int64_t i = 0; i < p->m; ++i) {
    const int64_t *x = static_cast<const int64_t *>(in.data) + i * in.ld;
    const bool root = p->variant == GPUOPT_REDUCE_NRM2;
    uint64_t wrapped = 0;
    long double total = 0;
    for (int64_t j = 0; j < p->n; ++j) {
      wrapped += root ? uint64_t(x[j]) * uint64_t(x[j]) : uint64_t(x[j]);
      const long double v = static_cast<long double>(x[j]);
      total += root ? v * v : v;
    }
    if (way == Way::wrapping) total = static_cast<long double>(int64_t(wrapped));
    const double result = root ? double(std::sqrt(total)) : double(total / static_cast<long double>(p->n));
    static_cast<double *>(to.data)[i * (to.layout == GPUOPT_ROW ? to.ld : 1)] = result;
  }
  return GPUOPT_OK;
}

gpuopt_kernel host_kernel(const char *name, int32_t op) {
  gpuopt_kernel k = {};
  k.struct_size = sizeof k;
  k.name = name;
  k.summary = "synthetic";
  k.op = op;
  k.version = 1;
  k.flags = GPUOPT_KERNEL_HOST | GPUOPT_KERNEL_TEACHING;
  k.signature_count = 1;
  for (uint8_t &layout : k.layouts) layout = GPUOPT_LAYOUT_ROW;
  return k;
}

const gpuopt_kernel &norm_kernel() {
  // No operand is a residual of i8: rows without one.
  static constexpr gpuopt_signature plain = {{GPUOPT_F32, GPUOPT_I8, GPUOPT_F32, GPUOPT_I8}, GPUOPT_COMPUTE_F32};
  static const gpuopt_kernel kernel = [] {
    gpuopt_kernel k = host_kernel("norm_test_far_rows", GPUOPT_OP_NORM);
    k.variants = 1u << GPUOPT_NORM_LAYERNORM;
    k.signatures = &plain;
    k.can_run = takes_plain_rows;
    k.launch = layer_norm;
    return k;
  }();
  static const bool registered = gpuopt_register_kernel(&kernel) == GPUOPT_OK;
  REQUIRE(registered);
  return kernel;
}

const gpuopt_kernel &reduce_kernel() {
  static constexpr gpuopt_signature i64 = {{GPUOPT_I64, GPUOPT_I64, GPUOPT_F64, GPUOPT_I64}, GPUOPT_COMPUTE_I32};
  static const gpuopt_kernel kernel = [] {
    gpuopt_kernel k = host_kernel("reduce_test_large_integers", GPUOPT_OP_REDUCE);
    k.variants = 1u << GPUOPT_REDUCE_MEAN | 1u << GPUOPT_REDUCE_NRM2;
    k.axes = 1u << GPUOPT_EACH_ROW;
    k.signatures = &i64;
    k.launch = integer_rows;
    return k;
  }();
  static const bool registered = gpuopt_register_kernel(&kernel) == GPUOPT_OK;
  REQUIRE(registered);
  return kernel;
}

std::string joined(const std::vector<std::string> &lines) {
  std::string text;
  for (const std::string &l : lines) text += l + "\n";
  return text;
}

struct Verdicts {
  bool ordinary, declared, random;  // right on ordinary rows; on what is declared; on random problems, with hard rows
};

Verdicts verdicts(const gpuopt_kernel &kernel, Way with) {
  const Machine machine(GPUOPT_DEVICE_CPU);
  REQUIRE(machine.error() == "");
  way = with;
  CheckOptions o;
  o.problems = 250;
  const Acceptance ordinary = must_accept(*machine.cpu(), kernel, nullptr, 1, 0);
  const KernelReport report = check_kernel(machine, kernel, o);
  way = Way::right;
  INFO(joined(ordinary.failures), joined(report.acceptance.failures), joined(report.failures));
  CHECK(ordinary.ran >= 5);
  return {ordinary.failures.empty(), report.acceptance.failures.empty(), report.failures.empty()};
}

}  // namespace

TEST_CASE("check: a layer norm that rounds the mean, or whose sum overflows, is caught by hard rows alone") {
  const Verdicts right = verdicts(norm_kernel(), Way::right);
  CHECK(right.ordinary);
  CHECK(right.declared);
  CHECK(right.random);
  for (const Way wrong : {Way::rounded_mean, Way::overflowing_sum}) {
    CAPTURE(int(wrong));
    const Verdicts v = verdicts(norm_kernel(), wrong);
    CHECK(v.ordinary);
    CHECK_FALSE(v.declared);
    CHECK_FALSE(v.random);
  }
}

TEST_CASE("check: a mean and a norm of integers that wrap are caught by hard rows alone") {
  const Verdicts right = verdicts(reduce_kernel(), Way::right);
  CHECK(right.ordinary);
  CHECK(right.declared);
  CHECK(right.random);
  const Verdicts wrong = verdicts(reduce_kernel(), Way::wrapping);
  CHECK(wrong.ordinary);
  CHECK_FALSE(wrong.declared);
  CHECK_FALSE(wrong.random);
}

TEST_CASE("check: hard rows leave the other random problems as they were") {
  const Needs needs = needs_of_op(GPUOPT_OP_NORM);
  int hard = 0;
  for (int64_t i = 0; i < 200; ++i) {
    const Problem usual = random_problem(needs, "stable", 1, i, Size::tiny),
                  with = random_problem(needs, "stable", 1, i, Size::tiny, kAllHardRows);
    if (with.hard_rows) {
      ++hard;
      CHECK(gpuopt_test::contains(with.text(), "values="));
    } else {
      CHECK(usual.image == with.image);
    }
  }
  CHECK(hard > 4);
}
