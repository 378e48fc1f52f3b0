// Everything that runs in several threads, in a program of its own, which the preset tsan builds alone.
// Eight threads with a handle each, while a ninth registers kernels: right results, and clean under ThreadSanitizer.
#include "support.h"

#include <atomic>
#include <cmath>
#include <thread>

#include "common/thread_pool.h"

using namespace gpuopt_test;

namespace {
constexpr gpuopt_signature kNone[] = {{{GPUOPT_B128, GPUOPT_B128, GPUOPT_B128, GPUOPT_B128}, GPUOPT_COMPUTE_F64}};
gpuopt_status nothing(const gpuopt_problem *, const gpuopt_launch *) { return GPUOPT_OK; }
}  // namespace

TEST_CASE("threads: handles in 8 threads and concurrent registration") {
  std::atomic<bool> stop{false};
  std::atomic<int> failures{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([t, &failures] {
      gpuopt_options o = GPUOPT_OPTIONS_INIT;
      o.device = GPUOPT_DEVICE_CPU;
      o.num_threads = 1 + t % 3;
      for (int round = 0; round < 6; ++round) {
        gpuopt_handle *h = nullptr;
        if (gpuopt_create(&h, &o) != GPUOPT_OK) {
          ++failures;
          return;
        }
        const int64_t m = 17 + 8 * t, n = 33 + round, k = 40;
        std::vector<float> a(static_cast<size_t>(m * k)), b(static_cast<size_t>(k * n)), d(static_cast<size_t>(m * n));
        for (size_t i = 0; i < a.size(); ++i) a[i] = std::sin(static_cast<float>(i + static_cast<size_t>(t)));
        for (size_t i = 0; i < b.size(); ++i) b[i] = std::cos(static_cast<float>(i));
        gpuopt_gemm_args g = GPUOPT_GEMM_ARGS_INIT;
        g.a = gpuopt_mat(a.data(), m, k, GPUOPT_F32);
        g.b = gpuopt_mat(b.data(), k, n, GPUOPT_F32);
        g.d = gpuopt_mat(d.data(), m, n, GPUOPT_F32);
        for (int call = 0; call < 5; ++call)
          if (gpuopt_gemm(h, &g) != GPUOPT_OK) ++failures;
        for (const int64_t at : {int64_t{0}, m * n / 2, m * n - 1}) {
          double sum = 0;
          for (int64_t l = 0; l < k; ++l)
            sum += static_cast<double>(a[static_cast<size_t>(at / n * k + l)]) *
                   static_cast<double>(b[static_cast<size_t>(l * n + at % n)]);
          if (!(std::fabs(sum - static_cast<double>(d[static_cast<size_t>(at)])) <= 1e-4)) ++failures;
        }
        // A failing call's message belongs to this thread alone.
        g.b.rows = k + t + 1;
        if (gpuopt_gemm(h, &g) != GPUOPT_INVALID_ARGUMENT ||
            !contains(gpuopt_last_error(), "b is " + std::to_string(k + t + 1) + "x"))
          ++failures;
        gpuopt_destroy(h);
      }
    });
  std::thread registrar([&] {
    for (int i = 0; i < 50 && !stop; ++i) {
      auto *k = new gpuopt_kernel();
      k->struct_size = sizeof *k;
      k->name = strdup(("gemm_test_thread" + std::to_string(i)).c_str());
      k->op = GPUOPT_OP_GEMM;
      k->flags = GPUOPT_KERNEL_HOST | GPUOPT_KERNEL_TEACHING;
      k->signatures = kNone;
      k->signature_count = 1;
      k->launch = nothing;
      if (gpuopt_register_kernel(k) != GPUOPT_OK) ++failures;
      std::this_thread::yield();
    }
  });
  for (std::thread &t : threads) t.join();
  stop = true;
  registrar.join();
  CHECK(failures == 0);
}

TEST_CASE("parallel_for: every index once, nested, from many threads") {
  std::vector<std::thread> callers;
  std::atomic<int> wrong{0};
  for (int c = 0; c < 4; ++c)
    callers.emplace_back([&wrong, c] {
      for (int round = 0; round < 300; ++round) {
        const int64_t count = (round * 7 + c) % 50;
        std::vector<int> seen(size_t(count), 0);
        auto body = [&](int64_t index, int worker) {
          if (worker < 0 || worker >= 4) ++wrong;
          ++seen[size_t(index)];
          std::atomic<int> inner{0};
          auto nested = [&](int64_t, int) { ++inner; };
          gpuopt::cpu::parallel_for(2, 3, nested);
          if (inner != 3) ++wrong;
        };
        gpuopt::cpu::parallel_for(1 + round % 4, count, body);
        for (const int times : seen)
          if (times != 1) ++wrong;
      }
    });
  for (std::thread &caller : callers) caller.join();
  CHECK(wrong == 0);
}
