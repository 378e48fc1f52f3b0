// A call as one line of text: the library writes it, gpuopt_call reads it, and what is read is the call that was written.
#include "support.h"

#include <cmath>
#include <limits>
#include <set>

#include "gpuopt_call/place.h"
#include "gpuopt_call/text.h"
#include "gpuopt_call/work.h"
#include "session.h"
#include "spec.h"

using namespace gpuopt_test;
using namespace gpuopt_call;

namespace {

std::string text_of_args(const void *args, const gpuopt_explain_options *options = nullptr) {
  char text[GPUOPT_CALL_TEXT_BYTES];
  size_t length = 0;
  REQUIRE_MESSAGE(gpuopt_call_text(args, options, text, sizeof text, &length) == GPUOPT_OK, last_error());
  CHECK(std::strlen(text) == length);
  return text;
}

std::string refusal(const std::string &text) {
  try {
    read_call(text);
  } catch (const BadCallText &bad) {
    return bad.what();
  }
  return "it reads";
}

// What explain says of a call, in a form that compares.
std::string explained(gpuopt_handle *handle, const void *args, const gpuopt_explain_options &options) {
  std::string all;
  const auto add = [](void *user, const gpuopt_candidate *c) {
    char line[256];
    std::snprintf(line, sizeof line, "%s %d %d %d %d %lld %lld %.17g %zu\n", c->kernel, c->verdict, c->how, c->reject,
                  c->operand, static_cast<long long>(c->have), static_cast<long long>(c->need), c->predicted_us,
                  c->workspace_bytes);
    static_cast<std::string *>(user)->append(line);
  };
  const gpuopt_status s = gpuopt_explain(handle, args, &options, add, &all);
  return std::string(gpuopt_status_name(s)) + (s == GPUOPT_INVALID_ARGUMENT ? gpuopt_last_error() : "") + "\n" + all;
}

uintptr_t address(const gpuopt_matrix &m) { return reinterpret_cast<uintptr_t>(m.data); }

void *at(uintptr_t bytes) { return reinterpret_cast<void *>(bytes); }

}  // namespace

TEST_CASE("call text: a text is the text of the call that it reads as") {
  for (const char *text :
       {"gemm compute=f32 alpha=0.5 beta=1 batch=3 a=100x64:bf16 b=64x36:bf16:col:ld=72:bs=0 d=100x36:bf16 "
        "c=100x36:bf16:at=d stage=ADD:per_col:1 sa=1x36:f32:by=4 stage=CLAMP:0:6",
        "gemm compute=f8_fast flags=batch_invariant a=8x16:e4m3:scale b=16x8:e5m2:scale d=8x8:bf16",
        "gemm compute=f32 a=200x300:e4m3:scale=1x128:scale_col b=300x16:e5m2:scale=128x128:scale_ld=9 d=200x16:bf16",
        "gemm compute=i32 alpha=pointer beta=pointer a=3x4:i8 b=4x5:i8:col d=3x5:f32:col c=3x5:f32",
        "gemm_grouped compute=f32 alpha=pointer beta=pointer groups=3 host_offsets a=7x4:f16 b=4x5:f16:bs=0 d=7x5:f32 "
        "c=7x5:f32",
        "gemm compute=f32 flags=nondeterministic+intermediate_rounding space=host captured a=1x0:f32 b=0x1:f32 "
        "d=1x1:f32",
        "gemm compute=f32 a=4x4:f32 b=4x4:f32:at=a d=4x4:f32", "transpose src=64x64:f32 dst=64x64:f32:at=src",
        "transpose batch=7 src=3x5:b128:ld=9 dst=5x3:b128:col", "transpose batch=0 src=3x5:f32 dst=5x3:f32",
        "transpose space=device src=0x5:f32 dst=5x0:f32",
        "reduce reduce=ARGMAX axis=row flags=batch_invariant x=7x9:i8:by=1 out=7x1:i64 value=7x1:i8",
        "reduce reduce=DOT axis=all x=7x9:f64 y=7x9:f64:col out=1x1:f64",
        "fused_act x=5x6:f16:by=2 out=5x6:f32 stage=GELU stage=ADD_OUTER:0.5 sa=5x1:f16 sb=1x6:f16 stage=STORE "
        "sa=5x6:f32",
        "fused_act x=5x6:f32 out=5x6:f32 stage=ADD:-0 stage=MUL:inf stage=LEAKY_RELU:nan stage=SUB:0.1",
        "fused_act x=64x64:bf16:ld=192 out=64x64:bf16 stage=MUL:matrix:1 sa=64x64:bf16:ld=192:at=x+128 "
        "stage=ADD:matrix:2 sa=64x64:bf16:ld=192:at=x+256",
        "fused_act x=64x64:bf16:ld=192:by=66 out=64x64:bf16:ld=192:at=x-128",
        "norm norm=RMSNORM eps=1e-06 x=4x512:f32 residual=4x512:f32 out=4x512:f32:at=x sum=4x512:f32 "
        "gamma=1x512:f32",
        "norm norm=LAYERNORM x=4x8:f32 out=4x8:f32 gamma=1x8:f16 beta=1x8:bf16:by=2 statistics=4x2:f32"}) {
    CAPTURE(std::string(text));
    Call call = read_call(text);
    CHECK(text_of(call) == text);
    CHECK(text_of(read_call(text_of(call))) == text);
  }
}

TEST_CASE("call text: every spelling of a call has one text") {
  for (const auto &spelling : std::initializer_list<std::pair<const char *, const char *>>{
           {"  transpose  src=3x5:f32  dst=5x3:f32 ", "transpose src=3x5:f32 dst=5x3:f32"},
           {"transpose dst=5x3:f32:ld=3 src=3x5:F32:ld=5 batch=1", "transpose src=3x5:f32 dst=5x3:f32"},
           {"gemm a=2x2:f32 b=2x2:f32 d=2x2:f32", "gemm compute=f32 a=2x2:f32 b=2x2:f32 d=2x2:f32"},
           {"gemm beta=0 a=2x2:f32 b=2x2:f32 c=2x2:f32 d=2x2:f32", "gemm compute=f32 a=2x2:f32 b=2x2:f32 d=2x2:f32"},
           {"gemm alpha=1.0 compute=TF32 a=2x2:f32 b=2x2:f32 d=2x2:f32",
            "gemm compute=tf32 a=2x2:f32 b=2x2:f32 d=2x2:f32"},
           {"reduce flags=4 x=2x2:f32 out=1x1:f32",
            "reduce reduce=SUM axis=all flags=batch_invariant x=2x2:f32 out=1x1:f32"},
           {"transpose batch=2 src=3x5:f32:bs=15 dst=5x3:f32:bs=15", "transpose batch=2 src=3x5:f32 dst=5x3:f32"},
           {"transpose src=3x5:f32:bs=99 dst=5x3:f32", "transpose src=3x5:f32 dst=5x3:f32"},
           {"fused_act x=2x2:f32:by=12 out=2x2:f32 stage=relu", "fused_act x=2x2:f32:by=4 out=2x2:f32 stage=RELU"},
           {"norm norm=softmax eps=3 x=2x2:f32 out=2x2:f32", "norm norm=SOFTMAX x=2x2:f32 out=2x2:f32"},
           {"fused_act x=4x4:f32 out=4x4:f32:at=x+4096", "fused_act x=4x4:f32 out=4x4:f32"}}) {
    CAPTURE(std::string(spelling.first));
    CHECK(text_of(read_call(spelling.first)) == spelling.second);
  }
}

TEST_CASE("call text: operands far larger than what addresses a process has do not reach its scales and factors") {
  // D spans 2^50 bytes from where operands begin, past every address that a process has.
  const std::string product = "batch=1099511627776 a=17x0:e5m2:col:scale b=0x31:e4m3:scale d=17x31:f16:col";
  for (const std::string &text :
       {"gemm compute=f32 " + product, "gemm compute=f32 alpha=pointer beta=pointer " + product + " c=17x31:f16:col"}) {
    CAPTURE(text);
    Call call = read_call(text);
    CHECK(text_of(call) == text);
    CHECK(address(call.gemm.d) + (uintptr_t{1} << 50) < reinterpret_cast<uintptr_t>(call.gemm.a.scale));
    CHECK(call.gemm.a.scale != call.gemm.b.scale);
  }
}

TEST_CASE("call text: products of a list that addresses hold one by one only have no places") {
  const std::string text =
      "gemm_grouped compute=f32 alpha=pointer groups=2 host_list=0x0x4611686018427387903+1x1x4611686018427387903 "
      "a=1x4611686018427387903:e4m3:col:scale:by=1 b=4611686018427387903x1:e4m3:col d=1x1:f16:col";
  Call call = read_call(text);
  CHECK(call.gemm_grouped.d.data == nullptr);
  CHECK(text_of(call) == text);
}

TEST_CASE("call text: bad text is refused with the word, where it stands and the rule") {
  const std::pair<const char *, const char *> kBad[] = {
      {"", "it is empty"},
      {"gem a=1x1:f32", "word 1 (column 1) 'gem': the operation 'gem' must be one of: gemm, transpose, reduce"},
      {"gemm a", "word 2 (column 6) 'a': a word is NAME=VALUE, or captured"},
      {"gemm  a=1x1", "word 2 (column 7) 'a=1x1': a matrix is written as ROWSxCOLS:TYPE"},
      {"gemm a=1x4611686018427387903:f16 b=4611686018427387903x1:f16 d=1x1:f16",
       "the operands together do not fit 64 bits of addresses"},
      {"gemm a=1x1:f33", "the type 'f33' must be one of: f32, f64, f16"},
      {"gemm a=1x1:f32:ld=", "ld '' must be an integer within 1 and 9223372036854775807"},
      {"gemm a=1x1:f32:ld=0", "ld '0' must be an integer within 1"},
      {"gemm a=1x1:f32:row",
       "'row' must be one of: col, ld=N, bs=N, scale, scale=BLOCK, scale_col, scale_ld=N, by=N, at=OPERAND"},
      {"gemm a=1x1:f32:", "'' must be one of: col"},
      {"gemm a=1x1:e4m3:scale=2x2", "the block of a scale '2x2' must be one of: 1x128, 128x1, 128x128"},
      {"gemm a=1x1:e4m3:scale:scale_col", "'scale_col' says how scales of blocks lie"},
      {"gemm a=1x1:f32:col:col", "'col' is said twice"},
      {"gemm a=1x1:f32:by=256", "by '256' must be an integer within 1 and 255"},
      {"gemm a=-1x1:f32", "the rows '-1' must be an integer within 0"},
      {"gemm a=1x9223372036854775808:f32", "the columns '9223372036854775808' must be"},
      {"gemm a=1x1:f32 a=1x1:f32", "word 3 (column 16) 'a=1x1:f32': 'a' is said twice"},
      {"gemm x=1x1:f32", "'x' is no part of gemm"},
      {"gemm stages[0].a=1x1:f32", "'stages[0].a' is no part of gemm"},
      {"gemm sa=1x1:f32", "'sa' stands behind the stage that it belongs to"},
      {"gemm stage=RELUX", "the stage 'RELUX' must be one of: RELU"},
      {"gemm stage=CLAMP:1", "CLAMP takes 2 numbers"},
      {"gemm stage=RELU:1", "RELU takes 0 numbers"},
      {"gemm stage=RELU:", "RELU takes 0 numbers"},
      {"gemm stage=ADD:per_row", "ADD takes 1 number behind its form"},
      {"gemm stage=ADD:2x", "the number '2x' must be a number within the range of a double"},
      {"gemm stage=ADD:1e999", "the number '1e999' must be a number"},
      {"transpose stage=RELU", "transpose has no stages"},
      {"gemm stage=ABS stage=ABS stage=ABS stage=ABS stage=ABS stage=ABS stage=ABS stage=ABS stage=ABS",
       "word 10 (column 86) 'stage=ABS': a call has at most 8 stages"},
      {"transpose src=1x1:f32 dst=1x1:f32:at=x", "no operand 'x' stands before it"},
      {"transpose src=1x1:f32:at=dst dst=1x1:f32", "no operand 'dst' stands before it"},
      {"transpose src=1x1:f32 dst=1x1:f32:at=src+x", "the distance 'x' must be an integer"},
      {"transpose src=1x1:f32 dst=1x1:f32:by=4:at=src", "'by' and 'at' both say where it lies"},
      {"gemm batch=two", "batch 'two' must be an integer within 0"},
      {"gemm flags=fast", "the flag 'fast' must be one of: nondeterministic, intermediate_rounding, batch_invariant"},
      {"gemm alpha=", "alpha '' must be a number"},
      {"gemm space=moon", "space 'moon' must be one of: device, host"},
      {"gemm captured captured", "'captured' is said twice"},
      {"gemm a=1x1:f32\n", "the type 'f32?' must be one of"},
      // Every word is right, and the call is not: the library's own words.
      {"gemm a=1x1:f32", "gpuopt_call_text: b.dtype=0 is not a data type"},
      {"transpose src=3x5:f32 dst=3x5:f32", "dst must be 5x3"},
      {"transpose src=3x5:f32:ld=4 dst=5x3:f32", "src.ld=4 < src.cols=5"},
      {"transpose src=4x4:f32 dst=4x4:f32:at=src+4", "overlaps"},
      {"transpose src=2x2:f32:by=1 dst=2x2:f32", "is not aligned to one f32 element"},
      {"transpose src=4611686018427387904x4:f32 dst=4x4611686018427387904:f32", "64-bit offsets"},
      {"norm norm=SOFTMAX flags=batch_invariant x=1x1:f32 out=1x1:f32", "this operation does not promise"},
      {"reduce x=3000000000000000000x1:i8 y=3000000000000000000x1:i8 reduce=DOT axis=row "
       "out=3000000000000000000x1:i64",
       "64-bit offsets"},
  };
  for (const auto &bad : kBad) {
    const std::string said = refusal(bad.first);
    CHECK_MESSAGE(contains(said, bad.second), "'", std::string(bad.first), "' gives: ", said);
  }
  const std::string escape = refusal("gemm \x1b[2J\xff=1 ");
  CHECK_MESSAGE(contains(escape, "'?[2J?=1': '?[2J?' is no part of gemm"), escape);
  CHECK(refusal("gemm " + std::string(100000, 'a')).size() < 300);
}

TEST_CASE("call text: random calls read back exactly and explain to the same verdicts, on every device") {
  gpuopt_check::Session session(cpu_handle().release());
  const Handle owned(session.handle());
  std::vector<gpuopt_device_facts> devices = {pretend("none"), pretend("sm_80"), pretend("sm_90")};
  alignas(256) static char memory[256];
  std::set<std::string> texts;
  for (int32_t op = GPUOPT_OP_GEMM; op < GPUOPT_OP_COUNT_; ++op)
    for (int64_t i = 0; i < 300; ++i) {
      gpuopt_check::Rng rng(static_cast<uint64_t>(i * 8 + op));
      const gpuopt_check::Spec spec =
          gpuopt_check::random_spec(gpuopt_check::needs_of_op(op), rng, gpuopt_check::Size::small);
      const gpuopt_check::Problem problem = gpuopt_check::build_problem(spec, 1, false);
      const gpuopt_check::Args args(problem, memory);  // nothing is read or written: the image need not be there
      gpuopt_explain_options o = GPUOPT_EXPLAIN_OPTIONS_INIT;
      o.capturing = i % 3 == 0;
      o.space = static_cast<int32_t>(i % 4 < 3 ? i % 3 : 0);
      const std::string text = text_of_args(args.get(), &o);
      CAPTURE(text);
      texts.insert(text);
      Call call = read_call(text);
      REQUIRE(text_of(call) == text);
      CHECK(text_of(call_of(call.args())) == text_of_args(args.get()));
      for (const gpuopt_device_facts &device : devices) {
        o.pretend = &device;
        o.any_build = 1;
        gpuopt_explain_options again = call.assumptions(device);
        CHECK(again.capturing == o.capturing);
        CHECK((again.space == o.space || o.space == GPUOPT_SPACE_QUERY));
        again.pretend = &device;
        again.any_build = 1;
        REQUIRE(explained(owned.get(), args.get(), o) == explained(owned.get(), call.args(), again));
      }
    }
  CHECK(texts.size() > 1400);
}

TEST_CASE("call text: operands that share memory keep their distances and alignments") {
  // Q, K and V of one buffer that is aligned to 16 bytes.
  gpuopt_fused_act_args f = GPUOPT_FUSED_ACT_ARGS_INIT;
  const uintptr_t buffer = 0x10000 + 48;
  f.x = gpuopt_mat_ld(at(buffer + 16), 8, 8, 24, GPUOPT_BF16);
  f.out = gpuopt_mat_ld(at(buffer), 8, 8, 24, GPUOPT_BF16);
  gpuopt_stage stage =
      gpuopt_act_with(GPUOPT_STAGE_MUL, GPUOPT_MATRIX, gpuopt_mat_ld(at(buffer + 32), 8, 8, 24, GPUOPT_BF16));
  f.stages = &stage;
  f.stage_count = 1;
  const std::string text = text_of_args(&f);
  CHECK(text ==
        "fused_act x=8x8:bf16:ld=24:by=64 out=8x8:bf16:ld=24:at=x-16 stage=MUL:matrix:1 sa=8x8:bf16:ld=24:at=x+16");
  Call call = read_call(text);
  CHECK(address(call.fused_act.x) % 256 == 64);
  CHECK(address(call.fused_act.x) - address(call.fused_act.out) == 16);
  CHECK(address(call.stages[0].a) - address(call.fused_act.x) == 16);
  // Two that share nothing, but for a third that spans both.
  gpuopt_gemm_args g = GPUOPT_GEMM_ARGS_INIT;
  g.a = gpuopt_mat(at(0x20000), 4, 4, GPUOPT_F32);
  g.b = gpuopt_mat(at(0x20100), 4, 4, GPUOPT_F32);
  g.d = gpuopt_mat(at(0x30000), 4, 4, GPUOPT_F32);
  g.c = gpuopt_mat_ld(at(0x20010), 4, 4, 24, GPUOPT_F32);
  g.beta = 1;
  CHECK(text_of_args(&g) == "gemm compute=f32 beta=1 a=4x4:f32 b=4x4:f32:at=a+256 d=4x4:f32 c=4x4:f32:ld=24:at=a+16");
  // Side by side is apart.
  g.beta = 0;
  g.b = gpuopt_mat(at(0x20040), 4, 4, GPUOPT_F32);
  CHECK(text_of_args(&g) == "gemm compute=f32 a=4x4:f32 b=4x4:f32:by=64 d=4x4:f32");
}

TEST_CASE("call text: it speaks of what explain is told beside the args") {
  gpuopt_transpose_args t = GPUOPT_TRANSPOSE_ARGS_INIT;
  t.src = gpuopt_mat(nullptr, 3, 5, GPUOPT_F32);
  t.dst = gpuopt_mat(nullptr, 5, 3, GPUOPT_F32);
  CHECK(text_of_args(&t) == "transpose src=3x5:f32 dst=5x3:f32");
  const gpuopt_device_facts sm_90 = pretend("sm_90");
  gpuopt_explain_options o = GPUOPT_EXPLAIN_OPTIONS_INIT;
  o.space = GPUOPT_SPACE_HOST;
  o.capturing = 1;
  o.align[GPUOPT_OPERAND_DST] = 8;
  o.pretend = &sm_90;
  o.any_build = 1;
  CHECK(text_of_args(&t, &o) == "transpose space=host captured src=3x5:f32 dst=5x3:f32:by=8");
  o.align[GPUOPT_OPERAND_DST] = 512;
  o.space = GPUOPT_SPACE_DEVICE;
  o.capturing = 0;
  CHECK(text_of_args(&t, &o) == "transpose space=device src=3x5:f32 dst=5x3:f32");
  o.space = 7;
  size_t length = 0;
  CHECK(gpuopt_call_text(&t, &o, nullptr, 0, &length) == GPUOPT_INVALID_ARGUMENT);
  CHECK(last_error() == "gpuopt_call_text: options.space=7 is not a GPUOPT_SPACE_* value");
}

TEST_CASE("call text: what is wrong with args or buffer is said, and nothing is written") {
  gpuopt_transpose_args t = GPUOPT_TRANSPOSE_ARGS_INIT;
  t.src = gpuopt_mat(nullptr, 3, 5, GPUOPT_F32);
  t.dst = gpuopt_mat(nullptr, 5, 3, GPUOPT_F32);
  char text[64] = "untouched";
  size_t length = 0;
  REQUIRE(gpuopt_call_text(&t, nullptr, nullptr, 0, &length) == GPUOPT_OK);
  CHECK(length == 33);
  CHECK(gpuopt_call_text(&t, nullptr, text, 34, &length) == GPUOPT_OK);
  CHECK(std::string(text) == "transpose src=3x5:f32 dst=5x3:f32");
  const auto refused = [&](const char *why, const void *args, char *to, size_t capacity, size_t *out) {
    std::strcpy(text, "untouched");
    CHECK(gpuopt_call_text(args, nullptr, to, capacity, out) == GPUOPT_INVALID_ARGUMENT);
    CHECK(last_error() == why);
    CHECK(std::string(text) == "untouched");
  };
  refused("gpuopt_call_text: capacity=33 does not hold the text of 33 bytes and its end", &t, text, 33, &length);
  CHECK(length == 33);
  refused("gpuopt_call_text: text is NULL and capacity=7", &t, nullptr, 7, &length);
  refused("gpuopt_call_text: length is NULL", &t, text, 64, nullptr);
  refused("gpuopt_call_text: args is NULL", nullptr, text, 64, &length);
  t.dst.rows = 6;
  refused("gpuopt_call_text: src is 3x5 and dst is 6x3: dst must be 5x3", &t, text, 64, &length);
  t.op = 17;
  refused("gpuopt_call_text: args.op=17 is not a GPUOPT_OP_* value (start from GPUOPT_*_ARGS_INIT)", &t, text, 64,
          &length);
}

TEST_CASE("call text: numbers come back to the last bit") {
  gpuopt_fused_act_args f = GPUOPT_FUSED_ACT_ARGS_INIT;
  f.x = f.out = gpuopt_mat(nullptr, 2, 2, GPUOPT_F32);
  gpuopt_stage stage = gpuopt_act(GPUOPT_STAGE_ADD, 0, 0);
  f.stages = &stage;
  f.stage_count = 1;
  for (const double x : {0.0, -0.0, 0.1, 1.0 / 3, 3.141592653589793, 1e-300, 5e-324, 1.7976931348623157e308, -2.5,
                         std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity(), 1e22}) {
    stage.value[0] = x;
    const double back = read_call(text_of_args(&f)).stages[0].value[0];
    CHECK(std::memcmp(&back, &x, sizeof x) == 0);
  }
  stage.value[0] = -std::nan("3");
  CHECK(contains(text_of_args(&f), "stage=ADD:nan"));
  CHECK(std::isnan(read_call(text_of_args(&f)).stages[0].value[0]));
}

TEST_CASE("call text: the longest there can be has room in GPUOPT_CALL_TEXT_BYTES") {
  // Everything that has a word, with numbers of as many digits as the rules of a matrix allow.
  constexpr int64_t kRows = 100000000000000007;  // 18 digits
  constexpr uintptr_t kBase = uintptr_t{1} << 62, kFar = 1100000000000000000;
  gpuopt_norm_args n = GPUOPT_NORM_ARGS_INIT;
  n.norm = GPUOPT_NORM_LAYERNORM;
  n.eps = 1.2345678901234567e-300;
  n.batch = 0;  // nothing overlaps, whatever the addresses are
  n.flags = GPUOPT_ALLOW_NONDETERMINISTIC | GPUOPT_ALLOW_INTERMEDIATE_ROUNDING;
  const auto matrix = [&](int64_t rows, int64_t cols, gpuopt_dtype type) {
    gpuopt_matrix m = gpuopt_mat(at(kBase), rows, cols, type);
    m.layout = GPUOPT_COL;
    m.ld = kRows + 1;
    return m;
  };
  n.x = n.residual = n.out = n.sum = matrix(kRows, 3, GPUOPT_E4M3);
  n.gamma = n.beta = matrix(1, 3, GPUOPT_BF16);
  n.statistics = matrix(kRows, 2, GPUOPT_F32);
  gpuopt_stage stages[GPUOPT_MAX_STAGES];
  for (gpuopt_stage &s : stages)
    s = gpuopt_act_outer(-1.2345678901234567e-300, matrix(kRows, 1, GPUOPT_BF16), matrix(1, 3, GPUOPT_BF16));
  n.stages = stages;
  n.stage_count = GPUOPT_MAX_STAGES;
  gpuopt_explain_options o = GPUOPT_EXPLAIN_OPTIONS_INIT;
  o.space = GPUOPT_SPACE_DEVICE;
  o.capturing = 1;
  const std::string text = text_of_args(&n, &o);
  CHECK(text.size() > 1500);
  CHECK(text_of(read_call(text)) == text);
  // What no single call has all of: a batch stride and a far distance of 19 digits in every operand, a scale, all flags.
  const size_t stride = std::strlen(":bs=") + 19,
               far = std::strlen("+") + std::to_string(kFar).size() + std::strlen("stages[7].b") - std::strlen("x"),
               operands = 7 + 2 * GPUOPT_MAX_STAGES;
  const size_t scales = 2 * (std::strlen(":scale=128x128:scale_col:scale_ld=") + 19);
  CHECK(text.size() + operands * (stride + far + 2) + scales + 60 < GPUOPT_CALL_TEXT_BYTES);
}
