// gpuopt_gemm_grouped of a list: each product is what gpuopt_gemm makes of it, what is refused, what a list that nobody has
// checked may do.
#include <algorithm>
#include <cstring>
#include <functional>
#include <limits>
#include <vector>

#include "decide.h"
#include "gpuopt/gpuopt.hpp"
#include "support.h"

using namespace gpuopt_test;

namespace {

constexpr int64_t kProducts = 5, kM = 9, kN = 8, kK = 7;

// Products of every size from none to the greatest, each padded otherwise.
struct Products {
  std::vector<float> memory = std::vector<float>(4 * kProducts * 200), bias = values(kProducts * kN, 3);
  std::vector<gpuopt_gemm_group> list;
  gpuopt_stage stages[2] = {
      gpuopt_act_with(GPUOPT_STAGE_ADD, GPUOPT_PER_COL, gpuopt_mat(bias.data(), 1, kN, GPUOPT_F32)),
      gpuopt_act(GPUOPT_STAGE_RELU, 0, 0)};
  gpuopt_gemm_grouped_args args = GPUOPT_GEMM_GROUPED_ARGS_INIT;

  explicit Products(int32_t layout = GPUOPT_ROW) {
    memory = values(static_cast<int64_t>(memory.size()), 1);
    const int64_t shapes[kProducts][3] = {{kM, kN, kK}, {1, 3, 2}, {0, 5, 3}, {4, kN, 0}, {6, 1, 5}};
    args.a = gpuopt_mat(nullptr, kM, kK, GPUOPT_F32);
    args.b = gpuopt_mat(nullptr, kK, kN, GPUOPT_F32);
    args.c = args.d = gpuopt_mat(nullptr, kM, kN, GPUOPT_F32);
    args.a.layout = args.d.layout = layout;
    args.b.layout = GPUOPT_COL;
    args.groups = kProducts;
    args.alpha = -1.25;
    args.beta = 0.5;
    args.stages = stages;
    args.stage_count = 2;
    for (int64_t i = 0; i < kProducts; ++i) {
      const auto [m, n, k] = shapes[i];
      float *const at = memory.data() + 4 * i * 200;
      const int64_t pad = i % 2 == 0 ? 0 : 1 + i;
      gpuopt_gemm_group x = {at, at + 200, at + 400, at + 600, m, n, k, 0, 0, 0, 0, 0};
      if (pad != 0) {
        x.lda = (layout == GPUOPT_ROW ? k : m) + pad;
        x.ldb = k + pad;
        x.ldc = n + pad;
        x.ldd = (layout == GPUOPT_ROW ? n : m) + pad;
      }
      list.push_back(x);
    }
    args.host_list = list.data();
  }
  static std::vector<float> values(int64_t count, int seed) {
    std::vector<float> all;
    for (int64_t i = 0; i < count; ++i) all.push_back(static_cast<float>((i * 37 + seed * 11) % 23 - 11) / 8);
    return all;
  }
  void of_the_device() {
    args.host_list = nullptr;
    args.list = list.data();
  }
  // The same by a gpuopt_gemm for each product, in memory of another's.
  void run_each(gpuopt_handle *h) {
    for (int64_t i = 0; i < kProducts; ++i) {
      const gpuopt_gemm_group &x = list[static_cast<size_t>(i)];
      gpuopt_gemm_args one = GPUOPT_GEMM_ARGS_INIT;
      const auto matrix = [](const gpuopt_matrix &like, const void *data, int64_t rows, int64_t cols, int64_t ld) {
        gpuopt_matrix m = gpuopt_mat_ld(data, rows, cols, ld, like.dtype);
        m.layout = like.layout;
        return m;
      };
      one.a = matrix(args.a, x.a, x.m, x.k, x.lda);
      one.b = matrix(args.b, x.b, x.k, x.n, x.ldb);
      one.c = matrix(args.c, x.c, x.m, x.n, x.ldc);
      one.d = matrix(args.d, x.d, x.m, x.n, x.ldd);
      one.alpha = args.alpha;
      one.beta = args.beta;
      gpuopt_stage own[2] = {stages[0], stages[1]};
      own[0].a = gpuopt_mat(bias.data() + i * kN, 1, x.n, GPUOPT_F32);
      one.stages = own;
      one.stage_count = 2;
      REQUIRE_MESSAGE(gpuopt_gemm(h, &one) == GPUOPT_OK, last_error());
    }
  }
};

}  // namespace

TEST_CASE("gemm_grouped list: each product is its own gpuopt_gemm, and nothing else is written") {
  const Handle h = cpu_handle();
  REQUIRE(gpuopt_set_kernel(h.get(), "gemm=gemm_cpu_reference") == GPUOPT_OK);
  for (const int32_t layout : {GPUOPT_ROW, GPUOPT_COL})
    for (const bool device : {false, true}) {
      CAPTURE(layout);
      CAPTURE(device);
      Products together(layout), each(layout);
      if (device) together.of_the_device();
      REQUIRE_MESSAGE(gpuopt_gemm_grouped(h.get(), &together.args) == GPUOPT_OK, last_error());
      each.run_each(h.get());
      CHECK(together.memory == each.memory);
    }
}

TEST_CASE("gemm_grouped list: a c that is d in place, a b that products share, a vector that all share") {
  const Handle h = cpu_handle();
  REQUIRE(gpuopt_set_kernel(h.get(), "gemm=gemm_cpu_reference") == GPUOPT_OK);
  const auto change = [](Products &p) {
    for (gpuopt_gemm_group &x : p.list) {
      x.b = p.list[0].b;
      x.ldb = kK;
      x.c = x.d;
      x.ldc = x.ldd;
    }
    std::fill(p.bias.begin() + kN, p.bias.end(), 0.75f);
    std::fill(p.bias.begin(), p.bias.begin() + kN, 0.75f);
  };
  Products together, each;
  change(together);
  change(each);
  together.stages[0].a.batch_stride = 0;
  REQUIRE_MESSAGE(gpuopt_gemm_grouped(h.get(), &together.args) == GPUOPT_OK, last_error());
  each.run_each(h.get());
  CHECK(together.memory == each.memory);
}

TEST_CASE("gemm_grouped list: a product without depth may have anything for its a and its b") {
  const Handle h = cpu_handle();
  const auto anything = [](const void *a, const void *b, int64_t lda, int64_t ldb) {
    return [=](gpuopt_gemm_group &x) { x.a = a, x.b = b, x.lda = lda, x.ldb = ldb; };
  };
  for (const int32_t layout : {GPUOPT_ROW, GPUOPT_COL}) {
    CAPTURE(layout);
    Products plain(layout), odd(layout);
    anything(nullptr, nullptr, 0, 0)(plain.list[3]);
    anything(reinterpret_cast<void *>(3), reinterpret_cast<void *>(UINTPTR_MAX), 1, -5)(odd.list[3]);
    std::swap(plain.list[3], plain.list[0]);  // none before it has told what operands are like
    std::swap(odd.list[3], odd.list[0]);
    gpuopt_problem p[2] = {};
    for (Products *one : {&plain, &odd}) {
      gpuopt::AnyArgs args;
      REQUIRE(gpuopt::take_args("test", &one->args, 0, &args) == GPUOPT_OK);
      gpuopt_problem &problem = p[one == &odd];
      REQUIRE_MESSAGE(gpuopt::validate(args, {"test"}, &problem) == GPUOPT_OK, last_error());
    }
    for (int i = 0; i < 4; ++i) {
      CHECK(p[0].operand[i].align == p[1].operand[i].align);
      // Whose memory it is, is asked of what has elements.
      CHECK(p[1].operand[i].m.data != odd.list[0].a);
      CHECK(p[1].operand[i].m.data != odd.list[0].b);
    }
    REQUIRE_MESSAGE(gpuopt_gemm_grouped(h.get(), &plain.args) == GPUOPT_OK, last_error());
    REQUIRE_MESSAGE(gpuopt_gemm_grouped(h.get(), &odd.args) == GPUOPT_OK, last_error());
    CHECK(plain.memory == odd.memory);
  }
}

TEST_CASE("gemm_grouped list: extents that nobody checks count as the nearest that there may be") {
  const Handle h = cpu_handle();
  Products wild, tame;
  wild.of_the_device();
  tame.of_the_device();
  wild.list[0].m = wild.list[0].n = int64_t{1} << 40;
  wild.list[0].k = kK + 1;
  wild.list[1].m = -7;
  tame.list[1].m = 0;
  wild.list[4].k = std::numeric_limits<int64_t>::min();
  tame.list[4].k = 0;
  REQUIRE_MESSAGE(gpuopt_gemm_grouped(h.get(), &wild.args) == GPUOPT_OK, last_error());
  REQUIRE_MESSAGE(gpuopt_gemm_grouped(h.get(), &tame.args) == GPUOPT_OK, last_error());
  CHECK(wild.memory == tame.memory);
}

TEST_CASE("gemm_grouped list: what is refused, by field, value and rule") {
  const Handle h = cpu_handle();
  const auto refused = [&](const std::function<void(Products &)> &change, const char *words) {
    Products p;
    change(p);
    const std::vector<float> before = p.memory;
    CHECK(gpuopt_gemm_grouped(h.get(), &p.args) == GPUOPT_INVALID_ARGUMENT);
    CHECK_MESSAGE(last_error().find(words) != std::string::npos, last_error());
    CHECK(p.memory == before);
  };
  refused([](Products &p) { p.args.list = p.list.data(); }, "list and host_list are both set");
  refused([](Products &p) { p.args.host_list = nullptr; }, "neither offsets nor host_offsets is set, nor a list");
  refused([](Products &p) { p.args.a.data = p.memory.data(); }, "with a list, whose products have their own");
  refused([](Products &p) { p.args.d.ld = kN; }, "d.ld=8 with a list");
  refused([](Products &p) { p.args.list_align[1] = 16; }, "list_align[1]=16 with host_list");
  refused(
      [](Products &p) {
        p.of_the_device();
        p.args.list_align[3] = 24;
      },
      "list_align[3]=24 is not a power of two up to 256");
  refused([](Products &p) { p.list[1].m = -1; }, "host_list[1].m=-1 is negative");
  refused([](Products &p) { p.list[0].n = kN + 1; }, "host_list[0].n=9 is more than d.cols=8");
  refused([](Products &p) { p.list[4].k = kK + 1; }, "host_list[4].k=8 is more than a.cols=7");
  refused([](Products &p) { p.list[4].reserved = 3; }, "host_list[4].reserved=3 is not zero");
  refused([](Products &p) { p.list[1].ldb = 1; }, "host_list[1].b.ld=1 < host_list[1].b.rows=2");
  refused([](Products &p) { p.list[1].a = nullptr; }, "host_list[1].a.data is NULL and the matrix is 1x2");
  refused([](Products &p) { p.list[1].d = reinterpret_cast<char *>(p.list[1].d) + 2; },
          "is not aligned to one f32 element");
  refused([](Products &p) { p.list[4].d = p.list[0].d; }, "overlaps");
  refused([](Products &p) { p.list[4].d = const_cast<void *>(p.list[0].a); }, "overlaps host_list[0].a");
  refused([](Products &p) { p.list[0].d = p.bias.data(); }, "overlaps stages[0].a");
  refused([](Products &p) { p.args.alpha_ptr = static_cast<float *>(p.list[4].d) + 5; }, "host_list[4].d (6x1 at ");
  refused([](Products &p) { p.args.beta_ptr = p.list[1].d; }, "overlaps beta_ptr (1x1 at ");
  refused([](Products &p) { p.args.a.dtype = GPUOPT_F64; }, "are not a row of GPUOPT_GEMM_TABLE");
  refused([](Products &p) { p.args.b.rows = 6; }, "a.cols and b.rows must be equal");
  refused([](Products &p) { p.args.c.rows = 3; }, "c is 3x8 and must be 9x8");
  refused(
      [](Products &p) {
        p.args.host_list = reinterpret_cast<const gpuopt_gemm_group *>(reinterpret_cast<char *>(p.list.data()) + 4);
      },
      "is not aligned to one 64-bit integer");
  refused(
      [](Products &p) {
        p.stages[1] = gpuopt_act_with(GPUOPT_STAGE_STORE, 0, gpuopt_mat(p.bias.data(), kM, kN, GPUOPT_F32));
        p.stages[1].a.batch_stride = 0;
      },
      "an output cannot be shared by the batch");
}

TEST_CASE("gemm_grouped list: explain needs no pointers, and goes by what is declared") {
  const Handle h = cpu_handle();
  Products p;
  p.of_the_device();
  gpuopt_explain_options options = GPUOPT_EXPLAIN_OPTIONS_INIT;
  options.space = GPUOPT_SPACE_HOST;
  p.args.list = reinterpret_cast<const gpuopt_gemm_group *>(uintptr_t{1} << 40);  // which nobody may read
  CHECK_MESSAGE(gpuopt_explain(h.get(), &p.args, &options, nullptr, nullptr) == GPUOPT_OK, last_error());
  size_t bytes = 0;
  CHECK(gpuopt_workspace_size(h.get(), &p.args, &bytes) == GPUOPT_OK);
  p.args.groups = 0;
  CHECK_MESSAGE(gpuopt_gemm_grouped(h.get(), &p.args) == GPUOPT_OK, last_error());
  p.args.groups = INT64_MAX / 8;
  CHECK(gpuopt_gemm_grouped(h.get(), &p.args) == GPUOPT_INVALID_ARGUMENT);
}

#if GPUOPT_TEST_HAVE_CUDA
TEST_CASE(
    "gemm_grouped list: on Hopper products of many rows are wgmma's, as far as operands lie on 16 bytes along k") {
  const Handle h = cpu_handle();
  constexpr const char *kWgmma = "gemm_grouped_wgmma_list_16bit";
  gpuopt_gemm_grouped_args args = GPUOPT_GEMM_GROUPED_ARGS_INIT;
  const auto set = [&](int64_t m, int32_t align) {
    args.a = gpuopt_mat(nullptr, m, 4096, GPUOPT_BF16);
    args.b = gpuopt_mat(nullptr, 4096, 4096, GPUOPT_BF16);
    args.d = gpuopt_mat(nullptr, m, 4096, GPUOPT_BF16);
    args.groups = 64;
    args.list = reinterpret_cast<const gpuopt_gemm_group *>(uintptr_t{1} << 40);  // which nobody reads
    for (int32_t &of_operand : args.list_align) of_operand = align;
  };
  const auto explained = [&](const char *device) {
    const gpuopt_device_facts facts = pretend(device);
    gpuopt_explain_options o = GPUOPT_EXPLAIN_OPTIONS_INIT;
    o.pretend = &facts;
    o.any_build = 1;
    Candidates seen;
    REQUIRE_MESSAGE(gpuopt_explain(h.get(), &args, &o, Candidates::add, &seen) == GPUOPT_OK, last_error());
    const Candidate *const found = seen.find(kWgmma);
    REQUIRE(found != nullptr);
    return *found;
  };
  set(1024, 16);
  CHECK(explained("h200").verdict == GPUOPT_VERDICT_CHOSEN);
  CHECK(explained("a100").reject == GPUOPT_REJECT_ARCH);
  CHECK(explained("b200").reject == GPUOPT_REJECT_ARCH);
  // Of 4096 x 4096 matrices 16 rows are read, not multiplied: the tiles of mma.sync begin sooner.
  set(16, 16);
  CHECK(explained("h200").verdict == GPUOPT_VERDICT_ACCEPTED);
  const auto refused = [&](int32_t code, int32_t operand, int64_t have, int64_t need) {
    const Candidate c = explained("h200");
    CHECK(c.verdict == GPUOPT_VERDICT_REJECTED);
    CHECK(c.reject == code);
    CHECK(c.operand == operand);
    CHECK(c.have == have);
    CHECK(c.need == need);
  };
  set(1024, 8);
  refused(GPUOPT_REJECT_ALIGN, GPUOPT_OPERAND_A, 8, 16);
  set(1024, 16);
  args.list_align[1] = 4;
  refused(GPUOPT_REJECT_ALIGN, GPUOPT_OPERAND_B, 4, 16);
  set(1024, 16);
  args.groups = int64_t{1} << 32;
  refused(GPUOPT_REJECT_SIZE_LIMIT, GPUOPT_OPERAND_NONE, int64_t{1} << 32, (int64_t{1} << 31) - 4096);
  set(1024, 16);
  args.a.layout = GPUOPT_COL;
  CHECK(explained("h200").reject == GPUOPT_REJECT_LAYOUT);
  // Groups of rows are others'.
  set(1024, 16);
  for (int32_t &of_operand : args.list_align) of_operand = 0;
  args.list = nullptr;
  args.offsets = gpuopt_mat(nullptr, 1, 65, GPUOPT_I64);
  CHECK(explained("h200").verdict == GPUOPT_VERDICT_REJECTED);
}
#endif

TEST_CASE("gemm_grouped list: the face takes products of the host") {
  gpuopt::handle h(gpuopt::options::on(GPUOPT_DEVICE_CPU));
  const std::vector<float> a = {1, 2, 3, 4, 5, 6}, b = {1, 0, 0, 1, 1, 1};
  std::vector<float> d(5, -1);
  gpuopt_gemm_group whole = {}, part = {};
  whole.a = a.data(), whole.b = b.data(), whole.d = d.data();
  whole.m = whole.n = 2, whole.k = 3;
  part.a = a.data(), part.b = b.data(), part.d = d.data() + 4;
  part.m = part.n = 1, part.k = 2;
  part.ldb = 2;
  h.gemm_grouped(gpuopt::matrix<const float>(nullptr, 2, 3), gpuopt::matrix<const float>(nullptr, 3, 2),
                 gpuopt::matrix<float>(nullptr, 2, 2), std::vector<gpuopt_gemm_group>{whole, part}, {gpuopt::add(1)});
  CHECK(d == std::vector<float>{5, 6, 11, 12, 2});
  h.gemm_grouped(gpuopt::matrix<const float>(nullptr, 2, 3), gpuopt::matrix<const float>(nullptr, 3, 2),
                 gpuopt::matrix<float>(nullptr, 2, 2), std::vector<gpuopt_gemm_group>());
}
