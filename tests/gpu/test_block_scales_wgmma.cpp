// Scales of blocks by wgmma against gemm_naive: tiles that end inside a block, operands that are packed or cut into panels on the
// way, batches, stages, groups; and the same bits by tiles of every size.
#include <cmath>
#include <cstring>

#include "products.h"

using namespace gpuopt_test;

namespace {

constexpr const char *kTiles[] = {"gemm_wgmma_fp8_promoting_128x128", "gemm_wgmma_fp8_promoting_192x128",
                                  "gemm_wgmma_fp8_promoting_256x128"};
constexpr int64_t kM = 700, kN = 456, kK = 1312, kBatch = 2;

// Elements from first to end.
void check_near(const std::vector<float> &one, const std::vector<float> &other, size_t first, size_t end) {
  double size = 0;
  for (size_t i = first; i < end; ++i) size += std::fabs(double(one[i])) / double(end - first);
  for (size_t i = first; i < end; ++i)
    if (!(std::fabs(double(one[i]) - double(other[i])) <= 4e-3 * (size + std::fabs(double(one[i]))))) {
      CAPTURE(i);
      CHECK(one[i] == other[i]);
      return;
    }
}

struct Scaled {
  DeviceArray<uint8_t> a{fp8_values(kBatch * kM * (kK + 8))}, b{fp8_values(kBatch * kN * (kK + 8))};
  DeviceArray<float> of_a{positive_values(kBatch * kM * 16, 3)}, of_b{positive_values(kBatch * kN * 16, 4)};
  DeviceArray<float> d{static_cast<size_t>(kBatch * kM * kN)}, bias{normal_values(kN, 5)};
  gpuopt_stage stages[2] = {gpuopt_act_with(GPUOPT_STAGE_ADD, GPUOPT_PER_COL, gpuopt_mat(bias.data, 1, kN, GPUOPT_F32)),
                            gpuopt_act(GPUOPT_STAGE_RELU, 0, 0)};
  gpuopt_gemm_args args = GPUOPT_GEMM_ARGS_INIT;

  Scaled() {
    const gpuopt_matrix x = gpuopt_mat(a.data, kM, kK, GPUOPT_E4M3), w = gpuopt_mat(b.data, kN, kK, GPUOPT_E4M3);
    args.a = gpuopt_mat_scales(x, of_a.data, GPUOPT_SCALE_1X128);
    args.b = gpuopt_t(gpuopt_mat_scales(w, of_b.data, GPUOPT_SCALE_128X128));
    args.d = gpuopt_mat(d.data, kM, kN, GPUOPT_F32);
  }
  std::vector<float> run(const Gpu &g, const char *kernel) {
    d.fill(0x7f);
    REQUIRE_MESSAGE(gpuopt_set_kernel(g.handle, kernel) == GPUOPT_OK, last_error());
    REQUIRE_MESSAGE(gpuopt_gemm(g.handle, &args) == GPUOPT_OK, last_error());
    g.sync();
    return d.get();
  }
  // By every kernel alike, by all tiles to the bit.
  void check(const Gpu &g) {
    const std::vector<float> naive = run(g, "gemm_naive"), small = run(g, kTiles[0]);
    const size_t count = static_cast<size_t>(args.batch * kM * kN);
    for (const char *tile : {kTiles[1], kTiles[2]}) {
      CAPTURE(std::string(tile));
      const std::vector<float> large = run(g, tile);
      CHECK(std::memcmp(small.data(), large.data(), count * sizeof(float)) == 0);
    }
    check_near(naive, small, 0, count);
  }
};

bool is_hopper(const Gpu &g) {
  gpuopt_device_facts facts = GPUOPT_DEVICE_FACTS_INIT;
  REQUIRE(gpuopt_get_device(g.handle, &facts) == GPUOPT_OK);
  if (facts.cc != 90) MESSAGE("SKIP: wgmma is Hopper's");
  return facts.cc == 90;
}

}  // namespace

TEST_CASE("gpu: block scales by wgmma are those of gemm_naive, however the operands lie") {
  GPUOPT_NEED_GPU();
  const Gpu g;
  if (!is_hopper(g)) return;
  Scaled s;
  const DeviceArray<uint8_t> workspace(size_t{800} << 10);  // less than both operands take when they are packed
  SUBCASE("as they lie") {}
  SUBCASE("scales of A in columns, and with room between lines") {
    s.args.a.scales.layout = GPUOPT_COL;
    s.args.a.scales.ld = kM + 4;
    s.args.b.scales.ld = 14;
  }
  SUBCASE("of 128 x 128 for both") { s.args.a.scales.block = GPUOPT_SCALE_128X128; }
  SUBCASE("of one operand alone") {
    s.args.b.scales = {};
    s.args.alpha = 0.5;
  }
  SUBCASE("lines that do not lie on 16 bytes are packed") { s.args.a.ld = s.args.b.ld = kK + 3; }
  SUBCASE("packed and cut into panels") {
    s.args.a.ld = s.args.b.ld = kK + 3;
    REQUIRE(gpuopt_set_workspace(g.handle, workspace.data, workspace.count) == GPUOPT_OK);
  }
  SUBCASE("B across k is transposed") {
    s.args.b = gpuopt_mat_scales(gpuopt_mat(s.b.data, kK, kN, GPUOPT_E4M3), s.of_b.data, GPUOPT_SCALE_128X128);
  }
  SUBCASE("batches, of which B shares one") {
    s.args.batch = kBatch;
    s.args.b.batch_stride = 0;
  }
  SUBCASE("stages behind sums in scratch memory") {
    s.args.stages = s.stages;
    s.args.stage_count = 2;
  }
  s.check(g);
}

TEST_CASE(
    "gpu: block scales of B's columns by wgmma are those of gemm_naive, and of a block's where all of its are alike") {
  GPUOPT_NEED_GPU();
  const Gpu g;
  if (!is_hopper(g)) return;
  Scaled s;
  const auto depth = static_cast<size_t>(kK / 128 + 1);
  std::vector<float> blocks = s.of_b.get(), columns(blocks.size());  // of W, a row for each column of B
  for (size_t j = 0; j < static_cast<size_t>(kN); ++j)
    for (size_t t = 0; t < depth; ++t) columns[j * depth + t] = blocks[j / 128 * depth + t];
  const std::vector<float> alike = s.run(g, kTiles[0]);
  const gpuopt_matrix w = gpuopt_mat(s.b.data, kN, kK, GPUOPT_E4M3);
  s.args.b = gpuopt_t(gpuopt_mat_scales(w, s.of_b.data, GPUOPT_SCALE_1X128));
  const DeviceArray<uint8_t> workspace(size_t{800} << 10);  // less than both operands take when they are packed
  int64_t rows = kM, cols = kN;
  SUBCASE("alike in a block") {
    s.of_b.set(columns);
    CHECK(s.run(g, kTiles[0]) == alike);
    s.of_b.set(blocks);
  }
  SUBCASE("in columns, and with room between lines") {
    s.args.b.scales.layout = GPUOPT_COL;
    s.args.b.scales.ld = 14;
  }
  SUBCASE("A's of 128 x 128") { s.args.a.scales.block = GPUOPT_SCALE_128X128; }
  SUBCASE("B's alone") { s.args.a.scales = {}; }
  SUBCASE("D by columns") {
    cols = kM;  // those of the normal form
    rows = kN;
    s.args.b = gpuopt_t(gpuopt_mat_scales(w, s.of_b.data, GPUOPT_SCALE_128X128));
    s.args.d = gpuopt_t(gpuopt_mat(s.d.data, kN, kM, GPUOPT_F32));
  }
  SUBCASE("packed and cut into panels") {
    s.args.a.ld = s.args.b.ld = kK + 3;
    REQUIRE(gpuopt_set_workspace(g.handle, workspace.data, workspace.count) == GPUOPT_OK);
  }
  SUBCASE("batches, of which B shares one") {
    s.args.batch = kBatch;
    s.args.b.batch_stride = 0;
  }
  SUBCASE("one step, of a few columns") {
    cols = s.args.b.cols = s.args.d.cols = 3;
    s.args.a.cols = s.args.b.rows = 64;
  }
  SUBCASE("stages behind sums in scratch memory, rows on their own") {
    s.args.stages = s.stages;
    s.args.stage_count = 2;
    s.args.flags = GPUOPT_REQUIRE_BATCH_INVARIANT;
  }
  const std::vector<float> result = s.run(g, kTiles[0]);
  s.args.flags = 0;
  const std::vector<float> naive = s.run(g, "gemm_naive");
  for (int64_t i = 0; i < s.args.batch * rows; ++i)
    check_near(naive, result, static_cast<size_t>(i * s.args.d.ld), static_cast<size_t>(i * s.args.d.ld + cols));
}

TEST_CASE("gpu: block scales of a batch, whose sums go by panels of rows, give the same bits") {
  GPUOPT_NEED_GPU();
  const Gpu g;
  if (!is_hopper(g)) return;
  Scaled s;
  s.args.batch = kBatch;
  s.args.stages = s.stages;
  s.args.stage_count = 2;
  const DeviceArray<uint8_t> workspace(size_t{2} << 20);  // less than all sums take
  for (const char *tile : kTiles) {
    CAPTURE(std::string(tile));
    s.args.flags = 0;
    REQUIRE(gpuopt_set_workspace(g.handle, nullptr, 0) == GPUOPT_OK);
    const std::vector<float> whole = s.run(g, tile);
    s.args.flags = GPUOPT_REQUIRE_BATCH_INVARIANT;
    REQUIRE(gpuopt_set_workspace(g.handle, workspace.data, workspace.count) == GPUOPT_OK);
    CHECK(s.run(g, tile) == whole);
  }
}

TEST_CASE(
    "gpu: block scales of groups by wgmma are those of gemm_grouped_naive, wherever groups begin and end in tiles") {
  GPUOPT_NEED_GPU();
  const Gpu g;
  if (!is_hopper(g)) return;
  Scaled s;
  gpuopt_gemm_grouped_args args = GPUOPT_GEMM_GROUPED_ARGS_INIT;
  args.a = s.args.a;
  args.b = s.args.b;
  args.d = s.args.d;
  args.groups = kBatch;
  const int64_t all_offsets[][kBatch + 1] = {{0, 64, kM}, {0, 350, kM}, {5, 5, 134}, {3, 200, 200}, {130, 193, 322}};
  for (const int64_t *offsets : all_offsets) {
    CAPTURE(offsets[0]);
    CAPTURE(offsets[1]);
    CAPTURE(offsets[2]);
    args.host_offsets = offsets;
    const auto run = [&](const char *kernel) {
      s.d.fill(0x7f);
      REQUIRE_MESSAGE(gpuopt_set_kernel(g.handle, kernel) == GPUOPT_OK, last_error());
      REQUIRE_MESSAGE(gpuopt_gemm_grouped(g.handle, &args) == GPUOPT_OK, last_error());
      g.sync();
      return s.d.get();
    };
    const std::vector<float> plain = run("gemm_grouped_naive");
    const auto first = static_cast<size_t>(offsets[0] * kN), end = static_cast<size_t>(offsets[kBatch] * kN);
    for (const char *kernel : {"gemm_grouped_wgmma_fp8_128x128", "gemm_grouped_wgmma_fp8_256x128"}) {
      CAPTURE(std::string(kernel));
      const std::vector<float> result = run(kernel);
      check_near(plain, result, first, end);
      int64_t beyond = 0;  // what belongs to no group, as behind D
      for (size_t i = 0; i < result.size(); ++i) beyond += (i < first || i >= end) && result[i] != plain.back() ? 1 : 0;
      CHECK(beyond == 0);
    }
  }
}
