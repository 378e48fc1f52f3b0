// Which kernel is chosen for 50 problems per op on every pretended device, against the golden files in tests/goldens/: a
// silent change of choice fails here. GPUOPT_TEST_UPDATE_GOLDENS=1 rewrites the files; review the difference.
#include "support.h"

#include <fstream>
#include <sstream>

#include "dispatch.h"

using namespace gpuopt_test;

namespace {

constexpr const char *kDevices[] = {"none", "sm_75", "sm_80", "sm_89", "sm_90", "sm_100", "sm_120"};

// A fixed, readable spread: sizes cycle through small, odd, skinny and large; types, layouts and epilogues likewise.
constexpr int64_t kSizes[][3] = {{64, 64, 64},       {128, 128, 128},    {512, 512, 512},   {1024, 1024, 1024},
                                 {4096, 4096, 4096}, {8192, 8192, 8192}, {1, 4096, 4096},   {16, 4096, 4096},
                                 {4097, 4099, 4101}, {37, 1001, 513},    {9477, 1152, 588}, {4096, 4096, 64},
                                 {256, 256, 16384}};

struct golden_case {
  gpuopt::any_args args;
  gpuopt_stage stages[2];
};

gpuopt_matrix shaped(int64_t rows, int64_t cols, int32_t dtype, bool column) {
  gpuopt_matrix m = gpuopt_mat(nullptr, rows, cols, dtype);
  m.layout = column ? GPUOPT_COL : GPUOPT_ROW;
  return m;
}

void make_gemm(int i, golden_case *c) {
  struct types {
    int32_t ab, d, compute;
  };
  static constexpr types kTypes[] = {
      {GPUOPT_F32, GPUOPT_F32, GPUOPT_COMPUTE_F32},       {GPUOPT_BF16, GPUOPT_BF16, GPUOPT_COMPUTE_F32},
      {GPUOPT_F16, GPUOPT_F32, GPUOPT_COMPUTE_F32},       {GPUOPT_F32, GPUOPT_F32, GPUOPT_COMPUTE_TF32},
      {GPUOPT_E4M3, GPUOPT_BF16, GPUOPT_COMPUTE_F32},     {GPUOPT_F64, GPUOPT_F64, GPUOPT_COMPUTE_F64},
      {GPUOPT_I8, GPUOPT_I32, GPUOPT_COMPUTE_I32},        {GPUOPT_F16, GPUOPT_F16, GPUOPT_COMPUTE_F16},
      {GPUOPT_F32, GPUOPT_F32, GPUOPT_COMPUTE_F32_TENSOR}};
  const auto &s = kSizes[i % 13];
  const types &t = kTypes[i % 9];
  c->args.gemm = GPUOPT_GEMM_ARGS_INIT;
  gpuopt_gemm_args &g = c->args.gemm;
  g.compute = t.compute;
  g.a = shaped(s[0], s[2], t.ab, i % 4 >= 2);
  g.b = shaped(s[2], s[1], t.ab, i % 2 == 1);
  g.d = shaped(s[0], s[1], t.d, i % 7 == 6);
  g.batch = i % 10 == 9 ? 4 : 1;
  if (i % 5 == 3) g.beta = 1, g.c = g.d;
  if (i % 5 == 4) {
    c->stages[0] = gpuopt_act_with(GPUOPT_STAGE_ADD, GPUOPT_PER_COL, shaped(1, s[1], t.d, false));
    c->stages[1] = gpuopt_act(i % 2 ? GPUOPT_STAGE_RELU : GPUOPT_STAGE_SILU, 0, 0);
    g.stages = c->stages;
    g.stage_count = 2;
  }
}

void make_transpose(int i, golden_case *c) {
  static constexpr int32_t kTypes[] = {GPUOPT_F32, GPUOPT_BF16, GPUOPT_I8, GPUOPT_F64, GPUOPT_B128};
  const auto &s = kSizes[i % 13];
  c->args.transpose = GPUOPT_TRANSPOSE_ARGS_INIT;
  c->args.transpose.src = shaped(s[0], s[1], kTypes[i % 5], i % 3 == 2);
  c->args.transpose.dst = shaped(s[1], s[0], kTypes[i % 5], i % 3 == 2 || i % 11 == 10);
  c->args.transpose.batch = i % 10 == 9 ? 4 : 1;
}

void make_reduce(int i, golden_case *c) {
  static constexpr int32_t kTypes[] = {GPUOPT_F32, GPUOPT_F16, GPUOPT_F64, GPUOPT_I32, GPUOPT_BF16};
  const auto &s = kSizes[i % 13];
  c->args.reduce = GPUOPT_REDUCE_ARGS_INIT;
  gpuopt_reduce_args &r = c->args.reduce;
  r.reduce = 1 + i % 11;
  r.axis = 1 + i % 3;
  r.x = shaped(s[0], s[1], kTypes[i % 5], i % 4 == 3);
  if (r.reduce == GPUOPT_REDUCE_DOT) r.y = r.x;
  const bool arg = r.reduce == GPUOPT_REDUCE_ARGMIN || r.reduce == GPUOPT_REDUCE_ARGMAX;
  const bool wide = r.reduce == GPUOPT_REDUCE_MEAN || r.reduce == GPUOPT_REDUCE_NRM2;
  const int32_t out = arg                           ? GPUOPT_I64
                      : kTypes[i % 5] == GPUOPT_I32 ? (wide ? GPUOPT_F64 : GPUOPT_I64)
                      : kTypes[i % 5] == GPUOPT_F64 ? GPUOPT_F64
                                                    : GPUOPT_F32;
  r.out = shaped(r.axis == GPUOPT_EACH_ROW ? s[0] : 1, r.axis == GPUOPT_EACH_COL ? s[1] : 1, out, false);
  r.batch = i % 10 == 9 ? 4 : 1;
}

void make_fused_act(int i, golden_case *c) {
  static constexpr int32_t kTypes[] = {GPUOPT_F32, GPUOPT_BF16, GPUOPT_F16, GPUOPT_F64, GPUOPT_E4M3};
  const auto &s = kSizes[i % 13];
  c->args.fused_act = GPUOPT_FUSED_ACT_ARGS_INIT;
  gpuopt_fused_act_args &f = c->args.fused_act;
  f.x = shaped(s[0], s[1], kTypes[i % 5], i % 6 == 5);
  f.out = shaped(s[0], s[1], kTypes[(i / 5) % 5], i % 4 == 3);
  c->stages[0] = i % 3 == 0 ? gpuopt_act_with(GPUOPT_STAGE_ADD, GPUOPT_PER_COL, shaped(1, s[1], GPUOPT_F32, false))
                 : i % 3 == 1
                     ? gpuopt_act_with(GPUOPT_STAGE_MUL, GPUOPT_MATRIX, shaped(s[0], s[1], kTypes[i % 5], false))
                     : gpuopt_act(GPUOPT_STAGE_CLAMP, -1, 1);
  c->stages[1] = gpuopt_act(1 + i % 16, 0.5, 1);
  f.stages = c->stages;
  f.stage_count = i % 8 == 7 ? 0 : 2;
  f.batch = i % 10 == 9 ? 4 : 1;
}

void make_norm(int i, golden_case *c) {
  static constexpr int32_t kTypes[] = {GPUOPT_F32, GPUOPT_BF16, GPUOPT_F16, GPUOPT_F64, GPUOPT_E4M3};
  const auto &s = kSizes[i % 13];
  c->args.norm = GPUOPT_NORM_ARGS_INIT;
  gpuopt_norm_args &n = c->args.norm;
  n.norm = 1 + i % 4;
  n.x = shaped(s[0], s[1], kTypes[i % 5], i % 11 == 10);
  n.out = shaped(s[0], s[1], kTypes[i % 5], i % 7 == 6);
  if (n.norm <= 2 && i % 3 == 0) n.gamma = n.beta = shaped(1, s[1], kTypes[i % 5], false);
  if (i % 4 == 1) n.residual = n.sum = n.x;
  if (i % 6 == 5) n.statistics = shaped(s[0], 2, i % 5 == 3 ? GPUOPT_F64 : GPUOPT_F32, false);
  if (i % 8 == 7) {
    c->stages[0] = gpuopt_act(GPUOPT_STAGE_MUL, 0.5, 0);
    n.stages = c->stages;
    n.stage_count = 1;
  }
  n.batch = i % 10 == 9 ? 4 : 1;
}

std::string choices(gpuopt_handle *h, const golden_case &c, int index) {
  gpuopt_problem p;
  gpuopt_explain_options o = GPUOPT_EXPLAIN_OPTIONS_INIT;
  gpuopt::build_options build{"golden", &o};
  REQUIRE_MESSAGE(gpuopt::build_problem(h, c.args, build, &p) == GPUOPT_OK, index, ": ", last_error());
  std::ostringstream line;
  line << index << ' ' << gpuopt::find_op(p.op)->describe(p);
  for (const char *device : kDevices) {
    const gpuopt_device_facts facts = pretend(device);
    o.pretend = &facts;
    candidates seen;
    const gpuopt_status status = gpuopt_explain(h, &c.args, &o, candidates::add, &seen);
    line << " | " << device << ' ' << (status == GPUOPT_OK ? seen.all.at(0).kernel : gpuopt_status_name(status));
  }
  return line.str();
}

void check_goldens(const char *op, void (*make)(int, golden_case *)) {
  const handle h = cpu_handle();
  const std::string path =
      std::string(GPUOPT_TEST_SOURCE_DIR) + "/goldens/" + op + (GPUOPT_TEST_HAVE_CUDA ? "_cuda.txt" : "_cpu.txt");
  std::vector<std::string> lines;
  for (int i = 0; i < 50; ++i) {
    golden_case c = {};
    make(i, &c);
    lines.push_back(choices(h.get(), c, i));
  }
  if (std::getenv("GPUOPT_TEST_UPDATE_GOLDENS")) {
    std::ofstream out(path);
    for (const std::string &line : lines) out << line << '\n';
    MESSAGE("rewrote ", path);
    return;
  }
  std::ifstream in(path);
  REQUIRE_MESSAGE(in, "no golden file ", path);
  std::string want;
  for (const std::string &line : lines) {
    REQUIRE(std::getline(in, want));
    CHECK(line == want);
  }
  CHECK(!std::getline(in, want));
}

}  // namespace

TEST_CASE("goldens: gemm choices on pretended devices") { check_goldens("gemm", make_gemm); }
TEST_CASE("goldens: transpose choices on pretended devices") { check_goldens("transpose", make_transpose); }
TEST_CASE("goldens: reduce choices on pretended devices") { check_goldens("reduce", make_reduce); }
TEST_CASE("goldens: fused_act choices on pretended devices") { check_goldens("fused_act", make_fused_act); }
TEST_CASE("goldens: norm choices on pretended devices") { check_goldens("norm", make_norm); }
