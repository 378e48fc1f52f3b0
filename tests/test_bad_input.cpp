// Every kind of bad input: the status, and the message that names field, value and rule; nothing is written.
#include "support.h"

#include <cstdint>
#include <functional>
#include <limits>

using namespace gpuopt_test;

namespace {

template <class Args>
void expect(gpuopt_status (*call)(gpuopt_handle *, const Args *), gpuopt_handle *h, const Args &args, const char *text,
            gpuopt_status status = GPUOPT_INVALID_ARGUMENT) {
  CHECK(call(h, &args) == status);
  CHECK_MESSAGE(contains(gpuopt_last_error(), text), "got: ", last_error(), "\nwant: ", std::string(text));
}

// Applies one change to a valid gemm and expects the refusal.
void gemm_case(const char *text, const std::function<void(SmallGemm &)> &change) {
  const Handle h = cpu_handle();
  SmallGemm g;
  change(g);
  CAPTURE(text);
  expect(gpuopt_gemm, h.get(), g.args, text);
  CHECK(g.untouched());
}

}  // namespace

TEST_CASE("bad input: handle and args pointers") {
  const Handle h = cpu_handle();
  SmallGemm g;
  CHECK(gpuopt_gemm(nullptr, &g.args) == GPUOPT_INVALID_ARGUMENT);
  CHECK(std::string(gpuopt_last_error()) == "gpuopt_gemm: handle is NULL");
  CHECK(gpuopt_gemm(h.get(), nullptr) == GPUOPT_INVALID_ARGUMENT);
  CHECK(std::string(gpuopt_last_error()) == "gpuopt_gemm: args is NULL");
  CHECK(gpuopt_create(nullptr, nullptr) == GPUOPT_INVALID_ARGUMENT);
  CHECK(gpuopt_prepare(h.get(), nullptr) == GPUOPT_INVALID_ARGUMENT);
  CHECK(gpuopt_explain(h.get(), nullptr, nullptr, nullptr, nullptr) == GPUOPT_INVALID_ARGUMENT);
  CHECK(gpuopt_workspace_size(h.get(), &g.args, nullptr) == GPUOPT_INVALID_ARGUMENT);
  CHECK(gpuopt_last_kernel(nullptr, nullptr) == GPUOPT_INVALID_ARGUMENT);
  CHECK(gpuopt_malloc(h.get(), nullptr, 8) == GPUOPT_INVALID_ARGUMENT);
  CHECK(gpuopt_copy(h.get(), nullptr, &g, 8) == GPUOPT_INVALID_ARGUMENT);
  CHECK(contains(gpuopt_last_error(), "gpuopt_copy: dst is NULL and bytes=8"));
  CHECK(gpuopt_pretend_device("sm_91", nullptr) == GPUOPT_INVALID_ARGUMENT);
  gpuopt_device_facts facts = GPUOPT_DEVICE_FACTS_INIT;
  CHECK(gpuopt_pretend_device("sm_91", &facts) == GPUOPT_INVALID_ARGUMENT);
  CHECK(contains(gpuopt_last_error(), "'sm_91' is not one of none, sm_75, sm_80"));
  CHECK(gpuopt_pretend_device("", &facts) == GPUOPT_INVALID_ARGUMENT);
  CHECK(gpuopt_pretend_device("l40s", &facts) == GPUOPT_OK);
  CHECK(facts.cc == 89);
  gpuopt_destroy(nullptr);
}

TEST_CASE("bad input: struct_size, op and unknown fields") {
  gemm_case("args.struct_size=4 is smaller than any args struct", [](SmallGemm &g) { g.args.struct_size = 4; });
  gemm_case("args.struct_size=16 is smaller than", [](SmallGemm &g) { g.args.struct_size = 16; });
  gemm_case("args.op=2 is another operation's (start from GPUOPT_GEMM_ARGS_INIT)",
            [](SmallGemm &g) { g.args.op = GPUOPT_OP_TRANSPOSE; });
  gemm_case("args.op=77 is not a GPUOPT_OP_* value", [](SmallGemm &g) { g.args.op = 77; });

  const Handle h = cpu_handle();
  SmallGemm g;
  struct {
    gpuopt_gemm_args args;
    unsigned char tail[16];
  } longer = {g.args, {0}};
  longer.args.struct_size = sizeof longer;
  CHECK(gpuopt_gemm(h.get(), &longer.args) == GPUOPT_OK);
  longer.tail[9] = 1;
  CHECK(gpuopt_gemm(h.get(), &longer.args) == GPUOPT_INVALID_ARGUMENT);
  CHECK(contains(gpuopt_last_error(), "args uses fields newer than this library"));

  gpuopt_options o = GPUOPT_OPTIONS_INIT;
  o.struct_size = 8;
  gpuopt_handle *created = reinterpret_cast<gpuopt_handle *>(&o);
  CHECK(gpuopt_create(&created, &o) == GPUOPT_INVALID_ARGUMENT);
  CHECK(created == nullptr);
  CHECK(contains(gpuopt_last_error(), "options.struct_size=8 is smaller than"));
}

TEST_CASE("bad input: matrices") {
  constexpr int64_t huge = std::numeric_limits<int64_t>::max();
  gemm_case("gpuopt_gemm: a.dtype=0 is not a data type", [](SmallGemm &g) { g.args.a.dtype = 0; });
  gemm_case("a.dtype=99 is not a data type", [](SmallGemm &g) { g.args.a.dtype = 99; });
  gemm_case("b.layout=2 is not GPUOPT_ROW or GPUOPT_COL", [](SmallGemm &g) { g.args.b.layout = 2; });
  gemm_case("a.rows=-1 is negative", [](SmallGemm &g) { g.args.a.rows = -1; });
  gemm_case("d.cols=-5 is negative", [](SmallGemm &g) { g.args.d.cols = -5; });
  gemm_case("a.ld=3 < a.cols=4 (row-major", [](SmallGemm &g) { g.args.a.ld = 3; });
  gemm_case("b.ld=3 < b.rows=4 (column-major", [](SmallGemm &g) {
    g.args.b.layout = GPUOPT_COL;
    g.args.b.ld = 3;
  });
  gemm_case("a.ld=-4 <", [](SmallGemm &g) { g.args.a.ld = -4; });
  gemm_case("a.batch_stride=-2 is negative", [](SmallGemm &g) { g.args.a.batch_stride = -2; });
  gemm_case("does not fit 64-bit offsets", [](SmallGemm &g) { g.args.a.ld = huge; });
  gemm_case("does not fit 64-bit offsets", [](SmallGemm &g) {
    g.args.batch = 3;
    g.args.a.batch_stride = huge / 2;
  });
  gemm_case("a.data is NULL and the matrix is 3x4", [](SmallGemm &g) { g.args.a.data = nullptr; });
  gemm_case("is not aligned to one f32 element (4 bytes)",
            [](SmallGemm &g) { g.args.a.data = reinterpret_cast<char *>(g.a) + 2; });
  gemm_case("a.scales is not zero", [](SmallGemm &g) { g.args.a.scales.ld = 1; });
  gemm_case("a.scale is set and the type is f32", [](SmallGemm &g) { g.args.a.scale = g.c; });
  gemm_case("batch=-1 is negative", [](SmallGemm &g) { g.args.batch = -1; });
  gemm_case("d.batch_stride=0 with batch=2: an output cannot be shared", [](SmallGemm &g) {
    g.args.batch = 2;
    g.args.a.batch_stride = g.args.b.batch_stride = 0;
    g.args.d.batch_stride = 0;
  });
  gemm_case("d.batch_stride=7: the output's matrices overlap", [](SmallGemm &g) {
    g.args.batch = 2;
    g.args.a.batch_stride = g.args.b.batch_stride = 0;
    g.args.d.batch_stride = 7;
  });
}

TEST_CASE("bad input: gemm shapes, types and overlap") {
  gemm_case("a is 3x4 and b is 5x5: a.cols and b.rows must be equal", [](SmallGemm &g) { g.args.b.rows = 5; });
  gemm_case("d is 3x4 and a * b is 3x5 (a is 3x4, b is 4x5)", [](SmallGemm &g) { g.args.d.cols = 4; });
  gemm_case("beta is not 0 and c is not set", [](SmallGemm &g) { g.args.beta = 1; });
  gemm_case("beta is not 0 and c is not set",
            [](SmallGemm &g) { g.args.beta = std::numeric_limits<double>::quiet_NaN(); });
  gemm_case("c is 5x3 and d is 3x5", [](SmallGemm &g) {
    g.args.beta = 1;
    g.args.c = gpuopt_mat(g.c, 5, 3, GPUOPT_F32);
  });
  gemm_case("types a=f32 b=f32 c=not read d=f16 with compute=default are not a row of GPUOPT_GEMM_TABLE",
            [](SmallGemm &g) { g.args.d.dtype = GPUOPT_F16; });
  gemm_case("these inputs have: c=f32 d=f32 f32; c=f32 d=f32 tf32",
            [](SmallGemm &g) { g.args.compute = GPUOPT_COMPUTE_F64; });
  gemm_case("types a=f32 b=i8", [](SmallGemm &g) { g.args.b.dtype = GPUOPT_I8; });
  gemm_case("compute=88 is not a GPUOPT_COMPUTE_* value", [](SmallGemm &g) { g.args.compute = 88; });
  gemm_case("flags=0x80 has bits", [](SmallGemm &g) { g.args.flags = 0x80; });

  const Handle h = cpu_handle();
  SmallGemm g;
  g.args.d = gpuopt_mat(g.a, 3, 5, GPUOPT_F32);
  float before[12];
  std::memcpy(before, g.a, sizeof before);
  expect(gpuopt_gemm, h.get(), g.args, "overlaps a (3x4 at");
  CHECK(std::memcmp(before, g.a, sizeof before) == 0);
  g.reset();
  g.args.beta = 1;
  g.args.c = gpuopt_mat(g.d + 1, 3, 5, GPUOPT_F32);
  expect(gpuopt_gemm, h.get(), g.args, "overlaps c (3x5 at");
}

TEST_CASE("bad input: stages") {
  const auto stage_case = [](const char *text, const std::function<void(gpuopt_stage &, SmallGemm &)> &change) {
    gpuopt_stage s = gpuopt_act(GPUOPT_STAGE_RELU, 0, 0);
    gemm_case(text, [&](SmallGemm &g) {
      change(s, g);
      if (!g.args.stages) g.args.stages = &s;
      if (g.args.stage_count == 0) g.args.stage_count = 1;
    });
  };
  stage_case("stages[0].kind=0 is not a GPUOPT_STAGE_* value", [](gpuopt_stage &s, SmallGemm &) { s.kind = 0; });
  stage_case("stages[0].form=1; only ADD, SUB and MUL have a form", [](gpuopt_stage &s, SmallGemm &) { s.form = 1; });
  stage_case("stages[0].form=9; must be GPUOPT_SCALAR", [](gpuopt_stage &s, SmallGemm &) {
    s.kind = GPUOPT_STAGE_ADD;
    s.form = 9;
  });
  stage_case("stages[0].a is set and RELU does not use it",
             [](gpuopt_stage &s, SmallGemm &g) { s.a = gpuopt_mat(g.c, 3, 5, GPUOPT_F32); });
  stage_case("stages[0].a is 3x1 and must be 1x5 (one value per column)", [](gpuopt_stage &s, SmallGemm &g) {
    s = gpuopt_act_with(GPUOPT_STAGE_ADD, GPUOPT_PER_COL, gpuopt_mat(g.c, 3, 1, GPUOPT_F32));
  });
  stage_case("stages[0].a is 5x3 and must be 3x5", [](gpuopt_stage &s, SmallGemm &g) {
    s = gpuopt_act_with(GPUOPT_STAGE_MUL, GPUOPT_MATRIX, gpuopt_mat(g.c, 5, 3, GPUOPT_F32));
  });
  stage_case("stages[0].value[0]=0: the factor of ADD's operand must not be 0", [](gpuopt_stage &s, SmallGemm &g) {
    s = gpuopt_act_with(GPUOPT_STAGE_ADD, GPUOPT_MATRIX, gpuopt_mat(g.c, 3, 5, GPUOPT_F32));
    s.value[0] = 0;
  });
  stage_case("stages[0].a.dtype=i64", [](gpuopt_stage &s, SmallGemm &g) {
    s = gpuopt_act_with(GPUOPT_STAGE_ADD, GPUOPT_PER_ROW, gpuopt_mat(g.c, 3, 1, GPUOPT_I64));
  });
  stage_case("CLAMP from 2 to 1", [](gpuopt_stage &s, SmallGemm &) { s = gpuopt_act(GPUOPT_STAGE_CLAMP, 2, 1); });
  stage_case("stages[0].reserved is not zero", [](gpuopt_stage &s, SmallGemm &) { s.reserved[0] = 1; });
  stage_case("stage_count=9 is not within 0 and 8", [](gpuopt_stage &, SmallGemm &g) { g.args.stage_count = 9; });
  stage_case("stage_count=-1 is not within", [](gpuopt_stage &, SmallGemm &g) { g.args.stage_count = -1; });
  gemm_case("stages is NULL and stage_count=2", [](SmallGemm &g) { g.args.stage_count = 2; });
  stage_case("overlaps stages[0].a", [](gpuopt_stage &s, SmallGemm &g) {
    s = gpuopt_act_with(GPUOPT_STAGE_ADD, GPUOPT_MATRIX, gpuopt_mat(g.d, 3, 5, GPUOPT_F32));
  });
  stage_case("stages[0].a (3x4 at", [](gpuopt_stage &s, SmallGemm &g) {  // STORE over an input
    g.args.b.cols = g.args.d.cols = 4;
    s = gpuopt_act_with(GPUOPT_STAGE_STORE, 0, gpuopt_mat(g.a, 3, 4, GPUOPT_F32));
  });
}

TEST_CASE("bad input: transpose") {
  const Handle h = cpu_handle();
  float src[12] = {0}, dst[12];
  std::memset(dst, 0x7f, sizeof dst);
  const auto run = [&](const char *text, const std::function<void(gpuopt_transpose_args &)> &change) {
    gpuopt_transpose_args t = GPUOPT_TRANSPOSE_ARGS_INIT;
    t.src = gpuopt_mat(src, 3, 4, GPUOPT_F32);
    t.dst = gpuopt_mat(dst, 4, 3, GPUOPT_F32);
    change(t);
    expect(gpuopt_transpose, h.get(), t, text);
    unsigned char poison[sizeof dst];
    std::memset(poison, 0x7f, sizeof poison);
    CHECK(std::memcmp(poison, dst, sizeof dst) == 0);
  };
  run("src is 3x4 and dst is 3x4: dst must be 4x3",
      [&](gpuopt_transpose_args &t) { t.dst = gpuopt_mat(dst, 3, 4, GPUOPT_F32); });
  run("src.dtype=f32 and dst.dtype=i32 must be equal", [&](gpuopt_transpose_args &t) { t.dst.dtype = GPUOPT_I32; });
  run("dst (4x3 at", [&](gpuopt_transpose_args &t) { t.dst.data = src; });
  run("is not aligned to one b128 element (16 bytes)", [&](gpuopt_transpose_args &t) {
    t.src = gpuopt_mat(src + (reinterpret_cast<uintptr_t>(src) % 16 == 0 ? 1 : 0), 1, 1, GPUOPT_B128);
  });
}

TEST_CASE("bad input: reduce") {
  const Handle h = cpu_handle();
  float x[12] = {0}, out[12];
  int64_t index[4];
  std::memset(out, 0x7f, sizeof out);
  const auto run = [&](const char *text, const std::function<void(gpuopt_reduce_args &)> &change) {
    gpuopt_reduce_args r = GPUOPT_REDUCE_ARGS_INIT;
    r.x = gpuopt_mat(x, 3, 4, GPUOPT_F32);
    r.axis = GPUOPT_EACH_ROW;
    r.out = gpuopt_mat(out, 3, 1, GPUOPT_F32);
    change(r);
    expect(gpuopt_reduce, h.get(), r, text);
    unsigned char poison[sizeof out];
    std::memset(poison, 0x7f, sizeof poison);
    CHECK(std::memcmp(poison, out, sizeof out) == 0);
  };
  run("reduce=0 is not a GPUOPT_REDUCE_* value", [](gpuopt_reduce_args &r) { r.reduce = 0; });
  run("axis=0 is not GPUOPT_EACH_ROW", [](gpuopt_reduce_args &r) { r.axis = 0; });
  run("out is 3x1 and x is 3x4: out must be 1x4", [](gpuopt_reduce_args &r) { r.axis = GPUOPT_EACH_COL; });
  run("out.dtype=f32; ARGMAX of f32 gives i64", [](gpuopt_reduce_args &r) { r.reduce = GPUOPT_REDUCE_ARGMAX; });
  run("out.dtype=f32; SUM of i32 gives i64", [](gpuopt_reduce_args &r) { r.x.dtype = GPUOPT_I32; });
  run("y is set and reduce=SUM does not use it", [](gpuopt_reduce_args &r) { r.y = r.x; });
  run("value is set and reduce=SUM does not use it", [](gpuopt_reduce_args &r) { r.value = r.out; });
  run("y.dtype=0 is not a data type", [](gpuopt_reduce_args &r) { r.reduce = GPUOPT_REDUCE_DOT; });
  run("x is 3x0: MAX of no elements has no value", [](gpuopt_reduce_args &r) {
    r.reduce = GPUOPT_REDUCE_MAX;
    r.x.cols = 0;
  });
  run("value.dtype=f16 and x.dtype=f32 must be equal", [&](gpuopt_reduce_args &r) {
    r.reduce = GPUOPT_REDUCE_ARGMAX;
    r.out = gpuopt_mat(index, 3, 1, GPUOPT_I64);
    r.value = gpuopt_mat(out, 3, 1, GPUOPT_F16);
  });
  run("x.dtype=b128 has no arithmetic", [](gpuopt_reduce_args &r) { r.x = gpuopt_mat(nullptr, 3, 0, GPUOPT_B128); });
  run("out (3x1 at", [&](gpuopt_reduce_args &r) { r.out.data = x; });
}

TEST_CASE("bad input: fused_act") {
  const Handle h = cpu_handle();
  float x[12] = {0}, out[12];
  std::memset(out, 0x7f, sizeof out);
  const auto run = [&](const char *text, const std::function<void(gpuopt_fused_act_args &)> &change) {
    gpuopt_fused_act_args f = GPUOPT_FUSED_ACT_ARGS_INIT;
    f.x = gpuopt_mat(x, 3, 4, GPUOPT_F32);
    f.out = gpuopt_mat(out, 3, 4, GPUOPT_F32);
    change(f);
    expect(gpuopt_fused_act, h.get(), f, text);
  };
  run("x is 3x4 and out is 4x3: their shapes must be equal",
      [&](gpuopt_fused_act_args &f) { f.out = gpuopt_mat(out, 4, 3, GPUOPT_F32); });
  run("x.dtype=i64: fused_act takes any type but i64 and b128",
      [&](gpuopt_fused_act_args &f) { f.x = gpuopt_mat(nullptr, 0, 4, GPUOPT_I64); });
  run("reserved0 is not zero", [](gpuopt_fused_act_args &f) { f.reserved0 = 1; });
  run("only the very same elements may coincide",
      [&](gpuopt_fused_act_args &f) { f.out = gpuopt_mat_ld(x + 1, 3, 3, 4, GPUOPT_F32), f.x.cols = 3, f.x.ld = 4; });
}

TEST_CASE("legal neighbours of bad input: interleaved views, in place, empty") {
  const Handle h = cpu_handle();
  // Q and K side by side in one buffer.
  float buffer[4 * 10] = {0};
  for (int i = 0; i < 40; ++i) buffer[i] = static_cast<float>(i);
  gpuopt_fused_act_args f = GPUOPT_FUSED_ACT_ARGS_INIT;
  f.x = gpuopt_mat_ld(buffer, 4, 5, 10, GPUOPT_F32);
  f.out = gpuopt_mat_ld(buffer + 5, 4, 5, 10, GPUOPT_F32);
  CHECK_MESSAGE(gpuopt_fused_act(h.get(), &f) == GPUOPT_OK, last_error());
  CHECK(buffer[5] == 0);
  CHECK(buffer[19] == 14);
  // Batches of an output interleaved within its rows.
  gpuopt_transpose_args t = GPUOPT_TRANSPOSE_ARGS_INIT;
  float heads[2 * 2 * 3], out[12];
  for (int i = 0; i < 12; ++i) heads[i] = static_cast<float>(i);
  t.src = gpuopt_mat(heads, 2, 3, GPUOPT_F32);
  t.dst = gpuopt_mat_ld(out, 3, 2, 4, GPUOPT_F32);
  t.dst.batch_stride = 2;
  t.batch = 2;
  CHECK_MESSAGE(gpuopt_transpose(h.get(), &t) == GPUOPT_OK, last_error());
  CHECK(out[0] == 0);
  CHECK(out[1] == 3);
  CHECK(out[2] == 6);
  CHECK(out[3] == 9);
  // Empty problems do nothing and need no memory.
  SmallGemm g;
  g.args.a = gpuopt_mat(nullptr, 0, 4, GPUOPT_F32);
  g.args.d = gpuopt_mat(nullptr, 0, 5, GPUOPT_F32);
  CHECK(gpuopt_gemm(h.get(), &g.args) == GPUOPT_OK);
  g.reset();
  g.args.batch = 0;
  CHECK(gpuopt_gemm(h.get(), &g.args) == GPUOPT_OK);
  CHECK(g.untouched());
  g.reset();  // k = 0 gives beta * C
  g.args.a = gpuopt_mat(nullptr, 3, 0, GPUOPT_F32);
  g.args.b = gpuopt_mat(nullptr, 0, 5, GPUOPT_F32);
  g.args.beta = 2;
  g.args.c = gpuopt_mat(g.c, 3, 5, GPUOPT_F32);
  CHECK_MESSAGE(gpuopt_gemm(h.get(), &g.args) == GPUOPT_OK, last_error());
  CHECK(g.d[14] == 28);
  g.reset();  // beta = 0 never reads C
  g.args.c = gpuopt_mat(nullptr, 77, 1, GPUOPT_I8);
  CHECK_MESSAGE(gpuopt_gemm(h.get(), &g.args) == GPUOPT_OK, last_error());
  // The same elements as input and output.
  g.reset();
  g.args.beta = 1;
  std::memcpy(g.d, g.c, sizeof g.d);
  g.args.c = g.args.d;
  CHECK_MESSAGE(gpuopt_gemm(h.get(), &g.args) == GPUOPT_OK, last_error());
}
