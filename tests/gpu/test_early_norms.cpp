// Norms of few rows are launched while what precedes them in the stream still runs: they must see what it wrote, as x, as a
// residual and as weights, and leave alone what it reads.
#include <cstdlib>
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

// Bytes of such a row, and those that a block steps over, have more than 31 bits: what was asked of L2 had no end.
TEST_CASE("early norms: a row of just below 2 GiB") {
  GPUOPT_NEED_GPU();
  if (std::getenv("GPUOPT_TEST_REDUCED")) return;
  constexpr int64_t kCols = (int64_t{1} << 30) - 8;
  size_t free = 0, all = 0;
  GPUOPT_CUDA(cudaMemGetInfo(&free, &all));
  if (free < size_t{5} << 30) {
    MESSAGE("SKIP: less than 5 GiB of memory");
    return;
  }
  const Gpu g(GPUOPT_FALLBACK_NEVER, "norm_twice_row");
  DeviceArray<uint16_t> x(static_cast<size_t>(kCols)), out(static_cast<size_t>(kCols));
  x.fill(0x3c);  // 1.06 everywhere
  out.fill(0xff);
  gpuopt_norm_args args = GPUOPT_NORM_ARGS_INIT;
  args.norm = GPUOPT_NORM_RMSNORM;
  args.x = gpuopt_mat(x.data, 1, kCols, GPUOPT_F16);
  args.out = gpuopt_mat(out.data, 1, kCols, GPUOPT_F16);
  REQUIRE_MESSAGE(gpuopt_norm(g.handle, &args) == GPUOPT_OK, last_error());
  g.sync();
  for (const int64_t at : {int64_t{0}, kCols / 2, kCols - 1}) {
    CAPTURE(at);
    uint16_t bits = 0;
    GPUOPT_CUDA(cudaMemcpy(&bits, out.data + at, sizeof bits, cudaMemcpyDeviceToHost));
    CHECK(bits >= 0x3beb);  // 1, but for sums of a million squares a thread in fp32
    CHECK(bits <= 0x3c0a);
  }
}
