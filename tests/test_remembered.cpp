// What a handle remembers of a call serves the next one alone that is alike in all that a kernel may look at (kernel.h), and a call
// that failed leaves nothing behind it.
#include "support.h"

using namespace gpuopt_test;

namespace {

// Registered kernels stay, so those below run only while a test of theirs does.
bool armed = false;
struct Armed {
  Armed() { armed = true; }
  ~Armed() { armed = false; }
};

// A CPU kernel of any types that is predicted to be the fastest.
gpuopt_kernel fastest(const char *name, int32_t op) {
  static const gpuopt_signature any[] = {{{GPUOPT_ANY, GPUOPT_ANY, GPUOPT_ANY, GPUOPT_ANY}, GPUOPT_ANY}};
  gpuopt_kernel k = {};
  k.struct_size = sizeof k;
  k.name = name;
  k.op = op;
  k.version = 1;
  k.flags = GPUOPT_KERNEL_HOST;
  k.signatures = any;
  k.signature_count = 1;
  k.can_run = [](const gpuopt_problem *, gpuopt_reject *r) {
    *r = {GPUOPT_REJECT_SIZE_LIMIT, GPUOPT_OPERAND_NONE, 0, 0, "a test"};
    return armed ? 1 : 0;
  };
  k.predict_us = [](const gpuopt_problem *) { return 1e-6; };
  k.launch = [](const gpuopt_problem *, const gpuopt_launch *) { return static_cast<gpuopt_status>(GPUOPT_OK); };
  return k;
}

std::string last_kernel(gpuopt_handle *h) {
  gpuopt_run_info ran = GPUOPT_RUN_INFO_INIT;
  REQUIRE(gpuopt_last_kernel(h, &ran) == GPUOPT_OK);
  return ran.kernel;
}

size_t workspace_of(gpuopt_handle *h, const void *args) {
  size_t bytes = 0;
  REQUIRE_MESSAGE(gpuopt_workspace_size(h, args, &bytes) == GPUOPT_OK, last_error());
  return bytes;
}

uint16_t bf16(float x) {
  uint32_t bits;
  std::memcpy(&bits, &x, 4);
  return static_cast<uint16_t>(bits >> 16);
}

// bf16 2 x 2, all ones but C, and RELU behind it.
struct Bf16Product {
  uint16_t a[4], c[4], d[4] = {};
  gpuopt_stage relu = gpuopt_act(GPUOPT_STAGE_RELU, 0, 0);
  gpuopt_gemm_args args = GPUOPT_GEMM_ARGS_INIT;
  explicit Bf16Product(float c_value) {
    for (int i = 0; i < 4; ++i) a[i] = bf16(1), c[i] = bf16(c_value);
    args.a = args.b = gpuopt_mat(a, 2, 2, GPUOPT_BF16);
    args.c = gpuopt_mat(c, 2, 2, GPUOPT_BF16);
    args.d = gpuopt_mat(d, 2, 2, GPUOPT_BF16);
    args.stages = &relu;
    args.stage_count = 1;
  }
  Bf16Product(const Bf16Product &) = delete;  // args points into this object
};

}  // namespace

TEST_CASE("remembered: the scratch memory of a batch-invariant product serves any alpha") {
  const std::vector<float> ones(256 * 256, 1.0f);
  std::vector<float> d(ones.size());
  gpuopt_gemm_args g = GPUOPT_GEMM_ARGS_INIT;
  g.a = g.b = gpuopt_mat(const_cast<float *>(ones.data()), 256, 256, GPUOPT_F32);
  g.d = gpuopt_mat(d.data(), 256, 256, GPUOPT_F32);
  g.flags = GPUOPT_REQUIRE_BATCH_INVARIANT;
  const Handle h = cpu_handle();
  const size_t first = workspace_of(h.get(), &g);
  for (const double alpha : {2.0, 1.0}) {
    g.alpha = alpha;
    CHECK(workspace_of(h.get(), &g) == first);
    CHECK(workspace_of(cpu_handle().get(), &g) == first);
    REQUIRE_MESSAGE(gpuopt_gemm(h.get(), &g) == GPUOPT_OK, last_error());
    CHECK(d[1234] == 256 * alpha);
  }
}

TEST_CASE("remembered: which of alpha and beta come by pointer") {
  const float one = 1, two = 2;
  for (const bool alpha_first : {true, false}) {
    const Handle h = cpu_handle();
    REQUIRE(gpuopt_set_kernel(h.get(), "gemm=gemm_cpu_reference+fused_act_cpu_reference") == GPUOPT_OK);
    Bf16Product product(1);
    for (const bool alpha : {alpha_first, !alpha_first}) {
      product.args.beta = alpha ? 1 : 0;
      product.args.alpha_ptr = alpha ? &one : nullptr;
      product.args.beta_ptr = alpha ? nullptr : &two;
      // beta * C becomes a stage of the second step where it is known, and cannot where it is not.
      CHECK(gpuopt_gemm(h.get(), &product.args) == (alpha ? GPUOPT_OK : GPUOPT_KERNEL_REJECTED));
    }
  }
}

TEST_CASE("remembered: the factor of C where it becomes a stage of the second step") {
  // D = relu(X + C): of that factor no kernel of this chain knows.
  static const gpuopt_built_in_stage chain[] = {{GPUOPT_STAGE_ADD, GPUOPT_MATRIX, {GPUOPT_BF16, 0}, 0},
                                                {GPUOPT_STAGE_RELU, 0, {0, 0}, 0}};
  static const gpuopt_kernel adds = [] {
    gpuopt_kernel k = fastest("fused_act_test_add_relu", GPUOPT_OP_FUSED_ACT);
    k.chain = chain;
    k.max_stages = 2;
    k.stage_kinds = uint64_t{1} << GPUOPT_STAGE_ADD | uint64_t{1} << GPUOPT_STAGE_RELU;
    return k;
  }();
  REQUIRE_MESSAGE(gpuopt_register_kernel(&adds) == GPUOPT_OK, last_error());
  const Armed now;
  const Handle h = cpu_handle();
  REQUIRE(gpuopt_set_kernel(h.get(), "gemm=gemm_cpu_reference+fused_act_test_add_relu") == GPUOPT_OK);
  Bf16Product product(8);
  product.args.beta = 1;
  CHECK_MESSAGE(gpuopt_gemm(h.get(), &product.args) == GPUOPT_OK, last_error());
  product.args.beta = 0.5;
  CHECK(gpuopt_gemm(h.get(), &product.args) == GPUOPT_KERNEL_REJECTED);
}

TEST_CASE("remembered: the eps of a norm") {
  static const gpuopt_kernel only = [] {
    gpuopt_kernel k = fastest("norm_test_eps", GPUOPT_OP_NORM);
    k.variants = 1u << GPUOPT_NORM_RMSNORM;
    k.can_run = [](const gpuopt_problem *p, gpuopt_reject *r) {
      *r = {GPUOPT_REJECT_FEATURE, GPUOPT_OPERAND_NONE, 0, 0, "eps"};
      return armed && p->eps == 1e-5 ? 1 : 0;
    };
    return k;
  }();
  REQUIRE_MESSAGE(gpuopt_register_kernel(&only) == GPUOPT_OK, last_error());
  const Armed now;
  const Handle h = cpu_handle();
  float x[4] = {1, 2, 3, 4}, out[4];
  gpuopt_norm_args a = GPUOPT_NORM_ARGS_INIT;
  a.norm = GPUOPT_NORM_RMSNORM;
  a.x = gpuopt_mat(x, 2, 2, GPUOPT_F32);
  a.out = gpuopt_mat(out, 2, 2, GPUOPT_F32);
  for (const double eps : {1e-5, 1e-2, 1e-5}) {
    a.eps = eps;
    REQUIRE_MESSAGE(gpuopt_norm(h.get(), &a) == GPUOPT_OK, last_error());
    CHECK((last_kernel(h.get()) == "norm_test_eps") == (eps == 1e-5));
  }
}

TEST_CASE("remembered: a kernel that is registered while another one's library refuses takes nothing away") {
  static const gpuopt_kernel late = [] {
    gpuopt_kernel k = fastest("fused_act_test_late", GPUOPT_OP_FUSED_ACT);
    k.predict_us = nullptr;
    return k;
  }();
  static const gpuopt_kernel refuses = [] {
    gpuopt_kernel k = fastest("fused_act_test_refuses_late", GPUOPT_OP_FUSED_ACT);
    k.prepare = [](const gpuopt_problem *, const gpuopt_launch *) {
      CHECK(gpuopt_register_kernel(&late) == GPUOPT_OK);
      return static_cast<gpuopt_status>(GPUOPT_NOT_SUPPORTED);
    };
    return k;
  }();
  REQUIRE_MESSAGE(gpuopt_register_kernel(&refuses) == GPUOPT_OK, last_error());
  const Armed now;
  const Handle h = cpu_handle();
  float x[4] = {1, 2, 3, 4}, out[4] = {};
  gpuopt_fused_act_args f = GPUOPT_FUSED_ACT_ARGS_INIT;
  f.x = gpuopt_mat(x, 2, 2, GPUOPT_F32);
  f.out = gpuopt_mat(out, 2, 2, GPUOPT_F32);
  REQUIRE_MESSAGE(gpuopt_fused_act(h.get(), &f) == GPUOPT_OK, last_error());
  CHECK(out[3] == 4);
}

TEST_CASE("remembered: zeroed memory that a failed launch has written to is zero for the next") {
  static int entered, fails;
  static const gpuopt_kernel leaves = [] {
    gpuopt_kernel k = fastest("fused_act_test_leaves", GPUOPT_OP_FUSED_ACT);
    k.workspace = [](const gpuopt_problem *p, size_t *scratch, size_t *zeroed) {
      *scratch = 0;
      *zeroed = static_cast<size_t>(p->n) * sizeof(int);
    };
    k.launch = [](const gpuopt_problem *p, const gpuopt_launch *l) {
      int *const words = static_cast<int *>(l->zeroed);
      int wrong = 0;
      for (int64_t i = 0; i < p->n; ++i) wrong += words[i] != 0 ? 1 : 0;
      CHECK(wrong == 0);
      ++entered;
      if (fails == 0) return static_cast<gpuopt_status>(GPUOPT_OK);
      words[p->n - 1] = 7;
      if (fails == 2) throw 1;
      return static_cast<gpuopt_status>(GPUOPT_INTERNAL);
    };
    return k;
  }();
  REQUIRE_MESSAGE(gpuopt_register_kernel(&leaves) == GPUOPT_OK, last_error());
  const Armed now;
  const Handle h = cpu_handle();
  std::vector<float> x(1 << 18), out(x.size());
  gpuopt_fused_act_args f = GPUOPT_FUSED_ACT_ARGS_INIT;
  entered = 0;
  for (const int64_t n : {16, 16, 1 << 18, 64}) {  // the same block, a larger one, that one again
    f.x = gpuopt_mat(x.data(), 1, n, GPUOPT_F32);
    f.out = gpuopt_mat(out.data(), 1, n, GPUOPT_F32);
    for (fails = 1; fails <= 2; ++fails) CHECK(gpuopt_fused_act(h.get(), &f) == GPUOPT_INTERNAL);
    fails = 0;
    for (int call = 0; call < 2; ++call) CHECK_MESSAGE(gpuopt_fused_act(h.get(), &f) == GPUOPT_OK, last_error());
  }
  CHECK(entered == 16);
}
