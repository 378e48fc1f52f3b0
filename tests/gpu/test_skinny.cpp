// Products of few rows or columns: every width of the small side, splits of k and ends of tiles against a plain kernel, and
// weights that a kernel before writes late, of which the next one asks L2 early.
#include <cmath>
#include <cstring>

#include "products.h"

using namespace gpuopt_test;

namespace {

double bf16_value(uint16_t bits) {
  const uint32_t word = static_cast<uint32_t>(bits) << 16;
  float x;
  std::memcpy(&x, &word, sizeof x);
  return static_cast<double>(x);
}

void run(const Gpu &g, const gpuopt_gemm_args &args, const char *kernel) {
  REQUIRE_MESSAGE(gpuopt_set_kernel(g.handle, kernel) == GPUOPT_OK, last_error());
  REQUIRE_MESSAGE(gpuopt_gemm(g.handle, &args) == GPUOPT_OK, last_error());
}

constexpr const char *kKernels[] = {"gemm_wgmma_skinny_16bit", "gemm_gemv_16bit"};

}  // namespace

TEST_CASE("skinny: every width, layout and split of k gives what gemm_naive gives") {
  GPUOPT_NEED_GPU();
  const Gpu g;
  constexpr size_t kMost = 4104 * 520;
  const DeviceArray<uint16_t> a(bf16_values(kMost, 1)), b(bf16_values(kMost, 2));
  DeviceArray<float> d(520 * 128), c(normal_values(520 * 128, 3));
  const bool reduced = std::getenv("GPUOPT_TEST_REDUCED") != nullptr;
  for (const int64_t few : {1, 2, 7, 8, 9, 16, 17, 32, 33, 64, 65, 100, 128}) {
    for (const int64_t many : {72, 520}) {
      for (const int64_t k : {0, 8, 64, 72, 520, 4104}) {
        if (reduced && k > 520) continue;
        for (int form = 0; form < 8; ++form) {  // layouts, and which side is the small one
          gpuopt_gemm_args args = GPUOPT_GEMM_ARGS_INIT;
          const int64_t m = form & 4 ? few : many, n = form & 4 ? many : few;
          args.a = gpuopt_mat(a.data, m, k, GPUOPT_BF16);
          args.b = gpuopt_mat(b.data, k, n, GPUOPT_BF16);
          args.c = gpuopt_mat(c.data, m, n, GPUOPT_F32);
          args.d = gpuopt_mat(d.data, m, n, GPUOPT_F32);
          args.a.layout = form & 1 ? GPUOPT_COL : GPUOPT_ROW;
          args.b.layout = form & 2 ? GPUOPT_COL : GPUOPT_ROW;
          args.alpha = 0.5;
          args.beta = form & 1 ? 2.0 : 0.0;
          CAPTURE(m);
          CAPTURE(n);
          CAPTURE(k);
          CAPTURE(form);
          d.fill(0xff);
          run(g, args, "gemm_naive");
          g.sync();
          const std::vector<float> truth = d.get();
          for (const char *kernel : kKernels) {
            if (!can_run(g, args, kernel)) continue;
            CAPTURE(std::string(kernel));
            d.fill(0xff);
            run(g, args, kernel);
            g.sync();
            const std::vector<float> x = d.get();
            const double bound = 1e-4 * std::sqrt(static_cast<double>(k));
            int64_t wrong = 0;
            for (size_t i = 0; i < static_cast<size_t>(m * n); ++i) {
              const double off = std::fabs(static_cast<double>(x[i]) - static_cast<double>(truth[i]));
              wrong += off <= bound ? 0 : 1;  // NaN is wrong
            }
            CHECK(wrong == 0);
          }
        }
      }
    }
  }
}

TEST_CASE("skinny: tiles of 128 lines of either side, k split over clusters that have their multiprocessors alone") {
  GPUOPT_NEED_GPU();
  const Gpu g;
  constexpr int64_t kFew = 256, kMany = 1024, kMostK = 4104;
  const DeviceArray<uint16_t> a(bf16_values(kMany * kMostK, 1)), b(bf16_values(kMany * kMostK, 2));
  DeviceArray<float> d(kFew * kMany);
  for (const int64_t k : {4104, 1000}) {
    for (int form = 0; form < 8; ++form) {  // layouts, and which side is the small one
      const int64_t few = form == 3 ? kFew - 11 : kFew, many = form == 6 ? kMany - 5 : kMany;
      const int64_t m = form & 4 ? few : many, n = form & 4 ? many : few;
      gpuopt_gemm_args args = GPUOPT_GEMM_ARGS_INIT;
      args.a = gpuopt_mat(a.data, m, k, GPUOPT_BF16);
      args.b = gpuopt_mat(b.data, k, n, GPUOPT_BF16);
      args.d = gpuopt_mat(d.data, m, n, GPUOPT_F32);
      args.a.layout = form & 1 ? GPUOPT_COL : GPUOPT_ROW;
      args.b.layout = form & 2 ? GPUOPT_COL : GPUOPT_ROW;
      if (!can_run(g, args, kKernels[0])) continue;
      CAPTURE(k);
      CAPTURE(form);
      std::vector<float> results[2];
      for (int which = 0; which < 2; ++which) {
        d.fill(0xff);
        run(g, args, which == 0 ? "gemm_mma_16bit_64x64" : kKernels[0]);
        g.sync();
        results[which] = d.get();
      }
      const double bound = 1e-4 * std::sqrt(static_cast<double>(k));
      int64_t wrong = 0;
      for (size_t i = 0; i < static_cast<size_t>(m * n); ++i) {
        const double off = std::fabs(static_cast<double>(results[0][i]) - static_cast<double>(results[1][i]));
        wrong += off <= bound ? 0 : 1;  // NaN is wrong
      }
      CHECK(wrong == 0);
    }
  }
}

TEST_CASE("skinny: D that begins anywhere, and with C in its place, has no other element written") {
  GPUOPT_NEED_GPU();
  const Gpu g;
  constexpr int64_t kMany = 264, kK = 2048, kMostLd = 280;
  const DeviceArray<uint16_t> a(bf16_values(kMany * kK, 1)), b(bf16_values(kMany * kK, 2));
  const std::vector<uint16_t> before = bf16_values((kMany + 1) * kMostLd, 3);
  DeviceArray<uint16_t> d(before), truth(before);
  for (const int64_t few : {1, 5, 8, 24, 33, 64, 65, 128}) {
    for (const int64_t many : {kMany, kMany - 1, kMany - 7}) {
      for (const int64_t k : {int64_t{64}, kK}) {
        for (int form = 0; form < 12; ++form) {  // which side is the small one, C, where D begins and its lines do
          gpuopt_gemm_args args = GPUOPT_GEMM_ARGS_INIT;
          const int64_t m = form & 1 ? few : many, n = form & 1 ? many : few;
          args.a = gpuopt_mat(a.data, m, k, GPUOPT_BF16);
          args.b = gpuopt_mat(b.data, k, n, GPUOPT_BF16);
          args.alpha = 0.5;
          args.beta = form & 2 ? 2.0 : 0.0;
          const int64_t ld = form < 4 ? (n + 7) / 8 * 8 : n + 3, first = form < 8 ? 0 : 3;
          CAPTURE(m);
          CAPTURE(n);
          CAPTURE(k);
          CAPTURE(form);
          std::vector<uint16_t> results[2];
          for (int which = 0; which < 2; ++which) {
            DeviceArray<uint16_t> &to = which == 0 ? truth : d;
            to.set(before);
            args.d = gpuopt_mat(to.data + first, m, n, GPUOPT_BF16);
            args.d.ld = ld;
            args.c = args.d;
            run(g, args, which == 0 ? "gemm_naive" : "gemm_wgmma_skinny_16bit");
            g.sync();
            results[which] = to.get();
          }
          int64_t wrong = 0, beyond = 0;
          for (int64_t i = 0; i < static_cast<int64_t>(before.size()); ++i) {
            const auto at = static_cast<size_t>(i);
            const int64_t j = i - first;
            if (j < 0 || j / ld >= m || j % ld >= n) {
              beyond += results[1][at] != before[at];
              continue;
            }
            const double x = bf16_value(results[0][at]), off = std::fabs(bf16_value(results[1][at]) - x);
            wrong += off <= 0.01 * std::fabs(x) + 2e-3 * std::sqrt(static_cast<double>(k)) ? 0 : 1;
          }
          CHECK(wrong == 0);
          CHECK(beyond == 0);
        }
      }
    }
  }
}

TEST_CASE("skinny: weights that the kernel before writes are read as it left them") {
  GPUOPT_NEED_GPU();
  const Gpu g;
  constexpr int64_t kSide = 2048, kLong = 8192, kFew = 16;
  DeviceArray<uint16_t> left(bf16_values(kSide * kLong, 1));
  const DeviceArray<uint16_t> right(bf16_values(kLong * kSide, 2)), x(bf16_values(kFew * kSide, 3));
  DeviceArray<uint16_t> weights(static_cast<size_t>(kSide * kSide));
  DeviceArray<float> y(static_cast<size_t>(kFew * kSide));
  gpuopt_gemm_args producer = GPUOPT_GEMM_ARGS_INIT, consumer = GPUOPT_GEMM_ARGS_INIT;
  producer.a = gpuopt_mat(left.data, kSide, kLong, GPUOPT_BF16);
  producer.b = gpuopt_mat(right.data, kLong, kSide, GPUOPT_BF16);
  producer.d = gpuopt_mat(weights.data, kSide, kSide, GPUOPT_BF16);
  consumer.a = gpuopt_mat(x.data, kFew, kSide, GPUOPT_BF16);
  consumer.b = gpuopt_mat(weights.data, kSide, kSide, GPUOPT_BF16);
  consumer.d = gpuopt_mat(y.data, kFew, kSide, GPUOPT_F32);
  for (const char *kernel : kKernels) {
    CAPTURE(std::string(kernel));
    for (uint32_t round = 0; round < 6; ++round) {
      consumer.b.layout = round % 2 == 0 ? GPUOPT_ROW : GPUOPT_COL;
      if (!can_run(g, consumer, kernel)) continue;
      left.set(bf16_values(kSide * kLong, 10 + round));
      run(g, consumer, kernel);  // what was in the weights before is in L2
      run(g, producer, "");
      run(g, consumer, kernel);
      g.sync();
      const std::vector<float> at_once = y.get();
      y.fill(0xff);
      run(g, consumer, kernel);
      g.sync();
      CHECK(std::memcmp(at_once.data(), y.get().data(), at_once.size() * sizeof(float)) == 0);
    }
  }
}
