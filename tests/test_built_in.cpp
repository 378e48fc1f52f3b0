// Kernels with something built in - a chain, packed matrices, operands that must or must not be there - state it as data:
// selection refuses the rest in words, and check puts to them what they take.
#include "support.h"

#include <algorithm>
#include <cmath>

#include "kernel_report.h"
#include "synthetic_kernel.h"

using namespace gpuopt_test;

namespace {

constexpr gpuopt_signature kF32[] = {{{GPUOPT_F32, 0, GPUOPT_F32, 0}, GPUOPT_COMPUTE_F32}};
constexpr gpuopt_built_in_stage kBiasRelu[] = {
    {GPUOPT_STAGE_ADD, GPUOPT_PER_COL, {GPUOPT_F32, 0}, 0},
    {GPUOPT_STAGE_RELU, 0, {0, 0}, 0},
};

// Which kernel it is, it learns from the problem; `data` is what it multiplies by.
gpuopt_status bias_relu(const gpuopt_problem *p, const gpuopt_launch *) {
  const double scale = *static_cast<const double *>(p->kernel->data);
  const auto *x = static_cast<const float *>(p->operand[GPUOPT_OPERAND_X].m.data);
  const auto *bias = static_cast<const float *>(p->stage[0].a.m.data);
  auto *out = static_cast<float *>(p->operand[GPUOPT_OPERAND_OUT].m.data);
  for (int64_t i = 0; i < p->m; ++i)
    for (int64_t j = 0; j < p->n; ++j) {
      const float sum = (x[i * p->n + j] + bias[j * p->stage[0].a.m.ld]) * static_cast<float>(scale);
      out[i * p->n + j] = std::isnan(sum) ? sum : std::max(sum, 0.0f);
    }
  return GPUOPT_OK;
}

gpuopt_kernel kernel_named(const char *name, const double *scale) {
  gpuopt_kernel k = synthetic_kernel(GPUOPT_OP_FUSED_ACT, name, GPUOPT_KERNEL_HOST | GPUOPT_KERNEL_TEACHING, kF32);
  k.stage_kinds = UINT64_C(1) << GPUOPT_STAGE_ADD | UINT64_C(1) << GPUOPT_STAGE_RELU;
  k.max_stages = 2;
  k.chain = kBiasRelu;
  k.operands_packed = 1u << GPUOPT_OPERAND_X | 1u << GPUOPT_OPERAND_OUT;
  k.layouts[GPUOPT_OPERAND_X] = GPUOPT_LAYOUT_ROW;
  k.launch = bias_relu;
  k.data = scale;
  return k;
}

const gpuopt_kernel *registered(const gpuopt_kernel *k) {
  if (!gpuopt_kernel_find(k->name)) REQUIRE_MESSAGE(gpuopt_register_kernel(k) == GPUOPT_OK, last_error());
  return k;
}

const gpuopt_kernel *right_kernel() {
  static const double one = 1;
  static const gpuopt_kernel k = kernel_named("fused_act_test_bias_relu", &one);
  return registered(&k);
}
const gpuopt_kernel *wrong_kernel() {
  static const double nearly_one = 1.01;
  static const gpuopt_kernel k = kernel_named("fused_act_test_bias_relu_wrong", &nearly_one);
  return registered(&k);
}

// A call that the kernel takes, which each case makes another one of.
struct Call {
  float x[64] = {}, bias[32] = {}, out[64] = {};
  gpuopt_stage stages[3];
  gpuopt_fused_act_args args = GPUOPT_FUSED_ACT_ARGS_INIT;
  Call() {
    stages[0] = gpuopt_act_with(GPUOPT_STAGE_ADD, GPUOPT_PER_COL, gpuopt_mat(bias, 1, 5, GPUOPT_F32));
    stages[1] = stages[2] = gpuopt_act(GPUOPT_STAGE_RELU, 0, 0);
    args.x = gpuopt_mat(x, 3, 5, GPUOPT_F32);
    args.out = gpuopt_mat(out, 3, 5, GPUOPT_F32);
    args.stages = stages;
    args.stage_count = 2;
  }
  Call(const Call &) = delete;
  // Why the forced kernel cannot run it; "" where it did.
  std::string refusal() {
    const Handle h = cpu_handle();
    REQUIRE(gpuopt_set_kernel(h.get(), right_kernel()->name) == GPUOPT_OK);
    if (gpuopt_fused_act(h.get(), &args) == GPUOPT_OK) return "";
    return last_error();
  }
};

template <class Change>
void refused(Change change, const char *why) {
  Call call;
  change(call);
  const std::string refusal = call.refusal();
  CHECK_MESSAGE(contains(refusal, why), refusal, " instead of ", why);
}

}  // namespace

TEST_CASE("built in: a chain is taken as it is, and every other refused with what differs") {
  Call call;
  call.x[0] = -3;
  call.bias[0] = 2;
  call.bias[1] = 4;
  CHECK(call.refusal() == "");
  CHECK(call.out[0] == 0);
  CHECK(call.out[1] == 4);
  refused([](Call &c) { c.args.stage_count = 0; }, "STAGE: the chain has 0 stages, the one built in 2");
  refused([](Call &c) { c.args.stage_count = 3; }, "STAGE: the chain has 3 stages, at most 2");
  refused([](Call &c) { std::swap(c.stages[0], c.stages[1]); }, "STAGE: stages[0]: another stage is built in");
  refused([](Call &c) { c.stages[0].form = GPUOPT_MATRIX, c.stages[0].a = c.args.x; },
          "STAGE: stages[0]: another stage is built in");
  refused([](Call &c) { c.stages[0].a.dtype = GPUOPT_BF16; }, "STAGE: stages[0]: another type is built in");
  refused([](Call &c) { c.stages[0].value[0] = 2; }, "STAGE: stages[0]: a factor other than 1 is not taken");
}

TEST_CASE("built in: only packed matrices, where the kernel does not look at ld") {
  refused([](Call &c) { c.args.x.ld = 7; }, "LAYOUT: x.ld is 7, and only packed matrices are taken (5)");
  refused([](Call &c) { c.args.out.ld = 9; }, "LAYOUT: out.ld is 9, and only packed matrices are taken (5)");
  Call one_line;
  one_line.args.x.rows = one_line.args.out.rows = 1;
  one_line.args.x.ld = 20;  // there is no second line to be found
  CHECK(one_line.refusal() == "");
}

TEST_CASE("built in: operands that must be there, and those that must not") {
  static constexpr gpuopt_signature kAny[] = {{{GPUOPT_F32, GPUOPT_ANY, GPUOPT_F32, GPUOPT_ANY}, GPUOPT_ANY}};
  static gpuopt_kernel k =
      synthetic_kernel(GPUOPT_OP_NORM, "norm_test_needs_gamma", GPUOPT_KERNEL_HOST | GPUOPT_KERNEL_TEACHING, kAny);
  k.variants = 1u << GPUOPT_NORM_LAYERNORM;
  k.operands_needed = 1u << GPUOPT_OPERAND_GAMMA;
  k.operands_refused = 1u << GPUOPT_OPERAND_RESIDUAL | 1u << GPUOPT_OPERAND_STATISTICS;
  k.operands_packed = 1u << GPUOPT_OPERAND_GAMMA;
  k.extra_dtype[0] = GPUOPT_F32;
  k.launch = [](const gpuopt_problem *, const gpuopt_launch *) { return static_cast<gpuopt_status>(GPUOPT_OK); };
  registered(&k);
  const Handle h = cpu_handle();
  REQUIRE(gpuopt_set_kernel(h.get(), k.name) == GPUOPT_OK);
  float memory[200] = {};
  const auto reason = [&](auto change) {
    gpuopt_norm_args n = GPUOPT_NORM_ARGS_INIT;
    n.x = gpuopt_mat(memory, 3, 5, GPUOPT_F32);
    n.out = gpuopt_mat(memory + 32, 3, 5, GPUOPT_F32);
    n.gamma = gpuopt_mat(memory + 64, 1, 5, GPUOPT_F32);
    change(n);
    return gpuopt_norm(h.get(), &n) == GPUOPT_OK ? std::string() : last_error();
  };
  CHECK(reason([](gpuopt_norm_args &) {}) == "");
  const gpuopt_matrix absent = GPUOPT_MATRIX_INIT;
  CHECK(contains(reason([&](auto &n) { n.gamma = absent; }), "FEATURE: a call without gamma is not taken"));
  CHECK(contains(reason([&](auto &n) { n.residual = gpuopt_mat(memory + 96, 3, 5, GPUOPT_F32); }),
                 "FEATURE: residual is not taken"));
  CHECK(contains(reason([&](auto &n) { n.statistics = gpuopt_mat(memory + 96, 3, 2, GPUOPT_F32); }),
                 "FEATURE: statistics is not taken"));
  CHECK(contains(reason([&](auto &n) { n.gamma.dtype = GPUOPT_BF16; }), "DTYPE: gamma.dtype is bf16, needs f32"));
  CHECK(contains(
      reason([&](auto &n) { n.gamma = gpuopt_t(gpuopt_mat_ld(memory + 64, 5, 1, 3, GPUOPT_F32)), n.gamma.ld = 3; }),
      "gamma.ld is 3, and only packed matrices are taken (1)"));
}

TEST_CASE("built in: check puts the chain to the kernel, and tells right from wrong") {
  const gpuopt_check::Machine machine(GPUOPT_DEVICE_CPU);
  REQUIRE(machine.error() == "");
  gpuopt_check::CheckOptions o;
  o.problems = 60;
  const gpuopt_check::KernelReport right = check_kernel(machine, *right_kernel(), o);
  for (const std::string &f : right.acceptance.failures) INFO(f);
  CHECK_MESSAGE(!right.failed(), (right.acceptance.failures.empty() ? right.failures : right.acceptance.failures)[0]);
  CHECK(right.acceptance.ran > 3);
  CHECK(right.ran > 10);
  CHECK(check_kernel(machine, *wrong_kernel(), o).failed());
}

TEST_CASE("built in: a descriptor that contradicts itself is not registered") {
  const auto fault = [](auto change) {
    gpuopt_kernel k = *right_kernel();
    k.name = "fused_act_test_contradicts_itself";
    change(k);
    CHECK(gpuopt_register_kernel(&k) == GPUOPT_INVALID_ARGUMENT);
    return last_error();
  };
  CHECK(contains(fault([](auto &k) { k.max_stages = 0; }), "chain is given and max_stages is 0"));
  CHECK(contains(fault([](auto &k) { k.stage_kinds = 0; }), "chain has a stage whose kind is not in stage_kinds"));
  CHECK(contains(fault([](auto &k) { k.operands_needed = k.operands_refused = 1; }),
                 "operands_needed and operands_refused have an operand in common"));
}

TEST_CASE("built in: a descriptor from before these needs has none of them") {
  static gpuopt_kernel k = *right_kernel();
  k.name = "fused_act_test_of_an_older_header";
  k.aliases = nullptr;
  k.struct_size = offsetof(gpuopt_kernel, chain);  // what lies behind is not its own
  REQUIRE_MESSAGE(gpuopt_register_kernel(&k) == GPUOPT_OK, last_error());
  const gpuopt_kernel *taken = gpuopt_kernel_find(k.name);
  REQUIRE(taken != nullptr);
  CHECK(taken->chain == nullptr);
  CHECK(taken->operands_packed == 0);
  CHECK(taken->data == nullptr);
}
