// TF32 products: operands are rounded to 10 fraction bits, not cut off. On random normal data the whole result of every
// kernel, in every layout, lies within 4e-4 of the truth (Frobenius norms). Truncated operands lie outside, because cutting
// off shrinks every product: the bound can tell the difference.
#include <cmath>
#include <cstring>
#include <set>

#include "gpu_support.h"

using namespace gpuopt_test;

namespace {

constexpr int64_t m = 208, n = 176, k = 1024;
constexpr double kBound = 4e-4;

double exact(float x) { return static_cast<double>(x); }
double without_low_bits(float x, uint32_t added) {
  uint32_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  bits = (bits + added) & ~0x1fffu;
  std::memcpy(&x, &bits, sizeof bits);
  return static_cast<double>(x);
}
double rounded(float x) { return without_low_bits(x, 0x1000); }
double truncated(float x) { return without_low_bits(x, 0); }

// A * B in double, of operands converted one by one.
template <class Convert>
std::vector<double> product(const std::vector<float> &a, const std::vector<float> &b, Convert &&convert) {
  std::vector<double> d(m * n), right(b.size());
  for (size_t i = 0; i < b.size(); ++i) right[i] = convert(b[i]);
  for (int64_t i = 0; i < m; ++i) {
    double *row = &d[static_cast<size_t>(i * n)];
    for (int64_t l = 0; l < k; ++l) {
      const double x = convert(a[static_cast<size_t>(i * k + l)]);
      for (int64_t j = 0; j < n; ++j) row[j] += x * right[static_cast<size_t>(l * n + j)];
    }
  }
  return d;
}

template <class T>
double frobenius_error(const std::vector<T> &d, const std::vector<double> &truth) {
  double error = 0, norm = 0;
  for (size_t i = 0; i < truth.size(); ++i) {
    const double off = static_cast<double>(d[i]) - truth[i];
    error += off * off;
    norm += truth[i] * truth[i];
  }
  return std::sqrt(error / norm);
}

std::vector<float> column_major(const std::vector<float> &x, int64_t rows, int64_t cols) {
  std::vector<float> y(x.size());
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < cols; ++j) y[static_cast<size_t>(j * rows + i)] = x[static_cast<size_t>(i * cols + j)];
  return y;
}

}  // namespace

TEST_CASE("tf32 accuracy: the bound passes rounded operands and fails truncated ones") {
  const std::vector<float> a = normal_values(m * k, 31), b = normal_values(k * n, 32);
  const std::vector<double> truth = product(a, b, exact);
  CHECK(frobenius_error(product(a, b, rounded), truth) < kBound);
  CHECK(frobenius_error(product(a, b, truncated), truth) > kBound);
}

TEST_CASE("tf32 accuracy: every kernel rounds its operands") {
  GPUOPT_NEED_GPU();
  const Gpu g;
  const std::vector<float> a = normal_values(m * k, 31), b = normal_values(k * n, 32);
  const std::vector<double> truth = product(a, b, exact);
  const DeviceArray<float> a_row(a), b_row(b), a_col(column_major(a, m, k)), b_col(column_major(b, k, n));
  DeviceArray<float> d(static_cast<size_t>(m * n));
  std::set<std::string> ran;
  for (const int32_t layout_a : {GPUOPT_ROW, GPUOPT_COL}) {
    for (const int32_t layout_b : {GPUOPT_ROW, GPUOPT_COL}) {
      gpuopt_gemm_args args = GPUOPT_GEMM_ARGS_INIT;
      args.compute = GPUOPT_COMPUTE_TF32;
      args.a = gpuopt_mat((layout_a == GPUOPT_ROW ? a_row : a_col).data, m, k, GPUOPT_F32);
      args.b = gpuopt_mat((layout_b == GPUOPT_ROW ? b_row : b_col).data, k, n, GPUOPT_F32);
      args.a.layout = layout_a;
      args.b.layout = layout_b;
      args.d = gpuopt_mat(d.data, m, n, GPUOPT_F32);
      Candidates seen;
      gpuopt_explain(g.handle, &args, nullptr, Candidates::add, &seen);
      std::vector<std::string> names = {""};  // the automatic choice
      for (size_t i = 0; const gpuopt_kernel *kernel = gpuopt_kernel_get(i); ++i) {
        const Candidate *c = kernel->op == GPUOPT_OP_GEMM ? seen.find(kernel->name) : nullptr;
        if (c && c->verdict != GPUOPT_VERDICT_REJECTED && !(kernel->flags & GPUOPT_KERNEL_HOST))
          names.push_back(kernel->name);
      }
      for (const std::string &name : names) {
        CAPTURE(name);
        CAPTURE(layout_a);
        CAPTURE(layout_b);
        d.fill(0xff);
        REQUIRE_MESSAGE(gpuopt_set_kernel(g.handle, name.c_str()) == GPUOPT_OK, last_error());
        REQUIRE_MESSAGE(gpuopt_gemm(g.handle, &args) == GPUOPT_OK, last_error());
        g.sync();
        CHECK(frobenius_error(d.get(), truth) < kBound);
        ran.insert(name);
      }
    }
  }
  CHECK(ran.size() >= 5);
}
