/* The gemm reference, below the API: problems filled by hand, results worked out by hand or by a plain loop.
 */
#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "normal_form.h"
#include "worst.h"

extern "C" const gpuopt_kernel_span gpuopt_kernels_gemm_cpu_reference;

using namespace normal_form;
using gpuopt::cpu::load;

namespace {

const double kNaN = std::nan("");

void gemm(const gpuopt_problem &p) { REQUIRE(launch(gpuopt_kernels_gemm_cpu_reference, p) == GPUOPT_OK); }

}  // namespace

TEST_CASE("gemm: alpha, beta, a padded column-major A, batch with a shared B, C being D") {
  /* A = [1 2; 3 4; 5 6] and ten times that, column-major, ld 4; B = [1 -1; 2 0]. */
  const float a[] = {1, 3, 5, -99, 2, 4, 6, -99, 10, 30, 50, -99, 20, 40, 60, -99}, b[] = {1, -1, 2, 0};
  std::vector<float> d = {1, 1, 2, 2, 3, 3, 0, 0, 0, 0, 0, 0};
  gpuopt_problem p = problem(GPUOPT_OP_GEMM, 3, 2, 2);
  gpuopt_matrix am = gpuopt_mat_ld(a, 3, 2, 4, GPUOPT_F32), bm = gpuopt_mat(b, 2, 2, GPUOPT_F32);
  am.layout = GPUOPT_COL;
  bm.batch_stride = 0;
  p.operand[0] = operand(am);
  p.operand[1] = operand(bm);
  p.operand[2] = p.operand[3] = operand(gpuopt_mat(d.data(), 3, 2, GPUOPT_F32));
  p.compute = GPUOPT_COMPUTE_F32;
  p.batch = 2;
  p.alpha = 2;
  p.beta = 10;
  gemm(p);
  CHECK(d == std::vector<float>{20, 8, 42, 14, 64, 20, 100, -20, 220, -60, 340, -100});
}

TEST_CASE("gemm: every layout and odd extents against a plain triple loop") {
  const int64_t m = 37, n = 70, k = 301;
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal;
  for (int layouts = 0; layouts < 8; ++layouts) {
    gpuopt_matrix am = gpuopt_mat(nullptr, m, k, GPUOPT_F64), bm = gpuopt_mat(nullptr, k, n, GPUOPT_F64);
    gpuopt_matrix cm = gpuopt_mat(nullptr, m, n, GPUOPT_F64);
    am.layout = layouts & 1;
    bm.layout = layouts >> 1 & 1;
    cm.layout = layouts >> 2;
    std::vector<double> a(size_t(m * k)), b(size_t(k * n)), c(size_t(m * n)), d(size_t(m * n), kNaN);
    for (std::vector<double> *v : {&a, &b, &c})
      for (double &x : *v) x = normal(random);
    am.data = a.data();
    bm.data = b.data();
    cm.data = c.data();
    gpuopt_problem p = problem(GPUOPT_OP_GEMM, m, n, k);
    p.operand[0] = operand(am);
    p.operand[1] = operand(bm);
    p.operand[2] = operand(cm);
    p.operand[3] = operand(gpuopt_mat(d.data(), m, n, GPUOPT_F64));
    p.alpha = 0.75;
    p.beta = -1.5;
    gemm(p);
    double worst = 0;
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j) {
        long double sum = 0;
        for (int64_t t = 0; t < k; ++t)
          sum +=
              (long double)a[size_t(am.layout ? t * m + i : i * k + t)] * b[size_t(bm.layout ? j * k + t : t * n + j)];
        const long double exact = 0.75L * sum - 1.5L * c[size_t(cm.layout ? j * m + i : i * n + j)];
        gpuopt_test::note(&worst, double(std::fabs(exact - d[size_t(i * n + j)])));
      }
    CHECK(worst < 1.6e-14);
  }
}

TEST_CASE("gemm: every row of the type table, exactly, on small integers") {
  const int64_t m = 3, n = 5, k = 7;
  const gpuopt_kernel &kernel = gpuopt_kernels_gemm_cpu_reference.kernels[0];
  for (size_t s = 0; s < kernel.signature_count; ++s) {
    const gpuopt_signature &types = kernel.signatures[s];
    CAPTURE(s);
    const auto a = [](int64_t i) { return double(i * 7 % 3 - 1); };
    const auto b = [](int64_t i) { return double(i * 5 % 3 - 1); };
    const auto c = [](int64_t i) { return double(i % 4 - 2); };
    const std::vector<uint64_t> av = array(types.dtype[0], m * k, a), bv = array(types.dtype[1], k * n, b);
    const std::vector<uint64_t> cv = array(types.dtype[2], m * n, c);
    std::vector<uint64_t> dv(size_t(m * n));
    gpuopt_problem p = problem(GPUOPT_OP_GEMM, m, n, k);
    p.compute = types.compute;
    p.operand[0] = operand(gpuopt_mat(av.data(), m, k, types.dtype[0]));
    p.operand[1] = operand(gpuopt_mat(bv.data(), k, n, types.dtype[1]));
    p.operand[2] = operand(gpuopt_mat(cv.data(), m, n, types.dtype[2]));
    p.operand[3] = operand(gpuopt_mat(dv.data(), m, n, types.dtype[3]));
    p.beta = 1;
    gemm(p);
    for (int64_t i = 0; i < m * n; ++i) {
      double sum = c(i);
      for (int64_t t = 0; t < k; ++t) sum += a(i / n * k + t) * b(t * n + i % n);
      CHECK(load(dv.data(), types.dtype[3], i) == sum);
    }
  }
}

TEST_CASE("gemm: beta 0 and k 0 read nothing they need not, alpha and beta by pointer win") {
  float d = 7;
  const float two = 2, three = 3, poison = NAN;
  const double alpha64 = 0.5, zero64 = 0;
  gpuopt_problem p = problem(GPUOPT_OP_GEMM, 1, 1, 1);
  p.compute = GPUOPT_COMPUTE_F32;
  p.operand[0] = column(&two, 1, GPUOPT_F32);
  p.operand[1] = column(&three, 1, GPUOPT_F32);
  p.operand[3] = column(&d, 1, GPUOPT_F32);
  gemm(p);
  CHECK(d == 6); /* C is absent */
  p.operand[2] = column(nullptr, 1, GPUOPT_F32);
  gemm(p);
  CHECK(d == 6);
  p.operand[2] = column(&poison, 1, GPUOPT_F32);
  gemm(p);
  CHECK(d == 6);
  p.operand[2] = column(&two, 1, GPUOPT_F32);
  p.alpha_ptr = &two;
  p.beta_ptr = &three;
  gemm(p);
  CHECK(d == 18); /* 2 * 6 + 3 * 2 */
  p.k = 0;
  p.alpha_ptr = &poison;
  p.operand[0].m.data = p.operand[1].m.data = nullptr;
  gemm(p);
  CHECK(d == 6); /* 3 * 2 */
  p = problem(GPUOPT_OP_GEMM, 1, 1, 1);
  double d64 = 0, x64 = 5, poison64 = kNaN;
  p.operand[0] = p.operand[1] = column(&x64, 1, GPUOPT_F64);
  p.operand[2] = column(&poison64, 1, GPUOPT_F64);
  p.operand[3] = column(&d64, 1, GPUOPT_F64);
  p.alpha_ptr = &alpha64;
  p.beta_ptr = &zero64;
  gemm(p);
  CHECK(d64 == 12.5);
}

TEST_CASE("gemm: int8 wraps at 32 bits, rounds to nearest even and saturates") {
  const int64_t k = 140000; /* k * 2^14 passes 2^31 */
  const std::vector<int8_t> a(size_t(k), -128);
  int32_t d32 = 0;
  gpuopt_problem p = problem(GPUOPT_OP_GEMM, 1, 1, k);
  p.compute = GPUOPT_COMPUTE_I32;
  p.operand[0] = operand(gpuopt_mat(a.data(), 1, k, GPUOPT_I8));
  p.operand[1] = operand(gpuopt_mat(a.data(), k, 1, GPUOPT_I8));
  p.operand[3] = column(&d32, 1, GPUOPT_I32);
  gemm(p);
  CHECK(d32 == int32_t(uint32_t(k * 16384)));
  CHECK(d32 < 0);

  const int8_t x[] = {5, 127, -128, 3}, y = 1;
  std::vector<int8_t> d8(4);
  p = problem(GPUOPT_OP_GEMM, 4, 1, 1);
  p.compute = GPUOPT_COMPUTE_I32;
  p.operand[0] = column(x, 4, GPUOPT_I8);
  p.operand[1] = column(&y, 1, GPUOPT_I8);
  p.operand[3] = column(d8.data(), 4, GPUOPT_I8);
  p.alpha = 1.5;
  gemm(p);
  CHECK(d8 == std::vector<int8_t>{8, 127, -128, 4}); /* 7.5, 190.5, -192, 4.5 */
}

TEST_CASE("gemm: fp8 scales, and the epilogue before the scale of D") {
  const std::vector<uint64_t> a = array(GPUOPT_E4M3, 1, [](int64_t) { return 3.0; });
  const std::vector<uint64_t> b = array(GPUOPT_E5M2, 1, [](int64_t) { return -2.0; });
  const float a_scale = 0.5f, b_scale = 10, d_scale = 4;
  double offset = 35;
  uint8_t d = 0;
  gpuopt_problem p = problem(GPUOPT_OP_GEMM, 1, 1, 1);
  p.compute = GPUOPT_COMPUTE_F32;
  p.operand[0] = column(a.data(), 1, GPUOPT_E4M3);
  p.operand[1] = column(b.data(), 1, GPUOPT_E5M2);
  p.operand[3] = column(&d, 1, GPUOPT_E4M3);
  p.operand[0].m.scale = &a_scale;
  p.operand[1].m.scale = &b_scale;
  p.operand[3].m.scale = &d_scale;
  p.stage[0] = stage_with(GPUOPT_STAGE_ADD, GPUOPT_PER_ROW, 1, column(&offset, 1, GPUOPT_F64));
  p.stage_count = 1;
  gemm(p);
  CHECK(load(&d, GPUOPT_E4M3, 0) == 20); /* (1.5 * -20 + 35) * 4 */
  offset = 1000;
  gemm(p);
  CHECK(load(&d, GPUOPT_E4M3, 0) == 448);
  offset = kNaN;
  gemm(p);
  CHECK(std::isnan(load(&d, GPUOPT_E4M3, 0)));
}
