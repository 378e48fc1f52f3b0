// What kernels of a GPU refuse for its size, or for numbers that their instructions or libraries do not hold, without a GPU.
#include "support.h"

using namespace gpuopt_test;

namespace {

// A kernel's verdict on a call on an H200; nullptr: this build has no kernels of a GPU.
const Candidate *verdict(Candidates *seen, const void *args, const char *kernel) {
  if (!GPUOPT_TEST_HAVE_CUDA) return nullptr;
  const Handle h = cpu_handle();
  gpuopt_device_facts facts = pretend("h200");
  gpuopt_explain_options o = GPUOPT_EXPLAIN_OPTIONS_INIT;
  o.pretend = &facts;
  o.any_build = 1;
  gpuopt_explain(h.get(), args, &o, Candidates::add, seen);
  const Candidate *found = seen->find(kernel);
  REQUIRE_MESSAGE(found, std::string(kernel));
  return found;
}

}  // namespace

TEST_CASE("limits: as many skinny transposes as there are blocks in a grid") {
  for (const int64_t batch : {int64_t{1} << 30, int64_t{1} << 31, int64_t{1} << 32}) {
    gpuopt_transpose_args t = GPUOPT_TRANSPOSE_ARGS_INIT;
    t.src = t.dst = gpuopt_mat(nullptr, 1, 1, GPUOPT_I8);
    t.src.batch_stride = t.dst.batch_stride = 1;
    t.batch = batch;
    Candidates seen;
    const Candidate *found = verdict(&seen, &t, "transpose_skinny");
    if (found == nullptr) return;
    CAPTURE(batch);
    CHECK((found->verdict == GPUOPT_VERDICT_REJECTED) == (batch >= int64_t{1} << 31));
    if (batch >= int64_t{1} << 31) CHECK(found->reject == GPUOPT_REJECT_SIZE_LIMIT);
  }
}

TEST_CASE("limits: rows of a list's products whose bytes are counted in 32 bits") {
  for (const int64_t k : {int64_t{1} << 20, (int64_t{1} << 30) + 64}) {
    gpuopt_gemm_group product = {};
    product.m = product.n = 1;
    product.k = k;
    gpuopt_gemm_grouped_args g = GPUOPT_GEMM_GROUPED_ARGS_INIT;
    g.a = gpuopt_mat(nullptr, 1, k, GPUOPT_F16);
    g.b = gpuopt_t(gpuopt_mat(nullptr, 1, k, GPUOPT_F16));
    g.d = gpuopt_mat(nullptr, 1, 1, GPUOPT_F16);
    product.d = reinterpret_cast<void *>(uintptr_t{1} << 40);
    product.b = reinterpret_cast<void *>(uintptr_t{1} << 41);
    product.a = reinterpret_cast<void *>(uintptr_t{1} << 42);
    g.groups = 1;
    g.host_list = &product;
    Candidates seen;
    const Candidate *found = verdict(&seen, &g, "gemm_grouped_mma_16bit");
    if (found == nullptr) return;
    CAPTURE(k);
    CAPTURE(found->text);
    CHECK((found->verdict == GPUOPT_VERDICT_REJECTED) == (k > int64_t{1} << 30));
    if (k > int64_t{1} << 30) CHECK(found->reject == GPUOPT_REJECT_SIZE_LIMIT);
  }
}

TEST_CASE("limits: scalars that fp16 does not hold are no library's") {
  for (const double alpha : {1.0, 1e6, 1e-7}) {
    gpuopt_gemm_args g = GPUOPT_GEMM_ARGS_INIT;
    g.compute = GPUOPT_COMPUTE_F16;
    g.a = g.b = g.d = gpuopt_mat(nullptr, 1024, 1024, GPUOPT_F16);
    g.alpha = alpha;
    for (const char *kernel : {"gemm_cublaslt", "gemm_cublas"}) {
      Candidates seen;
      const Candidate *found = verdict(&seen, &g, kernel);
      if (found == nullptr) return;
      CAPTURE(alpha);
      CAPTURE(found->text);
      CHECK((found->verdict == GPUOPT_VERDICT_REJECTED) == (alpha != 1));
    }
  }
}
