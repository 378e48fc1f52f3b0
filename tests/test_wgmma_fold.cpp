// Which matrices wgmma products have brought through the ring of operands (gemm/wgmma/wgmma_time.h), without a GPU.
#if GPUOPT_TEST_HAVE_CUDA  // the build has the kernels' sources

#include "without_nvcc.h"

#include "gemm/wgmma/wgmma_chain.h"
#include "gemm/wgmma/wgmma_time.h"

#include <doctest/doctest.h>

using namespace gpuopt;

namespace {

constexpr WgmmaFacts kShared = {128, 256, 64, false, false, true, false, false, false, true, 2};
constexpr WgmmaFacts kPingPong = {128, 128, 64, true, false, true, true, true, false, true, 1};
constexpr WgmmaFacts kWithout = {128, 192, 64, true, false, true, true, false, false, false, 1};

gpuopt_operand operand(int64_t rows, int64_t cols, gpuopt_dtype dtype) {
  gpuopt_operand x = {};
  x.m = gpuopt_mat(nullptr, rows, cols, dtype);
  x.m.ld = cols;
  x.m.batch_stride = 0;
  x.align = x.ld_align = x.stride_align = 256;
  return x;
}
gpuopt_problem product(int64_t n, gpuopt_dtype out) {
  gpuopt_problem p = {};
  p.m = 128;
  p.n = n;
  p.k = 64;
  p.batch = 1;
  p.alpha = p.beta = 1;
  p.operand[GPUOPT_OPERAND_A] = operand(128, 64, GPUOPT_BF16);
  p.operand[GPUOPT_OPERAND_B] = operand(64, n, GPUOPT_BF16);
  p.operand[GPUOPT_OPERAND_C] = p.operand[GPUOPT_OPERAND_D] = operand(128, n, out);
  return p;
}
gpuopt_problem with_c(int64_t n = 128, gpuopt_dtype out = GPUOPT_BF16) {
  gpuopt_problem p = product(n, out);
  p.features = GPUOPT_FEATURE_BETA;
  return p;
}
gpuopt_problem with_residual(gpuopt_dtype dtype) {
  gpuopt_problem p = product(128, GPUOPT_BF16);
  gpuopt_problem_stage &s = p.stage[p.stage_count++];
  s.kind = GPUOPT_STAGE_ADD;
  s.form = GPUOPT_MATRIX;
  s.value[0] = 1;
  s.a = operand(128, 128, dtype);
  return p;
}

}  // namespace

TEST_CASE("wgmma_fold: C comes by panels where it is like D and on 16 bytes, and D then goes by panels") {
  for (const WgmmaFacts &facts : {kShared, kPingPong}) {
    for (const gpuopt_dtype out : {GPUOPT_BF16, GPUOPT_F32}) {
      gpuopt_problem p = with_c(128, out);
      CHECK(wgmma_folded(p, facts) == &p.operand[GPUOPT_OPERAND_C]);
      CHECK(wgmma_goes_by_panels(p, facts));
      p.features = 0;
      CHECK(wgmma_folded(p, facts) == nullptr);
    }
    const auto refused = [&](auto &&change) {
      gpuopt_problem p = with_c();
      change(p);
      return wgmma_folded(p, facts) == nullptr;
    };
    CHECK(refused([](gpuopt_problem &p) { p.operand[GPUOPT_OPERAND_C].align = 8; }));
    CHECK(refused([](gpuopt_problem &p) { p.operand[GPUOPT_OPERAND_C].ld_align = 8; }));
    CHECK(refused([](gpuopt_problem &p) { p.operand[GPUOPT_OPERAND_C].stride_align = 8; }));
    CHECK(refused([](gpuopt_problem &p) { p.operand[GPUOPT_OPERAND_C].m.ld = int64_t{1} << 40; }));
    CHECK(refused([](gpuopt_problem &p) { p.operand[GPUOPT_OPERAND_C].m.layout = GPUOPT_COL; }));
    CHECK(refused([](gpuopt_problem &p) { p.operand[GPUOPT_OPERAND_C].m.dtype = GPUOPT_F32; }));
    CHECK(refused([](gpuopt_problem &p) { p.operand[GPUOPT_OPERAND_D].align = 8; }));
    CHECK(refused([](gpuopt_problem &p) { p.n = 124; }));  // rows of D that are no whole 16 bytes
  }
  const gpuopt_problem p = with_c();
  CHECK(wgmma_folded(p, kWithout) == nullptr);
}

TEST_CASE("wgmma_fold: C alone is no chain where it comes by panels, and is one where it lies on pairs") {
  gpuopt_problem p = with_c();
  WgmmaChain chain;
  CHECK_FALSE(wgmma_chains(p, kPingPong, &chain));
  CHECK(wgmma_stores_directly(p, kPingPong));
  p.operand[GPUOPT_OPERAND_C].align = 4;
  REQUIRE(wgmma_chains(p, kPingPong, &chain));
  CHECK(chain.matrix_is_c);
}

TEST_CASE("wgmma_fold: a residual comes by panels where it is the only stage, like D and on 16 bytes") {
  for (const WgmmaFacts &facts : {kShared, kPingPong}) {
    gpuopt_problem p = with_residual(GPUOPT_BF16);
    CHECK(wgmma_folded(p, facts) == &p.stage[0].a);
    CHECK(wgmma_stores_directly(p, facts));
    CHECK(wgmma_goes_by_panels(p, facts));
    p.stage[0].kind = GPUOPT_STAGE_SUB;
    CHECK(wgmma_folded(p, facts) != nullptr);
    const auto refused = [&](auto &&change) {
      gpuopt_problem q = with_residual(GPUOPT_BF16);
      change(q);
      return wgmma_folded(q, facts) == nullptr;
    };
    CHECK(refused([](gpuopt_problem &q) { q.stage[0].kind = GPUOPT_STAGE_MUL; }));
    CHECK(refused([](gpuopt_problem &q) { q.stage[0].value[0] = 0; }));
    CHECK(refused([](gpuopt_problem &q) { q.stage[0].a = operand(128, 128, GPUOPT_F32); }));
    CHECK(refused([](gpuopt_problem &q) { q.stage[0].a.ld_align = 8; }));
    CHECK(refused([](gpuopt_problem &q) { q.features = GPUOPT_FEATURE_BETA; }));
    CHECK(refused([](gpuopt_problem &q) { q.features = GPUOPT_FEATURE_BATCH_INVARIANT; }));
    CHECK(refused([](gpuopt_problem &q) { q.stage[q.stage_count++].kind = GPUOPT_STAGE_RELU; }));
  }
}

TEST_CASE("wgmma_fold: of two stages a matrix stays in the chain") {
  gpuopt_problem p = with_residual(GPUOPT_BF16);
  p.stage[p.stage_count++].kind = GPUOPT_STAGE_RELU;
  WgmmaChain chain;
  REQUIRE(wgmma_chains(p, kPingPong, &chain));
  CHECK(chain.matrix_dtype == GPUOPT_BF16);
  CHECK_FALSE(wgmma_stores_directly(p, kShared));
}

#endif
