// Messages speak of what the caller wrote: his fields, his shapes, his order, whatever the normal form is.
#include "support.h"

using namespace gpuopt_test;

namespace {

gpuopt_status launch_nothing(const gpuopt_problem *, const gpuopt_launch *) { return GPUOPT_OK; }

// A kernel of any types on the CPU that only a force can choose. Descriptors live forever.
gpuopt_kernel *kernel(const char *name, int32_t op) {
  static constexpr gpuopt_signature any[] = {{{GPUOPT_ANY, GPUOPT_ANY, GPUOPT_ANY, GPUOPT_ANY}, GPUOPT_ANY}};
  auto *k = new gpuopt_kernel();
  k->struct_size = sizeof *k;
  k->name = name;
  k->summary = "of a test";
  k->op = op;
  k->flags = GPUOPT_KERNEL_HOST;
  k->understands = ~0u;
  k->stage_kinds = ~0ull;
  k->max_stages = GPUOPT_MAX_STAGES;
  k->variants = ~0u;
  k->axes = ~0u;
  k->signatures = any;
  k->signature_count = 1;
  k->launch = launch_nothing;
  return k;
}

void add(const gpuopt_kernel *k) { REQUIRE_MESSAGE(gpuopt_register_kernel(k) == GPUOPT_OK, last_error()); }

// Why the forced kernel cannot run the call.
template <class Args>
std::string reason(const Handle &h, const std::string &name, const Args &args) {
  REQUIRE(gpuopt_set_kernel(h.get(), name.c_str()) == GPUOPT_OK);
  Candidates all;
  const gpuopt_explain_options o = GPUOPT_EXPLAIN_OPTIONS_INIT;
  gpuopt_explain(h.get(), &args, &o, Candidates::add, &all);
  const Candidate *found = all.find(name);
  return found ? found->text : "not asked: " + last_error();
}

}  // namespace

TEST_CASE("messages: an overlap gives the shapes as the caller wrote them") {
  const Handle h = cpu_handle();
  static float memory[4096];
  gpuopt_stage add_row = gpuopt_act_with(GPUOPT_STAGE_ADD, GPUOPT_PER_COL, gpuopt_mat(memory + 8, 1, 304, GPUOPT_F32));
  gpuopt_fused_act_args f = GPUOPT_FUSED_ACT_ARGS_INIT;
  f.x = gpuopt_mat(memory + 2048, 4, 304, GPUOPT_F32);
  f.out = gpuopt_mat(memory, 4, 304, GPUOPT_F32);
  f.stages = &add_row;
  f.stage_count = 1;
  CHECK(gpuopt_fused_act(h.get(), &f) == GPUOPT_INVALID_ARGUMENT);
  CHECK_MESSAGE(contains(gpuopt_last_error(), "gpuopt_fused_act: out (4x304 at "), last_error());
  CHECK_MESSAGE(contains(gpuopt_last_error(), "overlaps stages[0].a (1x304 at "), last_error());
  add_row =
      gpuopt_act_outer(1, gpuopt_mat(memory + 3000, 4, 1, GPUOPT_F32), gpuopt_mat(memory + 8, 1, 304, GPUOPT_F32));
  CHECK(gpuopt_fused_act(h.get(), &f) == GPUOPT_INVALID_ARGUMENT);
  CHECK_MESSAGE(contains(gpuopt_last_error(), "overlaps stages[0].b (1x304 at "), last_error());

  gpuopt_reduce_args r = GPUOPT_REDUCE_ARGS_INIT;
  r.reduce = GPUOPT_REDUCE_SUM;
  r.axis = GPUOPT_EACH_COL;
  r.x = gpuopt_mat(memory, 4, 304, GPUOPT_F32);
  r.out = gpuopt_mat(memory, 1, 304, GPUOPT_F32);
  CHECK(gpuopt_reduce(h.get(), &r) == GPUOPT_INVALID_ARGUMENT);
  CHECK_MESSAGE(contains(gpuopt_last_error(), "gpuopt_reduce: out (1x304 at "), last_error());

  gpuopt_norm_args n = GPUOPT_NORM_ARGS_INIT;
  n.x = gpuopt_mat(memory + 2048, 4, 304, GPUOPT_F32);
  n.out = gpuopt_mat(memory, 4, 304, GPUOPT_F32);
  n.gamma = gpuopt_mat(memory, 1, 304, GPUOPT_F32);
  CHECK(gpuopt_norm(h.get(), &n) == GPUOPT_INVALID_ARGUMENT);
  CHECK_MESSAGE(contains(gpuopt_last_error(), "overlaps gamma (1x304 at "), last_error());

  SmallGemm g;
  gpuopt_stage bias = gpuopt_act_with(GPUOPT_STAGE_ADD, GPUOPT_PER_COL, gpuopt_mat(g.d, 1, 5, GPUOPT_F32));
  g.args.stages = &bias;
  g.args.stage_count = 1;
  CHECK(gpuopt_gemm(h.get(), &g.args) == GPUOPT_INVALID_ARGUMENT);
  CHECK_MESSAGE(contains(gpuopt_last_error(), "gpuopt_gemm: d (3x5 at "), last_error());
  CHECK_MESSAGE(contains(gpuopt_last_error(), "overlaps stages[0].a (1x5 at "), last_error());
}

TEST_CASE("messages: a reject names extents as the caller wrote them") {
  const Handle h = cpu_handle();
  auto *columns = kernel("reduce_test_of_eight", GPUOPT_OP_REDUCE);
  columns->multiple[1] = 8;
  add(columns);
  auto *limited = kernel("transpose_test_small", GPUOPT_OP_TRANSPOSE);
  limited->can_run = [](const gpuopt_problem *p, gpuopt_reject *r) -> int {
    return *r = {GPUOPT_REJECT_SIZE_LIMIT, -1, p->m, 1, "rows of a transposed matrix"}, 0;
  };
  add(limited);
  auto *product = kernel("gemm_test_fp8_n", GPUOPT_OP_GEMM);
  product->can_run = [](const gpuopt_problem *p, gpuopt_reject *r) -> int {
    return *r = {GPUOPT_REJECT_DIM_MULTIPLE, -1, p->k, 16, "fp8: k"}, 0;
  };
  add(product);

  float x[64] = {}, y[64] = {};
  gpuopt_reduce_args r = GPUOPT_REDUCE_ARGS_INIT;
  r.reduce = GPUOPT_REDUCE_SUM;
  r.axis = GPUOPT_EACH_ROW;
  r.x = gpuopt_mat(x, 3, 5, GPUOPT_F32);
  r.out = gpuopt_mat(y, 3, 1, GPUOPT_F32);
  CHECK(reason(h, "reduce_test_of_eight", r) == "DIM_MULTIPLE: x.cols=5 is not a multiple of 8");
  r.x.layout = GPUOPT_COL;
  CHECK(reason(h, "reduce_test_of_eight", r) == "DIM_MULTIPLE: x.rows=3 is not a multiple of 8");
  gpuopt_transpose_args t = GPUOPT_TRANSPOSE_ARGS_INIT;
  t.src = gpuopt_mat(x, 3, 5, GPUOPT_F32);
  t.dst = gpuopt_mat(y, 5, 3, GPUOPT_F32);
  CHECK(reason(h, "transpose_test_small", t) == "SIZE_LIMIT: rows of a transposed matrix is 3, the limit is 1");
  t.src.layout = t.dst.layout = GPUOPT_COL;
  CHECK(reason(h, "transpose_test_small", t) == "SIZE_LIMIT: columns of a transposed matrix is 5, the limit is 1");
  SmallGemm g;
  g.args.d.layout = GPUOPT_COL;
  CHECK(reason(h, "gemm_test_fp8_n", g.args) == "DIM_MULTIPLE: fp8: k=4 is not a multiple of 16");
}

TEST_CASE("messages: a reject of one of two steps speaks of the call") {
  const Handle h = cpu_handle();
  auto *plain = kernel("gemm_test_no_stages", GPUOPT_OP_GEMM);
  plain->stage_kinds = 0;
  plain->max_stages = 0;
  add(plain);
  auto *picky = kernel("fused_act_test_picky", GPUOPT_OP_FUSED_ACT);
  add(picky);
  const std::string both = "gemm_test_no_stages+fused_act_test_picky";
  SmallGemm g;
  gpuopt_stage stages[2] = {gpuopt_act(GPUOPT_STAGE_RELU, 0, 0), gpuopt_act(GPUOPT_STAGE_TANH, 0, 0)};
  g.args.stages = stages;
  g.args.stage_count = 2;
  picky->align[GPUOPT_OPERAND_OUT] = 256;
  alignas(256) static float aligned[64];
  g.args.d.data = aligned + 1;
  g.args.d.rows = g.args.a.rows = 2;
  CHECK(reason(h, both, g.args) == "ALIGN: d.data is aligned to 4 bytes, needs 256");
  picky->align[GPUOPT_OPERAND_OUT] = 0;
  picky->ld_align[GPUOPT_OPERAND_X] = 16;
  CHECK(reason(h, both, g.args) == "LD_MULTIPLE: intermediate.ld is a multiple of 4 bytes, needs 16");
  picky->ld_align[GPUOPT_OPERAND_X] = 0;
  static constexpr gpuopt_signature f64[] = {{{GPUOPT_F64, GPUOPT_ANY, GPUOPT_F64, GPUOPT_ANY}, GPUOPT_ANY}};
  picky->signatures = f64;
  CHECK(reason(h, both, g.args) == "DTYPE: no code for intermediate=f32 d=f32");
  static constexpr gpuopt_signature any[] = {{{GPUOPT_ANY, GPUOPT_ANY, GPUOPT_ANY, GPUOPT_ANY}, GPUOPT_ANY}};
  picky->signatures = any;
  // beta * C of another type becomes the second step's first stage: the caller's stages keep their numbers.
  picky->stage_kinds = 1ull << GPUOPT_STAGE_ADD | 1ull << GPUOPT_STAGE_RELU;
  uint16_t half[40] = {};
  g.args.a = gpuopt_mat(half, 3, 4, GPUOPT_BF16);
  g.args.b = gpuopt_mat(half, 4, 5, GPUOPT_BF16);
  g.args.c = gpuopt_mat(half, 3, 5, GPUOPT_BF16);
  g.args.d = gpuopt_mat(half + 20, 3, 5, GPUOPT_BF16);
  g.args.beta = 1;
  CHECK(reason(h, both, g.args) == "STAGE: stages[1]: TANH is not understood");
  picky->stage_kinds = 1ull << GPUOPT_STAGE_RELU;
  CHECK(reason(h, both, g.args) == "STAGE: beta * c: ADD is not understood");
}
