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
