// alpha and beta by pointer hold what nobody on the host can see: with zeros there a kernel must neither read what the
// zero forbids nor leave D as it was.

#include "gpu_support.h"

using namespace gpuopt_test;

TEST_CASE("scalars: alpha = 0 by pointer leaves beta * C, whatever A, B and D hold, in every kernel that takes it") {
  GPUOPT_NEED_GPU();
  const Gpu g;
  const DeviceArray<float> zero(std::vector<float>{0.0f}), one(std::vector<float>{1.0f});
  constexpr int64_t kMost = 64 * 64;
  const DeviceArray<float> a(normal_values(kMost, 1)), b(normal_values(kMost, 2)), c(normal_values(kMost, 3));
  DeviceArray<float> d(kMost);
  for (const int32_t compute : {GPUOPT_COMPUTE_F32, GPUOPT_COMPUTE_TF32}) {
    for (const int64_t n : {1, 8, 64}) {
      for (const bool reads_c : {true, false}) {
        gpuopt_gemm_args args = GPUOPT_GEMM_ARGS_INIT;
        args.compute = compute;
        args.a = gpuopt_mat(a.data, 64, 38, GPUOPT_F32);
        args.b = gpuopt_mat(b.data, 38, n, GPUOPT_F32);
        args.c = gpuopt_mat(c.data, 64, n, GPUOPT_F32);
        args.d = gpuopt_mat(d.data, 64, n, GPUOPT_F32);
        args.alpha_ptr = zero.data;
        args.beta_ptr = reads_c ? one.data : nullptr;
        const std::vector<float> source = c.get();
        Candidates seen;
        gpuopt_explain(g.handle, &args, nullptr, Candidates::add, &seen);
        int ran = 0;
        for (const Candidate &k : seen.all) {
          CHECK((k.kernel != "gemm_cublaslt" || k.verdict == GPUOPT_VERDICT_REJECTED));
          if (k.verdict == GPUOPT_VERDICT_REJECTED || k.kernel.find("_cpu") != std::string::npos) continue;
          CAPTURE(k.kernel);
          CAPTURE(n);
          REQUIRE_MESSAGE(gpuopt_set_kernel(g.handle, k.kernel.c_str()) == GPUOPT_OK, last_error());
          d.fill(0xff);
          REQUIRE_MESSAGE(gpuopt_gemm(g.handle, &args) == GPUOPT_OK, last_error());
          g.sync();
          const std::vector<float> x = d.get();
          int64_t wrong = 0;
          for (size_t i = 0; i < static_cast<size_t>(64 * n); ++i) wrong += !(x[i] == (reads_c ? source[i] : 0.0f));
          CHECK(wrong == 0);
          ++ran;
        }
        REQUIRE_MESSAGE(gpuopt_set_kernel(g.handle, nullptr) == GPUOPT_OK, last_error());
        CHECK(ran >= 3);
      }
    }
  }
}

TEST_CASE("scalars: an integer product by alpha = 1 and then by 2 on one handle, in every kernel that takes it") {
  GPUOPT_NEED_GPU();
  const Gpu g;
  constexpr int64_t kK = 272, kN = 272;
  std::vector<int8_t> values(static_cast<size_t>(kK * kN));
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<int8_t>(i * 37 % 255 - 127);
  const DeviceArray<int8_t> a(values), b(values);
  DeviceArray<int32_t> d(static_cast<size_t>(kN * kN));
  for (const int64_t m : {16, 272}) {
    gpuopt_gemm_args args = GPUOPT_GEMM_ARGS_INIT;
    args.a = gpuopt_mat(a.data, m, kK, GPUOPT_I8);
    args.b = gpuopt_t(gpuopt_mat(b.data, kN, kK, GPUOPT_I8));
    args.d = gpuopt_mat(d.data, m, kN, GPUOPT_I32);
    Candidates seen;
    gpuopt_explain(g.handle, &args, nullptr, Candidates::add, &seen);
    int ran = 0;
    for (const Candidate &k : seen.all) {
      if (k.verdict == GPUOPT_VERDICT_REJECTED || k.kernel.find("_cpu") != std::string::npos) continue;
      CAPTURE(k.kernel);
      CAPTURE(m);
      REQUIRE_MESSAGE(gpuopt_set_kernel(g.handle, k.kernel.c_str()) == GPUOPT_OK, last_error());
      // The sums are results only by 1: else they go through scratch memory, for which the choice has to be another.
      for (const int32_t alpha : {1, 2, 1}) {
        CAPTURE(alpha);
        args.alpha = alpha;
        d.fill(0xff);
        const gpuopt_status status = gpuopt_gemm(g.handle, &args);
        if (alpha != 1 && (status == GPUOPT_KERNEL_REJECTED || status == GPUOPT_NOT_SUPPORTED))
          break;  // a library by 1 alone
        REQUIRE_MESSAGE(status == GPUOPT_OK, last_error());
        g.sync();
        const std::vector<int32_t> x = d.get();
        int64_t wrong = 0;
        for (int64_t i = 0; i < m; ++i) {
          for (int64_t j = 0; j < kN; ++j) {
            int32_t sum = 0;
            for (int64_t e = 0; e < kK; ++e)
              sum += values[static_cast<size_t>(i * kK + e)] * values[static_cast<size_t>(j * kK + e)];
            wrong += x[static_cast<size_t>(i * kN + j)] != alpha * sum;
          }
        }
        CHECK(wrong == 0);
        ++ran;
      }
    }
    args.alpha = 1;
    REQUIRE_MESSAGE(gpuopt_set_kernel(g.handle, nullptr) == GPUOPT_OK, last_error());
    CHECK(ran >= 9);
  }
}
