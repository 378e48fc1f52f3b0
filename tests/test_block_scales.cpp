// Scales of blocks of fp8 operands: what they multiply, how they may lie, what is refused, and who may run them.
#include <cmath>
#include <limits>

#include "gemm/common/gemm_part.h"
#include "gpuopt_call/text.h"
#include "support.h"

using namespace gpuopt_test;

namespace {

double e4m3(uint8_t x) {
  const int exponent = x >> 3 & 15, fraction = x & 7;
  const double magnitude = exponent == 0 ? std::ldexp(fraction, -9) : std::ldexp(8 + fraction, exponent - 10);
  return (x & 0x80) != 0 ? -magnitude : magnitude;
}

int64_t blocks(int64_t extent) { return (extent + 127) / 128; }

// A product whose last blocks are partial in every direction.
struct Scaled {
  static constexpr int64_t kM = 131, kN = 133, kK = 300;
  std::vector<uint8_t> a = bytes(kM * kK, 1), b = bytes(kK * kN, 2);
  std::vector<float> scale_a = scales(kM * 9, 3), scale_b = scales(kN * 9, 4), d = std::vector<float>(kM * kN, -77.0f);
  gpuopt_gemm_args args = GPUOPT_GEMM_ARGS_INIT;

  // As activations and weights have them: a row-major A with packed scales, the transposed view of a row-major B.
  Scaled() {
    args.a = gpuopt_mat_scales(gpuopt_mat(a.data(), kM, kK, GPUOPT_E4M3), scale_a.data(), GPUOPT_SCALE_1X128);
    args.b =
        gpuopt_t(gpuopt_mat_scales(gpuopt_mat(b.data(), kN, kK, GPUOPT_E4M3), scale_b.data(), GPUOPT_SCALE_128X128));
    args.d = gpuopt_mat(d.data(), kM, kN, GPUOPT_F32);
  }
  static std::vector<uint8_t> bytes(int64_t count, int seed) {
    std::vector<uint8_t> all;
    for (int64_t i = 0; i < count; ++i)
      all.push_back(static_cast<uint8_t>(0x20 + (i * 37 + seed * 11 + i / 7) % 32 + (i % 3 == 0 ? 0x80 : 0)));
    return all;
  }
  static std::vector<float> scales(int64_t count, int seed) {
    std::vector<float> all;
    for (int64_t i = 0; i < count; ++i) all.push_back(0.25f + static_cast<float>((i * 5 + seed) % 13));
    return all;
  }
  static double scale_at(const gpuopt_matrix &m, int64_t i, int64_t j) {
    if (m.scale == nullptr) return 1;
    if (m.scales.block == GPUOPT_SCALE_ONE) return double(*m.scale);
    const int64_t r = m.scales.block == GPUOPT_SCALE_1X128 ? i : i / 128,
                  c = m.scales.block == GPUOPT_SCALE_128X1 ? j : j / 128;
    const int64_t rows = m.scales.block == GPUOPT_SCALE_1X128 ? m.rows : blocks(m.rows),
                  cols = m.scales.block == GPUOPT_SCALE_128X1 ? m.cols : blocks(m.cols);
    const bool row = m.scales.layout == GPUOPT_ROW;
    const int64_t ld = m.scales.ld != 0 ? m.scales.ld : row ? cols : rows;
    return double(m.scale[row ? r * ld + c : c * ld + r]);
  }
  static double at(const gpuopt_matrix &m, int64_t i, int64_t j) {
    const int64_t ld = m.layout == GPUOPT_ROW ? m.cols : m.rows;
    return e4m3(static_cast<const uint8_t *>(m.data)[m.layout == GPUOPT_ROW ? i * ld + j : j * ld + i]) *
           scale_at(m, i, j);
  }
  void check(gpuopt_handle *h) {
    REQUIRE_MESSAGE(gpuopt_gemm(h, &args) == GPUOPT_OK, last_error());
    for (int64_t i = 0; i < kM; i += 13)
      for (int64_t j = 0; j < kN; j += 11) {
        double sum = 0, size = 0;
        for (int64_t t = 0; t < kK; ++t) {
          const double term = at(args.a, i, t) * at(args.b, t, j);
          sum += term;
          size += std::fabs(term);
        }
        const float got = d[static_cast<size_t>(args.d.layout == GPUOPT_ROW ? i * kN + j : j * kM + i)];
        if (std::fabs(got - sum) <= 1e-6 * size) continue;
        CAPTURE(i);
        CAPTURE(j);
        CHECK(got == doctest::Approx(sum));
        return;
      }
  }
};

struct Refused {
  const char *words;
  void (*change)(Scaled &s);
};

}  // namespace

TEST_CASE("block scales: every kind of block, layout and leading dimension, the last blocks partial") {
  const Handle h = cpu_handle();
  for (const int32_t of_a : {GPUOPT_SCALE_ONE, GPUOPT_SCALE_1X128, GPUOPT_SCALE_128X128})
    for (const int32_t of_b : {GPUOPT_SCALE_ONE, GPUOPT_SCALE_128X1, GPUOPT_SCALE_128X128})
      for (const int32_t layout : {GPUOPT_ROW, GPUOPT_COL})
        for (const int64_t more : {0, 3}) {
          Scaled s;
          const auto set = [&](gpuopt_matrix *m, int32_t block) {
            m->scales = {};
            if (block == GPUOPT_SCALE_ONE) return;
            const int64_t rows = block == GPUOPT_SCALE_1X128 ? m->rows : blocks(m->rows),
                          cols = block == GPUOPT_SCALE_128X1 ? m->cols : blocks(m->cols);
            m->scales = {block, layout, more == 0 ? 0 : (layout == GPUOPT_ROW ? cols : rows) + more};
          };
          set(&s.args.a, of_a);
          set(&s.args.b, of_b);
          s.check(h.get());
        }
}

TEST_CASE("block scales: a column-major D is the same product, and a transposed view has its scales transposed") {
  const Handle h = cpu_handle();
  Scaled s;
  s.args.d.layout = GPUOPT_COL;
  s.check(h.get());
  const gpuopt_matrix once = gpuopt_t(s.args.a), twice = gpuopt_t(once);
  CHECK(once.scales.block == GPUOPT_SCALE_128X1);
  CHECK(once.scales.layout == GPUOPT_COL);
  CHECK(std::memcmp(&twice, &s.args.a, sizeof twice) == 0);
  const gpuopt_matrix plain = gpuopt_t(gpuopt_mat(s.a.data(), 3, 4, GPUOPT_E4M3));
  CHECK(plain.scales.layout == 0);
}

TEST_CASE("block scales: a scale of zero leaves its block out, one that is not finite shows in its rows alone") {
  const Handle h = cpu_handle();
  Scaled s;
  for (int64_t t = 0; t < 3; ++t) s.scale_a[static_cast<size_t>(5 * 3 + t)] = 0;
  s.scale_a[7 * 3 + 1] = std::numeric_limits<float>::infinity();
  s.scale_a[9 * 3 + 2] = std::numeric_limits<float>::quiet_NaN();
  REQUIRE_MESSAGE(gpuopt_gemm(h.get(), &s.args) == GPUOPT_OK, last_error());
  for (int64_t i = 0; i < 12; ++i)
    for (int64_t j = 0; j < Scaled::kN; ++j) {
      const float x = s.d[static_cast<size_t>(i * Scaled::kN + j)];
      CHECK(std::isfinite(x) == (i != 7 && i != 9));
      if (i == 5) CHECK(x == 0);
    }
}

TEST_CASE("block scales: what cannot be is refused with field, value and rule") {
  static constexpr Refused kCases[] = {
      {"a.scales.block=4 is not a GPUOPT_SCALE_* value", [](Scaled &s) { s.args.a.scales.block = 4; }},
      {"a.scales.block=-1 is not a GPUOPT_SCALE_* value", [](Scaled &s) { s.args.a.scales.block = -1; }},
      {"a.scales.block=128X1: a block is 128 long along k, so that of a is 1X128 or 128X128",
       [](Scaled &s) { s.args.a.scales.block = GPUOPT_SCALE_128X1; }},
      {"b.scales.block=1X128: a block is 128 long along k, so that of b is 128X1 or 128X128",
       [](Scaled &s) { s.args.b.scales.block = GPUOPT_SCALE_1X128; }},
      {"a.scale is NULL and a.scales.block=1X128", [](Scaled &s) { s.args.a.scale = nullptr; }},
      {"a.scales.ld=2 < a.scales.cols=3", [](Scaled &s) { s.args.a.scales.ld = 2; }},
      {"b.scales.ld=1 < b.scales.rows=3", [](Scaled &s) { s.args.b.scales.ld = 1; }},
      {"a.scales.layout=2 is not GPUOPT_ROW or GPUOPT_COL", [](Scaled &s) { s.args.a.scales.layout = 2; }},
      {"does not fit 64-bit offsets", [](Scaled &s) { s.args.a.scales.ld = std::numeric_limits<int64_t>::max() / 2; }},
      {"is not aligned to one float",
       [](Scaled &s) { s.args.a.scale = reinterpret_cast<const float *>(s.a.data() + 1); }},
      {"a.scales is not zero",
       [](Scaled &s) {
         s.args.a.scales = {0, 0, 3};
       }},
      {"d.scales is not zero", [](Scaled &s) { s.args.d.scales.block = GPUOPT_SCALE_1X128; }},
      {"only fp8 matrices have a",
       [](Scaled &s) {
         s.args.a.dtype = s.args.b.dtype = GPUOPT_I8;
         s.args.b.scale = nullptr;
         s.args.b.scales = {};
       }},
      {"d (131x133 at", [](Scaled &s) { s.args.a.scale = s.d.data() + 40; }},
  };
  const Handle h = cpu_handle();
  for (const Refused &c : kCases) {
    Scaled s;
    c.change(s);
    CAPTURE(std::string(c.words));
    CHECK(gpuopt_gemm(h.get(), &s.args) == GPUOPT_INVALID_ARGUMENT);
    CHECK_MESSAGE(contains(gpuopt_last_error(), c.words), last_error());
    CHECK(s.d[0] == -77.0f);
  }
}

TEST_CASE("block scales: of groups, A's are those of all rows and each B has its own") {
  const Handle h = cpu_handle();
  constexpr int64_t kGroups = 3, kRows = 150, kN = 130, kK = 200;
  const std::vector<uint8_t> a = Scaled::bytes(kRows * kK, 1), b = Scaled::bytes(kGroups * kK * kN, 2);
  const std::vector<float> of_a = Scaled::scales(kRows * 2, 3), of_b = Scaled::scales(kGroups * 4, 4);
  const std::vector<int64_t> offsets = {0, 70, 70, 150};
  std::vector<float> d(kRows * kN), expected(kRows * kN);
  gpuopt_gemm_grouped_args g = GPUOPT_GEMM_GROUPED_ARGS_INIT;
  g.a = gpuopt_mat_scales(gpuopt_mat(a.data(), kRows, kK, GPUOPT_E4M3), of_a.data(), GPUOPT_SCALE_1X128);
  g.b = gpuopt_t(gpuopt_mat_scales(gpuopt_mat(b.data(), kN, kK, GPUOPT_E4M3), of_b.data(), GPUOPT_SCALE_128X128));
  g.d = gpuopt_mat(d.data(), kRows, kN, GPUOPT_F32);
  g.groups = kGroups;
  g.host_offsets = offsets.data();
  REQUIRE_MESSAGE(gpuopt_gemm_grouped(h.get(), &g) == GPUOPT_OK, last_error());
  for (int64_t i = 0; i < kGroups; ++i) {
    const int64_t first = offsets[static_cast<size_t>(i)], rows = offsets[static_cast<size_t>(i) + 1] - first;
    gpuopt_gemm_args one = GPUOPT_GEMM_ARGS_INIT;
    one.a = gpuopt_mat_scales(gpuopt_mat(a.data() + first * kK, rows, kK, GPUOPT_E4M3), of_a.data() + first * 2,
                              GPUOPT_SCALE_1X128);
    one.b = gpuopt_t(gpuopt_mat_scales(gpuopt_mat(b.data() + i * kK * kN, kN, kK, GPUOPT_E4M3), of_b.data() + i * 4,
                                       GPUOPT_SCALE_128X128));
    one.d = gpuopt_mat(expected.data() + first * kN, rows, kN, GPUOPT_F32);
    REQUIRE_MESSAGE(gpuopt_gemm(h.get(), &one) == GPUOPT_OK, last_error());
  }
  CHECK(d == expected);
}

TEST_CASE("block scales: some rows of some matrices of a batch have the scales that they have among all") {
  constexpr int64_t kRows = 700, kCols = 300, kFirst = 256, kCount = 256, kBatch = 3, kFirstMatrix = 1;
  const float scales[2048] = {1};
  for (const int32_t block : {GPUOPT_SCALE_1X128, GPUOPT_SCALE_128X128})
    for (const int32_t layout : {GPUOPT_ROW, GPUOPT_COL}) {
      gpuopt_problem whole = {};
      whole.m = kRows;
      whole.k = kCols;
      whole.batch = kBatch;
      gpuopt_matrix &a = whole.operand[GPUOPT_OPERAND_A].m;
      a = gpuopt_mat_scales(gpuopt_mat(nullptr, kRows, kCols, GPUOPT_E4M3), scales, block);
      a.ld = kCols;
      a.batch_stride = kRows * kCols;
      a.scales.layout = layout;
      a.scales.ld = layout == GPUOPT_ROW ? 4 : 701;  // as a problem has it
      const gpuopt_problem part = gpuopt::gemm_part(whole, kFirst, kCount, kFirstMatrix, kBatch - kFirstMatrix);
      const gpuopt_matrix &of_part = part.operand[GPUOPT_OPERAND_A].m;
      CHECK(part.m == kCount);
      const gpuopt::BlockScales all = gpuopt::block_scales(a), some = gpuopt::block_scales(of_part);
      for (int64_t p = 0; p < kBatch - kFirstMatrix; ++p)
        for (const int64_t i : {int64_t{0}, int64_t{1}, int64_t{127}, int64_t{128}, kCount - 1})
          for (const int64_t j : {int64_t{0}, int64_t{128}, kCols - 1})
            CHECK(some.data - scales + some.offset(p, i, j) == all.offset(kFirstMatrix + p, kFirst + i, j));
    }
}

TEST_CASE("block scales: a kernel that does not know them is rejected, and the text of the call says them") {
  const Handle h = cpu_handle();
  const std::string text =
      "gemm compute=f32 a=4096x16384:e4m3:scale=1x128:scale_ld=130 b=16384x7168:e4m3:col:scale=128x128:scale_col "
      "d=4096x7168:bf16";
  CHECK(gpuopt_call::text_of(gpuopt_call::read_call(text)) == text);
  gpuopt_call::Call call = gpuopt_call::read_call(text);
  const gpuopt_device_facts facts = pretend("h200");
  gpuopt_explain_options o = GPUOPT_EXPLAIN_OPTIONS_INIT;
  o.pretend = &facts;
  o.any_build = 1;
  Candidates seen;
  gpuopt_explain(h.get(), call.args(), &o, Candidates::add, &seen);
  const std::string first = seen.all.empty() ? "" : seen.all.front().kernel;
  if (!GPUOPT_TEST_HAVE_CUDA || !GPUOPT_TEST_EVERY_CLASS) return;  // not every build has the kernels of Hopper
  CHECK_MESSAGE(contains(first, "gemm_wgmma_fp8_promoting"), first);
  // Those without any, asked for a compute type that they have.
  gpuopt_call::Call fast =
      gpuopt_call::read_call("gemm compute=f8_fast" + text.substr(std::string("gemm compute=f32").size()));
  Candidates others;
  gpuopt_explain(h.get(), fast.args(), &o, Candidates::add, &others);
  for (const char *kernel : {"gemm_wgmma_fp8_128x256", "gemm_wgmma_skinny_fp8"}) {
    const Candidate *c = others.find(kernel);
    REQUIRE_MESSAGE(c, std::string(kernel));
    CHECK(c->reject == GPUOPT_REJECT_FEATURE);
    CHECK_MESSAGE(contains(c->text, "BLOCK_SCALES"), c->text);
  }
}
