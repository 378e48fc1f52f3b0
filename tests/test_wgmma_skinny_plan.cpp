// What the prediction of wgmma's products of few rows or columns takes their stores for (gemm/wgmma/wgmma_skinny_plan.h), without a
// GPU.
#if GPUOPT_TEST_HAVE_CUDA  // the build has the kernels' sources

#define __host__  // of the toolkit, which this needs not
#define __device__
#define __forceinline__

#include "gemm/wgmma/wgmma_skinny_plan.h"

#include <doctest/doctest.h>

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

// Row-major and nn, its lines of k aligned; D's lie on as many bytes as d_align says.
double us(int64_t m, int64_t n, gpuopt_dtype d_dtype, int32_t d_align, bool adds_c = false) {
  const gpuopt_device_facts device = h200();
  gpuopt_problem p = normal_form::problem(GPUOPT_OP_GEMM, m, n, 512);
  p.compute = GPUOPT_COMPUTE_F32;
  p.beta = adds_c ? 1 : 0;
  p.features = adds_c ? GPUOPT_FEATURE_BETA : 0;
  p.device = &device;
  const auto set = [&](int index, int64_t rows, int64_t cols, gpuopt_dtype dtype, int32_t align) {
    gpuopt_operand &x = p.operand[index];
    x = normal_form::operand(gpuopt_mat(nullptr, rows, cols, dtype));
    x.align = x.stride_align = 256;
    x.ld_align = align;
  };
  set(GPUOPT_OPERAND_A, m, p.k, GPUOPT_BF16, 256);
  set(GPUOPT_OPERAND_B, p.k, n, GPUOPT_BF16, 256);
  set(GPUOPT_OPERAND_C, m, n, d_dtype, d_align);
  set(GPUOPT_OPERAND_D, m, n, d_dtype, d_align);
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

#endif
