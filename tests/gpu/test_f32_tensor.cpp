// Compute F32_TENSOR: kernels that multiply parts are about as near to the truth as strict fp32 is on the same data, whatever
// the data; a replayed graph finds out anew which data it has. k is too short for anybody to split: the more sums of products
// are added up apart, the less they are off, in fp32 as in parts.
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <set>

#include "gpu_support.h"

using namespace gpuopt_test;

namespace {

constexpr int64_t m = 200, n = 168, k = 224;
constexpr float kInfinity = std::numeric_limits<float>::infinity();

// A row-major, B column-major: lines of k.
struct Operands {
  std::vector<float> a, b;
};
struct Class {
  const char *name;
  std::function<float(std::mt19937 &, float normal, int64_t l, bool is_b)> element;
};
Operands drawn(const Class &c) {
  std::mt19937 engine(77);
  std::normal_distribution<float> normal;
  Operands x = {std::vector<float>(static_cast<size_t>(m * k)), std::vector<float>(static_cast<size_t>(n * k))};
  for (std::vector<float> *v : {&x.a, &x.b})
    for (size_t i = 0; i < v->size(); ++i)
      (*v)[i] = c.element(engine, normal(engine), static_cast<int64_t>(i) % k, v == &x.b);
  return x;
}
// Sums whose second half takes back the first.
void cancel(Operands *x) {
  for (int64_t i = 0; i < m; ++i)
    for (int64_t l = 0; l < k / 2; ++l)
      x->a[static_cast<size_t>(i * k + k / 2 + l)] = -x->a[static_cast<size_t>(i * k + l)] * (1 + 0x1p-10f);
  for (int64_t j = 0; j < n; ++j)
    for (int64_t l = 0; l < k / 2; ++l)
      x->b[static_cast<size_t>(j * k + k / 2 + l)] = x->b[static_cast<size_t>(j * k + l)];
}

struct Truth {
  std::vector<double> value, magnitude;  // of A * B and of |A| * |B|

  explicit Truth(const Operands &x) {
    for (int64_t i = 0; i < m; ++i) {
      for (int64_t j = 0; j < n; ++j) {
        double sum = 0, absolute = 0;
        for (int64_t l = 0; l < k; ++l) {
          const double term = static_cast<double>(x.a[static_cast<size_t>(i * k + l)]) *
                              static_cast<double>(x.b[static_cast<size_t>(j * k + l)]);
          sum += term;
          absolute += std::fabs(term);
        }
        value.push_back(sum);
        magnitude.push_back(absolute);
      }
    }
  }
};
struct Error {
  double median, most;
};
// |error| / (|A| |B|).
Error error_of(const std::vector<float> &d, const Truth &truth) {
  std::vector<double> errors;
  for (size_t i = 0; i < d.size(); ++i) {
    // The smallest numbers are as far from each other as 2^-149.
    const double magnitude = std::max(truth.magnitude[i], 0x1p-120);
    const double error = std::fabs(static_cast<double>(d[i]) - truth.value[i]) / magnitude;
    // What was not written is NaN, which has no place in an order.
    errors.push_back(error == error ? error : HUGE_VAL);
  }
  std::sort(errors.begin(), errors.end());
  return {errors[errors.size() / 2], errors.back()};
}

struct Product {
  const Gpu g;
  DeviceArray<float> a{static_cast<size_t>(m * k)}, b{static_cast<size_t>(n * k)}, d{static_cast<size_t>(m * n)};
  gpuopt_gemm_args args = GPUOPT_GEMM_ARGS_INIT;

  explicit Product(int32_t compute) {
    args.compute = compute;
    args.a = gpuopt_mat(a.data, m, k, GPUOPT_F32);
    args.b = gpuopt_mat(b.data, k, n, GPUOPT_F32);
    args.b.layout = GPUOPT_COL;
    args.d = gpuopt_mat(d.data, m, n, GPUOPT_F32);
  }
  void set(const Operands &x) {
    a.set(x.a);
    b.set(x.b);
  }
  std::vector<float> run(const char *kernel) {
    d.fill(0xff);
    REQUIRE_MESSAGE(gpuopt_set_kernel(g.handle, kernel) == GPUOPT_OK, last_error());
    REQUIRE_MESSAGE(gpuopt_gemm(g.handle, &args) == GPUOPT_OK, last_error());
    g.sync();
    return d.get();
  }
  std::set<std::string> kernels() {
    Candidates seen;
    gpuopt_explain(g.handle, &args, nullptr, Candidates::add, &seen);
    std::set<std::string> names;
    for (size_t i = 0; const gpuopt_kernel *kernel = gpuopt_kernel_get(i); ++i) {
      const Candidate *c = kernel->op == GPUOPT_OP_GEMM ? seen.find(kernel->name) : nullptr;
      if (c && c->verdict != GPUOPT_VERDICT_REJECTED && contains(kernel->name, "f32_tensor"))
        names.insert(kernel->name);
    }
    return names;
  }
};

float uniform(std::mt19937 &engine) { return std::uniform_real_distribution<float>(-1, 1)(engine); }

const Class kClasses[] = {
    {"normal", [](std::mt19937 &, float x, int64_t, bool) { return x; }},
    {"cancelling", [](std::mt19937 &, float x, int64_t, bool) { return x; }},
    {"half of A zero", [](std::mt19937 &, float x, int64_t, bool is_b) { return is_b ? x : std::max(x, 0.0f); }},
    {"outliers", [](std::mt19937 &, float x, int64_t l, bool is_b) { return !is_b && l % 512 == 3 ? 300 * x : x; }},
    {"wide range", [](std::mt19937 &e, float x, int64_t, bool) { return x * std::pow(10.0f, 15 * uniform(e)); }},
    {"widest range in A",
     [](std::mt19937 &e, float x, int64_t, bool is_b) { return is_b ? x : x * std::pow(10.0f, 30 * uniform(e)); }},
    {"graded against each other",
     [](std::mt19937 &, float x, int64_t l, bool is_b) {
       return std::ldexp(x, static_cast<int>(is_b ? l * 60 / k : -(l * 60 / k)));
     }},
    {"half of A denormal",
     [](std::mt19937 &, float x, int64_t l, bool is_b) { return !is_b && l % 2 == 0 ? x * 1e-39f : x; }},
    {"all of A denormal", [](std::mt19937 &, float x, int64_t, bool is_b) { return is_b ? x : x * 1e-39f; }}};

}  // namespace

TEST_CASE("f32_tensor accuracy: median and greatest error are at most twice strict fp32's") {
  GPUOPT_NEED_GPU();
  Product strict(GPUOPT_COMPUTE_F32), tensor(GPUOPT_COMPUTE_F32_TENSOR);
  const std::string reference = "gemm_warptile_64x64";
  for (const Class &c : kClasses) {
    Operands x = drawn(c);
    if (std::string(c.name) == "cancelling") cancel(&x);
    strict.set(x);
    tensor.set(x);
    const Truth truth(x);
    const Error allowed = error_of(strict.run(reference.c_str()), truth);
    for (const std::string &kernel : tensor.kernels()) {
      const std::string data = c.name;
      CAPTURE(data);
      CAPTURE(kernel);
      const Error error = error_of(tensor.run(kernel.c_str()), truth);
      CHECK(error.median <= 2 * allowed.median);
      CHECK(error.most <= 2 * allowed.most);
    }
  }
}

TEST_CASE("f32_tensor: a replayed graph takes the path that its data asks for") {
  GPUOPT_NEED_GPU();
  Product p(GPUOPT_COMPUTE_F32_TENSOR);
  const Operands tame = drawn(kClasses[0]), graded = drawn(kClasses[6]);
  const Truth truth_tame(tame), truth_graded(graded);
  Operands changed = tame;
  changed.a[3 * k + 5] = kInfinity;
  const Operands &infinite = changed;
  for (const std::string &kernel : p.kernels()) {
    CAPTURE(kernel);
    REQUIRE_MESSAGE(gpuopt_set_kernel(p.g.handle, kernel.c_str()) == GPUOPT_OK, last_error());
    REQUIRE_MESSAGE(gpuopt_prepare(p.g.handle, &p.args) == GPUOPT_OK, last_error());
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t exec = nullptr;
    GPUOPT_CUDA(cudaStreamBeginCapture(p.g.stream, cudaStreamCaptureModeGlobal));
    const gpuopt_status status = gpuopt_gemm(p.g.handle, &p.args);
    GPUOPT_CUDA(cudaStreamEndCapture(p.g.stream, &graph));
    REQUIRE_MESSAGE(status == GPUOPT_OK, last_error());
    GPUOPT_CUDA(cudaGraphInstantiate(&exec, graph, 0));
    for (const Operands *x : {&tame, &infinite, &graded, &tame}) {
      p.set(*x);
      const std::vector<float> direct = p.run(kernel.c_str());
      p.d.fill(0xff);
      GPUOPT_CUDA(cudaGraphLaunch(exec, p.g.stream));
      p.g.sync();
      const std::vector<float> replayed = p.d.get();
      CHECK(std::memcmp(direct.data(), replayed.data(), direct.size() * sizeof(float)) == 0);
      if (x == &infinite) {
        for (int64_t j = 0; j < n; ++j) {
          const float b = x->b[static_cast<size_t>(j * k + 5)];
          CHECK(replayed[static_cast<size_t>(3 * n + j)] == (b > 0 ? kInfinity : -kInfinity));
          CHECK(std::isfinite(replayed[static_cast<size_t>(4 * n + j)]));
        }
      } else {
        CHECK(error_of(replayed, x == &graded ? truth_graded : truth_tame).most < 1e-6);
      }
    }
    cudaGraphExecDestroy(exec);
    cudaGraphDestroy(graph);
  }
}
