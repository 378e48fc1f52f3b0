// What a kernel's prepare leaves in the CUDA runtime.
#include "common/launch.h"

#include "gpu_support.h"

using namespace gpuopt_test;

namespace {

void no_kernel(int) {}  // the device has no code of it

gpuopt_status load() {
  gpuopt_launch launch = {};
  launch.struct_size = sizeof launch;
  return gpuopt::load_kernel(&launch, "no_kernel", no_kernel);
}

}  // namespace

TEST_CASE("load_kernel: a kernel that cannot be loaded leaves no error pending, and one of the application's stays") {
  GPUOPT_NEED_GPU();
  CHECK(load() != GPUOPT_OK);
  CHECK(cudaGetLastError() == cudaSuccess);
  CHECK(cudaSetDevice(4242) != cudaSuccess);
  CHECK(load() != GPUOPT_OK);
  CHECK(cudaGetLastError() != cudaSuccess);
  CHECK(cudaGetLastError() == cudaSuccess);
}
