// What was prepared for one problem stays right while others come between its calls.
#include <vector>

#include "gpu_support.h"

using namespace gpuopt_test;

// Odd rows of an RMS norm keep their weights in as much shared memory as they are long: of the longer ones more than 48 KB.
TEST_CASE("repeated calls: of a kernel that needs less shared memory between two that need more") {
  GPUOPT_NEED_GPU();
  const Gpu g;
  constexpr int64_t kRows = 256, kMost = 16001;
  std::vector<float> values(static_cast<size_t>(kRows * kMost));
  for (size_t e = 0; e < values.size(); ++e) values[e] = static_cast<float>(e * 37 % 101) / 64.0f - 0.5f;
  const DeviceArray<float> x(values), out(values), gamma(std::vector<float>(values.begin(), values.begin() + kMost));
  const auto call = [&](int64_t cols) {
    gpuopt_norm_args args = GPUOPT_NORM_ARGS_INIT;
    args.norm = GPUOPT_NORM_RMSNORM;
    args.x = gpuopt_mat(x.data, kRows, cols, GPUOPT_F32);
    args.out = gpuopt_mat(out.data, kRows, cols, GPUOPT_F32);
    args.gamma = gpuopt_mat(gamma.data, 1, cols, GPUOPT_F32);
    return gpuopt_norm(g.handle, &args);
  };
  for (const char *const kernel : {"norm_block_row", "norm_staying_rows"}) {
    CAPTURE(kernel);
    REQUIRE(gpuopt_set_kernel(g.handle, kernel) == GPUOPT_OK);
    for (int turn = 0; turn < 2; ++turn)
      for (const int64_t cols : {11893, 9001, 11893, 12001}) {
        CAPTURE(turn);
        CAPTURE(cols);
        REQUIRE_MESSAGE(call(cols) == GPUOPT_OK, last_error());
      }
  }
  g.sync();
  REQUIRE(gpuopt_set_kernel(g.handle, nullptr) == GPUOPT_OK);
}
