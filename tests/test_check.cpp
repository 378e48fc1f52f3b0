// The truth engine: it passes what is right, and it catches what is wrong. That it passes the library's kernels is the test
// check.kernels.
#include "support.h"

#include <algorithm>
#include <cmath>

#include "agree.h"
#include "kernel_report.h"
#include "synthetic_kernel.h"
#include "values.h"

using namespace gpuopt_check;
using gpuopt_test::cpu_handle;

namespace {

std::string joined(const std::vector<std::string> &lines) {
  std::string text;
  for (const std::string &l : lines) text += l + "\n";
  return text;
}

// A problem and what the CPU reference makes of it.
struct Solved {
  Problem problem;
  Truth truth;
  std::vector<uint8_t> after;
};

std::unique_ptr<Solved> solved(Session &session, const Spec &spec, const char *kernel) {
  auto s = std::make_unique<Solved>();
  s->problem = build_problem(spec, 11);
  s->truth = find_truth(s->problem);
  const Outcome out = session.run(s->problem, kernel);
  REQUIRE_MESSAGE(out.status == GPUOPT_OK, out.error);
  s->after = out.after;
  REQUIRE(compare(s->problem, s->truth, s->after) == "");
  return s;
}

bool caught(const Solved &s, const std::vector<uint8_t> &after) { return !compare(s.problem, s.truth, after).empty(); }

const TypeRow &row_of(const Needs &n, gpuopt_dtype first, gpuopt_dtype out, int32_t variant = 0) {
  const int place = n.op == GPUOPT_OP_GEMM ? 3 : n.op == GPUOPT_OP_TRANSPOSE ? 1 : 2;
  for (const TypeRow &row : n.rows)
    if (row.dtype[0] == first && row.dtype[place] == out && row.variant == variant) return row;
  FAIL("no such row");
  return n.rows[0];
}

}  // namespace

TEST_CASE("check: explain agrees with the calls on random problems") {
  const gpuopt_test::Handle h = cpu_handle();
  Session session(h.get());
  for (int32_t op = GPUOPT_OP_GEMM; op < GPUOPT_OP_COUNT_; ++op) {
    const Needs needs = needs_of_op(op);
    for (int64_t i = 0; i < 60; ++i) {
      const Problem p = random_problem(needs, "test", 5, i, Size::tiny);
      const Agreement a = agree(session, p);
      INFO(p.text(), "\n", joined(a.failures));
      CHECK(a.failures.empty());
      CHECK(a.ran > 0);
    }
  }
}

TEST_CASE("check: one wrong element, one stray byte, one missing element are caught") {
  const gpuopt_test::Handle h = cpu_handle();
  Session session(h.get());
  const Needs needs = needs_of_op(GPUOPT_OP_GEMM);
  Spec spec = plain_spec(needs, row_of(needs, GPUOPT_F32, GPUOPT_F32));
  spec.place[3].pad = 3;
  spec.batch = 2;
  spec.place[3].gap = 7;
  const auto s = solved(session, spec, "gemm_cpu_reference");
  const Tensor &d = s->problem.t[3];
  const size_t element = size_t(d.at(1, 2, 5)), padding = size_t(d.at(0, 4, d.cols - 1) + 4),
               between = size_t(d.at(1, 0, 0) - 4);

  std::vector<uint8_t> after = s->after;
  const double x = decode(GPUOPT_F32, after.data() + element);
  encode(GPUOPT_F32, x * (1 + 1e-4), after.data() + element);
  CHECK(caught(*s, after));
  encode(GPUOPT_F32, x * (1 + 0x1p-23), after.data() + element);
  CHECK_FALSE(caught(*s, after));
  for (const size_t place : {padding, between, size_t(0), after.size() - 1, size_t(s->problem.t[0].pos)}) {
    after = s->after;
    after[place] ^= 1;
    CHECK(caught(*s, after));
  }
  after = s->after;
  std::copy_n(s->problem.image.begin() + long(element), 4, after.begin() + long(element));
  CHECK(caught(*s, after));
}

TEST_CASE("check: one scale of a block that is another one is caught, the last of partial blocks too") {
  const gpuopt_test::Handle h = cpu_handle();
  Session session(h.get());
  const Needs needs = needs_of_op(GPUOPT_OP_GEMM);
  Spec spec = plain_spec(needs, row_of(needs, GPUOPT_E4M3, GPUOPT_F32));
  spec.extent[0] = 3;
  spec.extent[1] = 140;
  spec.extent[2] = 300;
  for (const bool transposed : {false, true}) {
    spec.transposed = transposed;
    spec.blocks[0] = {GPUOPT_SCALE_1X128, GPUOPT_COL, 2};
    spec.blocks[1] = {GPUOPT_SCALE_128X128, GPUOPT_ROW, 0};
    const auto s = solved(session, spec, "gemm_cpu_reference");
    for (const int operand : {0, 1}) {
      const Tensor &t = s->problem.t[operand];
      for (const bool last : {false, true}) {
        const int64_t at = last ? t.scale_at(0, t.rows - 1, t.cols - 1) : t.scale_at(0, 0, 0);
        Problem other = s->problem;
        std::vector<uint8_t> after = s->after;
        const double scale = decode(GPUOPT_F32, after.data() + at);
        for (std::vector<uint8_t> *bytes : {&other.image, &after}) encode(GPUOPT_F32, 1.5 * scale, bytes->data() + at);
        CHECK(!compare(other, find_truth(other), after).empty());
      }
    }
  }
}

TEST_CASE("check: the second of equal extremes is caught") {
  const gpuopt_test::Handle h = cpu_handle();
  Session session(h.get());
  const Needs needs = needs_of_op(GPUOPT_OP_REDUCE);
  Spec spec = plain_spec(needs, row_of(needs, GPUOPT_F32, GPUOPT_I64, GPUOPT_REDUCE_ARGMAX));
  spec.extent[1] = 200;
  spec.values = Values::ties;
  spec.value_out = true;
  const auto s = solved(session, spec, "reduce_cpu_reference");
  const Problem &p = s->problem;
  int ties = 0;
  for (int64_t i = 0; i < p.t[0].rows; ++i) {
    uint8_t *out = s->after.data() + p.t[2].at(0, i, 0);
    const int64_t best = decode_integer(GPUOPT_I64, out);
    for (int64_t j = best + 1; j < p.t[0].cols; ++j) {
      if (p.decoded(p.t[0], 0, i, j) < p.decoded(p.t[0], 0, i, best)) continue;
      std::vector<uint8_t> after = s->after;
      encode_integer(GPUOPT_I64, j, after.data() + p.t[2].at(0, i, 0));
      CHECK(caught(*s, after));
      ++ties;
      break;
    }
  }
  CHECK(ties > 5);
}

TEST_CASE("check: a stage left out, a bias along the wrong axis, rounding twice are caught") {
  const gpuopt_test::Handle h = cpu_handle();
  Session session(h.get());
  const Needs needs = needs_of_op(GPUOPT_OP_FUSED_ACT);
  Rng rng(3);
  for (int32_t kind = 1; kind < GPUOPT_STAGE_COUNT_; ++kind) {
    CAPTURE(kind);
    Spec spec = plain_spec(needs, row_of(needs, GPUOPT_F32, GPUOPT_BF16));
    spec.stages = {random_stage(needs, kind, rng)};
    if (kind == GPUOPT_STAGE_LEAKY_RELU) spec.stages[0].value[0] = 0.2;
    const auto s = solved(session, spec, "fused_act_cpu_reference");
    std::vector<uint8_t> after = s->after;
    const Tensor &x = s->problem.t[0], &out = s->problem.t[2];
    for (int64_t i = 0; i < out.rows; ++i)
      for (int64_t j = 0; j < out.cols; ++j)
        encode(GPUOPT_BF16, s->problem.decoded(x, 0, i, j), after.data() + out.at(0, i, j));
    if (kind == GPUOPT_STAGE_STORE) std::copy_n(s->problem.image.begin(), after.size(), after.begin());
    CHECK(caught(*s, after));
  }

  Spec spec = plain_spec(needs, row_of(needs, GPUOPT_F64, GPUOPT_F16));
  spec.extent[0] = spec.extent[1] = 1000;
  const auto s = solved(session, spec, "fused_act_cpu_reference");
  std::vector<uint8_t> after = s->after;
  const Tensor &x = s->problem.t[0], &out = s->problem.t[2];
  for (int64_t i = 0; i < out.rows; ++i)
    for (int64_t j = 0; j < out.cols; ++j)
      encode(GPUOPT_F16, round_to(GPUOPT_BF16, s->problem.decoded(x, 0, i, j)), after.data() + out.at(0, i, j));
  CHECK(caught(*s, after));
}

namespace {

enum class Fault { none, rejects_all, rejects_columns, wrong_element, writes_padding, skips_last, changes };
Fault fault = Fault::rejects_all;
int launches = 0;

int can_run(const gpuopt_problem *p, gpuopt_reject *r) {
  const bool no = fault == Fault::rejects_all || (fault == Fault::rejects_columns && p->swapped);
  if (no) *r = {GPUOPT_REJECT_SIZE_LIMIT, GPUOPT_OPERAND_NONE, p->m, 0, "it never runs"};
  return !no;
}

gpuopt_status transpose_with_fault(const gpuopt_problem *p, const gpuopt_launch *) {
  const gpuopt_matrix &src = p->operand[0].m, &dst = p->operand[1].m;
  const auto *x = static_cast<const float *>(src.data);
  auto *y = static_cast<float *>(dst.data);
  for (int64_t i = 0; i < p->m; ++i)
    for (int64_t j = 0; j < p->n; ++j)
      if (fault != Fault::skips_last || i + 1 < p->m || j + 1 < p->n) y[j * dst.ld + i] = x[i * src.ld + j];
  ++launches;
  if (fault == Fault::wrong_element) y[0] = x[0] + 1;
  if (fault == Fault::writes_padding && dst.ld > p->m) y[p->m] = 0;
  if (fault == Fault::changes && launches % 2) y[0] += 1e-6f;
  return GPUOPT_OK;
}

const gpuopt_kernel &faulty_kernel() {
  static constexpr gpuopt_signature f32[] = {{{GPUOPT_F32, GPUOPT_F32, GPUOPT_ANY, GPUOPT_ANY}, GPUOPT_ANY}};
  static const gpuopt_kernel kernel = [] {
    gpuopt_kernel k =
        gpuopt_test::synthetic_kernel(GPUOPT_OP_TRANSPOSE, "transpose_test_faulty", GPUOPT_KERNEL_HOST, f32);
    k.can_run = can_run;
    k.launch = transpose_with_fault;
    return k;
  }();
  static const bool registered = gpuopt_register_kernel(&kernel) == GPUOPT_OK;
  REQUIRE(registered);
  return kernel;
}

}  // namespace

TEST_CASE(
    "check: a kernel that rejects what it declares, writes wrongly, too much, too little or unsteadily is caught") {
  const gpuopt_kernel &kernel = faulty_kernel();
  const Machine machine(GPUOPT_DEVICE_CPU);
  REQUIRE(machine.error() == "");
  CheckOptions o;
  o.problems = 10;
  const auto report = [&](Fault f) {
    fault = f;
    const KernelReport r = check_kernel(machine, kernel, o);
    fault = Fault::rejects_all;
    return r;
  };
  const KernelReport right = report(Fault::none);
  INFO(joined(right.acceptance.failures), joined(right.failures));
  CHECK_FALSE(right.failed());
  CHECK(right.acceptance.accepted == right.acceptance.declared);
  for (Fault f : {Fault::rejects_all, Fault::rejects_columns, Fault::wrong_element, Fault::writes_padding,
                  Fault::skips_last, Fault::changes}) {
    CAPTURE(int(f));
    CHECK_FALSE(report(f).acceptance.failures.empty());
  }
}

namespace {

// A library's product with the one epilogue that it takes, a vector added along the rows. Where m, n or k is not a multiple
// of 8 it may round the product to D's type first, as cuBLASLt's kernels for such do.
bool rounds_twice = false;

int can_run_epilogue(const gpuopt_problem *p, gpuopt_reject *r) {
  const gpuopt_problem_stage &s = p->stage[0];
  const bool taken =
      p->stage_count == 0 || (s.form == GPUOPT_PER_COL && s.value[0] == 1 && s.a.m.ld == 1 && p->batch <= 1 &&
                              s.a.m.dtype == p->operand[3].m.dtype && (p->features & GPUOPT_FEATURE_BETA) == 0);
  if (!taken) *r = {GPUOPT_REJECT_STAGE, GPUOPT_OPERAND_STAGE, 0, 0, "no epilogue of it"};
  return taken;
}

double element(const gpuopt_matrix &m, int64_t matrix, int64_t i, int64_t j) {
  const int64_t at = matrix * m.batch_stride + (m.layout == GPUOPT_ROW ? i * m.ld + j : j * m.ld + i);
  return decode(m.dtype, static_cast<const char *>(m.data) + at * int64_t(gpuopt_dtype_size(m.dtype)));
}

gpuopt_status product_with_epilogue(const gpuopt_problem *p, const gpuopt_launch *) {
  const gpuopt_matrix &a = p->operand[0].m, &b = p->operand[1].m, &c = p->operand[2].m, &d = p->operand[3].m;
  const bool twice = rounds_twice && (p->m % 8 != 0 || p->n % 8 != 0 || p->k % 8 != 0);
  for (int64_t l = 0; l < p->batch; ++l)
    for (int64_t i = 0; i < p->m; ++i)
      for (int64_t j = 0; j < p->n; ++j) {
        double x = 0;
        for (int64_t k = 0; k < p->k; ++k) x += element(a, l, i, k) * element(b, l, k, j);
        if (p->k > 0) x *= p->alpha;
        if (p->features & GPUOPT_FEATURE_BETA) x += p->beta * element(c, l, i, j);
        if (p->stage_count > 0) x = (twice ? round_to(d.dtype, x) : x) + element(p->stage[0].a.m, 0, j, 0);
        encode(d.dtype, x,
               static_cast<char *>(d.data) + (l * d.batch_stride + i * d.ld + j) * int64_t(gpuopt_dtype_size(d.dtype)));
      }
  return GPUOPT_OK;
}

#define GPUOPT_ROW_(in, out) \
  { {GPUOPT_##in, GPUOPT_##in, GPUOPT_##out, GPUOPT_##out}, GPUOPT_COMPUTE_F32 }
constexpr gpuopt_signature kEpilogueTypes[] = {GPUOPT_ROW_(F32, F32), GPUOPT_ROW_(F16, F16), GPUOPT_ROW_(F16, F32),
                                               GPUOPT_ROW_(BF16, BF16), GPUOPT_ROW_(BF16, F32)};
#undef GPUOPT_ROW_

}  // namespace

TEST_CASE("check: an epilogue that rounds a 16-bit product twice in unaligned problems alone is caught") {
  static const gpuopt_kernel kernel = [] {
    gpuopt_kernel k =
        gpuopt_test::synthetic_kernel(GPUOPT_OP_GEMM, "gemm_test_epilogue", GPUOPT_KERNEL_HOST, kEpilogueTypes);
    k.understands = GPUOPT_FEATURE_BATCH | GPUOPT_FEATURE_BROADCAST | GPUOPT_FEATURE_BETA;
    k.stage_kinds = uint64_t{1} << GPUOPT_STAGE_ADD;
    k.max_stages = 1;
    k.layouts[2] = k.layouts[3] = GPUOPT_LAYOUT_ROW;
    k.can_run = can_run_epilogue;
    k.launch = product_with_epilogue;
    return k;
  }();
  REQUIRE(gpuopt_register_kernel(&kernel) == GPUOPT_OK);
  const Machine machine(GPUOPT_DEVICE_CPU);
  REQUIRE(machine.error() == "");
  CheckOptions o;
  o.declared = false;
  o.problems = 300;  // as .ci and the record's check of each kernel have
  for (o.seed = 1; o.seed <= 3; ++o.seed) {
    rounds_twice = false;
    const KernelReport right = check_kernel(machine, kernel, o);
    INFO(joined(right.failures));
    CHECK(right.failures.empty());
    CHECK(right.ran > 100);
    rounds_twice = true;
    CHECK(check_kernel(machine, kernel, o).failures.size() >= 3);
  }
}
