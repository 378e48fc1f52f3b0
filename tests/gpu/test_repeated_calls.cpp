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
  for (const char *const kernel : {"norm_block_row", "norm_split_row", "norm_staying_rows"}) {
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

// Kernels whose blocks stay and meet in zeroed memory: rows whose numbers are drawn from counters, words of slices. Each row is
// to be computed in each call, so counters and words have to be zero again after each. Odd and even rows, one and two of them on
// their way, one warp, many and those of a cluster to a row.
TEST_CASE("repeated calls: of kernels that leave zeroed memory as it was") {
  GPUOPT_NEED_GPU();
  const Gpu g;
  struct Case {
    const char *kernel;
    int32_t norm;
    int64_t rows, cols;
  };
  constexpr Case kCases[] = {
      {"norm_staying_rows", GPUOPT_NORM_RMSNORM, 30011, 101},
      {"norm_staying_rows", GPUOPT_NORM_RMSNORM, 30011, 256},
      {"norm_staying_rows", GPUOPT_NORM_RMSNORM, 9001, 1027},
      {"norm_staying_rows", GPUOPT_NORM_RMSNORM, 3001, 12289},
      {"norm_staying_rows", GPUOPT_NORM_RMSNORM, 3001, 12288},
      {"norm_staying_rows", GPUOPT_NORM_RMSNORM, 701, 32772},
      {"norm_staying_rows", GPUOPT_NORM_RMSNORM, 701, 28671},
      {"norm_staying_softmax", GPUOPT_NORM_SOFTMAX, 30011, 101},
      {"norm_staying_softmax", GPUOPT_NORM_SOFTMAX, 9001, 1028},
      {"norm_staying_softmax", GPUOPT_NORM_SOFTMAX, 701, 33003},
      {"norm_persistent_row", GPUOPT_NORM_SOFTMAX, 261, 30001},
      {"norm_persistent_row", GPUOPT_NORM_SOFTMAX, 1013, 4099},
  };
  for (const Case &c : kCases) {
    CAPTURE(c.kernel);
    CAPTURE(c.rows);
    CAPTURE(c.cols);
    const auto count = static_cast<size_t>(c.rows * c.cols);
    std::vector<float> values(count);
    for (size_t e = 0; e < count; ++e) values[e] = static_cast<float>(e * 37 % 1009) / 128.0f - 4.0f;
    std::vector<double> factor(static_cast<size_t>(c.rows));  // of the row's elements or exponentials
    const bool softmax = c.norm == GPUOPT_NORM_SOFTMAX;
    for (int64_t i = 0; i < c.rows; ++i) {
      double sum = 0;
      for (int64_t j = 0; j < c.cols; ++j) {
        const double h = values[static_cast<size_t>(i * c.cols + j)];
        sum += softmax ? std::exp(h) : h * h;
      }
      factor[static_cast<size_t>(i)] = softmax ? 1 / sum : 1 / std::sqrt(sum / static_cast<double>(c.cols) + 1e-5);
    }
    const DeviceArray<float> x(values);
    DeviceArray<float> out(count);
    gpuopt_norm_args args = GPUOPT_NORM_ARGS_INIT;
    args.norm = c.norm;
    args.eps = 1e-5;
    args.x = gpuopt_mat(x.data, c.rows, c.cols, GPUOPT_F32);
    args.out = gpuopt_mat(out.data, c.rows, c.cols, GPUOPT_F32);
    REQUIRE(gpuopt_set_kernel(g.handle, c.kernel) == GPUOPT_OK);
    for (int turn = 0; turn < 3; ++turn) {
      CAPTURE(turn);
      out.fill(0xff);  // NaN
      REQUIRE_MESSAGE(gpuopt_norm(g.handle, &args) == GPUOPT_OK, last_error());
      g.sync();
      const std::vector<float> found = out.get();
      int64_t wrong = 0;
      for (size_t e = 0; e < count; ++e) {
        const double h = values[e], f = factor[e / static_cast<size_t>(c.cols)],
                     expected = (softmax ? std::exp(h) : h) * f;
        wrong += std::fabs(found[e] - expected) <= 1e-5 * std::fabs(expected) + 1e-12 ? 0 : 1;
      }
      CHECK(wrong == 0);
    }
  }
  REQUIRE(gpuopt_set_kernel(g.handle, nullptr) == GPUOPT_OK);
}
