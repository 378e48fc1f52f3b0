// Which chains the wgmma kernels apply to sums in registers (gemm/wgmma/wgmma_chain.h), without a GPU.
#if GPUOPT_TEST_HAVE_CUDA  // the build has the kernels' sources

#include "without_nvcc.h"

#include "gemm/wgmma/wgmma_chain.h"

#include <doctest/doctest.h>

#include <vector>

using namespace gpuopt;

namespace {

gpuopt_operand operand(int64_t rows, int64_t cols, gpuopt_dtype dtype) {
  gpuopt_operand x = {};
  x.m = gpuopt_mat(nullptr, rows, cols, dtype);
  x.m.ld = cols;
  x.align = x.ld_align = x.stride_align = 256;
  return x;
}
// A vector of the normal form: element e at e * ld.
gpuopt_operand vector(int64_t length, gpuopt_dtype dtype) { return operand(length, 1, dtype); }

gpuopt_problem_stage stage(int32_t kind, int32_t form = GPUOPT_SCALAR, gpuopt_operand a = {}) {
  gpuopt_problem_stage s = {};
  s.kind = kind;
  s.form = form;
  s.value[0] = 2;
  s.a = a;
  return s;
}

gpuopt_problem bf16_problem(int64_t m, int64_t n) {
  gpuopt_problem p = {};
  p.m = m;
  p.n = n;
  p.k = 64;
  p.batch = 1;
  p.operand[GPUOPT_OPERAND_A] = operand(m, 64, GPUOPT_BF16);
  p.operand[GPUOPT_OPERAND_B] = operand(64, n, GPUOPT_BF16);
  p.operand[GPUOPT_OPERAND_C] = p.operand[GPUOPT_OPERAND_D] = operand(m, n, GPUOPT_BF16);
  return p;
}
bool takes(int64_t n, const gpuopt_problem_stage &one) {
  gpuopt_problem p = bf16_problem(128, n);
  p.stage[p.stage_count++] = one;
  WgmmaChain chain;
  return wgmma_chain_of(p, &chain);
}
gpuopt_problem_stage bias() { return stage(GPUOPT_STAGE_ADD, GPUOPT_PER_COL, vector(128, GPUOPT_BF16)); }
gpuopt_problem_stage residual() { return stage(GPUOPT_STAGE_ADD, GPUOPT_MATRIX, operand(128, 128, GPUOPT_BF16)); }
gpuopt_problem with_stages(const std::vector<gpuopt_problem_stage> &stages) {
  gpuopt_problem p = bf16_problem(128, 128);
  for (const gpuopt_problem_stage &s : stages) p.stage[p.stage_count++] = s;
  return p;
}

}  // namespace

TEST_CASE("wgmma_chain: biases, activations, residuals and scales are taken") {
  CHECK(takes(128, bias()));
  CHECK(takes(128, stage(GPUOPT_STAGE_MUL, GPUOPT_PER_COL, vector(128, GPUOPT_F32))));
  CHECK(takes(128, residual()));
  CHECK(takes(128, stage(GPUOPT_STAGE_MUL, GPUOPT_MATRIX, operand(128, 128, GPUOPT_F32))));
  for (const int32_t kind : {GPUOPT_STAGE_RELU, GPUOPT_STAGE_CLAMP, GPUOPT_STAGE_NEG, GPUOPT_STAGE_GELU,
                             GPUOPT_STAGE_GELU_TANH, GPUOPT_STAGE_SILU, GPUOPT_STAGE_ADD})
    CHECK(takes(128, stage(kind)));
}

TEST_CASE("wgmma_chain: other stages, types and what does not lie on pairs are not") {
  for (const int32_t kind : {GPUOPT_STAGE_TANH, GPUOPT_STAGE_EXP, GPUOPT_STAGE_LEAKY_RELU, GPUOPT_STAGE_STORE})
    CHECK_FALSE(takes(128, stage(kind)));
  CHECK_FALSE(takes(128, stage(GPUOPT_STAGE_GELU_GRAD, GPUOPT_MATRIX, operand(128, 128, GPUOPT_BF16))));
  CHECK_FALSE(takes(127, stage(GPUOPT_STAGE_GELU)));
  CHECK_FALSE(takes(128, stage(GPUOPT_STAGE_ADD, GPUOPT_PER_ROW, vector(128, GPUOPT_BF16))));
  CHECK_FALSE(takes(128, stage(GPUOPT_STAGE_ADD, GPUOPT_PER_COL, vector(128, GPUOPT_F16))));
  CHECK_FALSE(takes(128, stage(GPUOPT_STAGE_ADD, GPUOPT_SCALAR, operand(1, 1, GPUOPT_BF16))));
  gpuopt_operand x = vector(128, GPUOPT_BF16);
  x.m.ld = 2;
  CHECK_FALSE(takes(128, stage(GPUOPT_STAGE_ADD, GPUOPT_PER_COL, x)));
  x = operand(128, 128, GPUOPT_BF16);
  x.ld_align = 2;
  CHECK_FALSE(takes(128, stage(GPUOPT_STAGE_ADD, GPUOPT_MATRIX, x)));
  x = operand(128, 128, GPUOPT_BF16);
  x.m.layout = GPUOPT_COL;
  CHECK_FALSE(takes(128, stage(GPUOPT_STAGE_ADD, GPUOPT_MATRIX, x)));
}

TEST_CASE("wgmma_chain: one linear step, one function and one matrix, in that order or the matrix first") {
  const gpuopt_problem_stage gelu = stage(GPUOPT_STAGE_GELU);
  WgmmaChain chain;
  REQUIRE(wgmma_chain_of(with_stages({bias(), gelu, residual()}), &chain));
  CHECK(chain.vector_dtype == GPUOPT_BF16);
  CHECK_FALSE(chain.scales);
  CHECK(chain.value == 2);
  CHECK(chain.scale == 1);
  CHECK(chain.act == GPUOPT_STAGE_GELU);
  CHECK(chain.matrix_op == GPUOPT_STAGE_ADD);
  CHECK_FALSE(chain.matrix_first);
  REQUIRE(wgmma_chain_of(with_stages({residual(), bias(), stage(GPUOPT_STAGE_RELU)}), &chain));
  CHECK(chain.matrix_first);
  CHECK(chain.bounded);
  CHECK(chain.low == 0);
  CHECK(chain.act == 0);
  CHECK_FALSE(wgmma_chain_of(with_stages({gelu, bias()}), &chain));
  CHECK_FALSE(wgmma_chain_of(with_stages({bias(), gelu, gelu}), &chain));
  CHECK_FALSE(wgmma_chain_of(with_stages({residual(), gelu, residual()}), &chain));
}

TEST_CASE("wgmma_chain: C is the matrix that comes first") {
  gpuopt_problem p = with_stages({bias()});
  p.features = GPUOPT_FEATURE_BETA;
  WgmmaChain chain;
  REQUIRE(wgmma_chain_of(p, &chain));
  CHECK(chain.matrix_is_c);
  CHECK(chain.matrix_first);
  p.stage[p.stage_count++] = residual();
  CHECK_FALSE(wgmma_chain_of(p, &chain));
  p.stage_count = 1;
  p.operand[GPUOPT_OPERAND_C].ld_align = 2;
  CHECK_FALSE(wgmma_chain_of(p, &chain));
}

#endif
