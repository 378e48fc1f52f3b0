// A vector whose elements are neighbours is the same vector in whichever layout the call describes it: one normal form, one
// choice, and messages in the words of the call.
#include "decide.h"
#include "support.h"
#include "synthetic_kernel.h"

using namespace gpuopt_test;

namespace {

// A product of which A, B, C and D are described as the bits of `flips` say: those that are vectors row-major or column-major,
// both of them without gaps.
struct Product {
  gpuopt::AnyArgs args = {};
  gpuopt_stage add = gpuopt_act_with(GPUOPT_STAGE_ADD, GPUOPT_MATRIX, {});
  Product(int64_t m, int64_t n, int64_t k, uint32_t flips, int32_t type = GPUOPT_BF16, bool all = false) {
    gpuopt_gemm_args &g = args.gemm;
    g = GPUOPT_GEMM_ARGS_INIT;
    g.a = gpuopt_mat(nullptr, m, k, type);
    g.b = gpuopt_mat(nullptr, k, n, type);
    g.d = gpuopt_mat(nullptr, m, n, type);
    if (all) {
      g.c = g.d;
      g.beta = 1;
      add.a = g.d;
      g.stages = &add;
      g.stage_count = 1;
    }
    gpuopt_matrix *operand[] = {&g.a, &g.b, &g.c, &g.d, &add.a};
    for (int i = 0; i < 5; ++i)
      if (flips >> i & 1 && (operand[i]->rows == 1 || operand[i]->cols == 1)) operand[i]->layout = GPUOPT_COL;
  }
  Product(const Product &) = delete;
};

gpuopt_problem problem_of(const Product &product) {
  const Handle h = cpu_handle();
  const gpuopt_explain_options o = GPUOPT_EXPLAIN_OPTIONS_INIT;
  gpuopt_problem p;
  REQUIRE_MESSAGE(gpuopt::build_problem(h.get(), product.args, {"test", &o}, &p) == GPUOPT_OK, last_error());
  return p;
}

bool alike(const gpuopt_operand &a, const gpuopt_operand &b) {
  return a.m.rows == b.m.rows && a.m.cols == b.m.cols && a.m.layout == b.m.layout && a.m.ld == b.m.ld &&
         a.m.dtype == b.m.dtype && a.ld_align == b.ld_align && a.align == b.align && a.stride_align == b.stride_align;
}

}  // namespace

TEST_CASE("vectors: a product of a vector has one normal form, however its vectors are described") {
  const int64_t shapes[][3] = {{1, 40, 30}, {40, 1, 30}, {40, 30, 1}, {1, 1, 30}, {1, 40, 1}, {1, 1, 1}};
  for (const auto &shape : shapes) {
    const int64_t m = shape[0], n = shape[1], k = shape[2];
    CAPTURE(m);
    CAPTURE(n);
    CAPTURE(k);
    const gpuopt_problem want = problem_of(Product(m, n, k, 0, GPUOPT_BF16, true));
    CHECK(want.operand[3].m.layout == GPUOPT_ROW);
    for (const gpuopt_operand &o : want.operand)
      if (o.m.rows == 1 || o.m.cols == 1) CHECK(o.ld_align == 256);
    for (uint32_t flips = 1; flips < 32; ++flips) {
      CAPTURE(flips);
      const gpuopt_problem p = problem_of(Product(m, n, k, flips, GPUOPT_BF16, true));
      if (m > 1 || n > 1) {
        CHECK(p.m == want.m);
        CHECK(p.n == want.n);
        CHECK(p.swapped == want.swapped);
        for (int i = 0; i < 4; ++i) CHECK(alike(p.operand[i], want.operand[i]));
        CHECK(alike(p.stage[0].a, want.stage[0].a));
      }
      for (int i = 0; i < 4; ++i) CHECK(p.operand[i].user_operand >= 0);
    }
  }
  CHECK(problem_of(Product(40, 1, 30, 0)).m == 1);  // a column of results is written as a row
}

TEST_CASE("vectors: those with gaps stay as they are, and C goes with D") {
  Product gaps(1, 40, 30, 0);
  gaps.args.gemm.a = gpuopt_mat(nullptr, 1, 30, GPUOPT_BF16);
  gaps.args.gemm.a.layout = GPUOPT_COL;
  gaps.args.gemm.a.ld = 3;
  gpuopt_problem p = problem_of(gaps);
  CHECK(p.operand[0].m.layout == GPUOPT_COL);
  CHECK(p.operand[0].m.ld == 3);
  CHECK(p.operand[0].ld_align == 2);
  for (const bool of_c : {true, false}) {
    Product column(40, 1, 30, 0, GPUOPT_BF16, true);
    (of_c ? column.args.gemm.c : column.args.gemm.d).ld = 5;
    p = problem_of(column);
    CHECK(p.swapped == 0);
    CHECK(p.m == 40);
    CHECK(p.operand[2].m.layout == GPUOPT_ROW);
    CHECK(p.operand[3].m.layout == GPUOPT_ROW);
    CHECK(p.operand[of_c ? 2 : 3].m.ld == 5);
    CHECK(p.operand[of_c ? 3 : 2].m.ld == 1);
  }
  // The vectors of PER_ROW and PER_COL have a normal form of their own.
  Product bias(40, 1, 30, 0);
  const gpuopt_stage per_row =
      gpuopt_act_with(GPUOPT_STAGE_ADD, GPUOPT_PER_ROW, gpuopt_mat(nullptr, 40, 1, GPUOPT_F32));
  bias.args.gemm.stages = &per_row;
  bias.args.gemm.stage_count = 1;
  p = problem_of(bias);
  CHECK(p.stage[0].form == GPUOPT_PER_COL);
  CHECK(p.stage[0].a.m.layout == GPUOPT_ROW);
  CHECK(p.stage[0].a.m.rows == 40);
  CHECK(p.stage[0].a.m.ld == 1);
}

TEST_CASE("vectors: every description gives the same choice on every device") {
  const Handle h = cpu_handle();
  const int64_t shapes[][3] = {{1, 4096, 4096}, {4096, 1, 4096}, {4096, 4096, 1}, {1, 1000, 77}, {1000, 1, 77}};
  for (const char *device : {"none", "sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_100", "sm_120"})
    for (const int32_t type : {GPUOPT_F32, GPUOPT_F16, GPUOPT_BF16, GPUOPT_F64})
      for (const auto &shape : shapes)
        for (const bool all : {false, true}) {
          const int64_t m = shape[0], n = shape[1], k = shape[2];
          const gpuopt_device_facts facts = pretend(device);
          gpuopt_explain_options o = GPUOPT_EXPLAIN_OPTIONS_INIT;
          o.pretend = &facts;
          o.any_build = 1;
          const auto chosen = [&](uint32_t flips) {
            const Product p(m, n, k, flips, type, all);
            Candidates seen;
            gpuopt_explain(h.get(), &p.args, &o, Candidates::add, &seen);
            return seen.all.at(0).kernel + " " + std::to_string(seen.all.at(0).predicted_us);
          };
          const std::string want = chosen(0);
          for (uint32_t flips = 1; flips < 32; ++flips) CHECK(chosen(flips) == want);
        }
}

TEST_CASE("vectors: what explain and the log say is what the caller wrote") {
  static const gpuopt_kernel no_rows = [] {
    gpuopt_kernel k = synthetic_kernel(GPUOPT_OP_GEMM, "gemm_test_layouts", GPUOPT_KERNEL_HOST | GPUOPT_KERNEL_TEACHING,
                                       kAnySignature);
    k.can_run = [](const gpuopt_problem *p, gpuopt_reject *r) {  // refuses A or B for its layout
      const int32_t operand = p->flags & GPUOPT_ALLOW_NONDETERMINISTIC ? 1 : 0;
      *r = {GPUOPT_REJECT_LAYOUT, operand, p->operand[operand].m.layout, 0, nullptr};
      return 0;
    };
    k.launch = [](const gpuopt_problem *, const gpuopt_launch *) { return static_cast<gpuopt_status>(GPUOPT_OK); };
    return k;
  }();
  REQUIRE(gpuopt_register_kernel(&no_rows) == GPUOPT_OK);
  const Handle h = cpu_handle();
  const auto text = [&](const Product &p) {
    Candidates seen;
    gpuopt_explain(h.get(), &p.args, nullptr, Candidates::add, &seen);
    const Candidate *c = seen.find("gemm_test_layouts");
    REQUIRE(c);
    return c->text;
  };
  const int64_t shapes[][3] = {{1, 40, 30}, {40, 1, 30}, {40, 30, 1}};
  for (const auto &shape : shapes)
    for (uint32_t flips = 0; flips < 32; ++flips)
      for (const uint32_t flag : {uint32_t{0}, uint32_t{GPUOPT_ALLOW_NONDETERMINISTIC}}) {
        const int64_t m = shape[0], n = shape[1], k = shape[2];
        Product p(m, n, k, flips);
        p.args.gemm.flags = flag;
        CAPTURE(m);
        CAPTURE(n);
        CAPTURE(flips);
        const gpuopt_gemm_args &g = p.args.gemm;
        const auto word = [](const gpuopt_matrix &x) { return std::string(gpuopt::layout_text(x.layout)); };
        // Which of the two is the kernel's first operand is normal form's affair.
        const std::string said = text(p);
        const bool of_a = contains(said, "a.layout");
        CHECK(said == "LAYOUT: " + std::string(of_a ? "a" : "b") + ".layout is " + word(of_a ? g.a : g.b) + "-major");
        const auto written = [](const gpuopt_matrix &x) {
          return std::to_string(x.rows) + "x" + std::to_string(x.cols) + ":bf16" +
                 (x.layout == GPUOPT_COL ? ":col" : "");
        };
        char logged[GPUOPT_CALL_TEXT_BYTES];
        size_t length = 0;
        REQUIRE(gpuopt_call_text(&p.args, nullptr, logged, sizeof logged, &length) == GPUOPT_OK);
        CHECK(std::string(logged) == std::string("gemm compute=f32") + (flag ? " flags=nondeterministic" : "") +
                                         " a=" + written(g.a) + " b=" + written(g.b) + " d=" + written(g.d));
      }
}
