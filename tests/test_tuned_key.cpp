// The words by which a tuned entry knows a call: pinned, because files hold them, and read back as what they were written of.
#include <set>
#include <sstream>

#include "golden_problems.h"
#include "tuned.h"
#include "tuning/tune_text.h"

using namespace gpuopt_test;

namespace {

std::string key_on_h200(gpuopt_handle *h, const void *args, int32_t kind = GPUOPT_TUNE_EXACT) {
  const gpuopt_device_facts facts = pretend("sm_90");
  gpuopt_explain_options o = GPUOPT_EXPLAIN_OPTIONS_INIT;
  o.pretend = &facts;
  return tune_key(h, args, kind, &o);
}

gpuopt_gemm_args bf16_gemm(int64_t m, int64_t n, int64_t k) {
  gpuopt_gemm_args g = GPUOPT_GEMM_ARGS_INIT;
  g.a = gpuopt_mat(nullptr, m, k, GPUOPT_BF16);
  g.b = gpuopt_mat(nullptr, k, n, GPUOPT_BF16);
  g.d = gpuopt_mat(nullptr, m, n, GPUOPT_BF16);
  return g;
}

const std::string kH200 = " device=NVIDIA_H200 cc=90 sm=132 ";

}  // namespace

TEST_CASE("tuned keys: the text of a key is pinned for every op") {
  const Handle h = cpu_handle();
  gpuopt_gemm_args g = bf16_gemm(8192, 96, 8191);
  CHECK(key_on_h200(h.get(), &g) == "exact" + kH200 +
                                        "op=gemm compute=f32 m=8192 n=96 k=8191 batch=1 a=bf16:row:align16:ld2 "
                                        "b=bf16:row:align16:ld64 d=bf16:row:align16:ld64");
  CHECK(key_on_h200(h.get(), &g, GPUOPT_TUNE_CLASS) ==
        "class" + kH200 +
            "op=gemm compute=f32 m=8192 n=128 k=8192 batch=1 a=bf16:row:align16:ld2 "
            "b=bf16:row:align16:ld16 d=bf16:row:align16:ld16");
  const gpuopt_stage stages[] = {
      gpuopt_act(GPUOPT_STAGE_LEAKY_RELU, 0.25, 0),
      gpuopt_act_with(GPUOPT_STAGE_ADD, GPUOPT_PER_COL, gpuopt_mat(nullptr, 1, 96, GPUOPT_F32)),
      gpuopt_act(GPUOPT_STAGE_ADD, 2, 0),
      gpuopt_act_outer(1, gpuopt_mat(nullptr, 8192, 1, GPUOPT_F16), gpuopt_mat(nullptr, 1, 96, GPUOPT_F32))};
  g.stages = stages;
  g.stage_count = 4;
  g.beta = 1;
  g.c = gpuopt_mat_ld(nullptr, 8192, 96, 100, GPUOPT_BF16);
  g.b.batch_stride = 0;
  g.batch = 3;
  g.flags = GPUOPT_ALLOW_NONDETERMINISTIC | GPUOPT_ALLOW_INTERMEDIATE_ROUNDING;
  CHECK(key_on_h200(h.get(), &g) ==
        "exact" + kH200 +
            "op=gemm compute=f32 m=8192 n=96 k=8191 batch=3 a=bf16:row:align16:ld2:stride256 "
            "b=bf16:row:align16:ld64:stride256:shared c=bf16:row:align16:ld8:stride256:padded "
            "d=bf16:row:align16:ld64:stride256 stage=leaky_relu "
            "stage=add:per_col:f32:row:align16:ld4:stride128 stage=add:scalar "
            "stage=add_outer:f16:row:align16:ld2:stride256+f32:row:align16:ld4:stride128 "
            "features=batch+broadcast+beta flags=nondeterministic+intermediate_rounding");

  gpuopt_transpose_args t = GPUOPT_TRANSPOSE_ARGS_INIT;
  t.src = gpuopt_mat(nullptr, 3, 1000, GPUOPT_B128);
  t.dst = gpuopt_mat(nullptr, 1000, 3, GPUOPT_B128);
  CHECK(key_on_h200(h.get(), &t) == "exact" + kH200 +
                                        "op=transpose compute=f32 m=3 n=1000 batch=1 src=b128:row:align16:ld128 "
                                        "dst=b128:row:align16:ld16");
  gpuopt_reduce_args r = GPUOPT_REDUCE_ARGS_INIT;
  r.reduce = GPUOPT_REDUCE_ARGMAX;
  r.axis = GPUOPT_EACH_ROW;
  r.x = gpuopt_mat(nullptr, 7, 9, GPUOPT_F32);
  r.out = gpuopt_mat(nullptr, 7, 1, GPUOPT_I64);
  CHECK(key_on_h200(h.get(), &r) ==
        "exact" + kH200 +
            "op=reduce reduce=argmax axis=row compute=f32 m=7 n=9 batch=1 x=f32:row:align16:ld4 "
            "out=i64:row:align16:ld8");
  gpuopt_fused_act_args f = GPUOPT_FUSED_ACT_ARGS_INIT;
  f.x = f.out = gpuopt_mat(nullptr, 5, 8, GPUOPT_F16);
  f.stages = stages;
  f.stage_count = 1;
  CHECK(key_on_h200(h.get(), &f) ==
        "exact" + kH200 +
            "op=fused_act compute=f32 m=5 n=8 batch=1 x=f16:row:align16:ld16 out=f16:row:align16:ld16 "
            "stage=leaky_relu");
  gpuopt_norm_args n = GPUOPT_NORM_ARGS_INIT;
  n.norm = GPUOPT_NORM_RMSNORM;
  n.x = n.out = n.residual = gpuopt_mat(nullptr, 5, 8, GPUOPT_F16);
  n.gamma = gpuopt_mat(nullptr, 1, 8, GPUOPT_F32);
  CHECK(key_on_h200(h.get(), &n) ==
        "exact" + kH200 +
            "op=norm norm=rmsnorm compute=f32 m=5 n=8 batch=1 x=f16:row:align16:ld16 "
            "residual=f16:row:align16:ld16 out=f16:row:align16:ld16 gamma=f32:row:align16:ld4");
}

TEST_CASE("tuned keys: the entries that docs/tuning.md shows are entries, in the words that a key is written in") {
  std::istringstream page(read_file(GPUOPT_TEST_SOURCE_DIR "/../docs/tuning.md"));
  int entries = 0;
  for (std::string text; std::getline(page, text);) {
    const bool measured = text.rfind("measured device=", 0) == 0;
    if (text.rfind("exact device=", 0) != 0 && text.rfind("class device=", 0) != 0 && !measured) continue;
    ++entries;
    CAPTURE(text);
    gpuopt::TuneLine line;
    CHECK(gpuopt::parse_tune_line(text, &line) == "");
    CHECK(text.rfind(gpuopt::key_text(line.device, line.key) + (measured ? " time=" : " kernel="), 0) == 0);
  }
  CHECK(entries == 3);
}

TEST_CASE("tuned keys: what every golden problem's text says is read back, exact and class") {
  const Handle h = cpu_handle();
  gpuopt::DeviceId device = gpuopt::device_id(h->facts);
  std::set<std::string> seen;
  size_t problems = 0;
  for (GoldenProblems &list : std::vector<GoldenProblems>{golden_gemms(), golden_transposes(), golden_reduces(),
                                                          golden_fused_acts(), golden_norms()})
    for (GoldenProblem &golden : list) {
      const gpuopt::AnyArgs &args = golden.call();
      gpuopt_explain_options o = golden.assumptions();
      gpuopt_problem p;
      REQUIRE_MESSAGE(gpuopt::build_problem(h.get(), args, {"golden", &o}, &p) == GPUOPT_OK, last_error());
      if (gpuopt::is_empty(p)) continue;
      ++problems;
      const gpuopt::TuneKey exact = gpuopt::exact_key(p);
      for (const gpuopt::TuneKey &key : {exact, gpuopt::class_of(exact)}) {
        const std::string text = gpuopt::key_text(device, key);
        CAPTURE(text);
        seen.insert(text);
        gpuopt::TuneLine line;
        const std::string whole = text + " kernel=gemm_x+fused_act_y version=3+-4 algorithm=a.1:2 us=1.5e+2";
        CHECK(gpuopt::parse_tune_line(whole, &line) == "");
        CHECK(line.key == key);
        CHECK(line.device == device);
        CHECK(gpuopt::key_text(line.device, line.key) == text);
        CHECK(line.choice[0].kernel == "gemm_x");
        CHECK(line.choice[0].second == "fused_act_y");
        CHECK(line.choice[0].version == 3);
        CHECK(line.choice[0].second_version == -4);
        CHECK(line.choice[0].algorithm == "a.1:2");
        CHECK(text.size() < GPUOPT_TUNE_KEY_BYTES);
      }
      CHECK(!(exact == gpuopt::class_of(exact)));
      CHECK(gpuopt::class_of(gpuopt::class_of(exact)) == gpuopt::class_of(exact));
    }
  CHECK(problems > 300);
  CHECK(seen.size() > problems);
}

TEST_CASE("tuned keys: a call and its transpose share one key") {
  const Handle h = cpu_handle();
  gpuopt_gemm_args g = bf16_gemm(100, 200, 300);
  gpuopt_gemm_args other = g;
  other.a = gpuopt_t(g.b);
  other.b = gpuopt_t(g.a);
  other.d = gpuopt_t(g.d);
  CHECK(key_on_h200(h.get(), &g) == key_on_h200(h.get(), &other));
  other.b = gpuopt_mat(nullptr, 300, 100, GPUOPT_BF16);
  CHECK(key_on_h200(h.get(), &g) != key_on_h200(h.get(), &other));
}

TEST_CASE("tuned keys: facts that decide speed tell calls apart, and others do not") {
  const Handle h = cpu_handle();
  alignas(64) static char memory[32768];
  const auto make = [](auto change) {
    gpuopt_gemm_args g = bf16_gemm(16, 16, 16);
    g.a.data = memory;
    g.b.data = memory + 8192;
    g.d.data = memory + 16384;
    change(g);
    return g;
  };
  const auto key = [&](auto change, int32_t kind = GPUOPT_TUNE_EXACT) {
    gpuopt_gemm_args g = make(change);
    return tune_key(h.get(), &g, kind);
  };
  const std::string plain = key([](gpuopt_gemm_args &) {});
  CHECK(key([](auto &g) { g.a.data = memory + 512 + 16; }) == plain);
  CHECK(key([](auto &g) { g.alpha = 3; }) == plain);
  CHECK(key([](auto &g) { g.a.data = memory + 8; }) != plain);
  CHECK(key([](auto &g) { g.a.ld = 24; }) != plain);
  CHECK(key([](auto &g) { g.a.ld = 24; }) != key([](auto &g) { g.a.ld = 20; }));
  CHECK(key([](auto &g) { g.a.ld = 24; }) == key([](auto &g) { g.a.ld = 40; }));
  CHECK(key([](auto &g) { g.a.layout = GPUOPT_COL; }) != plain);
  CHECK(key([](auto &g) { g.alpha = 0; }) != plain);
  CHECK(key([](auto &g) { g.flags = GPUOPT_ALLOW_NONDETERMINISTIC; }) != plain);
  CHECK(key([](auto &g) { g.a.rows = g.d.rows = 17; }) != plain);
  const auto batched = [&](int64_t stride) {
    return key([=](gpuopt_gemm_args &g) {
      g.batch = 2;
      g.a.batch_stride = stride;
    });
  };
  CHECK(batched(GPUOPT_PACKED) == batched(256));
  CHECK(batched(0) != batched(256));
  CHECK(batched(512) != batched(256));
  CHECK(batched(512) == batched(1024));
  // A class: extents near each other, and leading dimensions that are multiples of 16 bytes.
  const int32_t wide = GPUOPT_TUNE_CLASS;
  const auto m = [&](int64_t rows) { return key([=](auto &g) { g.a.rows = g.d.rows = rows; }, wide); };
  CHECK(m(16) == m(12));
  CHECK(m(16) == m(22));
  CHECK(m(16) != m(11));
  CHECK(m(16) != m(23));
  CHECK(m(1) != m(2));
}

TEST_CASE("tuned keys: the nearest power of two is that by ratio") {
  const int64_t pairs[][2] = {{0, 0},
                              {1, 1},
                              {2, 2},
                              {3, 4},
                              {5, 4},
                              {6, 8},
                              {11, 8},
                              {12, 16},
                              {1448, 1024},
                              {1449, 2048},
                              {5792, 4096},
                              {5793, 8192},
                              {INT64_C(1) << 62, INT64_C(1) << 62},
                              {INT64_MAX, INT64_C(1) << 62}};
  for (const auto &pair : pairs) CHECK(gpuopt::nearest_power_of_two(pair[0]) == pair[1]);
}

TEST_CASE("tuned keys: the longest key fits its buffer, and a shorter buffer is refused with what it takes") {
  const Handle h = cpu_handle();
  const int64_t big = INT64_C(1) << 14;
  gpuopt_gemm_args g = bf16_gemm(big, big, INT64_C(1) << 20);
  g.batch = INT64_C(10007);
  gpuopt_stage stages[8];
  gpuopt_matrix u = gpuopt_mat_ld(nullptr, big, 1, 128, GPUOPT_BF16), v = gpuopt_mat(nullptr, 1, big, GPUOPT_BF16);
  u.batch_stride = v.batch_stride = 2 * 128 * big;
  for (gpuopt_stage &s : stages) s = gpuopt_act_outer(1, u, v);
  g.stages = stages;
  g.stage_count = 8;
  g.beta = 1;
  g.c = g.d;
  g.flags = GPUOPT_ALLOW_NONDETERMINISTIC | GPUOPT_ALLOW_INTERMEDIATE_ROUNDING;
  gpuopt_device_facts facts = pretend("sm_120");
  std::memset(facts.name, 'x', sizeof facts.name - 1);
  gpuopt_explain_options o = GPUOPT_EXPLAIN_OPTIONS_INIT;
  o.pretend = &facts;
  char text[GPUOPT_TUNE_KEY_BYTES];
  size_t length = 0;
  REQUIRE_MESSAGE(gpuopt_tune_key(h.get(), &g, &o, GPUOPT_TUNE_EXACT, nullptr, 0, &length) == GPUOPT_OK, last_error());
  const size_t needed = length + 1;
  MESSAGE("bytes: ", needed);
  CHECK(needed > GPUOPT_TUNE_KEY_BYTES / 2);
  CHECK(needed + 200 < GPUOPT_TUNE_KEY_BYTES);  // norm's operands are two more than gemm's
  CHECK(gpuopt_tune_key(h.get(), &g, &o, GPUOPT_TUNE_EXACT, text, needed, &length) == GPUOPT_OK);
  CHECK(std::strlen(text) == length);
  text[0] = '?';
  CHECK(gpuopt_tune_key(h.get(), &g, &o, GPUOPT_TUNE_EXACT, text, needed - 1, &length) == GPUOPT_INVALID_ARGUMENT);
  CHECK(text[0] == '?');
  CHECK_MESSAGE(contains(gpuopt_last_error(), " does not hold the text of " + std::to_string(length)), last_error());
}

TEST_CASE("tuned keys: what has no key is refused by name and rule") {
  const Handle h = cpu_handle();
  gpuopt_gemm_args g = bf16_gemm(2, 2, 2);
  char text[GPUOPT_TUNE_KEY_BYTES];
  size_t length = 0;
  const auto refused = [&](const char *words) { CHECK_MESSAGE(contains(gpuopt_last_error(), words), last_error()); };
  CHECK(gpuopt_tune_key(h.get(), &g, nullptr, 3, text, sizeof text, &length) == GPUOPT_INVALID_ARGUMENT);
  refused("gpuopt_tune_key: kind=3 is not GPUOPT_TUNE_EXACT or GPUOPT_TUNE_CLASS");
  CHECK(gpuopt_tune_key(h.get(), &g, nullptr, GPUOPT_TUNE_EXACT, nullptr, 7, &length) == GPUOPT_INVALID_ARGUMENT);
  refused("gpuopt_tune_key: text is NULL and capacity=7");
  CHECK(gpuopt_tune_key(h.get(), &g, nullptr, GPUOPT_TUNE_EXACT, text, sizeof text, nullptr) ==
        GPUOPT_INVALID_ARGUMENT);
  refused("gpuopt_tune_key: length is NULL");
  CHECK(gpuopt_tune_key(nullptr, &g, nullptr, GPUOPT_TUNE_EXACT, text, sizeof text, &length) ==
        GPUOPT_INVALID_ARGUMENT);
  CHECK(gpuopt_tune_key(h.get(), nullptr, nullptr, GPUOPT_TUNE_EXACT, text, sizeof text, &length) ==
        GPUOPT_INVALID_ARGUMENT);
  refused("gpuopt_tune_key: args is NULL");
  g.a.rows = g.d.rows = 0;
  CHECK(gpuopt_tune_key(h.get(), &g, nullptr, GPUOPT_TUNE_EXACT, text, sizeof text, &length) ==
        GPUOPT_INVALID_ARGUMENT);
  refused("gpuopt_tune_key: the call has no output");
  g.a.rows = 3;
  CHECK(gpuopt_tune_key(h.get(), &g, nullptr, GPUOPT_TUNE_EXACT, text, sizeof text, &length) ==
        GPUOPT_INVALID_ARGUMENT);
  refused("gpuopt_tune_key: d is 0x2");
  gpuopt_explain_options o = GPUOPT_EXPLAIN_OPTIONS_INIT;
  o.space = 9;
  CHECK(gpuopt_tune_key(h.get(), &g, &o, GPUOPT_TUNE_EXACT, text, sizeof text, &length) == GPUOPT_INVALID_ARGUMENT);
  refused("gpuopt_tune_key: options.space=9");
}

TEST_CASE(
    "tuned keys: a device is told by name, capability and multiprocessors, a CPU by model, instructions and threads") {
  const auto text = [](auto change) {
    gpuopt_device_facts facts = pretend("sm_90");
    change(facts);
    return gpuopt::device_id(facts).text();
  };
  CHECK(text([](gpuopt_device_facts &) {}) == "device=NVIDIA_H200 cc=90 sm=132");
  CHECK(text([](gpuopt_device_facts &f) {
          std::snprintf(f.name, sizeof f.name, "NVIDIA H200 MIG 1g.18gb");
          f.sm_count = 16;
        }) == "device=NVIDIA_H200_MIG_1g.18gb cc=90 sm=16");
  CHECK(text([](gpuopt_device_facts &f) { std::snprintf(f.name, sizeof f.name, " =#\n\xff"); }) ==
        "device=unnamed cc=90 sm=132");
  CHECK(gpuopt::device_id(pretend("none")).text() == "device=CPU isa=avx512 threads=8");
  // Speed hangs on none of these.
  CHECK(text([](gpuopt_device_facts &f) { f.ordinal = 3, f.driver_version = 1, f.cpu_threads = 1; }) ==
        text([](gpuopt_device_facts &) {}));
}
