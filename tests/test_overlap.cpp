// What is written must not be read elsewhere, however many lines the matrices have.
#include "support.h"

#include <chrono>
#include <random>
#include <set>

#include "overlap.h"

using namespace gpuopt_test;

namespace {

std::set<uint64_t> bytes_of(const gpuopt::ByteLines &m) {
  std::set<uint64_t> bytes;
  for (int64_t p = 0; p < m.batch; ++p)
    for (int64_t i = 0; i < m.lines; ++i)
      for (int64_t x = 0; x < m.length; ++x)
        bytes.insert(m.base + static_cast<uint64_t>(p * m.stride + i * m.pitch + x));
  return bytes;
}

bool share_by_hand(const gpuopt::ByteLines &a, const gpuopt::ByteLines &b) {
  const std::set<uint64_t> of_a = bytes_of(a);
  for (const uint64_t byte : bytes_of(b))
    if (of_a.count(byte)) return true;
  return false;
}

gpuopt_matrix at(uintptr_t address, int64_t rows, int64_t cols, int64_t ld) {
  return gpuopt_mat_ld(reinterpret_cast<void *>(address), rows, cols, ld, GPUOPT_F32);
}

}  // namespace

TEST_CASE("overlap: as byte by byte, for 20000 pairs of batched matrices") {
  std::mt19937 random(7);
  const auto within = [&](int64_t least, int64_t most) {
    return least + static_cast<int64_t>(random() % static_cast<uint32_t>(most - least + 1));
  };
  const auto draw = [&] {
    gpuopt::ByteLines m = {};
    m.base = static_cast<uint64_t>(1000 + within(0, 60));
    m.length = within(1, 6);
    m.lines = within(1, 6);
    m.pitch = m.lines == 1 ? 0 : m.length + within(0, 12);
    m.batch = within(0, 2) ? 1 : within(2, 4);
    m.stride = m.batch == 1 ? 0 : within(0, 60);
    return m;
  };
  int shared = 0;
  for (int i = 0; i < 20000; ++i) {
    const gpuopt::ByteLines a = draw();
    gpuopt::ByteLines b = draw();
    if (a.batch > 1 && b.batch > 1 && i % 2 == 0) b.stride = a.stride;
    const bool truth = share_by_hand(a, b);
    shared += truth;
    REQUIRE(gpuopt::share_a_byte(a, b) == truth);
  }
  CHECK(shared > 5000);
  CHECK(shared < 15000);
}

TEST_CASE("overlap: matrices of one batch as byte by byte, and at once for a million of them") {
  std::mt19937 random(11);
  const auto within = [&](int64_t least, int64_t most) {
    return least + static_cast<int64_t>(random() % static_cast<uint32_t>(most - least + 1));
  };
  int shared = 0;
  for (int i = 0; i < 20000; ++i) {
    gpuopt::ByteLines m = {};
    m.base = 1000;
    m.length = within(1, 6);
    m.lines = within(1, 6);
    m.pitch = m.lines == 1 ? 0 : m.length + within(0, 12);
    m.batch = within(2, 9);
    m.stride = within(1, 90);
    const bool truth = bytes_of(m).size() != static_cast<size_t>(m.batch * m.lines * m.length);
    shared += truth;
    REQUIRE(gpuopt::batches_share_a_byte(m) == truth);
  }
  CHECK(shared > 3000);
  CHECK(shared < 15000);
  // Matrices side by side in lines that hold a thousand of them: one more meets the first one's next line.
  gpuopt::ByteLines far = {1 << 20, 2, 1001000, 1000, 1001, 1000};
  CHECK(!gpuopt::batches_share_a_byte(far));
  far.batch = 1001;
  CHECK(gpuopt::batches_share_a_byte(far));
  // The first and the last of a million meet in one byte.
  far.batch = 1000000;
  far.lines = 1000000;
  far.pitch = int64_t{1001} * 999999 - 1;
  CHECK(gpuopt::batches_share_a_byte(far));
  --far.batch;
  CHECK(!gpuopt::batches_share_a_byte(far));
}

TEST_CASE("overlap: two interleaved matrices of 2^40 lines are told apart in no time") {
  gpuopt::ByteLines a = {uint64_t{1} << 20, 16, 48, int64_t{1} << 40, 0, 1}, b = a;
  for (int round = 0; round < 1000; ++round) {
    b.base = a.base + 16;
    REQUIRE(!gpuopt::share_a_byte(a, b));
    b.base = a.base + 40;  // ends 8 bytes into the next line
    REQUIRE(gpuopt::share_a_byte(a, b));
  }
  b.base = a.base + 16, b.pitch = 49;  // meets a's lines only after a while
  CHECK(gpuopt::share_a_byte(a, b));
  b.lines = 17;
  CHECK(!gpuopt::share_a_byte(a, b));
  b.lines = 18;
  CHECK(gpuopt::share_a_byte(a, b));
}

TEST_CASE("overlap: a million matrices side by side with a million others cost no walk") {
  constexpr int64_t batch = 1000000;
  const gpuopt::ByteLines a = {uint64_t{1} << 20, 64, 128, 16, 2048, batch};
  gpuopt::ByteLines b = a;
  const auto start = std::chrono::steady_clock::now();
  for (int round = 0; round < 1000; ++round) {
    b.base = a.base + 64;
    REQUIRE(!gpuopt::share_a_byte(a, b));
    b.base = a.base + 63;
    REQUIRE(gpuopt::share_a_byte(a, b));
    b.base = a.base + 64 + 2048 * (batch - 1) + 128 * 15;
    REQUIRE(!gpuopt::share_a_byte(a, b));
  }
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(5));  // a walk takes minutes
}

TEST_CASE("overlap: a tall gemm whose output lies in its input is refused") {
  const Handle h = cpu_handle();
  constexpr int64_t m = 1000001, ld = 8;
  constexpr uintptr_t base = 1 << 20;
  gpuopt_gemm_args g = GPUOPT_GEMM_ARGS_INIT;
  g.a = at(base, m, 4, ld);
  g.b = at(uintptr_t{1} << 40, 4, 4, 4);
  const auto status = [&](int64_t elements_in) {
    g.d = at(base + static_cast<uintptr_t>(4 * elements_in), m, 4, ld);
    return gpuopt_explain(h.get(), &g, nullptr, nullptr, nullptr);
  };
  CHECK(status(4) == GPUOPT_OK);  // beside it, in the same lines
  for (const int64_t inside : {int64_t{0}, int64_t{3}, int64_t{5}, ld * (m - 1) + 3}) {
    CHECK(status(inside) == GPUOPT_INVALID_ARGUMENT);
    CHECK(contains(gpuopt_last_error(), "overlaps a"));
  }
  CHECK(status(ld * (m - 1) + 4) == GPUOPT_OK);
}

TEST_CASE("overlap: heads of one buffer are legal side by side and not on top of each other") {
  const Handle h = cpu_handle();
  constexpr int64_t tokens = 300000, heads = 12, width = 64;
  gpuopt_gemm_args g = GPUOPT_GEMM_ARGS_INIT;
  constexpr uintptr_t base = 1 << 20;
  g.batch = heads;
  g.a = at(base, tokens, width, 2 * heads * width);
  g.a.batch_stride = width;
  g.b = at(uintptr_t{1} << 40, width, width, width);
  g.d = at(base + 4 * heads * width, tokens, width, 2 * heads * width);
  g.d.batch_stride = width;
  CHECK_MESSAGE(gpuopt_explain(h.get(), &g, nullptr, nullptr, nullptr) == GPUOPT_OK, last_error());
  g.d.data = reinterpret_cast<void *>(base + 4 * (heads * width - 1));
  CHECK(gpuopt_explain(h.get(), &g, nullptr, nullptr, nullptr) == GPUOPT_INVALID_ARGUMENT);
}

TEST_CASE("overlap: of no elements there is none, whatever the other extent") {
  const Handle h = cpu_handle();
  static float memory[4];
  constexpr int64_t most = INT64_MAX - 1;
  gpuopt_transpose_args t = GPUOPT_TRANSPOSE_ARGS_INIT;
  t.src = gpuopt_mat(memory, 0, most, GPUOPT_BF16);
  t.dst = gpuopt_mat(memory, most, 0, GPUOPT_BF16);
  CHECK_MESSAGE(gpuopt_transpose(h.get(), &t) == GPUOPT_OK, last_error());
}

TEST_CASE("overlap: alpha, beta and scales by pointer lie in nothing that the call writes") {
  const Handle h = cpu_handle();
  constexpr uintptr_t base = 1 << 20, elsewhere = uintptr_t{1} << 40;
  constexpr int64_t ld = 6;
  gpuopt_gemm_args g = GPUOPT_GEMM_ARGS_INIT;
  g.a = at(elsewhere, 4, 4, 4);
  g.b = at(elsewhere, 4, 4, 4);
  g.c = at(elsewhere, 4, 4, 4);
  const auto scalar = [](int64_t element) { return reinterpret_cast<const float *>(base) + element; };
  const auto refused = [&](const void *args, const char *words) {
    CHECK(gpuopt_explain(h.get(), args, nullptr, nullptr, nullptr) == GPUOPT_INVALID_ARGUMENT);
    CHECK_MESSAGE(contains(last_error(), words), last_error());
  };
  const auto taken = [&](const void *args) {
    CHECK_MESSAGE(gpuopt_explain(h.get(), args, nullptr, nullptr, nullptr) == GPUOPT_OK, last_error());
  };
  for (const int32_t layout : {GPUOPT_ROW, GPUOPT_COL}) {
    CAPTURE(layout);
    g.d = at(base, 4, 4, ld);
    g.d.layout = layout;
    g.alpha_ptr = scalar(2 * ld + 3);
    refused(&g, ": d (4x4 at 0x100000) overlaps alpha_ptr (1x1 at ");
    g.alpha_ptr = scalar(2 * ld + 4);  // between two lines
    taken(&g);
    g.beta_ptr = scalar(0);
    refused(&g, "overlaps beta_ptr");
    g.beta_ptr = scalar(-1);
    taken(&g);
    g.beta_ptr = nullptr;
    gpuopt_stage store = gpuopt_act_with(GPUOPT_STAGE_STORE, 0, at(base + 4096, 4, 4, ld));
    g.stages = &store;
    g.stage_count = 1;
    taken(&g);
    g.alpha_ptr = scalar(1024 + ld);
    refused(&g, "stages[0].a (4x4 at 0x101000) overlaps alpha_ptr");
    g.stage_count = 0;
    g.alpha_ptr = nullptr;
  }
  gpuopt_gemm_args fp8 = g;
  fp8.a.dtype = fp8.b.dtype = GPUOPT_E4M3;
  fp8.d.dtype = GPUOPT_F32;
  fp8.a.scale = scalar(0);
  refused(&fp8, "overlaps a.scale");
  fp8.a.scale = scalar(4);
  taken(&fp8);
  fp8.b.scale = scalar(1);
  refused(&fp8, "overlaps b.scale");
  gpuopt_gemm_grouped_args rows = GPUOPT_GEMM_GROUPED_ARGS_INIT;
  const int64_t offsets[] = {0, 4};
  rows.a = g.a;
  rows.b = g.b;
  rows.d = at(base, 4, 4, ld);
  rows.host_offsets = offsets;
  rows.alpha_ptr = scalar(ld);
  refused(&rows, ": d (4x4 at 0x100000) overlaps alpha_ptr");
  rows.alpha_ptr = scalar(ld - 1);
  taken(&rows);
}
