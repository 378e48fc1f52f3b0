// Norms of rows far from 0: what is lost there is lost to every element, so the mean must be known to a fraction of the
// rows' spread, not of their size.
#include "support.h"

#include <cmath>

using namespace gpuopt_test;

namespace {

Handle handle_with_isa(const char *isa) {
  gpuopt_options o = GPUOPT_OPTIONS_INIT;
  o.device = GPUOPT_DEVICE_CPU;
  o.cpu_isa = isa;
  gpuopt_handle *h = nullptr;
  REQUIRE_MESSAGE(gpuopt_create(&h, &o) == GPUOPT_OK, last_error());
  return Handle(h);
}

template <class T>
struct Normed {
  std::vector<T> out;
  T mean, rstd;
};

template <class T>
Normed<T> normed(gpuopt_handle *h, int32_t norm, const std::vector<T> &x, double eps,
                 const std::vector<T> &residual = {}) {
  const int32_t type = sizeof(T) == 4 ? GPUOPT_F32 : GPUOPT_F64;
  const int64_t n = int64_t(x.size());
  Normed<T> r = {std::vector<T>(x.size(), T(77)), 77, 77};
  T statistics[2] = {77, 77};
  gpuopt_norm_args args = GPUOPT_NORM_ARGS_INIT;
  args.norm = norm;
  args.x = gpuopt_mat(x.data(), 1, n, type);
  if (!residual.empty()) args.residual = gpuopt_mat(residual.data(), 1, n, type);
  args.out = gpuopt_mat(r.out.data(), 1, n, type);
  args.statistics = gpuopt_mat(statistics, 1, 2, type);
  args.eps = eps;
  REQUIRE_MESSAGE(gpuopt_norm(h, &args) == GPUOPT_OK, last_error());
  r.mean = statistics[0];
  r.rstd = statistics[1];
  return r;
}

// Every element against the formula, relative to the row's spread; x exactly as the kernel has it.
template <class T>
void check_layer_norm(const Normed<T> &r, const std::vector<T> &x, double eps, double tolerance) {
  // From the first element on: exact in long double for rows that are narrow, and good enough for those that are not.
  long double sum = 0, squares = 0;
  for (const T v : x) sum += static_cast<long double>(v) - x[0];
  const long double mean = sum / static_cast<long double>(x.size());
  for (const T v : x) {
    const long double d = static_cast<long double>(v) - x[0] - mean;
    squares += d * d;
  }
  const long double rstd = 1 / std::sqrt(squares / static_cast<long double>(x.size()) + static_cast<long double>(eps));
  CHECK(std::fabs(double(r.rstd) / double(rstd) - 1) <= 8 * tolerance);
  CHECK(r.mean == T(mean + x[0]));
  int64_t wrong = 0;
  for (size_t j = 0; j < x.size(); ++j) {
    const long double y = (static_cast<long double>(x[j]) - x[0] - mean) * rstd;
    wrong += !(std::fabs(double(r.out[j] - y)) <= tolerance * (16 + 16 * std::fabs(double(y))));
  }
  CHECK(wrong == 0);
}

template <class Body>
void on_every_cpu_kernel(Body body) {
  for (const char *isa : {"baseline", "avx2", "avx512"})
    for (const char *kernel : {"norm_cpu_reference", "norm_cpu_blocked"}) {
      const std::string where = std::string(kernel) + " " + isa;
      CAPTURE(where);
      const Handle h = handle_with_isa(isa);
      REQUIRE(gpuopt_set_kernel(h.get(), kernel) == GPUOPT_OK);
      body(h.get());
    }
}

double uniform(uint32_t *state) { return double((*state = *state * 1664525u + 1013904223u) >> 8) * 0x1p-24; }

}  // namespace

TEST_CASE("norm: rows far from 0 keep what tells their elements apart, in every CPU kernel") {
  on_every_cpu_kernel([](gpuopt_handle *h) {
    for (const size_t n : {2, 3, 17, 512, 1000, 5000, 70001}) {
      CAPTURE(n);
      std::vector<float> x(n);
      uint32_t state = 7;
      const auto check = [&](double eps) {
        check_layer_norm(normed(h, GPUOPT_NORM_LAYERNORM, x, eps), x, eps, 0x1p-24);
      };
      for (size_t j = 0; j < n; ++j) x[j] = 1e8f + (j % 2 ? 8 : 0);  // rstd 1/4
      check(0);
      check(1e-5);
      for (float &v : x) v = float(1e4 + 0.01 * uniform(&state));
      check(1e-12);
      for (float &v : x) v = -16777216 - float(int(4 * uniform(&state)) * 2);
      check(0);
      for (size_t j = 0; j < n; ++j) x[j] = j + 1 == n ? 16777218.0f : 16777216.0f;  // one step, once
      check(0);
      for (size_t j = 0; j < n; ++j) x[j] = j == 0 ? 1e6f : float(uniform(&state));  // the first is far from the rest
      check(1e-5);
      for (float &v : x) v = float(3 + uniform(&state));
      check(1e-5);
    }
  });
}

TEST_CASE("norm: rows near the largest number of fp32, in every CPU kernel") {
  on_every_cpu_kernel([](gpuopt_handle *h) {
    for (const size_t n : {2, 3, 17, 512, 1000, 5000}) {
      CAPTURE(n);
      std::vector<float> x(n, 3e38f);
      const Normed<float> flat = normed(h, GPUOPT_NORM_LAYERNORM, x, 1e-5);
      CHECK(flat.mean == 3e38f);
      CHECK(flat.rstd == doctest::Approx(1 / std::sqrt(1e-5)).epsilon(1e-6));
      for (const float y : flat.out) REQUIRE(y == 0);
      const Normed<float> root = normed(h, GPUOPT_NORM_RMSNORM, x, 0);
      for (const float y : root.out) REQUIRE(y == doctest::Approx(1).epsilon(1e-6));
      for (size_t j = 0; j < n; ++j) x[j] = j % 2 ? 3e38f : 3.1e38f;
      check_layer_norm(normed(h, GPUOPT_NORM_LAYERNORM, x, 1e-5), x, 1e-5, 0x1p-24);
      for (size_t j = 0; j < n; ++j) x[j] = j % 2 ? std::nextafter(3e38f, 0.0f) : 3e38f;
      check_layer_norm(normed(h, GPUOPT_NORM_LAYERNORM, x, 1e-5), x, 1e-5, 0x1p-24);
      for (size_t j = 0; j < n; ++j) x[j] = j % 2 ? 3e38f : -3e38f;
      const Normed<float> wide = normed(h, GPUOPT_NORM_LAYERNORM, x, 1e-5);
      for (size_t j = 0; n % 2 == 0 && j < n; ++j)
        REQUIRE(wide.out[j] == doctest::Approx(j % 2 ? 1 : -1).epsilon(1e-6));
    }
  });
}

TEST_CASE("norm: a residual that moves rows far from 0, in every CPU kernel") {
  on_every_cpu_kernel([](gpuopt_handle *h) {
    std::vector<float> x(1000, 1e8f), residual(1000), sum(1000);
    for (size_t j = 0; j < x.size(); ++j) {
      residual[j] = float(8 * (j * j % 5));
      sum[j] = x[j] + residual[j];
    }
    check_layer_norm(normed(h, GPUOPT_NORM_LAYERNORM, x, 0, residual), sum, 0, 0x1p-24);
  });
}

TEST_CASE("norm: rows of f64 far from 0") {
  const Handle h = cpu_handle();
  std::vector<double> x(3001);
  uint32_t state = 3;
  for (double &v : x) v = 1e16 + 2 * std::floor(4 * uniform(&state));
  check_layer_norm(normed(h.get(), GPUOPT_NORM_LAYERNORM, x, 0), x, 0, 0x1p-52);
}
