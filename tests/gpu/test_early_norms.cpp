// Norms of few rows are launched while what precedes them in the stream still runs: they must see what it wrote, as x, as a
// residual and as weights, and leave alone what it reads.
#include <vector>

#include "gpu_support.h"

using namespace gpuopt_test;

namespace {

// A chain of norms, each of what the last one wrote, which is its weights as well; synchronised after every call or not.
std::vector<float> chain_of_norms(const Gpu &g, int64_t rows, int64_t cols, bool synchronised) {
  const size_t count = static_cast<size_t>(rows * cols);
  std::vector<float> values(count);
  for (size_t e = 0; e < count; ++e) values[e] = 1.0f + static_cast<float>(e * 37 % 101) / 64.0f;
  DeviceArray<float> buffers[2] = {DeviceArray<float>(count), DeviceArray<float>(count)};
  buffers[0].set(values);
  buffers[1].set(values);
  g.sync();
  for (int step = 0; step < 40; ++step) {
    DeviceArray<float> &from = buffers[step % 2], &to = buffers[1 - step % 2];
    gpuopt_norm_args args = GPUOPT_NORM_ARGS_INIT;
    args.norm = GPUOPT_NORM_LAYERNORM;
    args.x = gpuopt_mat(from.data, rows, cols, GPUOPT_F32);
    args.out = gpuopt_mat(to.data, rows, cols, GPUOPT_F32);
    args.beta = gpuopt_mat(from.data, 1, cols, GPUOPT_F32);
    REQUIRE_MESSAGE(gpuopt_norm(g.handle, &args) == GPUOPT_OK, last_error());
    if (synchronised) g.sync();
  }
  g.sync();
  return buffers[0].get();
}

}  // namespace

TEST_CASE("early norms: each sees what the one before it wrote") {
  GPUOPT_NEED_GPU();
  const Gpu g;
  for (const char *const kernel : {"norm_warp_row", "norm_block_row", "norm_twice_row"})
    for (const int64_t cols : {500, 501})
      for (const int64_t rows : {1, 3, 200}) {
        CAPTURE(kernel);
        CAPTURE(cols);
        CAPTURE(rows);
        REQUIRE(gpuopt_set_kernel(g.handle, kernel) == GPUOPT_OK);
        const std::vector<float> one_by_one = chain_of_norms(g, rows, cols, true);
        for (int again = 0; again < 5; ++again) CHECK(chain_of_norms(g, rows, cols, false) == one_by_one);
      }
  REQUIRE(gpuopt_set_kernel(g.handle, nullptr) == GPUOPT_OK);
}
