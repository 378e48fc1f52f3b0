// gpuopt_gemm_grouped: what it refuses, what offsets mean, and that a group is what gpuopt_gemm makes of it.
#include <algorithm>
#include <cstring>
#include <functional>
#include <limits>
#include <vector>

#include "support.h"

using namespace gpuopt_test;

namespace {

constexpr int64_t kGroups = 4, kRows = 11, kN = 5, kK = 7;

// Four groups, one of them empty, and rows before the first and behind the last.
struct Grouped {
  std::vector<float> a = values(kRows * kK, 1), b = values(kGroups * kK * kN, 2), bias = values(kGroups * kN, 3);
  std::vector<float> d = std::vector<float>(kRows * kN, -77.0f);
  std::vector<int64_t> offsets = {1, 4, 4, 9, 10};
  gpuopt_stage stages[2] = {
      gpuopt_act_with(GPUOPT_STAGE_ADD, GPUOPT_PER_COL, gpuopt_mat(bias.data(), 1, kN, GPUOPT_F32)),
      gpuopt_act(GPUOPT_STAGE_RELU, 0, 0)};
  gpuopt_gemm_grouped_args args = GPUOPT_GEMM_GROUPED_ARGS_INIT;

  Grouped() {
    args.a = gpuopt_mat(a.data(), kRows, kK, GPUOPT_F32);
    args.b = gpuopt_mat(b.data(), kK, kN, GPUOPT_F32);
    args.d = gpuopt_mat(d.data(), kRows, kN, GPUOPT_F32);
    args.groups = kGroups;
    args.host_offsets = offsets.data();
    args.stages = stages;
    args.stage_count = 2;
  }
  static std::vector<float> values(int64_t count, int seed) {
    std::vector<float> all;
    for (int64_t i = 0; i < count; ++i) all.push_back(static_cast<float>((i * 37 + seed * 11) % 23 - 11) / 8);
    return all;
  }
  void offsets_as_operand() {
    args.host_offsets = nullptr;
    args.offsets = gpuopt_mat(offsets.data(), 1, kGroups + 1, GPUOPT_I64);
  }
  // The same by a gpuopt_gemm for each group.
  std::vector<float> expected(gpuopt_handle *h) {
    std::vector<float> all(kRows * kN, -77.0f);
    for (int64_t g = 0; g < kGroups; ++g) {
      const int64_t first = offsets[static_cast<size_t>(g)], rows = offsets[static_cast<size_t>(g) + 1] - first;
      gpuopt_gemm_args one = GPUOPT_GEMM_ARGS_INIT;
      one.a = gpuopt_mat(a.data() + first * kK, rows, kK, GPUOPT_F32);
      one.b = gpuopt_mat(b.data() + g * kK * kN, kK, kN, GPUOPT_F32);
      one.d = gpuopt_mat(all.data() + first * kN, rows, kN, GPUOPT_F32);
      gpuopt_stage own[2] = {stages[0], stages[1]};
      own[0].a.data = bias.data() + g * kN;
      one.stages = own;
      one.stage_count = 2;
      REQUIRE_MESSAGE(gpuopt_gemm(h, &one) == GPUOPT_OK, last_error());
    }
    return all;
  }
};

}  // namespace

TEST_CASE("gemm_grouped: each group is its own gpuopt_gemm, rows of no group stay as they were") {
  const Handle h = cpu_handle();
  REQUIRE(gpuopt_set_kernel(h.get(), "gemm=gemm_cpu_reference") == GPUOPT_OK);
  for (const bool operand : {false, true}) {
    Grouped g;
    if (operand) g.offsets_as_operand();
    REQUIRE_MESSAGE(gpuopt_gemm_grouped(h.get(), &g.args) == GPUOPT_OK, last_error());
    CHECK(g.d == g.expected(h.get()));
    CHECK(g.d[0] == -77.0f);
    CHECK(g.d.back() == -77.0f);
  }
}

TEST_CASE("gemm_grouped: offsets in memory that nobody checks never lead out of d") {
  const Handle h = cpu_handle();
  Grouped g;
  g.offsets_as_operand();
  g.offsets = {-5, 3, 2, int64_t{1} << 40, 6};
  REQUIRE_MESSAGE(gpuopt_gemm_grouped(h.get(), &g.args) == GPUOPT_OK, last_error());
  std::vector<int32_t> narrow = {-5, 3, 2, 1 << 30, 6};
  const std::vector<float> wide = g.d;
  std::fill(g.d.begin(), g.d.end(), -77.0f);
  g.args.offsets = gpuopt_mat(narrow.data(), 1, kGroups + 1, GPUOPT_I32);
  REQUIRE_MESSAGE(gpuopt_gemm_grouped(h.get(), &g.args) == GPUOPT_OK, last_error());
  CHECK(g.d == wide);
}

TEST_CASE("gemm_grouped: alpha and beta by pointer are those by value, and win over them") {
  const Handle h = cpu_handle();
  for (const float beta : {0.5f, 0.0f}) {
    Grouped by_value, by_pointer;
    std::vector<float> c = Grouped::values(kRows * kN, 4);
    const float alpha = -1.25f;
    by_value.args.c = by_pointer.args.c = gpuopt_mat(c.data(), kRows, kN, GPUOPT_F32);
    by_value.args.alpha = alpha;
    by_value.args.beta = beta;
    by_pointer.args.alpha = 0;
    by_pointer.args.beta = 77;
    by_pointer.args.alpha_ptr = &alpha;
    by_pointer.args.beta_ptr = &beta;
    REQUIRE_MESSAGE(gpuopt_gemm_grouped(h.get(), &by_value.args) == GPUOPT_OK, last_error());
    if (beta == 0)  // C is an operand, and is not read
      for (float &x : c) x = std::numeric_limits<float>::quiet_NaN();
    REQUIRE_MESSAGE(gpuopt_gemm_grouped(h.get(), &by_pointer.args) == GPUOPT_OK, last_error());
    CHECK(by_pointer.d == by_value.d);
  }
}

TEST_CASE("gemm_grouped: what is refused, by field, value and rule") {
  const Handle h = cpu_handle();
  const auto refused = [&](const std::function<void(Grouped &)> &change, const char *words) {
    Grouped g;
    change(g);
    CAPTURE(std::string(words));
    CHECK(gpuopt_gemm_grouped(h.get(), &g.args) == GPUOPT_INVALID_ARGUMENT);
    CHECK_MESSAGE(contains(gpuopt_last_error(), words), last_error());
    for (const float x : g.d) REQUIRE(x == -77.0f);
  };
  refused([](Grouped &g) { g.offsets[2] = 3; }, "host_offsets[2]=3 is less than the one before it=4");
  refused([](Grouped &g) { g.offsets[0] = -1; }, "host_offsets[0]=-1 is less than the first row=0");
  refused([](Grouped &g) { g.offsets[4] = 12; }, "host_offsets[4]=12 is more than d.rows=11");
  refused([](Grouped &g) { g.args.host_offsets = nullptr; }, "neither offsets nor host_offsets is set");
  refused([](Grouped &g) { g.args.offsets = gpuopt_mat(g.offsets.data(), 1, 5, GPUOPT_I64); },
          "offsets and host_offsets are both set");
  refused(
      [](Grouped &g) {
        g.offsets_as_operand();
        g.args.offsets.cols = kGroups;
      },
      "offsets is 1x4 and must be 1x5");
  refused(
      [](Grouped &g) {
        g.offsets_as_operand();
        g.args.offsets.dtype = GPUOPT_F64;
      },
      "offsets.dtype=f64 must be i32 or i64");
  refused([](Grouped &g) { g.args.groups = -1; }, "groups=-1 is negative");
  refused([](Grouped &g) { g.args.b.rows = 6; }, "a.cols and b.rows must be equal");
  refused([](Grouped &g) { g.args.d.rows = 10; }, "d is 10x5 and must be 11x5");
  refused([](Grouped &g) { g.args.d.data = g.b.data() + kGroups * kK * kN - kRows * kN; }, "overlaps b");
  refused([](Grouped &g) { g.args.beta = 1; }, "beta is not 0 and c is not set");
  refused([](Grouped &g) { g.args.beta_ptr = g.bias.data(); }, "beta is not 0 and c is not set");
  refused([](Grouped &g) { g.args.alpha_ptr = reinterpret_cast<const char *>(g.bias.data()) + 2; },
          "is not aligned to one float (4 bytes)");
  refused([](Grouped &g) { g.args.a.dtype = GPUOPT_F64; }, "are not a row of GPUOPT_GEMM_TABLE");
}

TEST_CASE("gemm_grouped: no groups, no rows and no columns do nothing, k of 0 leaves the stages") {
  const Handle h = cpu_handle();
  Grouped none;
  none.args.groups = 0;
  none.offsets = {0};
  CHECK_MESSAGE(gpuopt_gemm_grouped(h.get(), &none.args) == GPUOPT_OK, last_error());
  for (const float x : none.d) REQUIRE(x == -77.0f);
  Grouped empty;
  empty.args.a.cols = empty.args.b.rows = 0;
  CHECK_MESSAGE(gpuopt_gemm_grouped(h.get(), &empty.args) == GPUOPT_OK, last_error());
  CHECK(empty.d[kN] == std::max(empty.bias[0], 0.0f));
  Grouped cleared;
  std::memset(static_cast<void *>(&cleared.args), 0, sizeof cleared.args);
  cleared.args.struct_size = sizeof cleared.args;
  cleared.args.op = GPUOPT_OP_GEMM_GROUPED;
  CHECK(gpuopt_gemm_grouped(h.get(), &cleared.args) == GPUOPT_INVALID_ARGUMENT);
  CHECK_MESSAGE(contains(gpuopt_last_error(), "cleared rather than started from"), last_error());
}

TEST_CASE("gemm_grouped: on Hopper 16-bit groups of few and of many rows have kernels of their own") {
  const Handle h = cpu_handle();
  const gpuopt_device_facts h200 = pretend("h200");
  const auto chosen = [&](int64_t rows, gpuopt_dtype type) {
    gpuopt_gemm_grouped_args g = GPUOPT_GEMM_GROUPED_ARGS_INIT;
    g.a = gpuopt_mat(nullptr, rows, 4096, type);
    g.b = gpuopt_mat(nullptr, 4096, 14336, type);
    g.d = gpuopt_mat(nullptr, rows, 14336, type);
    g.groups = 8;
    g.offsets = gpuopt_mat(nullptr, 1, 9, GPUOPT_I32);
    gpuopt_explain_options o = GPUOPT_EXPLAIN_OPTIONS_INIT;
    o.pretend = &h200;
    o.any_build = 1;
    std::string name;
    const auto see = [](void *user, const gpuopt_candidate *c) {
      if (c->verdict == GPUOPT_VERDICT_CHOSEN) *static_cast<std::string *>(user) = c->kernel;
    };
    gpuopt_explain(h.get(), &g, &o, see, &name);
    return name;
  };
  if (!GPUOPT_TEST_HAVE_CUDA || !GPUOPT_TEST_EVERY_CLASS) return;  // not every build has them
  CHECK(chosen(16, GPUOPT_BF16) == "gemm_grouped_wgmma_skinny_16bit");
  CHECK(chosen(8 * 1024, GPUOPT_F16) == "gemm_grouped_wgmma_16bit_128x256");
  CHECK(chosen(8 * 1024, GPUOPT_F64) == "gemm_grouped_naive");
}
