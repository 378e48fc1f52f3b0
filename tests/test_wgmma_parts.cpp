// Batch-invariant wgmma products whose sums do not fit the workspace go by rows (gemm/wgmma/common/wgmma_launch.cpp): no part may
// need more scratch memory than the call asked for. Without a GPU.
#if GPUOPT_TEST_HAVE_CUDA  // the build has the kernels' sources

#define __host__  // of the toolkit, which this needs not
#define __device__
#define __forceinline__

#include "gemm/wgmma/wgmma_host.h"

#include <doctest/doctest.h>

#include <random>

#include "normal_form.h"

namespace gpuopt {
gpuopt_problem wgmma_part(const WgmmaFacts &tile, const gpuopt_problem &problem, int64_t first);  // wgmma_operands.h
}

using namespace gpuopt;

namespace {

// 128 x 256, 16 bits: either layout of both operands, no chain of stages before the store, so that one asks for sums in scratch.
constexpr WgmmaFacts kFacts = {128, 256, 64, false, false, true, false, false, false, false, 2};

gpuopt_device_facts h200() {
  gpuopt_device_facts d = {};
  d.cc = 90;
  d.sm_count = 132;
  return d;
}

// f16, row-major, A's and B's lines on so many bytes.
gpuopt_problem product(const gpuopt_device_facts &device, int64_t m, int64_t n, int64_t k, int align_a, int align_b) {
  gpuopt_problem p = normal_form::problem(GPUOPT_OP_GEMM, m, n, k);
  p.compute = GPUOPT_COMPUTE_F32;
  p.features = GPUOPT_FEATURE_BATCH_INVARIANT;
  p.stage_count = 1;
  p.stage[0].kind = GPUOPT_STAGE_RELU;
  p.device = &device;
  p.workspace_limit = size_t{256} << 20;
  const auto set = [&](int index, int64_t rows, int64_t cols, int align) {
    gpuopt_operand &x = p.operand[index];
    x = normal_form::operand(gpuopt_mat_ld(nullptr, rows, cols, cols + (align < 16 ? 1 : 0), GPUOPT_F16));
    x.align = x.stride_align = 256;
    x.ld_align = align;
  };
  set(GPUOPT_OPERAND_A, m, k, align_a);
  set(GPUOPT_OPERAND_B, k, n, align_b);
  set(GPUOPT_OPERAND_D, m, n, 256);
  return p;
}

size_t asked(const gpuopt_problem &p) {
  size_t scratch = 0, zeroed = 0;
  wgmma_workspace(kFacts, &p, &scratch, &zeroed);
  return scratch + zeroed;
}

// How many parts there are; of each that it needs no more than all do.
int check_parts(const gpuopt_problem &p) {
  int parts = 0;
  for (int64_t first = 0; first < p.m; ++parts) {
    const gpuopt_problem part = wgmma_part(kFacts, p, first);
    CAPTURE(first);
    REQUIRE(part.m > 0);
    REQUIRE(first + part.m <= p.m);
    CHECK(asked(part) <= asked(p));
    first += part.m;
  }
  return parts;
}

}  // namespace

TEST_CASE("wgmma: no part of a call that goes by rows needs more scratch memory than the call asked for") {
  const gpuopt_device_facts device = h200();
  // 44 rows come last: their sums leave room for the whole of a packed B, which the others had in two panels.
  CHECK(check_parts(product(device, 1068, 81920, 1280, 256, 2)) == 5);
  CHECK(check_parts(product(device, 1068, 4096, 1280, 256, 2)) == 1);
  std::mt19937 random(5);
  const auto draw = [&](int64_t least, int64_t most) {
    return std::uniform_int_distribution<int64_t>(least, most)(random);
  };
  int cut = 0;
  for (int i = 0; i < 300; ++i) {
    gpuopt_problem p =
        product(device, draw(1, 5000), draw(1, 120000), draw(1, 4000), i % 2 == 0 ? 2 : 16, i % 3 == 0 ? 16 : 2);
    p.workspace_limit = size_t{static_cast<size_t>(draw(16, 256))} << 20;
    CAPTURE(p.m);
    CAPTURE(p.n);
    CAPTURE(p.k);
    CAPTURE(p.workspace_limit);
    cut += check_parts(p) > 1 ? 1 : 0;
  }
  CHECK(cut > 100);
}

#endif
