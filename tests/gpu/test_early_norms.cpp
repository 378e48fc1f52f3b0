// Norms of few rows are launched while what precedes them in the stream still runs: they must see what it wrote, as x, as a
// residual and as weights, and leave alone what it reads.
#include <vector>

#include "gpu_support.h"

using namespace gpuopt_test;

namespace {

// A chain of norms, each of what the last one wrote, which is its weights as well, and, where it adds, of what the one before that
// wrote; each writes where the last one read. Synchronised after every call or not.
std::vector<float> chain_of_norms(const Gpu &g, int64_t rows, int64_t cols, bool adds, bool synchronised) {
  const size_t count = static_cast<size_t>(rows * cols);
  std::vector<float> values(count);
  for (size_t e = 0; e < count; ++e) values[e] = 1.0f + static_cast<float>(e * 37 % 101) / 64.0f;
  const DeviceArray<float> buffers[3] = {DeviceArray<float>(values), DeviceArray<float>(values),
                                         DeviceArray<float>(values)};
  const auto matrix = [&](int number) { return gpuopt_mat(buffers[number % 3].data, rows, cols, GPUOPT_F32); };
  constexpr int kSteps = 40;
  for (int step = 0; step < kSteps; ++step) {
    gpuopt_norm_args args = GPUOPT_NORM_ARGS_INIT;
    args.norm = GPUOPT_NORM_LAYERNORM;
    args.x = matrix(step);
    args.out = matrix(step + 1);
    if (adds) args.residual = matrix(step + 2);
    args.beta = gpuopt_mat(args.x.data, 1, cols, GPUOPT_F32);
    REQUIRE_MESSAGE(gpuopt_norm(g.handle, &args) == GPUOPT_OK, last_error());
    if (synchronised) g.sync();
  }
  g.sync();
  return buffers[kSteps % 3].get();
}

}  // namespace

TEST_CASE("early norms: each sees what the one before it wrote") {
  GPUOPT_NEED_GPU();
  const Gpu g;
  for (const char *const kernel : {"norm_warp_row", "norm_block_row", "norm_twice_row"})
    for (const int64_t cols : {500, 501})
      for (const int64_t rows : {1, 3, 200})
        for (const bool adds : {false, true}) {
          CAPTURE(kernel);
          CAPTURE(cols);
          CAPTURE(rows);
          CAPTURE(adds);
          REQUIRE(gpuopt_set_kernel(g.handle, kernel) == GPUOPT_OK);
          const std::vector<float> one_by_one = chain_of_norms(g, rows, cols, adds, true);
          for (int again = 0; again < 5; ++again) CHECK(chain_of_norms(g, rows, cols, adds, false) == one_by_one);
        }
  REQUIRE(gpuopt_set_kernel(g.handle, nullptr) == GPUOPT_OK);
}
