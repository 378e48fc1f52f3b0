// check finds a norm that is right but where weighted rows that begin anywhere are so many that a block takes several: what
// kept its weights for the wrong rows once passed all else.
#include "support.h"

#include <cmath>

#include "kernel_report.h"
#include "must_accept.h"
#include "synthetic_kernel.h"

using namespace gpuopt_check;

namespace {

bool keeps_wrong_weights = false;
constexpr int64_t kRowsOfBlocks = 600;  // from there on blocks have a second row

int takes_weights_alone(const gpuopt_problem *p, gpuopt_reject *r) {
  const bool plain = p->operand[GPUOPT_OPERAND_RESIDUAL].m.dtype == 0 && p->operand[GPUOPT_OPERAND_SUM].m.dtype == 0 &&
                     p->extra[GPUOPT_OPERAND_BETA - 4].m.dtype == 0 &&
                     p->extra[GPUOPT_OPERAND_STATISTICS - 4].m.dtype == 0;
  const gpuopt_operand &gamma = p->extra[GPUOPT_OPERAND_GAMMA - 4];
  if (plain && (gamma.m.dtype == 0 || (gamma.m.dtype == GPUOPT_F32 && gamma.m.ld == 1))) return 1;
  *r = {GPUOPT_REJECT_FEATURE, GPUOPT_OPERAND_NONE, 1, 0, "gamma of fp32 alone"};
  return 0;
}

gpuopt_status rms_norm(const gpuopt_problem *p, const gpuopt_launch *) {
  const gpuopt_matrix &in = p->operand[GPUOPT_OPERAND_X].m, &to = p->operand[GPUOPT_OPERAND_OUT].m;
  const gpuopt_matrix &weights = p->extra[GPUOPT_OPERAND_GAMMA - 4].m;
  const float *gamma = weights.dtype != 0 ? static_cast<const float *>(weights.data) : nullptr;
  for (int64_t i = 0; i < p->m; ++i) {
    const float *x = static_cast<const float *>(in.data) + i * in.ld;
    float *out = static_cast<float *>(to.data) + i * to.ld;
    double squares = 0;
    for (int64_t j = 0; j < p->n; ++j) squares += double(x[j]) * double(x[j]);
    const double scale = 1 / std::sqrt(squares / double(p->n) + p->eps);
    const bool wrong = keeps_wrong_weights && i >= kRowsOfBlocks;
    for (int64_t j = 0; j < p->n; ++j) {
      const int64_t of = wrong && j + 1 < p->n ? j + 1 : j;
      out[j] = float(double(x[j]) * scale * (gamma != nullptr ? double(gamma[of]) : 1.0));
    }
  }
  return GPUOPT_OK;
}

const gpuopt_kernel &weighted_kernel() {
  static constexpr gpuopt_signature alone[] = {{{GPUOPT_F32, 0, GPUOPT_F32, 0}, GPUOPT_COMPUTE_F32}};
  static const gpuopt_kernel kernel = [] {
    gpuopt_kernel k = gpuopt_test::synthetic_kernel(GPUOPT_OP_NORM, "norm_test_many_rows",
                                                    GPUOPT_KERNEL_HOST | GPUOPT_KERNEL_TEACHING, alone);
    k.variants = 1u << GPUOPT_NORM_RMSNORM;
    for (uint8_t &layout : k.layouts) layout = GPUOPT_LAYOUT_ROW;
    k.can_run = takes_weights_alone;
    k.launch = rms_norm;
    return k;
  }();
  static const bool registered = gpuopt_register_kernel(&kernel) == GPUOPT_OK;
  REQUIRE(registered);
  return kernel;
}

Acceptance verdict(bool wrong) {
  const Machine machine(GPUOPT_DEVICE_CPU);
  REQUIRE(machine.error() == "");
  keeps_wrong_weights = wrong;
  const Acceptance a = must_accept(*machine.cpu(), weighted_kernel(), nullptr, 1, 0);
  keeps_wrong_weights = false;
  return a;
}

}  // namespace

TEST_CASE("check: a norm that has the wrong weights for a block's second row is caught") {
  const Acceptance right = verdict(false);
  CHECK(right.failures.empty());
  CHECK(right.ran >= 5);
  const Acceptance wrong = verdict(true);
  REQUIRE(wrong.failures.size() >= 1);
  CHECK(wrong.failures[0].find("701x521") != std::string::npos);
}
