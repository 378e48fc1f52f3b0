// Selection with synthetic kernels: every reject code from data, forcing, disabling, prediction, ties, two steps. The
// kernels take compute F32_TENSOR only, so that they stand in nobody's way.
#include "support.h"

#include <cmath>
#include <limits>

using namespace gpuopt_test;

namespace {

constexpr gpuopt_signature kTensorF32[] = {
    {{GPUOPT_F32, GPUOPT_F32, GPUOPT_F32, GPUOPT_F32}, GPUOPT_COMPUTE_F32_TENSOR}};
int launches = 0;

gpuopt_status count_launch(const gpuopt_problem *, const gpuopt_launch *) {
  ++launches;
  return GPUOPT_OK;
}

// A kernel that takes everything on the CPU; each test changes what it is about. Descriptors live forever.
gpuopt_kernel *synthetic(const char *name, double (*predict)(const gpuopt_problem *)) {
  auto *k = new gpuopt_kernel();
  k->struct_size = sizeof *k;
  k->name = name;
  k->summary = "synthetic";
  k->op = GPUOPT_OP_GEMM;
  k->flags = GPUOPT_KERNEL_HOST;
  k->understands = ~0u;
  k->stage_kinds = ~0ull;
  k->max_stages = GPUOPT_MAX_STAGES;
  k->signatures = kTensorF32;
  k->signature_count = 1;
  k->predict_us = predict;
  k->launch = count_launch;
  return k;
}

void add(const gpuopt_kernel *k) { REQUIRE_MESSAGE(gpuopt_register_kernel(k) == GPUOPT_OK, last_error()); }

template <int us>
double predicts(const gpuopt_problem *) {
  return us / 1000.0;
}

Candidates explain(gpuopt_handle *h, const void *args, const char *device = "none",
                   gpuopt_explain_options o = GPUOPT_EXPLAIN_OPTIONS_INIT) {
  const gpuopt_device_facts facts = pretend(device);
  o.pretend = &facts;
  o.any_build = 1;
  Candidates c;
  gpuopt_explain(h, args, &o, Candidates::add, &c);
  return c;
}

}  // namespace

TEST_CASE("select: all needs of a rejected kernel are told when asked for, the reject's first") {
  const Handle h = cpu_handle();
  auto *k = synthetic("gemm_test_many_needs", nullptr);
  k->flags = 0;
  k->cc_min = 90;
  k->layouts[0] = GPUOPT_LAYOUT_COL;
  k->multiple[2] = 8;
  static bool declared_holds = false;  // it stays registered, and other cases may ask what it takes
  k->can_run = [](const gpuopt_problem *, gpuopt_reject *) -> int {
    if (!declared_holds) FAIL("can_run is asked only when everything declared holds");
    return 0;
  };
  add(k);
  const SmallGemm g(GPUOPT_COMPUTE_F32_TENSOR);
  gpuopt_explain_options o = GPUOPT_EXPLAIN_OPTIONS_INIT;
  const Candidates first = explain(h.get(), &g.args, "sm_80", o);
  CHECK(first.find(k->name)->text == "ARCH: the device is sm_80, needs at least sm_90");
  o.all_needs = 1;
  const Candidates all = explain(h.get(), &g.args, "sm_80", o);
  CHECK(all.find(k->name)->reject == GPUOPT_REJECT_ARCH);
  CHECK(all.find(k->name)->text ==
        "ARCH: the device is sm_80, needs at least sm_90; LAYOUT: a.layout is row-major; DIM_MULTIPLE: k=4 is not a "
        "multiple of 8");
  declared_holds = true;
}

TEST_CASE("select: every declared need becomes its reject, with numbers and the user's operand") {
  const Handle h = cpu_handle();
  gpuopt_explain_options o = GPUOPT_EXPLAIN_OPTIONS_INIT;
  int serial = 0;
  const auto reject = [&](int32_t code, int32_t operand, const char *text, const char *device, const SmallGemm &g,
                          auto change) {
    auto *k = synthetic(strdup(("gemm_test_need" + std::to_string(serial++)).c_str()), nullptr);
    change(*k);
    add(k);
    const Candidates c = explain(h.get(), &g.args, device, o);
    const Candidate *found = c.find(k->name);
    REQUIRE_MESSAGE(found, k->name, ": ", last_error());
    CAPTURE(k->name);
    CHECK(found->verdict == GPUOPT_VERDICT_REJECTED);
    CHECK(gpuopt_reject_name(found->reject) == std::string(gpuopt_reject_name(code)));
    CHECK(found->operand == operand);
    CHECK_MESSAGE(contains(found->text, text), found->text);
  };
  const SmallGemm g(GPUOPT_COMPUTE_F32_TENSOR);
  const auto cuda = [](gpuopt_kernel &k) { k.flags = 0; };
  reject(GPUOPT_REJECT_NO_DEVICE, -1, "needs a CUDA device", "none", g, cuda);
  reject(GPUOPT_REJECT_ARCH, -1, "sm_80, needs at least sm_90", "sm_80", g,
         [](gpuopt_kernel &k) { k.flags = 0, k.cc_min = 90; });
  reject(GPUOPT_REJECT_ARCH, -1, "sm_100, needs exactly sm_90", "sm_100", g,
         [](gpuopt_kernel &k) { k.flags = 0, k.cc_exact = 90; });
  reject(GPUOPT_REJECT_ARCH, -1, "sm_90, needs at most sm_89", "sm_90", g,
         [](gpuopt_kernel &k) { k.flags = 0, k.cc_max = 89; });
  reject(GPUOPT_REJECT_ARCH, -1, "instruction set level 2, needs 3", "none", g,
         [](gpuopt_kernel &k) { k.isa_min = 3; });
  reject(GPUOPT_REJECT_DEVICE_DATA, -1, "device memory", "sm_90", g, [](gpuopt_kernel &) {});
  reject(GPUOPT_REJECT_DTYPE, -1, "no code for a=f32 b=f32 d=f32 compute=f32_tensor", "none", g, [](gpuopt_kernel &k) {
    static constexpr gpuopt_signature other[] = {{{GPUOPT_F16, -1, -1, -1}, -1}};
    k.signatures = other;
  });
  reject(GPUOPT_REJECT_LAYOUT, GPUOPT_OPERAND_A, "a.layout is row-major", "none", g,
         [](gpuopt_kernel &k) { k.layouts[0] = GPUOPT_LAYOUT_COL; });
  reject(GPUOPT_REJECT_LD_MULTIPLE, GPUOPT_OPERAND_D, "d.ld is a multiple of 4 bytes, needs 16", "none", g,
         [](gpuopt_kernel &k) { k.ld_align[3] = 16; });
  reject(GPUOPT_REJECT_DIM_MULTIPLE, -1, "n=5 is not a multiple of 16", "none", g,
         [](gpuopt_kernel &k) { k.multiple[1] = 16; });
  reject(GPUOPT_REJECT_DIM_MULTIPLE, -1, "k=4 is not a multiple of 8", "none", g,
         [](gpuopt_kernel &k) { k.multiple[2] = 8; });
  reject(GPUOPT_REJECT_SIZE_LIMIT, -1, "m is 3, the limit is 2", "none", g, [](gpuopt_kernel &k) {
    k.can_run = [](const gpuopt_problem *p, gpuopt_reject *r) -> int {
      return *r = {GPUOPT_REJECT_SIZE_LIMIT, -1, p->m, 2, "m"}, 0;
    };
  });
  reject(GPUOPT_REJECT_WORKSPACE, -1, "bytes, the call may use 268435456", "none", g, [](gpuopt_kernel &k) {
    k.workspace = [](const gpuopt_problem *, size_t *s, size_t *) { *s = size_t{1} << 40; };
  });
  o.align[GPUOPT_OPERAND_B] = 4;
  reject(GPUOPT_REJECT_ALIGN, GPUOPT_OPERAND_B, "b.data is aligned to 4 bytes, needs 16", "none", g,
         [](gpuopt_kernel &k) { k.align[1] = 16; });
  o.align[GPUOPT_OPERAND_B] = 0;
  o.space = GPUOPT_SPACE_HOST;
  reject(GPUOPT_REJECT_HOST_DATA, -1, "pageable host memory", "sm_90", g, cuda);
  o.space = GPUOPT_SPACE_QUERY;

  SmallGemm batched(GPUOPT_COMPUTE_F32_TENSOR);
  batched.args.batch = 2;
  batched.args.a.batch_stride = batched.args.b.batch_stride = 0;
  reject(GPUOPT_REJECT_FEATURE, -1, "BATCH is not understood", "none", batched,
         [](gpuopt_kernel &k) { k.understands = 0; });
  SmallGemm staged(GPUOPT_COMPUTE_F32_TENSOR);
  gpuopt_stage relu[2] = {gpuopt_act(GPUOPT_STAGE_RELU, 0, 0), gpuopt_act(GPUOPT_STAGE_TANH, 0, 0)};
  staged.args.stages = relu;
  staged.args.stage_count = 2;
  reject(GPUOPT_REJECT_STAGE, -1, "stages[1]: TANH is not understood", "none", staged,
         [](gpuopt_kernel &k) { k.stage_kinds = 1ull << GPUOPT_STAGE_RELU; });
  reject(GPUOPT_REJECT_STAGE, -1, "the chain has 2 stages, at most 1", "none", staged,
         [](gpuopt_kernel &k) { k.max_stages = 1; });
  // A column-major output swaps the problem; the reject still names the user's operand.
  SmallGemm column(GPUOPT_COMPUTE_F32_TENSOR);
  column.args.d.layout = GPUOPT_COL;
  column.args.d.ld = 0;
  reject(GPUOPT_REJECT_LAYOUT, GPUOPT_OPERAND_B, "b.layout is row-major", "none", column,
         [](gpuopt_kernel &k) { k.layouts[0] = GPUOPT_LAYOUT_ROW; });
  reject(GPUOPT_REJECT_DIM_MULTIPLE, -1, "n=5 is not a multiple of 2", "none", column,
         [](gpuopt_kernel &k) { k.multiple[0] = 2; });
}

TEST_CASE("select: the least finite positive prediction runs, ties by name, teaching kernels never") {
  const Handle h = cpu_handle();
  SmallGemm g(GPUOPT_COMPUTE_F32_TENSOR);
  add(synthetic("gemm_test_b20", predicts<20>));
  add(synthetic("gemm_test_a20", predicts<20>));
  add(synthetic("gemm_test_c30", predicts<30>));
  auto *teaching = synthetic("gemm_test_teaching", predicts<1>);
  teaching->flags |= GPUOPT_KERNEL_TEACHING;
  add(teaching);
  auto *loose = synthetic("gemm_test_loose", predicts<2>);
  loose->flags |= GPUOPT_KERNEL_NONDETERMINISTIC;
  add(loose);
  add(synthetic("gemm_test_nan", [](const gpuopt_problem *) { return std::nan(""); }));
  add(synthetic("gemm_test_inf", [](const gpuopt_problem *) { return std::numeric_limits<double>::infinity(); }));
  add(synthetic("gemm_test_negative", [](const gpuopt_problem *) { return -1.0; }));
  add(synthetic("gemm_test_silent", nullptr));
  const Candidates c = explain(h.get(), &g.args);
  REQUIRE(!c.all.empty());
  CHECK(c.all[0].verdict == GPUOPT_VERDICT_CHOSEN);
  CHECK(c.all[0].kernel == "gemm_test_a20");
  CHECK(c.all[0].how == GPUOPT_HOW_PREDICTED);
  for (const char *name : {"gemm_test_teaching", "gemm_test_nan", "gemm_test_inf", "gemm_test_negative",
                           "gemm_test_silent", "gemm_test_loose"}) {
    REQUIRE(c.find(name));
    CHECK(c.find(name)->verdict == GPUOPT_VERDICT_ACCEPTED);
    CHECK(contains(c.find(name)->text, "only when forced"));
  }
  launches = 0;
  CHECK(gpuopt_gemm(h.get(), &g.args) == GPUOPT_OK);
  CHECK(launches == 1);
  gpuopt_run_info info = GPUOPT_RUN_INFO_INIT;
  CHECK(gpuopt_last_kernel(h.get(), &info) == GPUOPT_OK);
  CHECK(std::string(info.kernel) == "gemm_test_a20");
  g.args.flags = GPUOPT_ALLOW_NONDETERMINISTIC;
  CHECK(explain(h.get(), &g.args).all[0].kernel == "gemm_test_loose");
  g.args.flags = 0;
  // A teaching kernel runs when forced.
  CHECK(gpuopt_set_kernel(h.get(), "gemm_test_teaching") == GPUOPT_OK);
  CHECK(gpuopt_gemm(h.get(), &g.args) == GPUOPT_OK);
  gpuopt_last_kernel(h.get(), &info);
  CHECK(std::string(info.kernel) == "gemm_test_teaching");
  CHECK(info.how == GPUOPT_HOW_FORCED);
  // A kernel registered after the choice was remembered is seen by the next call.
  CHECK(gpuopt_set_kernel(h.get(), nullptr) == GPUOPT_OK);
  CHECK(gpuopt_gemm(h.get(), &g.args) == GPUOPT_OK);
  add(synthetic("gemm_test_a10", predicts<10>));
  CHECK(gpuopt_gemm(h.get(), &g.args) == GPUOPT_OK);
  gpuopt_last_kernel(h.get(), &info);
  CHECK(std::string(info.kernel) == "gemm_test_a10");
  // Disabled kernels are passed over, and refuse when forced.
  CHECK(gpuopt_set_disabled(h.get(), "gemm_test_a*, gemm_test_?20") == GPUOPT_OK);
  CHECK(gpuopt_gemm(h.get(), &g.args) == GPUOPT_OK);
  gpuopt_last_kernel(h.get(), &info);
  CHECK(std::string(info.kernel) == "gemm_test_c30");
  CHECK(gpuopt_set_kernel(h.get(), "gemm_test_a10") == GPUOPT_OK);
  CHECK(gpuopt_gemm(h.get(), &g.args) == GPUOPT_KERNEL_REJECTED);
  CHECK(contains(gpuopt_last_error(), "forced kernel gemm_test_a10 cannot run this call: DISABLED"));
}

TEST_CASE("select: forcing by name") {
  const Handle h = cpu_handle();
  SmallGemm g;
  const auto force = [&](const char *kernel) { REQUIRE(gpuopt_set_kernel(h.get(), kernel) == GPUOPT_OK); };
  // A name that nothing is registered under fails every op of the handle.
  force("gemm_cpu_referense");
  CHECK(gpuopt_gemm(h.get(), &g.args) == GPUOPT_KERNEL_NOT_FOUND);
  CHECK(contains(gpuopt_last_error(), "no kernel is named 'gemm_cpu_referense'; nearest: gemm_cpu_reference"));
  CHECK(g.untouched());
  gpuopt_transpose_args t = GPUOPT_TRANSPOSE_ARGS_INIT;
  float out[12];
  t.src = gpuopt_mat(g.a, 3, 4, GPUOPT_F32);
  t.dst = gpuopt_mat(out, 4, 3, GPUOPT_F32);
  CHECK(gpuopt_transpose(h.get(), &t) == GPUOPT_KERNEL_NOT_FOUND);
  // A registered name concerns its own op only.
  force("gemm_cpu_reference");
  CHECK(gpuopt_transpose(h.get(), &t) == GPUOPT_OK);
  CHECK(gpuopt_gemm(h.get(), &g.args) == GPUOPT_OK);
  // op=name: another op's kernel is not found there, and other ops stay automatic.
  force("gemm=transpose_cpu_reference");
  CHECK(gpuopt_gemm(h.get(), &g.args) == GPUOPT_KERNEL_NOT_FOUND);
  CHECK(contains(gpuopt_last_error(), "no gemm kernel is named 'transpose_cpu_reference'; nearest: gemm_"));
  CHECK(gpuopt_transpose(h.get(), &t) == GPUOPT_OK);
  force("gemm=gemm_cpu_reference, transpose=transpose_cpu_reference");
  CHECK(gpuopt_gemm(h.get(), &g.args) == GPUOPT_OK);
  CHECK(gpuopt_transpose(h.get(), &t) == GPUOPT_OK);
  gpuopt_run_info info = GPUOPT_RUN_INFO_INIT;
  gpuopt_last_kernel(h.get(), &info);
  CHECK(std::string(info.kernel) == "transpose_cpu_reference");
  force("");
  CHECK(gpuopt_gemm(h.get(), &g.args) == GPUOPT_OK);
  // Malformed text changes nothing.
  CHECK(gpuopt_set_kernel(h.get(), "gem=x") == GPUOPT_INVALID_ARGUMENT);
  CHECK(contains(gpuopt_last_error(), "'gem' is not an operation"));
  CHECK(gpuopt_set_kernel(h.get(), "gemm=") == GPUOPT_INVALID_ARGUMENT);
  CHECK(gpuopt_gemm(h.get(), &g.args) == GPUOPT_OK);
}

TEST_CASE("select: a two-step candidate runs where no kernel has the epilogue") {
  const Handle h = cpu_handle();
  auto *plain = synthetic("gemm_test_plain", predicts<1>);
  plain->stage_kinds = 0;
  plain->max_stages = 0;
  plain->launch = [](const gpuopt_problem *p, const gpuopt_launch *) {
    // Writes 10 i + j - 7 to the intermediate, so that the second step's input is known.
    const gpuopt_matrix &d = p->operand[GPUOPT_OPERAND_D].m;
    CHECK(p->stage_count == 0);
    for (int64_t i = 0; i < d.rows; ++i)
      for (int64_t j = 0; j < d.cols; ++j)
        static_cast<float *>(d.data)[i * d.ld + j] = static_cast<float>(10 * i + j - 7);
    return static_cast<gpuopt_status>(GPUOPT_OK);
  };
  add(plain);
  REQUIRE(gpuopt_set_disabled(h.get(), "gemm_test_a*,gemm_test_b*,gemm_test_c*,gemm_test_need*") == GPUOPT_OK);
  SmallGemm g(GPUOPT_COMPUTE_F32_TENSOR);
  gpuopt_stage relu = gpuopt_act(GPUOPT_STAGE_RELU, 0, 0);
  g.args.stages = &relu;
  g.args.stage_count = 1;
  const Candidates c = explain(h.get(), &g.args);
  const std::string two = c.all[0].kernel;
  CHECK(c.all[0].verdict == GPUOPT_VERDICT_CHOSEN);
  CHECK(two.rfind("gemm_test_plain+fused_act_", 0) == 0);
  REQUIRE(gpuopt_gemm(h.get(), &g.args) == GPUOPT_OK);
  CHECK(g.d[0] == 0);
  CHECK(g.d[14] == 17);
  gpuopt_run_info info = GPUOPT_RUN_INFO_INIT;
  gpuopt_last_kernel(h.get(), &info);
  CHECK(info.kernel == two);
  CHECK(info.workspace_bytes >= 3 * 5 * sizeof(float));
  // beta * C is added between the steps.
  g.args.beta = 2;
  g.args.c = gpuopt_mat(g.c, 3, 5, GPUOPT_F32);
  g.args.c.layout = GPUOPT_COL;
  g.args.c.ld = 3;
  plain->layouts[2] = 0;
  REQUIRE_MESSAGE(gpuopt_gemm(h.get(), &g.args) == GPUOPT_OK, last_error());
  g.args.beta = 0;
  // Forced by its full name, and with a second step that does not exist.
  REQUIRE(gpuopt_set_kernel(h.get(), "gemm_test_plain+fused_act_cpu_reference") == GPUOPT_OK);
  CHECK(gpuopt_gemm(h.get(), &g.args) == GPUOPT_OK);
  gpuopt_last_kernel(h.get(), &info);
  CHECK(std::string(info.kernel) == "gemm_test_plain+fused_act_cpu_reference");
  REQUIRE(gpuopt_set_kernel(h.get(), "gemm_test_plain+fused_act_none") == GPUOPT_OK);
  CHECK(gpuopt_gemm(h.get(), &g.args) == GPUOPT_KERNEL_NOT_FOUND);
  CHECK(contains(gpuopt_last_error(), "'fused_act_none'; nearest: fused_act_"));
  // Without stages there is nothing to split.
  g.args.stage_count = 0;
  REQUIRE(gpuopt_set_kernel(h.get(), "gemm_test_plain+fused_act_cpu_reference") == GPUOPT_OK);
  CHECK(gpuopt_gemm(h.get(), &g.args) == GPUOPT_KERNEL_REJECTED);
}

TEST_CASE("select: nothing fits") {
  const Handle h = cpu_handle();
  SmallGemm g;
  REQUIRE(gpuopt_set_disabled(h.get(), "*cpu*") == GPUOPT_OK);
  CHECK(gpuopt_gemm(h.get(), &g.args) == GPUOPT_NOT_SUPPORTED);
  CHECK(contains(gpuopt_last_error(), "no kernel can run this call here: gemm_cpu_"));
  CHECK(contains(gpuopt_last_error(), "DISABLED"));
  CHECK(g.untouched());
}

TEST_CASE("select: a kernel that refuses in prepare is replaced when automatic, reported when forced") {
  const Handle h = cpu_handle();
  auto *refusing = synthetic("gemm_test_refusing", predicts<1>);
  refusing->prepare = [](const gpuopt_problem *, const gpuopt_launch *l) -> gpuopt_status {
    std::snprintf(l->error, l->error_bytes, "the library has no algorithm");
    return GPUOPT_NOT_SUPPORTED;
  };
  add(refusing);
  add(synthetic("gemm_test_willing", predicts<2>));
  REQUIRE(gpuopt_set_disabled(h.get(), "gemm_test_a*,gemm_test_b*,gemm_test_c*,gemm_test_need*,gemm_test_plain") ==
          GPUOPT_OK);
  SmallGemm g(GPUOPT_COMPUTE_F32_TENSOR);
  for (int call = 0; call < 2; ++call) {
    REQUIRE_MESSAGE(gpuopt_gemm(h.get(), &g.args) == GPUOPT_OK, last_error());
    gpuopt_run_info info = GPUOPT_RUN_INFO_INIT;
    gpuopt_last_kernel(h.get(), &info);
    CHECK(std::string(info.kernel) == "gemm_test_willing");
  }
  REQUIRE(gpuopt_set_kernel(h.get(), "gemm_test_refusing") == GPUOPT_OK);
  CHECK(gpuopt_gemm(h.get(), &g.args) == GPUOPT_NOT_SUPPORTED);
  CHECK(contains(last_error(), "gemm_test_refusing: the library has no algorithm"));
}

#if GPUOPT_TEST_HAVE_CUDA
TEST_CASE("select: cuBLASLt adds no vector to 16-bit products that it might round first") {
  const Handle h = cpu_handle();
  const auto text = [&](int64_t m, int64_t n, int64_t k, int64_t lda, int32_t in, int32_t out, int32_t align) {
    gpuopt_gemm_args g = GPUOPT_GEMM_ARGS_INIT;
    g.a = gpuopt_mat(nullptr, m, k, in);
    g.a.ld = lda;
    g.b = gpuopt_mat(nullptr, k, n, in);
    g.d = gpuopt_mat(nullptr, m, n, out);
    const gpuopt_stage bias = gpuopt_act_with(GPUOPT_STAGE_ADD, GPUOPT_PER_COL, gpuopt_mat(nullptr, 1, n, out));
    g.stages = &bias;
    g.stage_count = 1;
    gpuopt_explain_options o = GPUOPT_EXPLAIN_OPTIONS_INIT;
    o.align[GPUOPT_OPERAND_B] = align;
    const Candidates c = explain(h.get(), &g, "sm_90", o);
    const Candidate *found = c.find("gemm_cublaslt");
    REQUIRE(found);
    CHECK((found->verdict == GPUOPT_VERDICT_REJECTED) == (found->reject == GPUOPT_REJECT_STAGE));
    return found->verdict == GPUOPT_VERDICT_REJECTED ? found->text : "";
  };
  for (const int32_t type : {GPUOPT_F16, GPUOPT_BF16}) {
    CHECK(text(64, 64, 64, 0, type, type, 0) == "");
    CHECK(contains(text(64, 65, 64, 0, type, type, 0), "cuBLASLt may round twice"));
    CHECK(contains(text(63, 64, 64, 0, type, type, 0), "cuBLASLt may round twice"));
    CHECK(contains(text(64, 64, 60, 0, type, type, 0), "cuBLASLt may round twice"));
    CHECK(contains(text(64, 64, 64, 66, type, type, 0), "cuBLASLt may round twice"));
    CHECK(contains(text(64, 64, 64, 0, type, type, 8), "cuBLASLt may round twice"));
    CHECK(text(63, 65, 60, 66, type, GPUOPT_F32, 8) == "");
  }
  CHECK(text(63, 65, 60, 66, GPUOPT_F32, GPUOPT_F32, 8) == "");
}
#endif
