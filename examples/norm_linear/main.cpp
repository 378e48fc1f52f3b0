// LayerNorm or RMSNorm and a linear layer, fused and as a pair of calls: how far each is from the exact result, also
// where the rows' mean is large, and how long each takes.
//
//     norm_linear [--device cpu|N] [--bench ROWS K N]
//
// The exit status is 0 when every error of the fused product is within its bound, 1 when one is not, 2 for a bad
// argument or a call that failed.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "reference.hpp"

using namespace gpuopt;

// A layer in device memory, with everything that the two ways of computing it need.
template <class T>
struct on_device {
  handle &h;
  std::int64_t rows, k, n;
  buffer<T> x, weight, normalised, y;
  buffer<float> gamma, beta, bias, statistics;
  gpuopt_norm_args norm;
  gemm_options options;

  on_device(handle &owner, const layer<T> &l, std::int32_t compute)
      : h(owner),
        rows(static_cast<std::int64_t>(l.rows)),
        k(static_cast<std::int64_t>(l.k)),
        n(static_cast<std::int64_t>(l.n)),
        x(h, l.x),
        weight(h, l.weight),
        normalised(h, l.rows * l.k),
        y(h, l.rows * l.n),
        gamma(h, l.gamma),
        beta(h, l.beta),
        bias(h, l.bias),
        statistics(h, l.rows * 2),
        norm(handle::norm_args(l.norm, x.view(rows, k), normalised.view(rows, k))) {
    norm.gamma = gamma.view(1, k);
    norm.beta = beta.view(1, k);
    norm.eps = l.eps;
    options.compute = compute;
  }
  norm_linear<T> fused() const {
    norm_linear_parameters p;
    p.gamma = norm.gamma, p.beta = norm.beta, p.bias = bias.view(1, n), p.eps = norm.eps;
    return norm_linear<T>(h, norm.norm, weight.view(k, n), p);
  }
  matrix<const T> input() const { return x.view(rows, k); }
  matrix<T> result() const { return y.view(rows, n); }
  // The unfused pair: the normalised matrix is written, rounded to its type, and read again.
  void pair() {
    h.norm(norm);
    h.gemm(normalised.view(rows, k), weight.view(k, n), result(), {add(per_col(bias.view(1, n)))}, options);
  }
};

struct errors {
  double relative = 0, of_bound = 0;  // of the Frobenius norm; the greatest quotient
};

template <class T>
errors compare(const std::vector<T> &y, const expected &e) {
  errors found;
  double difference = 0, norm = 0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    const double error = std::fabs(value_of(y[i]) - e.y[i]);
    difference += error * error;
    norm += e.y[i] * e.y[i];
    // A NaN is no success.
    if (!(error / e.bound[i] <= found.of_bound)) found.of_bound = error / e.bound[i];
  }
  found.relative = std::sqrt(difference / norm);
  return found;
}

// One line of the table; false when the fused product is not within its bound.
template <class T>
bool accuracy(handle &h, std::int32_t norm, std::int32_t compute, const char *type, double mean, double *fused_error) {
  const layer<T> l(norm, 37, 512, 75, mean);
  const expected e = expect(l, compute == GPUOPT_COMPUTE_TF32 ? 0x1p-11 : 0);
  on_device<T> d(h, l, compute);
  norm_linear<T> fused = d.fused();
  d.norm.statistics = d.statistics.view(d.rows, 2);
  d.pair();
  const errors pair = compare(d.y.download(), e);
  d.y.fill(255);
  fused(d.input(), d.statistics.view(d.rows, 2), d.result(), {}, d.options);
  const errors with_statistics = compare(d.y.download(), e);
  d.y.fill(255);
  fused(d.input(), d.result(), {}, d.options);
  const errors alone = compare(d.y.download(), e);
  const double worst = std::max(with_statistics.of_bound, alone.of_bound);
  const bool within = with_statistics.of_bound <= 1 && alone.of_bound <= 1;
  std::printf("%-9s %-4s %6g   %.1e   %.1e      %.1e      %5.3f  %s\n", gpuopt_norm_name(norm), type, mean,
              pair.relative, with_statistics.relative, alone.relative, worst, within ? "ok" : "NOT WITHIN THE BOUND");
  *fused_error = with_statistics.relative;
  return within;
}

bool all_accuracies(handle &h) {
  std::printf(
      "error, of the norm of y                      fused, statistics from   greatest error\n"
      "norm      type  mean/std  pair   the norm's call   reductions   of its bound\n");
  bool good = true;
  double error = 0;
  for (const double mean : {0.0, 3.0}) {
    for (const std::int32_t norm : {GPUOPT_NORM_LAYERNORM, GPUOPT_NORM_RMSNORM}) {
      good &= accuracy<bf16>(h, norm, GPUOPT_COMPUTE_DEFAULT, "bf16", mean, &error);
      good &= accuracy<float>(h, norm, GPUOPT_COMPUTE_TF32, "tf32", mean, &error);
      good &= accuracy<float>(h, norm, GPUOPT_COMPUTE_F32, "f32", mean, &error);
    }
  }
  // What the mean does: mean * s is added and taken away again.
  double least = 0;
  good &= accuracy<float>(h, GPUOPT_NORM_LAYERNORM, GPUOPT_COMPUTE_TF32, "tf32", 30, &error);
  for (const double mean : {0.0, 30.0, 1000.0})
    good &= accuracy<float>(h, GPUOPT_NORM_LAYERNORM, GPUOPT_COMPUTE_F32, "f32", mean, mean == 0 ? &least : &error);
  std::printf("a mean of 1000 standard deviations makes the fused f32 error %s than none\n",
              error > 10 * least ? "more than 10 times greater" : "NOT MUCH GREATER");
  return good && error > 10 * least;
}

// Microseconds of one call, of ten queued: the median of 15 such.
template <class F>
void measure(handle &h, F &&call, std::vector<double> *us) {
  h.synchronize();
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < 10; ++i) call();
  h.synchronize();
  us->push_back(std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count() / 10);
}

void bench(handle &h, std::size_t rows, std::size_t k, std::size_t n) {
  layer<bf16> l(GPUOPT_NORM_LAYERNORM, rows, k, n, 0);
  for (const std::int32_t norm : {GPUOPT_NORM_LAYERNORM, GPUOPT_NORM_RMSNORM}) {
    l.norm = norm;
    on_device<bf16> d(h, l, GPUOPT_COMPUTE_DEFAULT);
    norm_linear<bf16> fused = d.fused();
    std::vector<double> pair_us, fused_us;
    std::string pair_kernel, fused_kernel;
    for (int round = 0; round < 16; ++round) {
      measure(
          h, [&] { d.pair(); }, &pair_us);
      pair_kernel = h.last_kernel().kernel;
      measure(
          h, [&] { fused(d.input(), d.result(), {}, d.options); }, &fused_us);
      fused_kernel = h.last_kernel().kernel;
      if (round == 0) pair_us.clear(), fused_us.clear();  // loading, and the first allocations
    }
    const auto median = [](std::vector<double> us) {
      std::sort(us.begin(), us.end());
      return us[us.size() / 2];
    };
    std::printf("%s %zu x %zu x %zu bf16: pair %.1f us (%s), fused %.1f us (%s), %.2f times as fast\n",
                gpuopt_norm_name(norm), rows, k, n, median(pair_us), pair_kernel.c_str(), median(fused_us),
                fused_kernel.c_str(), median(pair_us) / median(fused_us));
  }
}

int main(int argc, char **argv) try {
  options o;
  std::size_t shape[3] = {0, 0, 0};
  for (int i = 1; i < argc; ++i) {
    if (!std::strcmp(argv[i], "--device") && i + 1 < argc) {
      ++i;
      o.device = !std::strcmp(argv[i], "cpu") ? GPUOPT_DEVICE_CPU : std::atoi(argv[i]);
    } else if (!std::strcmp(argv[i], "--bench") && i + 3 < argc) {
      for (std::size_t &extent : shape) extent = std::strtoull(argv[++i], nullptr, 10);
    } else {
      std::fprintf(stderr, "usage: norm_linear [--device cpu|N] [--bench ROWS K N]\n");
      return 2;
    }
  }
  handle h(o);
  if (shape[0] * shape[1] * shape[2] > 0) {
    bench(h, shape[0], shape[1], shape[2]);
    return 0;
  }
  return all_accuracies(h) ? 0 : 1;
} catch (const error &e) {
  std::fprintf(stderr, "norm_linear: %s\n", e.what());
  return 2;
}
