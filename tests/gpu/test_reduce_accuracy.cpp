// The accuracy of long fp32 sums: of 10^9 random normal values within 32 * 2^-24 of their Euclidean norm, of uniform
// ones within 2e-7 of the sum, for every kernel that takes them. One accumulator on the host fails the first bound, so
// the bound can tell the difference.
#include <algorithm>
#include <cmath>
#include <thread>

#include "gpu_support.h"

using namespace gpuopt_test;

namespace {

size_t term_count() {
  return std::getenv("GPUOPT_TEST_REDUCED") ? size_t{10} * 1000 * 1000 : size_t{1000} * 1000 * 1000;
}

// Counter-based: value i depends on i alone, so threads share the work in any way.
uint64_t mix(uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}
double unit(uint32_t bits) { return (static_cast<double>(bits) + 0.5) * 0x1p-32; }

struct Terms {
  std::vector<float> x;
  double sum = 0, norm = 0;  // in double, from the floats
};

// A pair of neighbours from one counter; count is even.
template <class MakePair>
Terms make_terms(size_t count, MakePair &&make_pair) {
  Terms t;
  t.x.resize(count);
  const size_t threads = std::max(1u, std::thread::hardware_concurrency());
  std::vector<double> sums(threads), squares(threads);
  std::vector<std::thread> pool;
  for (size_t w = 0; w < threads; ++w) {
    pool.emplace_back([&, w] {
      double sum = 0, square = 0;
      for (size_t pair = count / 2 * w / threads; pair < count / 2 * (w + 1) / threads; ++pair) {
        make_pair(mix(pair), &t.x[2 * pair]);
        for (size_t e = 2 * pair; e < 2 * pair + 2; ++e) {
          const double x = static_cast<double>(t.x[e]);
          sum += x;
          square += x * x;
        }
      }
      sums[w] = sum;
      squares[w] = square;
    });
  }
  for (std::thread &thread : pool) thread.join();
  for (size_t w = 0; w < threads; ++w) t.sum += sums[w], t.norm += squares[w];
  t.norm = std::sqrt(t.norm);
  return t;
}

void normal_pair(uint64_t bits, float *x) {  // Box and Muller
  const double radius = std::sqrt(-2 * std::log(unit(static_cast<uint32_t>(bits))));
  const double angle = 6.283185307179586 * unit(static_cast<uint32_t>(bits >> 32));
  x[0] = static_cast<float>(radius * std::cos(angle));
  x[1] = static_cast<float>(radius * std::sin(angle));
}
void uniform_pair(uint64_t bits, float *x) {
  x[0] = static_cast<float>(static_cast<uint32_t>(bits) >> 8) * 0x1p-24f;
  x[1] = static_cast<float>(static_cast<uint32_t>(bits >> 32) >> 8) * 0x1p-24f;
}

// The sum by every GPU kernel that can run it, and by the automatic choice.
template <class Check>
void for_each_sum(const Terms &t, Check &&check) {
  const Gpu g;
  const DeviceArray<float> x(t.x);
  DeviceArray<float> out(1);
  gpuopt_reduce_args args = GPUOPT_REDUCE_ARGS_INIT;
  args.x = gpuopt_mat(x.data, 1, static_cast<int64_t>(t.x.size()), GPUOPT_F32);
  args.out = gpuopt_mat(out.data, 1, 1, GPUOPT_F32);
  std::vector<std::string> names = {""};
  Candidates seen;
  gpuopt_explain(g.handle, &args, nullptr, Candidates::add, &seen);
  for (size_t i = 0; const gpuopt_kernel *k = gpuopt_kernel_get(i); ++i) {
    const Candidate *c = k->op == GPUOPT_OP_REDUCE ? seen.find(k->name) : nullptr;
    if (c && c->verdict != GPUOPT_VERDICT_REJECTED && !(k->flags & GPUOPT_KERNEL_HOST)) names.push_back(k->name);
  }
  CHECK(names.size() >= 3);
  for (const std::string &name : names) {
    CAPTURE(name);
    REQUIRE_MESSAGE(gpuopt_set_kernel(g.handle, name.c_str()) == GPUOPT_OK, last_error());
    out.fill(0xff);  // NaN: no kernel may show the sum of the one before
    REQUIRE_MESSAGE(gpuopt_reduce(g.handle, &args) == GPUOPT_OK, last_error());
    g.sync();
    check(static_cast<double>(out.get()[0]));
  }
}

}  // namespace

TEST_CASE("reduce accuracy: fp32 sums of 1e9 normal values") {
  GPUOPT_NEED_GPU();
  const Terms t = make_terms(term_count(), normal_pair);
  const double bound = 32 * 0x1p-24 * t.norm;
  for_each_sum(t, [&](double sum) { CHECK(std::fabs(sum - t.sum) <= bound); });
  float one_accumulator = 0;
  for (const float x : t.x) one_accumulator += x;
  if (!std::getenv("GPUOPT_TEST_REDUCED")) CHECK(std::fabs(static_cast<double>(one_accumulator) - t.sum) > bound);
}

TEST_CASE("reduce accuracy: fp32 sums of 1e9 uniform values below 1") {
  GPUOPT_NEED_GPU();
  const Terms t = make_terms(term_count(), uniform_pair);
  for_each_sum(t, [&](double sum) { CHECK(std::fabs(sum - t.sum) <= 2e-7 * t.sum); });
}
