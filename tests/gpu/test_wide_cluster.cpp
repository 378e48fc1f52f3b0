// Clusters of more than eight blocks: a kernel is prepared for them where the device places one, and refuses where it does not.
#include "common/wide_cluster.h"

#include "gpu_support.h"

using namespace gpuopt_test;

namespace {

// What a kernel of clusters would be told in prepare.
struct Asked {
  gpuopt_status status;
  std::string error;
};
Asked ask(int64_t blocks, int64_t threads) {
  const gpuopt_kernel *const kernel = gpuopt_kernel_find("norm_cluster_row");
  REQUIRE(kernel != nullptr);
  char text[512] = "";
  gpuopt_launch launch = {};
  launch.struct_size = sizeof launch;
  launch.error = text;
  launch.error_bytes = sizeof text;
  const gpuopt_status status =
      gpuopt::allow_cluster(&launch, "a_kernel", kernel->resources[0].entry, blocks, threads, 0);
  return {status, text};
}
bool has_clusters(const Gpu &g) {
  gpuopt_device_facts facts = GPUOPT_DEVICE_FACTS_INIT;
  REQUIRE(gpuopt_get_device(g.handle, &facts) == GPUOPT_OK);
  if (facts.cc < 90 || facts.cc >= 120) MESSAGE("SKIP: no clusters of sixteen");
  return facts.cc >= 90 && facts.cc < 120;
}

}  // namespace

TEST_CASE("wide clusters: one that no device places is refused, and the reason says which") {
  GPUOPT_NEED_GPU();
  const Gpu g;
  if (!has_clusters(g)) return;
  CHECK(ask(8, 256).status == GPUOPT_OK);
  const Asked asked = ask(32, 256);
  CHECK(asked.status == GPUOPT_NOT_SUPPORTED);
  CHECK_MESSAGE(contains(asked.error, "a_kernel: a cluster of 32 blocks"), asked.error);
  CHECK_MESSAGE(contains(asked.error, "which place none"), asked.error);
  CHECK(cudaGetLastError() == cudaSuccess);
}

TEST_CASE("wide clusters: what a kernel is prepared for is what runs, and an error left pending stays") {
  GPUOPT_NEED_GPU();
  const Gpu g(GPUOPT_FALLBACK_NEVER, "norm_cluster_row");
  if (!has_clusters(g)) return;
  constexpr int64_t kCols = 700000;  // sixteen pieces
  const DeviceArray<float> x(normal_values(kCols, 1));
  DeviceArray<float> out(static_cast<size_t>(kCols));
  gpuopt_norm_args args = GPUOPT_NORM_ARGS_INIT;
  args.x = gpuopt_mat(x.data, 1, kCols, GPUOPT_F32);
  args.out = gpuopt_mat(out.data, 1, kCols, GPUOPT_F32);
  CHECK(cudaSetDevice(4242) != cudaSuccess);
  const gpuopt_status prepared = gpuopt_prepare(g.handle, &args);
  CHECK(cudaGetLastError() == cudaErrorInvalidDevice);
  const bool refused = prepared == GPUOPT_NOT_SUPPORTED && contains(last_error(), "a cluster of 16 blocks");
  CHECK_MESSAGE((prepared == GPUOPT_OK || refused), last_error());
  CHECK(gpuopt_norm(g.handle, &args) == prepared);
  g.sync();
  REQUIRE(gpuopt_set_kernel(g.handle, nullptr) == GPUOPT_OK);
  CHECK_MESSAGE(gpuopt_norm(g.handle, &args) == GPUOPT_OK, last_error());
  g.sync();
}
