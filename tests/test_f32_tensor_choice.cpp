// Compute F32_TENSOR on pretended devices: who takes products of fp32 in parts where, by which ways, in how much memory.
#include <map>

#include "support.h"

using namespace gpuopt_test;

#if GPUOPT_TEST_HAVE_CUDA

namespace {

struct Explained {
  Candidates seen;
  std::string chosen;
  std::map<std::string, size_t> workspace;
  static void add(void *self, const gpuopt_candidate *c) {
    auto *const x = static_cast<Explained *>(self);
    Candidates::add(&x->seen, c);
    x->workspace[c->kernel] = c->workspace_bytes;
    if (c->verdict == GPUOPT_VERDICT_CHOSEN) x->chosen = c->kernel;
  }
};
Explained explained(const char *device, int64_t m, int64_t n, int64_t k, size_t workspace_limit = 0) {
  gpuopt_options options = GPUOPT_OPTIONS_INIT;
  options.device = GPUOPT_DEVICE_CPU;
  options.workspace_limit = workspace_limit;
  gpuopt_handle *raw = nullptr;
  REQUIRE(gpuopt_create(&raw, &options) == GPUOPT_OK);
  const Handle h(raw);
  gpuopt_gemm_args args = GPUOPT_GEMM_ARGS_INIT;
  args.compute = GPUOPT_COMPUTE_F32_TENSOR;
  args.a = gpuopt_mat(nullptr, m, k, GPUOPT_F32);
  args.b = gpuopt_mat(nullptr, k, n, GPUOPT_F32);
  args.d = gpuopt_mat(nullptr, m, n, GPUOPT_F32);
  const gpuopt_device_facts facts = pretend(device);
  gpuopt_explain_options o = GPUOPT_EXPLAIN_OPTIONS_INIT;
  o.pretend = &facts;
  o.any_build = 1;
  Explained x;
  REQUIRE(gpuopt_explain(h.get(), &args, &o, Explained::add, &x) == GPUOPT_OK);
  return x;
}

}  // namespace

TEST_CASE(
    "f32_tensor: large products go by mma.sync where there is no wgmma and tensor cores gain most, small ones in "
    "fp32") {
  for (const char *device : {"a100", "b200"}) {
    CAPTURE(std::string(device));
    for (const int64_t n : {2048, 4096, 8192})
      CHECK(contains(explained(device, n, n, n).chosen, "gemm_mma_f32_tensor_"));
    CHECK(contains(explained(device, 128, 128, 128).chosen, "gemm_warptile_"));
  }
  CHECK(contains(explained("h200", 4096, 4096, 4096).chosen, "gemm_wgmma_f32_tensor_"));
  CHECK(contains(explained("t4", 4096, 4096, 4096).chosen, "gemm_warptile_"));
}

TEST_CASE("f32_tensor: explain names both ways and the condition of every kernel by parts, and why there is none") {
  const Explained x = explained("h200", 4097, 4099, 4101);
  int by_parts = 0;
  for (const Candidate &c : x.seen.all) {
    if (!contains(c.kernel, "f32_tensor")) continue;
    CAPTURE(c.kernel);
    ++by_parts;
    CHECK(contains(c.text, "by f16 parts where a scan of A and B finds all sums accurate"));
    CHECK(contains(c.text, "else by fp32 tiles of 64 x 64"));
  }
  CHECK(by_parts == 3);
  const auto refused = [](const char *device, int64_t k) {
    const Explained y = explained(device, 64, 64, k);
    const Candidate *c = y.seen.find("gemm_mma_f32_tensor_64x64");
    REQUIRE(c != nullptr);
    CHECK(c->verdict == GPUOPT_VERDICT_REJECTED);
    return c->reject;
  };
  CHECK(refused("t4", 64) == GPUOPT_REJECT_ARCH);
  CHECK(refused("a100", int64_t{1} << 21) == GPUOPT_REJECT_SIZE_LIMIT);  // counts of a line have 21 bits
  CHECK(refused("a100", 0) == GPUOPT_REJECT_SIZE_LIMIT);
}

TEST_CASE("f32_tensor: parts that do not fit go by panels, within the call's memory") {
  constexpr size_t kMiB = 1 << 20;
  const auto workspace = [&](size_t limit) {
    const Explained x = explained("a100", 4096, 4096, 4096, limit);
    const Candidate *c = x.seen.find("gemm_mma_f32_tensor_64x64");
    REQUIRE(c != nullptr);
    CHECK(c->verdict != GPUOPT_VERDICT_REJECTED);
    return x.workspace.at(c->kernel);
  };
  CHECK(workspace(256 * kMiB) >= 128 * kMiB);  // both operands' bytes
  for (const size_t limit : {100 * kMiB, 64 * kMiB, 16 * kMiB}) {
    const size_t taken = workspace(limit);
    CHECK(taken <= limit);
    CHECK(taken > limit / 2);
  }
}

#endif
