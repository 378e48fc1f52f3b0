// cuBLASLt's algorithms by name: offered, forced and right, refused where the heuristic does not offer them.
#include "gpu_support.h"
#include "worst.h"

using namespace gpuopt_test;

namespace {

std::vector<std::string> algorithms_of(gpuopt_handle *h, const void *args) {
  char text[GPUOPT_ALGORITHMS_BYTES];
  size_t length = 0;
  REQUIRE_MESSAGE(gpuopt_algorithms(h, args, text, sizeof text, &length) == GPUOPT_OK, last_error());
  std::vector<std::string> names;
  std::string name;
  for (const char c : std::string(text, length) + " ") {
    if (c != ' ') name += c;
    if (c != ' ' || name.empty()) continue;
    names.push_back(name);
    name.clear();
  }
  return names;
}

struct Product {
  static constexpr int64_t kExtent = 256;
  DeviceArray<float> a{normal_values(kExtent * kExtent, 1)}, b{normal_values(kExtent * kExtent, 2)},
      d{static_cast<size_t>(kExtent * kExtent)};
  gpuopt_gemm_args args = GPUOPT_GEMM_ARGS_INIT;
  Product() {
    args.a = gpuopt_mat(a.data, kExtent, kExtent, GPUOPT_F32);
    args.b = gpuopt_mat(b.data, kExtent, kExtent, GPUOPT_F32);
    args.d = gpuopt_mat(d.data, kExtent, kExtent, GPUOPT_F32);
  }
  std::vector<float> run(const Gpu &g, const std::string &kernel) { return result_of(g, kernel, &args, d); }
};

}  // namespace

TEST_CASE("algorithms: each of cuBLASLt's, forced by name, gives the product, and the same bits again") {
  GPUOPT_NEED_GPU();
  const Gpu g(GPUOPT_FALLBACK_NEVER, "gemm_cublaslt");
  Product p;
  const std::vector<std::string> names = algorithms_of(g.handle, &p.args);
  REQUIRE(!names.empty());
  CHECK(names.size() <= 16);
  CHECK(algorithms_of(g.handle, &p.args) == names);
  const std::vector<float> own = p.run(g, "gemm_cublaslt");
  CHECK(p.run(g, "gemm_cublaslt@" + names[0]) == own);
  for (const std::string &name : names) {
    CAPTURE(name);
    CHECK(name.size() <= 96);
    const std::vector<float> once = p.run(g, "gemm_cublaslt@" + name);
    CHECK(p.run(g, "gemm_cublaslt@" + name) == once);
    double worst = 0;
    for (size_t i = 0; i < own.size(); ++i) note(&worst, static_cast<double>(std::abs(once[i] - own[i])));
    CHECK(worst < 1e-3);  // of sums of 256 products of normal numbers
    gpuopt_run_info info = GPUOPT_RUN_INFO_INIT;
    REQUIRE(gpuopt_last_kernel(g.handle, &info) == GPUOPT_OK);
    CHECK(std::string(info.kernel) == "gemm_cublaslt@" + name);
  }
}

TEST_CASE("algorithms: one that cuBLASLt's heuristic does not offer is refused by name") {
  GPUOPT_NEED_GPU();
  const Gpu g;
  Product p;
  for (const char *name : {"id99999.tile1", "x", "id0"}) {
    REQUIRE(gpuopt_set_kernel(g.handle, (std::string("gemm_cublaslt@") + name).c_str()) == GPUOPT_OK);
    CHECK(gpuopt_gemm(g.handle, &p.args) == GPUOPT_NOT_SUPPORTED);
    CHECK_MESSAGE(contains(last_error(), std::string("cuBLASLt has no algorithm ") + name + " for m 256"),
                  last_error());
  }
}
