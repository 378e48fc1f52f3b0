// Every GPU kernel on rows where an ordinary sum is too narrow: layer norms far from 0 and near the largest number, MEAN
// and NRM2 of integers whose sums leave 64 bits.
#include <cmath>
#include <cstring>
#include <functional>
#include <set>

#include "gpu_support.h"

using namespace gpuopt_test;

namespace {

template <class Args>
std::vector<std::string> kernels_that_run(const Gpu &g, int32_t op, const Args &args) {
  Candidates seen;
  REQUIRE_MESSAGE(gpuopt_explain(g.handle, &args, nullptr, Candidates::add, &seen) == GPUOPT_OK, last_error());
  std::vector<std::string> names;
  for (size_t i = 0; const gpuopt_kernel *kernel = gpuopt_kernel_get(i); ++i) {
    const Candidate *c = kernel->op == op && !(kernel->flags & GPUOPT_KERNEL_HOST) ? seen.find(kernel->name) : nullptr;
    if (c && c->verdict != GPUOPT_VERDICT_REJECTED) names.push_back(kernel->name);
  }
  return names;
}

// The greatest error of a row's outputs, in units of 2^-24 of 16 and of 16 times the value.
double layer_norm_error(const float *x, const float *out, size_t n, double eps) {
  long double sum = 0, squares = 0;
  for (size_t j = 0; j < n; ++j) sum += static_cast<long double>(x[j]) - x[0];
  const long double mean = sum / static_cast<long double>(n);
  const auto difference = [&](size_t j) { return static_cast<long double>(x[j]) - x[0] - mean; };
  for (size_t j = 0; j < n; ++j) squares += difference(j) * difference(j);
  const long double rstd = 1 / std::sqrt(squares / static_cast<long double>(n) + static_cast<long double>(eps));
  double worst = 0;
  for (size_t j = 0; j < n; ++j) {
    const auto y = static_cast<double>(difference(j) * rstd), error = std::fabs(static_cast<double>(out[j]) - y);
    const double units = error / (0x1p-24 * (16 + 16 * std::fabs(y)));
    worst = units <= worst ? worst : units;  // NaN stays
  }
  return worst;
}

struct FarRow {
  std::string what;
  double eps;
  std::function<float(size_t j, size_t n, double uniform)> value;
};
const FarRow kFarRows[] = {
    {"1e8 +- 4", 0, [](size_t j, size_t, double) { return 1e8f + (j % 2 ? 8 : 0); }},
    {"1e4 + U(0, 0.01)", 1e-12, [](size_t, size_t, double u) { return static_cast<float>(1e4 + 0.01 * u); }},
    {"steps below -2^24", 0,
     [](size_t, size_t, double u) { return -16777216 - 2 * std::floor(static_cast<float>(4 * u)); }},
    {"an outlier first", 1e-5, [](size_t j, size_t, double u) { return j == 0 ? 1e6f : static_cast<float>(u); }},
    {"near the largest", 1e-5, [](size_t, size_t, double) { return 3e38f; }},
};

}  // namespace

TEST_CASE("hard rows: layer norms of rows far from 0 or near the largest number, in every GPU kernel") {
  GPUOPT_NEED_GPU();
  const Gpu g;
  constexpr size_t m = 3;
  std::set<std::string> ran;
  for (const size_t n : {17, 512, 1000, 4096, 4227, 8192, 16384, 33001, 70001, 262144}) {
    DeviceArray<float> x(m * n), out(m * n);
    gpuopt_norm_args args = GPUOPT_NORM_ARGS_INIT;
    args.norm = GPUOPT_NORM_LAYERNORM;
    args.x = gpuopt_mat(x.data, m, static_cast<int64_t>(n), GPUOPT_F32);
    args.out = gpuopt_mat(out.data, m, static_cast<int64_t>(n), GPUOPT_F32);
    for (const FarRow &row : kFarRows) {
      std::mt19937 engine(7);
      std::uniform_real_distribution<double> uniform;
      std::vector<float> values(m * n);
      for (size_t e = 0; e < values.size(); ++e) values[e] = row.value(e % n, n, uniform(engine));
      x.set(values);
      args.eps = row.eps;
      for (const std::string &name : kernels_that_run(g, GPUOPT_OP_NORM, args)) {
        CAPTURE(n);
        CAPTURE(row.what);
        CAPTURE(name);
        out.fill(0xff);
        REQUIRE(gpuopt_set_kernel(g.handle, name.c_str()) == GPUOPT_OK);
        REQUIRE_MESSAGE(gpuopt_norm(g.handle, &args) == GPUOPT_OK, last_error());
        g.sync();
        const std::vector<float> y = out.get();
        for (size_t i = 0; i < m; ++i) CHECK(layer_norm_error(&values[i * n], &y[i * n], n, row.eps) <= 1);
        ran.insert(name);
      }
      REQUIRE(gpuopt_set_kernel(g.handle, nullptr) == GPUOPT_OK);
    }
  }
  for (const std::string name : {"norm_block_row", "norm_naive", "norm_shared", "norm_twice_row", "norm_warp_row"}) {
    CAPTURE(name);
    CHECK(ran.count(name) == 1);
  }
}

// Kernels that hold distances from an element of the row in place of elements are to lose no digit of a 16-bit result by that.
TEST_CASE("hard rows: layer norms of bf16 rows with outliers or far from 0, in every GPU kernel") {
  GPUOPT_NEED_GPU();
  const Gpu g;
  constexpr size_t m = 300;  // some of them one after the other by blocks that stay
  std::set<std::string> ran;
  const auto of_bits = [](uint16_t bits) {
    const uint32_t word = static_cast<uint32_t>(bits) << 16;
    float value;
    std::memcpy(&value, &word, sizeof value);
    return value;
  };
  for (const size_t n : {1000, 1023, 4096, 4099, 16384, 16389}) {
    std::mt19937 engine(7);
    std::vector<uint16_t> values(m * n);
    for (size_t e = 0; e < values.size(); ++e) {  // signs, eight binades; 128 to 255; an outlier at each place in turn
      const size_t i = e / n, j = e % n;
      const auto random = static_cast<uint16_t>(engine());
      values[e] = static_cast<uint16_t>(i % 3 == 0 ? 0x3c00 | (random & 0x83ff) : 0x4300 | (random & 0x7f));
      if (i % 3 == 2 && j == i * 5 % n) values[e] = 0x4780;  // 65536
    }
    const DeviceArray<uint16_t> x(values);
    DeviceArray<uint16_t> out(m * n);
    gpuopt_norm_args args = GPUOPT_NORM_ARGS_INIT;
    args.norm = GPUOPT_NORM_LAYERNORM;
    args.x = gpuopt_mat(x.data, m, static_cast<int64_t>(n), GPUOPT_BF16);
    args.out = gpuopt_mat(out.data, m, static_cast<int64_t>(n), GPUOPT_BF16);
    for (const std::string &name : kernels_that_run(g, GPUOPT_OP_NORM, args)) {
      CAPTURE(n);
      CAPTURE(name);
      out.fill(0xff);
      REQUIRE(gpuopt_set_kernel(g.handle, name.c_str()) == GPUOPT_OK);
      REQUIRE_MESSAGE(gpuopt_norm(g.handle, &args) == GPUOPT_OK, last_error());
      g.sync();
      const std::vector<uint16_t> y = out.get();
      int64_t wrong = 0;
      for (size_t i = 0; i < m; ++i) {
        double sum = 0, squares = 0;
        for (size_t j = 0; j < n; ++j) sum += static_cast<double>(of_bits(values[i * n + j]));
        const double mean = sum / static_cast<double>(n);
        for (size_t j = 0; j < n; ++j) squares += std::pow(static_cast<double>(of_bits(values[i * n + j])) - mean, 2);
        const double rstd = 1 / std::sqrt(squares / static_cast<double>(n) + args.eps);
        for (size_t j = 0; j < n; ++j) {
          const double truth = (static_cast<double>(of_bits(values[i * n + j])) - mean) * rstd;
          const double error = std::fabs(static_cast<double>(of_bits(y[i * n + j])) - truth);
          wrong += !(error <= 0x1.04p-8 * std::fabs(truth) + 0x1p-24 * (16 + 16 * std::fabs(truth)));
        }
      }
      CHECK(wrong == 0);
      ran.insert(name);
    }
    REQUIRE(gpuopt_set_kernel(g.handle, nullptr) == GPUOPT_OK);
  }
  for (const std::string name : {"norm_block_row", "norm_split_row", "norm_staying_rows", "norm_twice_row"}) {
    CAPTURE(name);
    CHECK(ran.count(name) == 1);
  }
}

TEST_CASE("hard rows: MEAN and NRM2 of integers whose sums leave 64 bits, in every GPU kernel") {
  GPUOPT_NEED_GPU();
  const Gpu g;
  constexpr int64_t n = 5000;
  DeviceArray<double> out(n);
  std::mt19937_64 engine(11);
  std::vector<int64_t> values(n * 3);
  for (int64_t &v : values) v = INT64_MAX - static_cast<int64_t>(engine() >> 4);
  values[1] = INT64_MIN;
  const DeviceArray<int64_t> x(values);
  std::set<std::string> ran;
  for (const int32_t variant : {GPUOPT_REDUCE_MEAN, GPUOPT_REDUCE_NRM2})
    for (const int32_t axis : {GPUOPT_ALL, GPUOPT_EACH_ROW, GPUOPT_EACH_COL})
      for (const int64_t cols : {n, int64_t{100}}) {
        const int64_t rows = 3 * (n / cols);
        const int64_t results = axis == GPUOPT_ALL ? 1 : axis == GPUOPT_EACH_ROW ? rows : cols;
        gpuopt_reduce_args args = GPUOPT_REDUCE_ARGS_INIT;
        args.reduce = variant;
        args.axis = axis;
        args.x = gpuopt_mat(x.data, rows, cols, GPUOPT_I64);
        args.out = axis == GPUOPT_EACH_COL ? gpuopt_mat(out.data, 1, results, GPUOPT_F64)
                                           : gpuopt_mat(out.data, results, 1, GPUOPT_F64);
        std::vector<long double> truth(static_cast<size_t>(results));
        for (int64_t e = 0; e < rows * cols; ++e) {
          const auto v = static_cast<long double>(values[static_cast<size_t>(e)]);
          const int64_t result = axis == GPUOPT_ALL ? 0 : axis == GPUOPT_EACH_ROW ? e / cols : e % cols;
          truth[static_cast<size_t>(result)] += variant == GPUOPT_REDUCE_MEAN ? v : v * v;
        }
        const auto count = static_cast<long double>(rows * cols / results);
        for (const std::string &name : kernels_that_run(g, GPUOPT_OP_REDUCE, args)) {
          CAPTURE(variant);
          CAPTURE(axis);
          CAPTURE(cols);
          CAPTURE(name);
          out.fill(0xff);
          REQUIRE(gpuopt_set_kernel(g.handle, name.c_str()) == GPUOPT_OK);
          REQUIRE_MESSAGE(gpuopt_reduce(g.handle, &args) == GPUOPT_OK, last_error());
          g.sync();
          const std::vector<double> got = out.get();
          int64_t wrong = 0;
          for (size_t i = 0; i < truth.size(); ++i) {
            const auto want =
                static_cast<double>(variant == GPUOPT_REDUCE_MEAN ? truth[i] / count : std::sqrt(truth[i]));
            wrong += !(std::fabs(got[i] - want) <= 0x1p-51 * std::fabs(want));
          }
          CHECK(wrong == 0);
          ran.insert(name);
        }
        REQUIRE(gpuopt_set_kernel(g.handle, nullptr) == GPUOPT_OK);
      }
  for (const std::string name : {"reduce_columns_vec16", "reduce_one_launch", "reduce_rows", "reduce_rows_group",
                                 "reduce_split_lines", "reduce_two_pass"}) {
    CAPTURE(name);
    CHECK(ran.count(name) == 1);
  }
}
