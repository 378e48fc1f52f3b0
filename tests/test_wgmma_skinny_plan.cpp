// What the prediction of wgmma's products of few rows or columns takes their stores for (gemm/wgmma/wgmma_skinny_plan.h), without a
// GPU.
#if GPUOPT_TEST_HAVE_CUDA  // the build has the kernels' sources

#include "without_nvcc.h"

#include "gemm/wgmma/wgmma_skinny_plan.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "normal_form.h"

using namespace gpuopt;

namespace {

constexpr WgmmaFacts kFacts = {64, 8, 64, true, false, true, false, false, false, false, 1};

gpuopt_device_facts h200() {
  gpuopt_device_facts d = {};
  d.cc = 90;
  d.sm_count = 132;
  d.clock_mhz = 1980;
  d.memory_gbs = 4800;
  return d;
}

gpuopt_problem product(int64_t m, int64_t n, int64_t k, gpuopt_dtype dtype, gpuopt_dtype d_dtype, int32_t d_align,
                       const gpuopt_device_facts &device) {
  gpuopt_problem p = normal_form::problem(GPUOPT_OP_GEMM, m, n, k);
  p.compute = GPUOPT_COMPUTE_F32;
  p.beta = 0;
  p.features = 0;
  p.device = &device;
  const auto set = [&](int index, int64_t rows, int64_t cols, gpuopt_dtype type, int32_t align) {
    gpuopt_operand &x = p.operand[index];
    x = normal_form::operand(gpuopt_mat(nullptr, rows, cols, type));
    x.align = x.stride_align = 256;
    x.ld_align = align;
  };
  set(GPUOPT_OPERAND_A, m, k, dtype, 256);
  set(GPUOPT_OPERAND_B, k, n, dtype, 256);
  set(GPUOPT_OPERAND_C, m, n, d_dtype, d_align);
  set(GPUOPT_OPERAND_D, m, n, d_dtype, d_align);
  return p;
}

// Row-major and nn, its lines of k aligned; D's lie on as many bytes as d_align says.
double us(int64_t m, int64_t n, gpuopt_dtype d_dtype, int32_t d_align, bool adds_c = false) {
  const gpuopt_device_facts device = h200();
  gpuopt_problem p = product(m, n, 512, GPUOPT_BF16, d_dtype, d_align, device);
  p.beta = adds_c ? 1 : 0;
  p.features = adds_c ? GPUOPT_FEATURE_BETA : 0;
  return plan_wgmma_skinny(p, kFacts).us;
}

}  // namespace

TEST_CASE("wgmma_skinny: a store by vectors is predicted where the kernel has one, and nowhere else") {
  const double vectors = us(64, 4096, GPUOPT_BF16, 16);
  CHECK(us(64, 4096, GPUOPT_BF16, 8) > vectors);         // lines of D that begin anywhere
  CHECK(us(64, 4092, GPUOPT_BF16, 16) > vectors);        // that are no whole 16 bytes
  CHECK(us(64, 4096, GPUOPT_BF16, 16, true) > vectors);  // to which C is added
  // Of 32 bits each element is stored alone, wherever it lies.
  CHECK(us(64, 4096, GPUOPT_F32, 8) == us(64, 4096, GPUOPT_F32, 16));
}

TEST_CASE(
    "wgmma_skinny: blocks that have a multiprocessor to themselves find one, in clusters as they are, all at once") {
  const gpuopt_device_facts device = h200();
  int alone = 0, clusters = 0;
  for (const int64_t few : {65, 96, 128, 192, 256, 512})
    for (const int64_t many : {512, 768, 1024, 2048, 4096, 8192})
      for (const int64_t k : {128, 1024, 4096, 16384, 65536}) {
        CAPTURE(few);
        CAPTURE(many);
        CAPTURE(k);
        const gpuopt_problem p = product(few, many, k, GPUOPT_BF16, GPUOPT_BF16, 256, device);
        const WgmmaSkinnyPlan plan = plan_wgmma_skinny(p, kFacts);
        const WgmmaSkinnyShape &shape = kWgmmaSkinnyShapes[plan.shape];
        const int64_t m = std::min(few, many), n = std::max(few, many);
        const int64_t tiles = (m + shape.few - 1) / shape.few * ((n + shape.many - 1) / shape.many);
        CHECK((int64_t{1} << plan.log_ranks) <= (k + 63) / 64);
        if (shape.few > 64) CHECK(plan.alone);  // two rings would be too short
        if (!plan.alone) continue;
        ++alone;
        clusters += plan.log_ranks > 1;
        // Of an H200 at once: 66 clusters of 2, 30 of 4, 15 of 8 (cudaOccupancyMaxActiveClusters).
        const int64_t most[] = {132, 66, 30, 15, 7};
        CHECK(tiles <= most[plan.log_ranks]);
      }
  CHECK(alone > 20);
  CHECK(clusters > 5);
}

TEST_CASE("wgmma_skinny: weights are read once where the few fit one tile, and 8-bit operands have no 128 x 128") {
  const gpuopt_device_facts device = h200();
  for (const int64_t n : {2048, 4096}) {
    const WgmmaSkinnyPlan plan =
        plan_wgmma_skinny(product(128, n, 14336, GPUOPT_BF16, GPUOPT_BF16, 256, device), kFacts);
    CHECK(kWgmmaSkinnyShapes[plan.shape].few == 128);
    CHECK(plan.log_ranks > 0);
  }
  WgmmaFacts facts = kFacts;
  facts.depth = 128;
  facts.any_layout = false;
  for (const int64_t m : {100, 128, 500, 1024}) {
    const gpuopt_problem p = product(m, 1024, 32768, GPUOPT_E4M3, GPUOPT_BF16, 256, device);
    CHECK(plan_wgmma_skinny(p, facts).shape < wgmma_skinny_shapes(true));
  }
}

TEST_CASE(
    "wgmma_skinny: tiles have eights of lines, no more than their shape, and lines across k come by the shape's") {
  const gpuopt_device_facts device = h200();
  for (const int64_t few : {1, 8, 24, 64, 100, 256})
    for (const int64_t many : {300, 576, 4096, 5120, 14336, 28672})
      for (const int64_t k : {64, 1536, 4096, 28672}) {
        gpuopt_problem p = product(few, std::max(many, few), k, GPUOPT_BF16, GPUOPT_BF16, 256, device);
        const WgmmaSkinnyPlan across = plan_wgmma_skinny(p, kFacts);
        CHECK(across.lines == kWgmmaSkinnyShapes[across.shape].many);
        p.operand[GPUOPT_OPERAND_B].m.layout = GPUOPT_COL;
        const WgmmaSkinnyPlan along = plan_wgmma_skinny(p, kFacts);
        CHECK(along.lines % 8 == 0);
        CHECK(along.lines > 0);
        CHECK(along.lines <= kWgmmaSkinnyShapes[along.shape].many);
      }
}

TEST_CASE("wgmma_skinny: weights that lie along k are shared out evenly, two blocks to a multiprocessor") {
  const gpuopt_device_facts device = h200();
  for (const int64_t many : {3584, 4096, 5120, 8192, 14336, 28672}) {
    gpuopt_problem p = product(8, many, 4096, GPUOPT_BF16, GPUOPT_BF16, 256, device);
    p.operand[GPUOPT_OPERAND_B].m.layout = GPUOPT_COL;
    const WgmmaSkinnyPlan plan = plan_wgmma_skinny(p, kFacts);
    const int64_t blocks = (many + plan.lines - 1) / plan.lines << plan.log_ranks, at_once = 2 * 132;
    CAPTURE(many);
    CAPTURE(plan.lines);
    CHECK(static_cast<double>(blocks) / static_cast<double>((blocks + at_once - 1) / at_once * at_once) > 0.8);
  }
}

TEST_CASE("wgmma_skinny: k is not split where rows are to have the bits that they have among others") {
  const gpuopt_device_facts device = h200();
  gpuopt_problem p = product(64, 4096, 8192, GPUOPT_BF16, GPUOPT_BF16, 256, device);
  p.features = GPUOPT_FEATURE_BATCH_INVARIANT;
  const WgmmaSkinnyPlan plan = plan_wgmma_skinny(p, kFacts);
  CHECK(plan.log_ranks == 0);
  CHECK(kWgmmaSkinnyShapes[plan.shape].few == 32);  // twice as many blocks as of 64
  CHECK(plan.alone);
}

#endif
