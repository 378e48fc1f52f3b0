// One front half for call and explain: the status that explain returns is the call's, in a stream capture too.
#include "support.h"
#include "synthetic_kernel.h"

using namespace gpuopt_test;

namespace {

struct Stated {
  const char *device;
  int32_t space, capturing, fallback;
};

gpuopt_status explained(const Stated &s, const void *args, Candidates *Seen) {
  gpuopt_options o = GPUOPT_OPTIONS_INIT;
  o.device = GPUOPT_DEVICE_CPU;
  o.cpu_fallback = s.fallback;
  gpuopt_handle *h = nullptr;
  REQUIRE(gpuopt_create(&h, &o) == GPUOPT_OK);
  const Handle owner(h);
  const gpuopt_device_facts facts = pretend(s.device);
  gpuopt_explain_options e = GPUOPT_EXPLAIN_OPTIONS_INIT;
  e.pretend = &facts;
  e.space = s.space;
  e.capturing = s.capturing;
  return gpuopt_explain(h, args, &e, Candidates::add, Seen);
}

}  // namespace

TEST_CASE("decide: host data on a GPU handle is not capturable, and the choice is that outside of the capture") {
  const SmallGemm g;
  Candidates outside, inside;
  const int32_t host = GPUOPT_SPACE_HOST;
  CHECK(explained({"sm_90", host, 0, GPUOPT_FALLBACK_AUTO}, &g.args, &outside) == GPUOPT_OK);
  CHECK(explained({"sm_90", host, 1, GPUOPT_FALLBACK_AUTO}, &g.args, &inside) == GPUOPT_NOT_CAPTURABLE);
  CHECK_MESSAGE(contains(gpuopt_last_error(), "cannot be captured into a CUDA graph"), last_error());
  REQUIRE(!inside.all.empty());
  CHECK(inside.all[0].verdict == GPUOPT_VERDICT_CHOSEN);
  CHECK(inside.all[0].kernel == outside.all[0].kernel);
  CHECK(inside.all[0].how == GPUOPT_HOW_CPU_FALLBACK);
  // Without the fallback nothing can run it, captured or not.
  for (const int32_t capturing : {0, 1}) {
    Candidates none;
    CHECK(explained({"sm_90", host, capturing, GPUOPT_FALLBACK_NEVER}, &g.args, &none) == GPUOPT_NOT_SUPPORTED);
  }
}

TEST_CASE("decide: the CPU has no streams, so nothing of it is captured") {
  SmallGemm g;
  const Handle h = cpu_handle();
  gpuopt_explain_options e = GPUOPT_EXPLAIN_OPTIONS_INIT;
  e.capturing = 1;
  CHECK(gpuopt_explain(h.get(), &g.args, &e, nullptr, nullptr) == GPUOPT_OK);
  CHECK(gpuopt_gemm(h.get(), &g.args) == GPUOPT_OK);
  Candidates seen;
  CHECK(explained({"none", GPUOPT_SPACE_QUERY, 1, GPUOPT_FALLBACK_AUTO}, &g.args, &seen) == GPUOPT_OK);
}

TEST_CASE("decide: a call without output is fine in a capture whatever would run it") {
  SmallGemm g;
  g.args.batch = 0;
  Candidates seen;
  CHECK(explained({"sm_90", GPUOPT_SPACE_HOST, 1, GPUOPT_FALLBACK_AUTO}, &g.args, &seen) == GPUOPT_OK);
}

TEST_CASE("decide: a kernel that cannot be captured is chosen all the same, and the status says so") {
  static gpuopt_kernel k = synthetic_kernel(GPUOPT_OP_TRANSPOSE, "transpose_test_uncapturable",
                                            GPUOPT_KERNEL_NOT_CAPTURABLE | GPUOPT_KERNEL_TEACHING, kAnySignature);
  k.launch = [](const gpuopt_problem *, const gpuopt_launch *) { return static_cast<gpuopt_status>(GPUOPT_OK); };
  REQUIRE(gpuopt_register_kernel(&k) == GPUOPT_OK);
  const Handle h = cpu_handle();
  REQUIRE(gpuopt_set_kernel(h.get(), "transpose_test_uncapturable") == GPUOPT_OK);
  const gpuopt_device_facts facts = pretend("sm_90");
  gpuopt_transpose_args t = GPUOPT_TRANSPOSE_ARGS_INIT;
  t.src = gpuopt_mat(nullptr, 8, 8, GPUOPT_F32);
  t.dst = t.src;
  gpuopt_explain_options e = GPUOPT_EXPLAIN_OPTIONS_INIT;
  e.pretend = &facts;
  CHECK(gpuopt_explain(h.get(), &t, &e, nullptr, nullptr) == GPUOPT_OK);
  e.capturing = 1;
  Candidates seen;
  CHECK(gpuopt_explain(h.get(), &t, &e, Candidates::add, &seen) == GPUOPT_NOT_CAPTURABLE);
  REQUIRE(!seen.all.empty());
  CHECK(seen.all[0].kernel == "transpose_test_uncapturable");
  CHECK(seen.all[0].verdict == GPUOPT_VERDICT_CHOSEN);
}

TEST_CASE("decide: what a kernel finds out on the device is part of what explain says of it, and of no reject") {
  static constexpr gpuopt_signature kWords[] = {{{GPUOPT_F32, -1, -1, -1}, -1}};
  static gpuopt_kernel k = synthetic_kernel(GPUOPT_OP_TRANSPOSE, "transpose_test_two_ways",
                                            GPUOPT_KERNEL_HOST | GPUOPT_KERNEL_TEACHING, kWords);
  k.launch = [](const gpuopt_problem *, const gpuopt_launch *) { return static_cast<gpuopt_status>(GPUOPT_OK); };
  k.data_paths = "by halves where they are equal, else whole";
  REQUIRE(gpuopt_register_kernel(&k) == GPUOPT_OK);
  const Handle h = cpu_handle();
  gpuopt_transpose_args t = GPUOPT_TRANSPOSE_ARGS_INIT;
  for (const int32_t dtype : {GPUOPT_F32, GPUOPT_F64}) {
    t.src = t.dst = gpuopt_mat(nullptr, 8, 8, dtype);
    Candidates seen;
    CHECK(gpuopt_explain(h.get(), &t, nullptr, Candidates::add, &seen) == GPUOPT_OK);
    const Candidate *c = seen.find(k.name);
    REQUIRE(c != nullptr);
    CHECK(c->verdict == (dtype == GPUOPT_F32 ? GPUOPT_VERDICT_ACCEPTED : GPUOPT_VERDICT_REJECTED));
    CHECK(contains(c->text, k.data_paths) == (dtype == GPUOPT_F32));
  }
}

namespace {

// Registered kernels stay, so those below run only while a test of theirs does.
bool armed = false;
struct Armed {
  Armed() { armed = true; }
  ~Armed() { armed = false; }
};

// A CPU kernel of a library that refuses everything, in prepare as a real one does, and is predicted to be the fastest.
gpuopt_kernel refusing(const char *name, int32_t op, int32_t dtype) {
  static gpuopt_signature types[GPUOPT_OP_COUNT_][1];
  types[op][0] = {{dtype, dtype, -1, dtype}, -1};
  if (op == GPUOPT_OP_FUSED_ACT) types[op][0] = {{-1, -1, -1, -1}, -1};
  gpuopt_kernel k = synthetic_kernel(op, name, GPUOPT_KERNEL_HOST, types[op]);
  k.stage_kinds = op == GPUOPT_OP_FUSED_ACT ? uint64_t{1} << GPUOPT_STAGE_STEP : 0;
  k.max_stages = op == GPUOPT_OP_FUSED_ACT ? 1 : 0;
  k.can_run = [](const gpuopt_problem *, gpuopt_reject *r) {
    *r = {GPUOPT_REJECT_SIZE_LIMIT, GPUOPT_OPERAND_NONE, 0, 0, "a test"};
    return armed ? 1 : 0;
  };
  k.predict_us = [](const gpuopt_problem *) { return 1e-6; };
  k.prepare = [](const gpuopt_problem *, const gpuopt_launch *) {
    return static_cast<gpuopt_status>(GPUOPT_NOT_SUPPORTED);
  };
  k.launch = [](const gpuopt_problem *, const gpuopt_launch *) { return static_cast<gpuopt_status>(GPUOPT_INTERNAL); };
  return k;
}

}  // namespace

TEST_CASE("decide: what a kernel's library refused, explain knows from then on and names what ran") {
  const Armed now;
  static const gpuopt_kernel refuses = refusing("transpose_test_refuses", GPUOPT_OP_TRANSPOSE, GPUOPT_F64);
  REQUIRE(gpuopt_register_kernel(&refuses) == GPUOPT_OK);
  double x[6] = {1, 2, 3, 4, 5, 6}, y[6] = {};
  gpuopt_transpose_args t = GPUOPT_TRANSPOSE_ARGS_INIT;
  t.src = gpuopt_mat(x, 2, 3, GPUOPT_F64);
  t.dst = gpuopt_mat(y, 3, 2, GPUOPT_F64);
  const Handle h = cpu_handle();
  LogLines log;
  REQUIRE(gpuopt_set_log(h.get(), LogLines::add, &log) == GPUOPT_OK);
  const auto chosen = [&] {
    Candidates seen;
    CHECK(gpuopt_explain(h.get(), &t, nullptr, Candidates::add, &seen) == GPUOPT_OK);
    const Candidate *refused = seen.find("transpose_test_refuses");
    REQUIRE(refused);
    if (refused->verdict == GPUOPT_VERDICT_REJECTED) {
      CHECK(refused->reject == GPUOPT_REJECT_DISABLED);
      CHECK(refused->text == "DISABLED: it was disabled by its library, which refused this problem");
    }
    return seen.all.at(0).kernel;
  };
  CHECK(chosen() == "transpose_test_refuses");
  for (int call = 0; call < 2; ++call) {
    REQUIRE_MESSAGE(gpuopt_transpose(h.get(), &t) == GPUOPT_OK, last_error());
    gpuopt_run_info ran = GPUOPT_RUN_INFO_INIT;
    REQUIRE(gpuopt_last_kernel(h.get(), &ran) == GPUOPT_OK);
    CHECK(chosen() == ran.kernel);
    CHECK(ran.kernel != std::string("transpose_test_refuses"));
  }
  CHECK(y[1] == 4);
  // Forced it is not replaced, and a pretended device has no library.
  const gpuopt_device_facts facts = pretend("none");
  gpuopt_explain_options o = GPUOPT_EXPLAIN_OPTIONS_INIT;
  o.pretend = &facts;
  Candidates seen;
  CHECK(gpuopt_explain(h.get(), &t, &o, Candidates::add, &seen) == GPUOPT_OK);
  CHECK(seen.all.at(0).kernel == "transpose_test_refuses");
  REQUIRE(gpuopt_set_kernel(h.get(), "transpose_test_refuses") == GPUOPT_OK);
  CHECK(gpuopt_transpose(h.get(), &t) == GPUOPT_NOT_SUPPORTED);
  CHECK(chosen() == "transpose_test_refuses");
}

TEST_CASE("decide: of two steps that one is replaced whose library refuses") {
  const Armed now;
  static const gpuopt_kernel refuses = refusing("fused_act_test_refuses", GPUOPT_OP_FUSED_ACT, 0);
  REQUIRE(gpuopt_register_kernel(&refuses) == GPUOPT_OK);
  // The fastest product by far, which knows no stage: with any second step but that one it can run.
  static gpuopt_kernel product = refusing("gemm_test_two_steps", GPUOPT_OP_GEMM, GPUOPT_F32);
  product.prepare = nullptr;
  product.launch = [](const gpuopt_problem *p, const gpuopt_launch *) {
    for (int64_t i = 0; i < p->m * p->n; ++i) static_cast<float *>(p->operand[GPUOPT_OPERAND_D].m.data)[i] = 7;
    return static_cast<gpuopt_status>(GPUOPT_OK);
  };
  REQUIRE(gpuopt_register_kernel(&product) == GPUOPT_OK);
  const Handle h = cpu_handle();
  REQUIRE(gpuopt_set_disabled(h.get(), "gemm_cpu_*") == GPUOPT_OK);
  SmallGemm g;
  const gpuopt_stage step = gpuopt_act(GPUOPT_STAGE_STEP, 0, 0);
  g.args.stages = &step;
  g.args.stage_count = 1;
  REQUIRE_MESSAGE(gpuopt_gemm(h.get(), &g.args) == GPUOPT_OK, last_error());
  CHECK(g.d[0] == 1);
  gpuopt_run_info ran = GPUOPT_RUN_INFO_INIT;
  REQUIRE(gpuopt_last_kernel(h.get(), &ran) == GPUOPT_OK);
  CHECK(std::string(ran.kernel).rfind("gemm_test_two_steps+fused_act_cpu_", 0) == 0);
}
